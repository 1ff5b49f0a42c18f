"""Work beside the screen: in a process of its own on a computer, so that nothing it does can hold up a frame; on a
thread on a phone, where there is no second process to be had."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

from companion.app.wire import receive, send
from companion.errors import CompanionError

Progress = Callable[[str], None]


class Stopped(Exception):  # noqa: N818 - a wish, not an error
    """Raised inside the work when the person called it off."""


class Desk(Protocol):
    """Where long work is done. A task is named "module:function"; its last argument is told every stage."""

    def warm(self) -> None: ...

    def do(self, task: str, *args: Any, progress: Progress) -> Any: ...

    def stop(self) -> None: ...


class HereDesk:
    """Works on the thread that asks."""

    def warm(self) -> None:
        """Load what the reader needs while the person is still at the table."""
        threading.Thread(target=_load, args=("companion.app.photoreader:read",), name="warming", daemon=True).start()

    def do(self, task: str, *args: Any, progress: Progress) -> Any:
        return _load(task)(*args, progress)

    def stop(self) -> None:
        """The work stops by itself at its next stage."""


class ProcessDesk:
    """Works in a Python of its own, one task at a time; to stop a task is to end that Python."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._working = threading.Lock()

    def warm(self) -> None:
        threading.Thread(target=self._start, name="warming", daemon=True).start()

    def do(self, task: str, *args: Any, progress: Progress) -> Any:
        with self._working:
            child = self._start()
            try:
                return self._ask(child, (task, args), progress)
            except (OSError, EOFError, ValueError) as error:
                self.stop()
                raise Stopped from error
            except Stopped:
                self.stop()
                raise

    def stop(self) -> None:
        with self._starting:
            child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()

    def _ask(self, child: subprocess.Popen[bytes], order: Any, progress: Progress) -> Any:
        assert child.stdin is not None and child.stdout is not None
        send(order, child.stdin)
        while True:
            kind, told = receive(child.stdout)
            if kind == "stage":
                progress(told)
            elif kind == "error":
                raise told
            elif kind == "fault":
                raise RuntimeError(told)
            else:
                return told

    def _start(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._child is None or self._child.poll() is not None:
                self._child = subprocess.Popen(
                    [sys.executable, "-m", "companion.app.aside"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    cwd=Path(__file__).resolve().parent.parent.parent,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
            return self._child


def desk_for_this_machine() -> Desk:
    """A process where a Python can be started, else a thread."""
    alone = "ANDROID_PRIVATE" in os.environ or getattr(sys, "frozen", False) or not sys.executable
    return HereDesk() if alone else ProcessDesk()


class Job:
    """A piece of work on its way. `done` is called on the working thread with its outcome, or with the error."""

    def __init__(
        self,
        work: Callable[[Progress], Any],
        stop: Callable[[], None],
        stage: Progress,
        done: Callable[[Any], None],
        otherwise: CompanionError,
    ) -> None:
        self._work, self._stop, self._stage, self._done, self._otherwise = work, stop, stage, done, otherwise
        self.stopped = False
        threading.Thread(target=self._run, name="job", daemon=True).start()

    def stop(self) -> None:
        """Call the work off; nothing more is heard of it."""
        if not self.stopped:
            self.stopped = True
            self._stop()

    def _progress(self, name: str) -> None:
        if self.stopped:
            raise Stopped
        self._stage(name)

    def _run(self) -> None:
        try:
            outcome = self._work(self._progress)
        except CompanionError as error:
            outcome = error
        except Exception:  # long work must never take the evening's game down with it
            outcome = self._otherwise
        if not self.stopped:
            self._done(outcome)


def _load(task: str) -> Callable[..., Any]:
    module, _, name = task.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _serve(orders: IO[bytes], answers: IO[bytes]) -> None:
    """The life of the other Python: task after task, until the app is gone."""

    def tell(kind: str, what: Any) -> None:
        send((kind, what), answers)

    while True:
        task, args = receive(orders)
        try:
            tell("done", _load(task)(*args, lambda name: tell("stage", name)))
        except (BrokenPipeError, EOFError):
            raise
        except CompanionError as error:
            tell("error", error)
        except Exception as error:
            tell("fault", repr(error))


def main() -> None:
    """Serve the app over what are standard input and output, which nothing else may write to."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)  # the screen comes first
    _load("companion.app.photoreader:read")
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        _serve(sys.stdin.buffer, answers)
    os._exit(0)


if __name__ == "__main__":
    main()
