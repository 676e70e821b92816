"""Text in messages is short and safe, and an error says what to do in the words of who reads it."""

import pytest

from crosscheck import errors, evaluate
from tests.support.kept import Kept

EXAMPLES = Kept(__file__, **vars(errors))
test_examples = EXAMPLES.test()


def test_a_warning_points_at_the_call():
    """At the line of the user's code, however deep it is found."""
    with pytest.warns(errors.InputWarning) as found:
        evaluate({"1": {"D": 1}}, {"1": {"d": 1.0}}, ["AP"])
    assert [one.filename for one in found] == [__file__]
