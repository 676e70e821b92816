"""Conversion of a metric's result to values per query or a mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from crosscheck.auditing.calls import Pick
from crosscheck.backends.outcomes import as_float, kind, printable
from crosscheck.errors import BackendError, UnknownMeasure, quoted
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.names.spelling import family_words

__all__ = ["UNNAMED", "one_value", "picks_of", "table_of_values"]

#: Used if it is unknown which measure a metric is meant to compute; the cutoff is the one to request.
UNNAMED = Measure("", cutoff=5)


def one_value(returned: Any, measure: Measure, passed: str = "") -> float | None:
    """The value of one query from a metric's result: a number, None for no value, or a dict with the measure.

    Args:
        passed: the name of the measure that the metric was passed, empty if none.

    Raises:
        BackendError: the result is of another kind.
    """
    if returned is None:
        return None
    if dataclasses.is_dataclass(returned) and not isinstance(returned, type):
        returned = dataclasses.asdict(returned)
    if isinstance(returned, Mapping):
        entry = _entry(returned, measure, passed)
        if entry is None:
            raise BackendError(f"returned a dict without {measure}: {_keys(returned)}")
        return one_value(entry[0], measure, passed)
    number = _number(returned)
    if number is None:
        raise BackendError(f"returned {kind(returned)} instead of a number")
    return number


def table_of_values(
    returned: Any,
    measure: Measure,
    topics: Mapping[str, bytes],
    order: Sequence[bytes] = (),
    passed: str = "",
) -> tuple[dict[bytes, float], float | None]:
    """Values per query and the mean, from the result of a metric over all queries.

    Accepted results: ``{query: value}``, ``{query: {measure: value}}``, ``{measure: {query: value}}``, a data
    frame or a list of dicts with one row per query, ``{measure: mean}``, one number for the mean, or one for
    each query that was passed.

    Args:
        topics: query as text -> topic id.
        order: the topics that were passed, in their order.
        passed: the name of the measure that was passed, empty if none.

    Raises:
        BackendError: the result is anything else.
    """
    if hasattr(returned, "to_dict") and hasattr(returned, "index"):
        returned = _of_frame(returned, topics)
    if isinstance(returned, list) and all(isinstance(row, Mapping) for row in returned):
        returned = _of_rows(returned, topics) or returned
    number = _number(returned)
    if number is not None:
        return {}, number
    if returned is None:
        return {}, None
    numbers = _numbers(returned)
    if numbers and len(numbers) == len(order):
        return dict(zip(order, numbers, strict=True)), None
    if not isinstance(returned, Mapping):
        raise BackendError(f"returned {kind(returned)}; expected {{query: value}} or a number")
    if not _all_topics(returned, topics):
        entry = _entry(returned, measure, passed)
        if entry is None:
            raise BackendError(
                f"returned a dict that has neither queries nor {measure} as keys: {_keys(returned)}"
            )
        return table_of_values(entry[0], measure, topics, order, passed)
    values: dict[bytes, float] = {}
    for query, entry_of_query in returned.items():
        value = one_value(entry_of_query, measure, passed)
        if value is not None:
            values[topics[str(query)]] = value
    return values, None


def picks_of(
    returned: Any,
    measure: Measure,
    topics: Mapping[str, bytes],
    order: Sequence[bytes] = (),
    passed: str = "",
) -> list[tuple[Pick, ...]]:
    """The items or attributes of a result that may be the measure's value, likeliest first; empty if the
    result is one number, or a table that names the measure. The arguments are those of
    :func:`table_of_values`.
    """
    if order:  # of all queries at once
        try:
            table_of_values(returned, measure, topics, order, passed)
        except BackendError:
            pass
        else:
            return []
    if returned is None or _number(returned) is not None or isinstance(returned, str | bytes):
        return []
    if isinstance(returned, Mapping):
        if _entry(returned, measure, passed) is not None or hasattr(returned, "columns"):
            return []
        keys = [key for key in returned if isinstance(key, str | int) and str(key) not in topics]
        named = [(Pick(key), returned[key]) for key in keys]
        named = [entry for entry in named if not _another_measure(str(entry[0].key), measure)]
    elif hasattr(returned, "_fields") or (hasattr(returned, "__dict__") and not hasattr(returned, "__len__")):
        fields = getattr(returned, "_fields", None) or vars(returned)
        named = [(Pick(name, attribute=True), getattr(returned, name)) for name in fields]
    elif isinstance(returned, Sequence) and 1 <= len(returned) <= _MOST_RETURNED:
        named = [(Pick(place), value) for place, value in enumerate(returned)]
    elif (numbers := _numbers(returned)) is not None and len(numbers) <= _MOST_RETURNED:
        named = [(Pick(place), number) for place, number in enumerate(numbers)]
    else:
        return []
    if len(named) > 1 and isinstance(named[-1][0].key, int):
        named.append((Pick(-1), named[-1][1]))
    found: list[tuple[Pick, ...]] = []
    for pick, value in named:
        table = isinstance(value, Mapping) and (
            _entry(value, measure, passed) is not None or _all_topics(value, topics)
        )
        if _number(value) is not None or table:
            found.append((pick,))
        elif isinstance(value, Mapping | tuple):
            found += [(pick, *more) for more in picks_of(value, measure, topics, order, passed)]
    return sorted(found, key=lambda picks: not any(_speaks_of(str(p.key), measure) for p in picks))


def _another_measure(name: str, measure: Measure) -> bool:
    """Whether a name is the name of another measure."""
    try:
        return parse_measure(name) != measure
    except UnknownMeasure:
        return False


def _speaks_of(name: str, measure: Measure) -> bool:
    return name.lower().replace("_", "").startswith(family_words(measure))


#: Longest sequence of which one number may be meant.
_MOST_RETURNED = 30


def _numbers(returned: Any) -> list[float] | None:
    """The numbers of a list, tuple or one-dimensional array, None for anything else."""
    if hasattr(returned, "tolist") and not hasattr(returned, "columns"):
        returned = returned.tolist()
    if not isinstance(returned, list | tuple):
        return None
    found = [_number(value) for value in returned]
    return None if None in found else [number for number in found if number is not None]


def _all_topics(returned: Mapping[Any, Any], topics: Mapping[str, bytes]) -> bool:
    return all(str(key) in topics for key in returned)


def _of_frame(frame: Any, topics: Mapping[str, bytes]) -> dict[Any, Any]:
    """The rows of a frame by query: the column that holds queries, whatever its name, or else the index."""
    if getattr(frame, "ndim", 0) == 1:
        return dict(frame.to_dict())
    return _of_rows(frame.to_dict(orient="records"), topics) or dict(frame.to_dict(orient="index"))


def _of_rows(rows: Sequence[Mapping[Any, Any]], topics: Mapping[str, bytes]) -> dict[Any, Any] | None:
    """Rows by query, which is the entry that holds queries, whatever its name; None if there is none."""
    for name in rows[0] if rows else ():
        held = [str(row.get(name)) for row in rows]
        if len({*held}) == len(held) and topics.keys() >= {*held}:
            return {
                query: {key: value for key, value in row.items() if key != name}
                for query, row in zip(held, rows, strict=True)
            }
    return None


def _entry(returned: Mapping[Any, Any], measure: Measure, passed: str) -> tuple[Any] | None:
    """The entry whose key names the measure, in a tuple because the entry may be None; None if there is none.

    Otherwise the entry whose key is the cutoff, or the measure's name without its cutoff, which was passed or
    is the metric's own. For :data:`UNNAMED` the only entry.
    """
    if measure.family == UNNAMED.family and len(returned) == 1:
        return tuple(returned.values())
    if passed and passed in returned:
        return (returned[passed],)
    for key, value in returned.items():
        if isinstance(key, str) and _same_measure(key, measure):
            return (value,)
        if isinstance(value, Mapping):  # {"P": {5: value}}
            for cutoff, inner in value.items():
                if _same_measure(f"{key}@{cutoff}", measure):
                    return (inner,)
    for key in (measure.cutoff, str(measure.cutoff)):
        if key in returned:
            return (returned[key],)
    whole = replace(measure, cutoff=None)
    for key, value in returned.items() if measure.cutoff else ():
        if isinstance(key, str) and _same_measure(key, whole):
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
    """A number, also one inside an array or tensor of exactly one element."""
    if hasattr(value, "item"):
        count = value.numel() if hasattr(value, "numel") else getattr(value, "size", None)
        value = value.item() if count == 1 else value
    return as_float(value)


def _keys(returned: Mapping[Any, Any]) -> str:
    return ", ".join(quoted(printable(str(key), 40)) for key in list(returned)[:5]) or "it is empty"
