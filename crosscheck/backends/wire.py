"""The messages between parent and child over two pipes.

Requests are pickles (protocol 5, with arrays outside the pickle to avoid copies): the child trusts its
parent. Replies are MessagePack of the records below: the child may run foreign code, so the parent never
unpickles its replies. NaN and infinities survive in both directions.
"""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues, Qrels, Run

__all__ = [
    "Asks",
    "Reply",
    "Request",
    "Setup",
    "read_object",
    "read_reply",
    "write_object",
    "write_reply",
]

Asks: TypeAlias = Literal["evaluate", "values", "means", "means_of", "supports"]

_COUNT = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
#: Far above any reply; a larger length means that something else wrote into the pipe.
_LONGEST_REPLY = 1 << 30


class Setup(Struct, frozen=True):
    """First message: the import settings of the parent, and the pickled backend.

    The backend is pickled separately, so that a child that cannot unpickle it can still report why.
    """

    path: list[str]
    backend: bytes


class Request(Struct, frozen=True, kw_only=True):
    """Every later message.

    Attributes:
        qrels, run: None if they have not changed since the previous message.
        asks: the method of the backend to call; ``supports`` needs no qrels and run.
        values: the only argument of ``means_of``; None for other methods.
        backend: a pickled backend to use from now on; None to keep the current one.
    """

    qrels: Qrels | None
    run: Run | None
    measures: tuple[Measure, ...]
    asks: Asks = "evaluate"
    values: dict[Measure, list[float]] | None = None
    backend: bytes | None = None


class Reply(msgspec.Struct, array_like=True, frozen=True):
    """The answer to one request.

    Attributes:
        failure: the reason if there is no answer at all, or None.
        answers: per measure in the requested order, its values or the reason why there are none.
        peak_bytes: peak memory of the child.
        supported: the answer to ``supports`` for each measure; empty for other requests.
    """

    failure: str | None
    answers: list[MeasureValues | str]
    peak_bytes: int
    supported: list[bool] = []


def write_object(stream: IO[bytes], message: Setup | Request) -> None:
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
    """Receive a request; EOFError when the parent has closed the pipe."""
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
        raise BackendError("wrote something into the reply pipe that is not a reply")
    try:
        return msgspec.msgpack.decode(_exactly(stream, length), type=Reply)
    except msgspec.DecodeError as error:
        raise BackendError(f"sent an unreadable reply: {error}") from None


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise EOFError("the pipe was closed")
    return data
