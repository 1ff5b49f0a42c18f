"""Keeps every change at once, without making the screen wait for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from companion.errors import CompanionError, StoreError


class Shelf(Protocol):
    """Where forms are written to; raises StoreError."""

    def write(self, game_id: str, form: Mapping[str, Any], /) -> None: ...


class Saver:
    """Writes the latest form of each game on a thread of its own; `trouble` is told when the disk refuses."""

    def __init__(self, store: Shelf, trouble: Callable[[CompanionError], None]) -> None:
        self._store = store
        self._trouble = trouble
        self._waiting: dict[str, Mapping[str, Any]] = {}
        self._busy = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="saver", daemon=True)
        self._thread.start()

    def keep(self, game_id: str, form: Mapping[str, Any]) -> None:
        with self._change:
            self._waiting[game_id] = form
            self._change.notify_all()

    def forget(self, game_id: str) -> None:
        """Drop a game that was deleted, so that it is not written again."""
        self.flush()
        with self._change:
            self._waiting.pop(game_id, None)

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until all is on the disk, as before the system may kill us."""
        with self._change:
            return self._change.wait_for(lambda: not self._waiting and not self._busy, timeout)

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: bool(self._waiting))
                game_id, form = self._waiting.popitem()
                self._busy = True
            try:
                self._store.write(game_id, form)
            except StoreError as error:
                self._trouble(error)
            except Exception:  # whatever it was, the next change must find this thread alive
                self._trouble(StoreError("This change could not be saved; go on, and it is tried again with the next."))
            finally:
                with self._change:
                    self._busy = False
                    self._change.notify_all()
