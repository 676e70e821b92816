"""Processes as a test sees them: who descends from whom, and whether one has ended."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def children(pid: int) -> list[int]:
    """The children of a process, oldest first."""
    everyone = map(int, filter(str.isdigit, os.listdir("/proc")))
    return sorted(other for other in everyone if _stat(other)[1] == str(pid))


def ended(pid: int) -> bool:
    """Whether it has; one that nobody has waited for (a zombie) has."""
    return _stat(pid)[0] == "Z"


def _stat(pid: int) -> list[str]:
    """The state of a process, the id of its parent, and more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["Z", ""]


def marked(mark: str) -> list[int]:
    """Processes that have a text in their environment: all that a marked process ever started."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{entry}/environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in environment and not ended(int(entry)):
            found.append(int(entry))
    return found


def wait_until(holds: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether it holds before the time is over."""
    limit = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True
