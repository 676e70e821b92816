"""Claims about the messages between parent and child."""

from __future__ import annotations

import io
import math
import struct

import msgspec
import numpy as np
import pytest

from crosscheck.backends import child as wire
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues
from tests.backends.inputs import qrels_of, run_of


def through(reply: wire.Reply) -> wire.Reply:
    pipe = io.BytesIO()
    wire.write_reply(pipe, reply)
    pipe.seek(0)
    return wire.read_reply(pipe)


def test_replies_keep_every_double() -> None:
    """Values come back bit for bit: NaN, both infinities, minus zero and subnormals included."""
    numbers = [0.1, -0.0, 5e-324, math.inf, -math.inf, math.nan, 1 / 3]
    values = MeasureValues(
        {b"%d" % i: x for i, x in enumerate(numbers)}, 0.5, "e", None, ("n",), one_by_one=True
    )
    (back,) = through(wire.Reply(None, [values], 7)).answers
    assert isinstance(back, MeasureValues)
    assert [struct.pack("d", x) for x in back.values.values()] == [struct.pack("d", x) for x in numbers]
    assert (back.mean, back.engine, back.decimals, back.notes) == (0.5, "e", None, ("n",))
    assert list(back.values) == list(values.values)
    assert back.one_by_one


def test_requests_carry_arrays_and_ids_as_bytes() -> None:
    """Qrels and run arrive equal, ids that are not text included."""
    run = run_of({"\xff1": {"d\xe9": 0.5, "\x01": math.inf}})
    request = wire.Request(
        asks="evaluate", qrels=qrels_of({"1": {"a": -1}}), run=run, measures=(Measure("P", 5),)
    )
    pipe = io.BytesIO()
    wire.write_object(pipe, request)
    wire.write_object(pipe, request)
    pipe.seek(0)
    for _ in range(2):
        back = wire.read_object(pipe)
        assert back.run.topics == (b"\xff1",)
        assert back.run.docnos.tolist() == [b"d\xe9", b"\x01"]
        assert np.array_equal(back.run.scores, run.scores)
        assert back.qrels.rels.tolist() == [-1]
        assert back.measures == (Measure("P", 5),)
    with pytest.raises(EOFError):
        wire.read_object(pipe)


@pytest.mark.parametrize(
    "body", [b"", b"garbage", msgspec.msgpack.encode({"a": 1}), msgspec.msgpack.encode([None, [["x"]], 1])]
)
def test_anything_else_in_the_reply_pipe_is_an_error(body: bytes) -> None:
    """Anything that is not a reply is refused and never unpickled."""
    with pytest.raises(BackendError, match="unreadable reply"):
        wire.read_reply(io.BytesIO(struct.pack("<Q", len(body)) + body))


def test_an_absurd_length_is_not_waited_for() -> None:
    """Text written into the pipe looks like a length beyond reason."""
    with pytest.raises(BackendError, match="not a reply"):
        wire.read_reply(io.BytesIO(b"hello, world\n"))


def test_half_a_reply_is_the_end_of_the_child() -> None:
    """A pipe that closes inside a reply raises EOFError."""
    with pytest.raises(EOFError):
        wire.read_reply(io.BytesIO(struct.pack("<Q", 100) + b"short"))
