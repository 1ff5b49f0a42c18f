"""Long work beside the screen: in a process of its own and on a thread, finished, refused, broken and called off."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from bench.frames import MOST_FRAME_MS, MOST_START_S, attempt
from companion.app.aside import Desk, HereDesk, Job, ProcessDesk, Stopped
from companion.errors import CompanionError, LocateError

HERE = "tests.app.test_aside"
OTHERWISE = CompanionError("It broke.")


def count(to: int, progress: Any) -> int:
    for number in range(to):
        progress(str(number))
    return to


def refuse(progress: Any) -> None:
    raise LocateError("No board in {name}.", name="this photo")


def crash(progress: Any) -> None:
    raise ZeroDivisionError("a fault of ours")


def babble(progress: Any) -> str:
    print("this goes nowhere near the answers")
    return "said"


def dawdle(progress: Any) -> None:
    for _ in range(600):
        progress("still at it")
        time.sleep(0.1)


@pytest.fixture(params=[HereDesk, ProcessDesk])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    desk: Desk = request.param()
    yield desk
    desk.stop()


def _outcome(desk: Desk, task: str, *args: Any) -> tuple[Any, list[str]]:
    stages: list[str] = []
    answer: list[Any] = []
    done = threading.Event()

    def finish(told: Any) -> None:
        answer.append(told)
        done.set()

    Job(lambda progress: desk.do(f"{HERE}:{task}", *args, progress=progress), desk.stop, stages.append, finish, OTHERWISE)
    assert done.wait(60)
    return answer[0], stages


def test_stages_are_told_and_the_answer_comes(desk: Desk) -> None:
    assert _outcome(desk, "count", 3) == (3, ["0", "1", "2"])
    assert _outcome(desk, "babble")[0] == "said"


def test_an_error_keeps_its_kind_and_its_gaps(desk: Desk) -> None:
    error, _ = _outcome(desk, "refuse")
    assert isinstance(error, LocateError)
    assert (error.said.template, error.said.values, str(error)) == (
        "No board in {name}.",
        {"name": "this photo"},
        "No board in this photo.",
    )


def test_a_fault_becomes_a_sentence_and_the_desk_lives_on(desk: Desk) -> None:
    assert _outcome(desk, "crash")[0] is OTHERWISE
    assert _outcome(desk, "count", 1)[0] == 1


def test_called_off_work_ends_and_is_heard_of_no_more(desk: Desk) -> None:
    begun = threading.Event()
    heard: list[Any] = []
    job = Job(
        lambda progress: desk.do(f"{HERE}:dawdle", progress=progress),
        desk.stop,
        lambda stage: begun.set(),
        heard.append,
        OTHERWISE,
    )
    assert begun.wait(60)
    job.stop()
    assert _outcome(desk, "count", 2)[0] == 2
    assert heard == []


def test_a_killed_process_is_an_error_not_a_wait() -> None:
    desk = ProcessDesk()
    threading.Timer(1.5, desk.stop).start()
    with pytest.raises(Stopped):
        desk.do(f"{HERE}:dawdle", progress=lambda stage: None)


@pytest.mark.alone
def test_the_screen_never_waits_for_the_reader(display: str) -> None:
    """What else this machine does adds to every frame, with and without a reader: the best of a few tries counts."""
    tries: list[tuple[float, float]] = []
    while len(tries) < 4 and not any(worst <= max(MOST_FRAME_MS, 2 * still) for worst, still in tries):
        told = attempt("read")
        tries.append((told["worst_ms"], told["still_ms"]))
    assert any(worst <= max(MOST_FRAME_MS, 2 * still) for worst, still in tries), tries


@pytest.mark.alone
def test_the_first_screen_is_there_at_once(display: str) -> None:
    """On a machine that is busy with other things, the work that a start takes counts, not the wait for a turn."""
    tries: list[float] = []
    while len(tries) < 4 and min(tries, default=1e9) > MOST_START_S:
        told = attempt("start")
        tries.append(min(told["start_s"], told["cpu_s"]))
    assert min(tries) <= MOST_START_S, tries
