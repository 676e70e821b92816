"""Checking of what a backend returns: the outcome is values, or an error that says why there are none."""

import numbers
import traceback
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, SupportsFloat, TypeAlias, cast

from crosscheck.errors import BackendError, CrosscheckError, quoted
from crosscheck.model import Measure, MeasureValues

#: The answer of a backend for one measure: its values, or the error to show instead.
Answer: TypeAlias = MeasureValues | BackendError

#: Maximum length of a message from a library; some quote their whole input.
LONGEST_MESSAGE = 2000


class FinalError(BackendError):
    """A failure after which the request is not repeated, because time ran out or the run was interrupted."""


class OverdueError(FinalError):
    """The backend did not answer in time."""


class UnreadyError(OverdueError):
    """The backend was not ready in time, or did not answer ``supports`` in time. All later requests fail."""


class LostError(BackendError):
    """The process of a backend ended without an answer, by itself or killed by the system."""


class ShortageError(FinalError):
    """The backend could not be called, because this process lacks memory, processes or open files."""


def printable(text: str, limit: int = LONGEST_MESSAGE) -> str:
    """Foreign text made safe for a message: control characters other than newlines are escaped, and long text
    is cut."""
    text = text.strip()
    safe = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text[: limit + 1])
    return safe if len(safe) <= limit else f"{safe[:limit]}… ({len(text)} characters)"


def as_backend_error(error: BaseException) -> BackendError:
    """The exception as a BackendError, whose message has the type, the text, and the place in the code."""
    if isinstance(error, BackendError):
        return error
    if isinstance(error, CrosscheckError):
        return BackendError(printable(str(error)))
    message = printable(f"{type(error).__name__}: {error}".removesuffix(": "))
    for where in traceback.extract_tb(error.__traceback__)[-1:]:
        place = f"{PurePath(where.filename).name}:{where.lineno} in {where.name}"
        message += f" ({printable(place)})"
    return BackendError(message)


def as_float(value: object) -> float | None:
    """A real number as float; None for anything else. NaN and infinities are numbers; True is 1.0."""
    if type(value) is float:
        return value
    complex_number = isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)
    if complex_number or not isinstance(value, numbers.Number):  # a Decimal is neither real nor complex
        return None
    try:
        return float(cast(SupportsFloat, value))
    except (OverflowError, ValueError):
        return None


def kind(value: object) -> str:
    """The type of a value, for messages: ``a str``, ``an int``, ``an ndarray``, ``None``."""
    if value is None:
        return "None"
    name = printable(type(value).__name__, 80)
    return f"{'an' if name[:1].lower() in 'aeiou' or name == 'ndarray' else 'a'} {name}"


def refusal(value: object) -> str:
    """Why :func:`as_float` returned None for a value, for messages."""
    return "too large for a float" if isinstance(value, numbers.Real) else "not a number"


def collected(answers: Any, measures: Sequence[Measure]) -> dict[Measure, Answer]:
    """For each measure, its checked values from the result of a backend, or an error.

    Raises:
        BackendError: the result is not a dict.
    """
    if not isinstance(answers, dict):
        raise BackendError(f"the backend returned {kind(answers)} instead of a dict of measures")
    outcome: dict[Measure, Answer] = {}
    for measure in measures:
        try:
            outcome[measure] = _checked(measure, answers.get(measure))
        except BackendError as error:
            outcome[measure] = error
    return outcome


def _checked(measure: Measure, answer: Any) -> MeasureValues:
    def returned(value: object, rest: str) -> BackendError:
        return BackendError(f"the backend returned {kind(value)} {rest}")

    if answer is None:
        raise BackendError(f"the backend returned nothing for {measure}")
    if not isinstance(answer, MeasureValues):
        raise returned(answer, f"for {measure}, not MeasureValues")
    if not isinstance(answer.values, dict):
        raise returned(answer.values, f"as the values of {measure}, not a dict")
    values: dict[bytes, float] = {}
    for topic, value in answer.values.items():
        if not isinstance(topic, bytes):
            given = f"{kind(topic)}: {printable(repr(topic), 80)}"
            raise BackendError(f"the backend returned a query id for {measure} that is not bytes but {given}")
        if (number := as_float(value)) is None:
            raise returned(value, f"for {measure} of query {quoted(topic)}, {refusal(value)}")
        values[topic] = number
    mean = as_float(answer.mean)
    if mean is None and answer.mean is not None:
        raise returned(answer.mean, f"as the mean of {measure}, not a number")
    decimals = None if answer.decimals is None else int(answer.decimals)
    notes = tuple(str(note) for note in answer.notes)
    name = None if answer.name is None else str(answer.name)
    alone, refused = bool(answer.one_by_one), str(answer.refusal)
    return MeasureValues(values, mean, str(answer.engine), decimals, notes, alone, name, refused)


def outcomes(
    ask: Callable[[Sequence[Measure]], dict[Measure, Answer]], measures: Sequence[Measure]
) -> dict[Measure, Answer]:
    """For each measure, its values or an error. ``ask`` is called with all measures and, if this call fails
    as a whole, with each measure alone, so that only the measures that make the backend fail are lost.

    A call that ran out of time (:class:`FinalError`) is not repeated, because each measure could take as
    long.
    """
    wanted = tuple(dict.fromkeys(measures))
    if not wanted:
        return {}
    try:
        return ask(wanted)
    except (Exception, SystemExit) as error:
        # The error is stored with the values; its traceback would keep all inputs of the callers alive.
        failure = as_backend_error(error).with_traceback(None)
    if len(wanted) == 1 or isinstance(failure, FinalError):
        return dict.fromkeys(wanted, failure)
    return {measure: outcomes(ask, [measure])[measure] for measure in wanted}
