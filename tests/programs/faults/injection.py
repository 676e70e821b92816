"""Calls to the system that fail by number: to read, write, open, flush, rename, fork or get memory.

:func:`install` puts a counter before each of them, once per process and before anything else is imported;
:func:`arm` says which one fails, and with what its kind fails.
"""

import _pyio  # type: ignore[import-not-found]
import _socket
import _testcapi  # type: ignore[import-not-found]
import builtins
import errno
import io
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What a call of each kind fails with.
KINDS = {
    "open": errno.EMFILE,
    "read": errno.EIO,
    "write": errno.ENOSPC,
    "fsync": errno.EIO,
    "replace": errno.ENOSPC,
    "fork": errno.EAGAIN,
    "memory": errno.ENOMEM,
    # Not a call: a signal comes, after so many milliseconds.
    "signal": 0,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The call that fails, counted from 1; all later ones of its kind too if it ``stays``.

    Memory that stays away is counted in pages: so many more may be taken.
    """

    kind: str
    number: int
    stays: bool


@dataclass
class _State:
    """The counts of this process; ``failed`` are the names of what failed so far."""

    fault: Fault | None = None
    calls: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def due(self, kind: str, name: object) -> bool:
        """Whether this call fails."""
        # Nothing could be said without standard error, and pipes fail only when nobody is at the other end.
        if self.fault is None or name == 2 or _named(name).startswith("pipe:"):
            return False
        count = self.calls[kind] = self.calls.get(kind, 0) + 1
        if kind != self.fault.kind or count < self.fault.number:
            return False
        if count > self.fault.number and not self.fault.stays:
            return False
        self.failed.append(_named(name))
        return True


_state = _State()


def arm(fault: Fault) -> None:
    """Count from here on."""
    _state.fault, _state.calls, _state.failed = fault, {}, []
    if fault.kind == "memory" and fault.stays:
        size = int(Path("/proc/self/statm").read_text().split()[0]) + fault.number
        resource.setrlimit(resource.RLIMIT_AS, (size * resource.getpagesize(), resource.RLIM_INFINITY))
    elif fault.kind == "memory":
        # The first ones belong to the call of the command, and to Python's streams, which break by it.
        _testcapi.set_nomemory(fault.number + 50, fault.number + 51)


def disarm() -> tuple[dict[str, int], list[str]]:
    """Nothing fails any more; how many calls there were of each kind, and the names of what failed."""
    _testcapi.remove_mem_hooks()
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    _state.fault = None
    return _state.calls, _state.failed


def _named(name: object) -> str:
    if isinstance(name, int):
        return "stdout" if name == 1 else os.readlink(f"/proc/self/fd/{name}")
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else "no file"


def _check(kind: str, name: object = None) -> None:
    if _state.due(kind, name):
        path = [name] if isinstance(name, str | bytes | os.PathLike) else []
        raise OSError(KINDS[kind], os.strerror(KINDS[kind]), *path)


class _File(io.FileIO):
    """A file whose reads and writes are counted. Half of a write that fails is written."""

    def readinto(self, buffer: Any) -> int | None:
        _check("read", self.fileno())
        return super().readinto(buffer)

    def read(self, size: int | None = -1) -> bytes:
        _check("read", self.fileno())
        return super().read(-1 if size is None else size)

    def readall(self) -> bytes:
        _check("read", self.fileno())
        return super().readall()

    def write(self, data: Any) -> int:
        if _state.due("write", self.fileno()):
            super().write(memoryview(data)[: len(data) // 2])
            raise OSError(KINDS["write"], os.strerror(KINDS["write"]))
        return super().write(data)


def _counted(kind: str, real: Callable[..., Any], named: int | None) -> Callable[..., Any]:
    """The function with a counter before it; ``named`` is the place of the file among its arguments."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        _check(kind, None if named is None else arguments[named])
        return real(*arguments, **keywords)

    return call


_started: Callable[..., Any] = vars(threading)["_start_new_thread"]


def _start_thread(*arguments: Any) -> Any:
    if _state.due("fork", None):
        raise RuntimeError("can't start new thread")
    return _started(*arguments)


def _audited(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.mkdir"):  # of files, by whatever function
        _check("open", arguments[0])


def install() -> None:
    """Put the counters in place."""
    sys.addaudithook(_audited)
    for kind, named, module, names in (
        ("open", None, os, ("pipe",)),
        ("open", None, _socket, ("socketpair",)),
        ("read", 0, os, ("read", "pread")),
        ("write", 0, os, ("write",)),
        ("fsync", 0, os, ("fsync",)),
        ("replace", 1, os, ("replace", "rename")),
        ("fork", None, os, ("fork",)),
        ("fork", None, subprocess, ("_fork_exec",)),
    ):
        for name in names:
            setattr(module, name, _counted(kind, getattr(module, name), named))
    vars(threading)["_start_new_thread"] = _start_thread
    # The function open as it is written in Python, which takes its classes from its module.
    for name in ("BufferedReader", "BufferedWriter", "BufferedRandom", "TextIOWrapper"):
        setattr(_pyio, name, getattr(io, name))
    _pyio.FileIO = _File
    io.open = builtins.open = _pyio.open
