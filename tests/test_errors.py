"""Text in messages is short and safe, and an error says what to do in the words of who reads it."""

import pickle

import pytest

from crosscheck import errors, evaluate
from tests.support.kept import REMEDY, Kept

WRONG = errors.InputError("m", path="f", line=2, found=b"x", expected="e", hint="--format run=qid,docid,_ or")


def again(error):
    return pickle.loads(pickle.dumps(error))


EXAMPLES = Kept(__file__, **vars(errors) | {"again": again, "WRONG": WRONG, "LONG": f"'{'x' * 120}…' "})


def test_examples():
    """What messages are made of."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_a_warning_points_at_the_call():
    """At the line of the user's code, however deep it is found."""
    with pytest.warns(errors.InputWarning) as found:
        evaluate({"1": {"D": 1}}, {"1": {"d": 1.0}}, ["AP"])
    assert [one.filename for one in found] == [__file__]
