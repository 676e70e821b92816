"""The child process of an isolated backend, under a supervisor.

It may crash, hang and print without harm. Everything written to standard output, by Python or by C code, goes
to standard error; requests and replies use private copies of the two pipes.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import IO

from crosscheck.backends import wire
from crosscheck.backends.base import Backend
from crosscheck.backends.outcomes import as_backend_error, collected
from crosscheck.model import MeasureValues, Qrels, Run

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

__all__ = ["main"]


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    _leave_no_core_dump()
    requests, replies = _private_pipes()
    setup: wire.Setup = wire.read_object(requests)
    sys.path[:] = setup.path
    session = _Session(setup.backend)
    while True:
        try:
            request: wire.Request = wire.read_object(requests)
        except EOFError:
            return
        wire.write_reply(replies, session.answer(request))


def _leave_no_core_dump() -> None:
    """Disable core dumps, because a crash is expected here."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The request and the reply pipe, moved away from standard input and output, which libraries may use."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


class _Session:
    """The backend and its last inputs."""

    def __init__(self, pickled: bytes) -> None:
        self._pickled = pickled
        self._backend: Backend | None = None
        self._qrels: Qrels | None = None
        self._run: Run | None = None

    def answer(self, request: wire.Request) -> wire.Reply:
        if request.backend is not None:
            self._pickled, self._backend = request.backend, None
        self._qrels = request.qrels or self._qrels
        self._run = request.run or self._run
        try:
            if self._backend is None:
                self._backend = pickle.loads(self._pickled)
            if request.asks == "supports":
                known = [bool(self._backend.supports(measure)) for measure in request.measures]
                return wire.Reply(None, [], _peak_bytes(), known)
            compute = getattr(self._backend, request.asks)
            given = (
                (self._qrels, self._run, request.measures) if request.values is None else (request.values,)
            )
            answers = compute(*given)
            found = collected(answers, request.measures)
        except (Exception, SystemExit) as error:
            return wire.Reply(str(as_backend_error(error)), [], _peak_bytes())
        said = [o if isinstance(o, MeasureValues) else str(o) for o in found.values()]
        return wire.Reply(None, said, _peak_bytes())


def _peak_bytes() -> int:
    """Peak memory of this process in bytes, 0 if the system does not report it."""
    try:
        # Not ru_maxrss: on Linux it starts at the size of the process that started this one.
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
