"""Conversion of a metric's result to values per query or a mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from crosscheck.backends.outcomes import as_float, kind, printable
from crosscheck.errors import BackendError, UnknownMeasure, quoted
from crosscheck.model import Measure
from crosscheck.names import parse_measure

__all__ = ["UNNAMED", "one_value", "table_of_values"]

#: In place of a measure where nobody says what a metric is meant to compute; a cutoff to ask it for.
UNNAMED = Measure("", cutoff=5)


def one_value(returned: Any, measure: Measure) -> float | None:
    """The value of one query from a metric's result: a number, None for no value, or a dict with the measure.

    Raises:
        BackendError: the result is of another kind.
    """
    if returned is None:
        return None
    if dataclasses.is_dataclass(returned) and not isinstance(returned, type):
        returned = dataclasses.asdict(returned)
    if isinstance(returned, Mapping):
        entry = _entry(returned, measure)
        if entry is None:
            raise BackendError(f"returned a dict without {measure}: {_keys(returned)}")
        return one_value(entry[0], measure)
    number = _number(returned)
    if number is None:
        raise BackendError(f"returned {kind(returned)} instead of a number")
    return number


def table_of_values(
    returned: Any, measure: Measure, topics: Mapping[str, bytes]
) -> tuple[dict[bytes, float], float | None]:
    """Values per query and the mean, from the result of a metric over all queries.

    ``{query: value}``, ``{query: {measure: value}}``, ``{measure: {query: value}}``, a data frame with one
    row per query, ``{measure: mean}``, or one number for the mean.

    Args:
        topics: query as text -> topic id.

    Raises:
        BackendError: anything else.
    """
    if hasattr(returned, "to_dict") and hasattr(returned, "index"):
        returned = _of_frame(returned)
    number = _number(returned)
    if number is not None:
        return {}, number
    if returned is None:
        return {}, None
    if not isinstance(returned, Mapping):
        raise BackendError(f"returned {kind(returned)}; expected {{query: value}} or a number")
    if not _all_topics(returned, topics):
        entry = _entry(returned, measure)
        if entry is None:
            raise BackendError(
                f"returned a dict that has neither queries nor {measure} as keys: {_keys(returned)}"
            )
        return table_of_values(entry[0], measure, topics)
    values: dict[bytes, float] = {}
    for query, entry_of_query in returned.items():
        value = one_value(entry_of_query, measure)
        if value is not None:
            values[topics[str(query)]] = value
    return values, None


def _all_topics(returned: Mapping[Any, Any], topics: Mapping[str, bytes]) -> bool:
    return all(str(key) in topics for key in returned)


def _of_frame(frame: Any) -> dict[Any, Any]:
    if getattr(frame, "ndim", 0) == 1:
        return dict(frame.to_dict())
    for name in ("query", "query_id", "qid", "topic"):
        if name in frame.columns:
            frame = frame.set_index(name)
            break
    return dict(frame.to_dict(orient="index"))


def _entry(returned: Mapping[Any, Any], measure: Measure) -> tuple[Any] | None:
    """The entry whose key names the measure, in a tuple because it may be None.

    The only entry where nobody said which measure it is.
    """
    if measure.family == UNNAMED.family and len(returned) == 1:
        return tuple(returned.values())
    for key, value in returned.items():
        if isinstance(key, str) and _same_measure(key, measure):
            return (value,)
    return None


def _same_measure(name: str, measure: Measure) -> bool:
    for spelling in (name, name.replace("_at_", "@"), name.upper().replace("_AT_", "@")):
        try:
            if parse_measure(spelling) == measure:
                return True
        except UnknownMeasure:
            continue
    return False


def _number(value: Any) -> float | None:
    """A number, also one inside an array of exactly one element."""
    if getattr(value, "size", None) == 1 and hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, bool) else as_float(value)


def _keys(returned: Mapping[Any, Any]) -> str:
    return ", ".join(quoted(printable(str(key), 40)) for key in list(returned)[:5]) or "it is empty"
