"""Text in messages is short and safe, and an error says what to do in the words of who reads it."""

import pickle

import pytest

from crosscheck import errors, evaluate
from tests.support.rows import claims, is_true

LONG = f"'{'x' * 120}…' "
WRONG = errors.InputError("m", path="f", line=2, found=b"x", expected="e", hint="--format run=qid,docid,_ or")


@claims(r"""
# 120 characters are shown; of bytes only those are decoded that can be among them.
quoted("x" * 120) == quoted(b"x" * 120) == "'" + "x" * 120 + "'"
quoted("x" * 121) + quoted(b"x" * 485) == LONG + "(121 characters)" + LONG + "(485 bytes)"
quoted(b"\xff\n\xc3\xa9\x1b") == r"'\xff\né\x1b'"
quoted("\n" * 61) == "'" + r"\n" * 60 + "…' (61 characters)"
(safe_text("ab", 1), in_short("x" * 58)) == ("a… (2 characters)", "'" + "x" * 58 + "'")
[count(n, "query") for n in (0, 1, 2)] == ["0 queries", "1 query", "2 queries"]
[count(1000, noun) for noun in ("mismatch", "run")] == ["1,000 mismatches", "1,000 runs"]
str(no_such("tool", "gian", ["gain"])) == "there is no tool 'gian'; did you mean gain?\n  the tools are: gain"
str(no_such("query", "x", "ab", several="queries")) == "there is no query 'x'\n  the queries are: a, b"
# All of an error, also from another process.
str(WRONG) == "f:2: m\n  found:    'x'\n  expected: e\n  to do:    the path \"qid,docid,_:f\" or"
str(again(WRONG)) == str(WRONG)
""")
def test_what_messages_are_made_of(claim):
    again = {"again": lambda error: pickle.loads(pickle.dumps(error))}
    assert is_true(claim, vars(errors) | again | {"LONG": LONG, "WRONG": WRONG})


def test_a_warning_points_at_the_call():
    """At the line of the user's code, however deep it is found."""
    with pytest.warns(errors.InputWarning) as found:
        evaluate({"1": {"D": 1}}, {"1": {"d": 1.0}}, ["AP"])
    assert [one.filename for one in found] == [__file__]
