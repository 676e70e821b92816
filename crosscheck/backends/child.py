"""The program of the child process in which an isolated backend runs, under a supervisor.

The child may crash, hang and print without harm to its parent. Everything that Python or C code writes to
standard output goes to standard error; requests and replies use private copies of the two pipes.

Requests are pickles (protocol 5, with arrays outside the pickle to avoid copies), because the child trusts
its parent. Replies are the records below as MessagePack, because the child may run foreign code, so the
parent must not unpickle a reply. NaN and infinities are allowed in both directions. A request with a backend
has two replies: the first says that the backend is ready, so that its imports can have a separate time limit,
and the second is the answer.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Iterator
from typing import IO, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from crosscheck.backends.outcomes import FinalError, as_backend_error, collected
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues, Qrels, Run

Asks: TypeAlias = Literal["evaluate", "values", "means", "means_of", "supports"]

_COUNT = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
#: More bytes than any reply has. A larger length shows that foreign code wrote into the pipe.
_LONGEST_REPLY = 1 << 30


class Request(Struct, frozen=True, kw_only=True):
    """A request to the child. A field that is None has not changed since the previous request.

    Attributes:
        asks: the method of the backend to call; ``supports`` needs no qrels and run.
        values: the only argument of ``means_of``; None for other methods.
        backend: the pickled backend. The backend is pickled separately, so that a child that cannot unpickle
            the backend can report the error.
        path: the import path (``sys.path``) of the parent, sent with a backend.
    """

    asks: Asks
    measures: tuple[Measure, ...]
    qrels: Qrels | None = None
    run: Run | None = None
    values: dict[Measure, list[float]] | None = None
    backend: bytes | None = None
    path: list[str] | None = None


class Reply(Struct, array_like=True, frozen=True):
    """The answer to one request.

    Attributes:
        failure: why the request as a whole failed, or None.
        answers: for each measure, its values, or the reason why there are none, or the result of
            ``supports``.
        peak_bytes: peak memory of the child.
        final: whether the failure must not be retried.
    """

    failure: str | None
    answers: list[MeasureValues | str | bool]
    peak_bytes: int
    final: bool = False


def write_object(stream: IO[bytes], message: Request) -> None:
    """Send a request."""
    arrays: list[pickle.PickleBuffer] = []
    body = pickle.dumps(message, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(body), *(array.raw() for array in arrays)]
    stream.write(_COUNT.pack(len(parts)))
    for part in parts:
        stream.write(_LENGTH.pack(part.nbytes))
        stream.write(part)
    stream.flush()


def read_object(stream: IO[bytes]) -> Any:
    """Receive a request. Raises EOFError if the parent has closed the pipe."""
    (count,) = _COUNT.unpack(_exactly(stream, _COUNT.size))
    parts = [_exactly(stream, *_LENGTH.unpack(_exactly(stream, _LENGTH.size))) for _ in range(count)]
    return pickle.loads(parts[0], buffers=parts[1:])


def write_reply(stream: IO[bytes], reply: Reply) -> None:
    """Send a reply."""
    body = msgspec.msgpack.encode(reply)
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def read_reply(stream: IO[bytes]) -> Reply:
    """Receive a reply.

    Raises:
        EOFError: the child closed the pipe instead.
        BackendError: the message is not a reply.
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > _LONGEST_REPLY:
        raise BackendError("the backend wrote something into the reply pipe that is not a reply")
    try:
        return msgspec.msgpack.decode(_exactly(stream, length), type=Reply)
    except msgspec.DecodeError as error:
        raise BackendError(f"the backend sent an unreadable reply: {error}") from None


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise EOFError("the pipe was closed")
    return data


try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    if resource is not None:  # crashes are expected here, without core dumps
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    requests, replies = _private_pipes()
    session = _Session()
    while True:
        try:
            request: Request = read_object(requests)
        except EOFError:
            return
        for reply in session.replies(request):
            write_reply(replies, reply)


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The request and the reply pipe, moved away from standard input and output, which libraries may use."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


class _Session:
    """The backend in this child, with the qrels and run that were sent last."""

    def __init__(self) -> None:
        self._backend: Any = None
        self._qrels: Qrels | None = None
        self._run: Run | None = None

    def replies(self, request: Request) -> Iterator[Reply]:
        """The replies to a request, up to the first failure."""
        self._qrels = request.qrels or self._qrels
        self._run = request.run or self._run
        try:
            if request.backend is not None:
                sys.path[:] = request.path or sys.path
                self._backend = pickle.loads(request.backend)
                self._backend.prepare()
                yield Reply(None, [], peak_bytes())
            answers = self._answers(request)
        except (Exception, SystemExit) as error:
            yield Reply(str(as_backend_error(error)), [], peak_bytes(), isinstance(error, FinalError))
        else:
            yield Reply(None, answers, peak_bytes())

    def _answers(self, request: Request) -> list[MeasureValues | str | bool]:
        if request.asks == "supports":
            return [bool(self._backend.supports(measure)) for measure in request.measures]
        compute = getattr(self._backend, request.asks)
        arguments = (
            (self._qrels, self._run, request.measures) if request.values is None else (request.values,)
        )
        answers = collected(compute(*arguments), request.measures)
        return [answer if isinstance(answer, MeasureValues) else str(answer) for answer in answers.values()]


def peak_bytes() -> int:
    """Peak memory of this process in bytes, 0 if the system does not report it."""
    try:
        # Not ru_maxrss, which on Linux starts at the size of the parent process.
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
