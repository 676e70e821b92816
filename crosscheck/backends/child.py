"""The program of the child process in which an isolated backend runs, under a supervisor.

The child may crash, hang and print without harm to its parent. Everything that Python or C code writes to
standard output goes to standard error; requests and replies use private copies of the two pipes.

Requests are pickles, because the child trusts its parent. Replies are the records below as MessagePack,
because the child may run foreign code, so the parent must not unpickle a reply. NaN and infinities are
allowed in both directions. A request with a backend has two replies: the first says that the backend is
ready, so that its imports can have a separate time limit, and the second is the answer.
"""

import os
import pickle
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from crosscheck.backends.outcomes import FinalError, as_backend_error, collected
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues
from crosscheck.processes.supervisor import content

Asks: TypeAlias = Literal["evaluate", "values", "means", "mean_of", "supports"]

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_LENGTH = struct.Struct("<Q")


class Request(Struct, frozen=True, kw_only=True):
    """A request to the child.

    Attributes:
        asks: the method of the backend to call; ``supports`` needs no qrels and run.
        inputs: the ``qrels`` and the ``run``, if they have changed since the previous request. If the backend
            has changed, also the pickled ``backend`` and the ``path`` (``sys.path``) of the parent. The
            backend is pickled separately, so that a child that cannot unpickle it can report the error.
        values: for ``mean_of``, the values of each measure.
    """

    asks: Asks
    measures: tuple[Measure, ...]
    inputs: dict[str, Any] = {}
    values: dict[Measure, list[float]] = {}


def peak_bytes() -> int:
    """Peak memory of this process in bytes, 0 if the system does not report it."""
    # Not ru_maxrss, which on Linux starts at the size of the parent process.
    if found := re.search(rb"VmHWM:\s*(\d+)", content("/proc/self/status")):
        return int(found[1]) * 1024
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


#: The part of a reply that is about one measure.
Answered: TypeAlias = MeasureValues | str | bool | float | None


class Reply(Struct, array_like=True, frozen=True):
    """The answer to one request.

    Attributes:
        failure: why the request as a whole failed, or None.
        answers: for each measure, its values or the reason why there are none; or the result of ``supports``
            or ``mean_of``.
        peak_bytes: peak memory of the child.
        final: whether the failure must not be retried.
    """

    failure: str | None
    answers: list[Answered]
    peak_bytes: int
    final: bool = False


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
    if length > 1 << 30:  # more than any reply has: foreign code wrote into the pipe
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


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    if resource is not None:  # crashes are expected here, without core dumps
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    requests, replies = _private_pipes()
    held: dict[str, Any] = {}
    with suppress(EOFError):
        while True:
            for reply in _replies(pickle.load(requests), held):
                write_reply(replies, reply)


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The request and the reply pipe, moved away from standard input and output, which libraries may use."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


def _replies(request: Request, held: dict[str, Any]) -> Iterator[Reply]:
    """The replies to a request, up to the first failure. ``held``: the inputs that were sent last."""
    held |= request.inputs
    try:
        if "path" in held:
            sys.path[:] = held.pop("path")
            held["backend"] = pickle.loads(held["backend"])
            held["backend"].prepare()
            yield Reply(None, [], peak_bytes())
        yield Reply(None, _answers(request, held), peak_bytes())
    except (Exception, SystemExit) as error:
        yield Reply(str(as_backend_error(error)), [], peak_bytes(), isinstance(error, FinalError))


def _answers(request: Request, held: dict[str, Any]) -> list[Answered]:
    method, measures = getattr(held["backend"], request.asks), request.measures
    if request.asks == "supports":
        return [bool(method(measure)) for measure in measures]
    if request.asks == "mean_of":
        return [method(measure, request.values[measure]) for measure in measures]
    answers = collected(method(held["qrels"], held["run"], measures), measures).values()
    return [answer if isinstance(answer, MeasureValues) else str(answer) for answer in answers]
