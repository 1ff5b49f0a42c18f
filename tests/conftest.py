"""For all tests: English is spoken, and nothing may use the network. Whoever tries is stopped, and fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

os.environ["LC_ALL"] = "C.UTF-8"  # the tests read what the commands say, and they speak the machine's language

ATTEMPTS: list[str] = []
"""Every try to reach another machine in the test that runs."""


def _no_network(event: str, args: tuple[Any, ...]) -> None:
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto"):
        ATTEMPTS.append(f"{event} {args}")
        raise PermissionError("no test may use the network")
    if event in ("socket.connect", "socket.bind") and isinstance(args[1], tuple):
        ATTEMPTS.append(f"{event} {args[1]}")
        raise PermissionError("no test may use the network")


sys.addaudithook(_no_network)


@pytest.fixture(autouse=True)
def nobody_reaches_out() -> Iterator[None]:
    """A try fails the test it happens in, even where the refusal was swallowed."""
    yield
    tried = ATTEMPTS.copy()
    ATTEMPTS.clear()
    assert tried == []
