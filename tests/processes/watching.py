"""Processes as a test sees them: who descends from whom, and whether one has ended."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["children", "ended", "marked", "wait_until"]


def children(pid: int) -> list[int]:
    """The children of a process, oldest first."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry))
    return sorted(found)


def ended(pid: int) -> bool:
    """Whether it has; one that nobody has waited for (a zombie) has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


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
