"""Claims about what becomes of a backend's answers and exceptions."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from crosscheck.backends.outcomes import (
    FinalError,
    Outcome,
    as_backend_error,
    as_float,
    collected,
    outcomes,
    printable,
)
from crosscheck.errors import BackendError, InputError
from crosscheck.model import Measure, MeasureValues
from crosscheck.processes.supervised import how_it_ended

P1, P2, P3 = Measure("P", 1), Measure("P", 2), Measure("P", 3)
ONE = MeasureValues({b"1": 1.0}, 1.0, "e")


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, 1.0), (True, 1.0), (np.float32(0.5), 0.5), (np.int64(3), 3.0), (Fraction(1, 4), 0.25), (0.1, 0.1)],
)
def test_real_numbers_become_floats(value: object, expected: float) -> None:
    """Whatever the library calls its numbers, a float comes out."""
    assert as_float(value) == expected
    assert type(as_float(value)) is float


@pytest.mark.parametrize("value", [None, "0.5", b"1", 1j, [1.0], np.ones(1), 10**400, {}])
def test_anything_else_is_no_number(value: object) -> None:
    """Text that looks like a number is not parsed, an overflow is not infinity."""
    assert as_float(value) is None


def test_plain_types_replace_a_library_s() -> None:
    """numpy values, means and decimals leave as Python's, so that records can be written as JSON."""
    odd: Any = MeasureValues({b"1": np.float64(0.5)}, np.float32(0.5), "e", np.int64(4), ["n"])  # type: ignore[arg-type]
    outcome = collected({P1: odd}, [P1])[P1]
    assert isinstance(outcome, MeasureValues)
    assert [type(v) for v in (outcome.values[b"1"], outcome.mean, outcome.decimals)] == [float, float, int]
    assert outcome.notes == ("n",)


def test_one_bad_answer_leaves_the_others() -> None:
    """Measures are judged one by one, in the order asked."""
    found = collected({P1: None, P2: ONE, Measure("X"): ONE}, [P3, P2, P1])
    assert list(found) == [P3, P2, P1]
    assert isinstance(found[P2], MeasureValues)
    assert str(found[P1]) == "gave no answer for P@1"


def test_a_failing_batch_is_asked_again_one_by_one() -> None:
    """Each measure is asked once more, and only the guilty one fails; each is asked once in all else."""
    asked: list[tuple[Measure, ...]] = []

    def ask(measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        asked.append(tuple(measures))
        if P2 in measures:
            raise ValueError("no")
        return dict.fromkeys(measures, ONE)

    found = outcomes(ask, [P1, P2, P3, P1])
    assert asked == [(P1, P2, P3), (P1,), (P2,), (P3,)]
    assert [type(outcome) for outcome in found.values()] == [MeasureValues, BackendError, MeasureValues]


def test_a_final_failure_is_not_asked_again() -> None:
    """A time limit that has passed once is not waited for once per measure."""
    asked: list[int] = []

    def ask(measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        asked.append(len(measures))
        raise FinalError("too late")

    assert {str(outcome) for outcome in outcomes(ask, [P1, P2, P3]).values()} == {"too late"}
    assert asked == [3]


def test_an_interrupt_is_not_a_failure_of_a_backend() -> None:
    """Ctrl-C passes through."""

    def ask(measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcomes(ask, [P1])


def test_errors_raised_on_purpose_keep_their_words() -> None:
    """Ours are passed on as they are; a foreign one names its type and place."""
    ours = BackendError("what", hint="do this")
    assert as_backend_error(ours) is ours
    assert str(as_backend_error(InputError("bad line", path="f", line=3))) == "f:3: bad line"
    assert str(as_backend_error(KeyError())) == "KeyError"


def test_foreign_text_is_made_safe_and_short() -> None:
    """Control characters are escaped, newlines and letters stay, length is bounded."""
    assert printable("  ä\x1b[2J\x00\r\nnext\u2028line ") == "ä\\x1b[2J\\x00\\r\nnext\\u2028line"
    assert printable("x" * 5000).startswith("x" * 2000 + "… (5000")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "exited with code 0"),
        (4, "exited with code 4"),
        (-11, "was killed by SIGSEGV"),
        (-99, "was killed by signal 99"),
    ],
)
def test_exit_codes_are_told_in_words(code: int, words: str) -> None:
    """Signals by name."""
    assert how_it_ended(code) == words


def test_a_kept_error_keeps_no_input_alive() -> None:
    """Without a traceback, what the failed call held is freed at once, not at some later collection."""

    class Input:
        """Something large."""

    def fails(held: Input) -> Outcome:
        raise BackendError("no")

    def asked(measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        held = Input()
        freed.append(weakref.ref(held))
        return {measure: fails(held) for measure in measures}

    freed: list[weakref.ref[Input]] = []
    gc.disable()
    try:
        kept = outcomes(asked, [P1])
    finally:
        gc.enable()
    assert str(kept[P1]) == "no"
    assert freed[0]() is None
