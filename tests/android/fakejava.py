"""A phone's Java, as far as companion.app.android calls it: it remembers what was asked and answers as told."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class JavaError(Exception):
    """Stands for jnius.JavaException."""


class Intent:
    ACTION_SEND = "android.intent.action.SEND"
    ACTION_OPEN_DOCUMENT = "android.intent.action.OPEN_DOCUMENT"
    CATEGORY_OPENABLE = "android.intent.category.OPENABLE"
    EXTRA_TEXT = "android.intent.extra.TEXT"
    EXTRA_STREAM = "android.intent.extra.STREAM"
    FLAG_GRANT_READ_URI_PERMISSION = 1
    FLAG_GRANT_WRITE_URI_PERMISSION = 2

    def __init__(self, action: str = "", data: Any = None) -> None:
        self.action, self.data = action, data
        self.extras: dict[str, Any] = {}
        self.flags, self.kind = 0, ""
        self.categories: list[str] = []
        self.clip: Any = None
        self.inner: Intent | None = None

    def putExtra(self, key: str, value: Any) -> None:
        self.extras[key] = value

    def addFlags(self, flags: int) -> None:
        self.flags |= flags

    def setType(self, kind: str) -> None:
        self.kind = kind

    def addCategory(self, category: str) -> None:
        self.categories.append(category)

    def setClipData(self, clip: Any) -> None:
        self.clip = clip

    def getData(self) -> Any:
        return self.data

    @staticmethod
    def createChooser(intent: Intent, title: Any) -> Intent:
        chooser = Intent("android.intent.action.CHOOSER")
        chooser.inner = intent
        return chooser


class Phone:
    """The fake. `asked` are the intents that were started; `answer` plays the camera or the picker."""

    error: type[Exception] = JavaError

    def __init__(self, level: int = 36, files: Path | None = None, camera: bool = True) -> None:
        self.level, self.files, self.camera = level, files, camera
        self.asked: list[tuple[Intent, int | None]] = []
        self.refuse = self.behind = False
        self.opens: Callable[[Any], Any] = lambda address: None
        self.activity: Any = self
        self._listener: Callable[[int, int, Any], None] | None = None

    # Java

    def cls(self, name: str) -> Any:
        known: dict[str, Any] = {
            "android.content.Intent": Intent,
            "java.io.File": str,
            "java.lang.String": str,
            "android.net.Uri": SimpleNamespace(),
            "android.app.Activity": SimpleNamespace(RESULT_OK=-1, RESULT_CANCELED=0),
            "android.os.Build$VERSION": SimpleNamespace(SDK_INT=self.level),
            "android.content.ClipData": SimpleNamespace(newRawUri=lambda label, address: ("clip", address)),
            "android.view.WindowInsets$Type": SimpleNamespace(systemBars=lambda: 7, displayCutout=lambda: 128),
            "android.provider.MediaStore": SimpleNamespace(
                ACTION_IMAGE_CAPTURE="android.media.action.IMAGE_CAPTURE",
                ACTION_PICK_IMAGES="android.provider.action.PICK_IMAGES",
                EXTRA_OUTPUT="output",
            ),
            "androidx.core.content.FileProvider": SimpleNamespace(getUriForFile=self._address),
        }
        return known[name]

    def cast(self, name: str, thing: Any) -> Any:
        return thing

    def on_result(self, answer: Callable[[int, int, Any], None]) -> None:
        self._listener = answer

    def _address(self, context: Any, authority: str, file: str) -> str:
        if self.files is not None and self.files not in Path(file).parents:
            raise JavaError("IllegalArgumentException: Failed to find configured root")
        return f"content://{authority}/{file}"

    # the activity

    def getPackageName(self) -> str:
        return "org.example.rails"

    def getPackageManager(self) -> Any:
        return SimpleNamespace(hasSystemFeature=lambda name: self.camera and name == "android.hardware.camera.any")

    def startActivityForResult(self, intent: Intent, number: int) -> None:
        if self.refuse:
            raise JavaError("ActivityNotFoundException")
        self.asked.append((intent, number))

    def startActivity(self, intent: Intent) -> None:
        if self.refuse:
            raise JavaError("ActivityNotFoundException")
        self.asked.append((intent, None))

    def moveTaskToBack(self, even_if_not_root: bool) -> bool:
        if self.refuse:
            raise JavaError("RemoteException")
        self.behind = even_if_not_root
        return True

    def getContentResolver(self) -> Any:
        return SimpleNamespace(openFileDescriptor=lambda address, mode: self.opens(address))

    def getWindow(self) -> Any:
        edges = SimpleNamespace(left=0, top=80, right=0, bottom=48)
        seen = SimpleNamespace(
            getInsets=lambda kinds: edges,
            getSystemWindowInsetLeft=lambda: 0,
            getSystemWindowInsetTop=lambda: 60,
            getSystemWindowInsetRight=lambda: 0,
            getSystemWindowInsetBottom=lambda: 40,
        )
        return SimpleNamespace(getDecorView=lambda: SimpleNamespace(getRootWindowInsets=lambda: seen))

    # the person

    def answer(self, result: int, intent: Any = None, number: int | None = None) -> None:
        assert self._listener is not None
        asked = self.asked[-1][1] if number is None else number
        assert asked is not None
        self._listener(asked, result, intent)


def lent_file(data: bytes) -> Any:
    """A ParcelFileDescriptor over these bytes."""
    handle, name = tempfile.mkstemp()
    os.write(handle, data)
    os.lseek(handle, 0, os.SEEK_SET)
    Path(name).unlink()
    return SimpleNamespace(detachFd=lambda: handle)
