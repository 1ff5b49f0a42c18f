"""Settings: language, look, sound, and a way to delete everything."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, StringProperty

from companion import __version__
from companion.app.settings import Settings
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Chip, Layer, MainButton, Tap, Txt
from companion.app.widgets.page import Page
from companion.app.words import LANGUAGES, _


class Choice(Tap):
    """Something that is on or off."""

    title = StringProperty("")
    note = StringProperty("")
    on = BooleanProperty(False)


class SettingsPage(Page):
    """What a person may choose."""

    version = StringProperty(__version__)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        chosen: Settings = self.app.settings
        for code, name in LANGUAGES.items():
            chip = Chip(text=name, value=code, on=code == chosen.language)
            chip.bind(on_release=lambda c: self.choose(language=c.value))
            self.ids.languages.add_widget(chip)
        for key, title, note in (
            ("dark", _("Dark"), _("For a dim room")),
            ("safe_colors", _("Colours for the colour-blind"), _("Symbols are always shown as well")),
            ("large", _("Larger text"), ""),
            ("sound", _("Sound"), _("A bell for the winner")),
        ):
            line = Choice(title=title, note=note, on=getattr(chosen, key))
            line.bind(on_release=lambda w, key=key: self.choose(**{key: not w.on}))
            self.ids.choices.add_widget(line)

    def choose(self, **change: Any) -> None:
        at = self.ids.page.scroll_y
        self.app.choose(**change)
        self.app.rebuild()
        self.app.page.ids.page.scroll_y = at

    def delete_all(self) -> None:
        layer = Layer(title=_("Delete everything?"))
        layer.add(Txt(text=_("All games, photos and settings on this device. This cannot be undone.")))
        button = MainButton(text=_("Delete everything"), icon="trash")
        button.bind(on_release=lambda *_: self._really(layer))
        layer.add(button)
        self.app.open_layer(layer)

    def _really(self, layer: Layer) -> None:
        layer.close()
        self.app.forget_everything()

    def name_of_app(self) -> str:
        return f"Rail Companion {self.version}"


load_kv(__file__)
Screen = SettingsPage
