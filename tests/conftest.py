"""For all tests: nothing here may use the network. Whoever tries is stopped, and the test that did it fails."""

from __future__ import annotations

import sys
from typing import Any

ATTEMPTS: list[str] = []
"""Every try to reach another machine since the tests began."""


def _no_network(event: str, args: tuple[Any, ...]) -> None:
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto"):
        ATTEMPTS.append(f"{event} {args}")
        raise PermissionError("no test may use the network")
    if event in ("socket.connect", "socket.bind") and isinstance(args[1], tuple):
        ATTEMPTS.append(f"{event} {args[1]}")
        raise PermissionError("no test may use the network")


sys.addaudithook(_no_network)
