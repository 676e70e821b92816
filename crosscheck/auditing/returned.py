"""Values per query or a mean, read from the result of a metric."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.auditing.calls import Pick
from crosscheck.backends.outcomes import as_float, kind, printable
from crosscheck.errors import BackendError, UnknownMeasure, quoted
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.names.spelling import family_words

__all__ = ["UNNAMED", "ResultReader"]

#: Used if it is unknown which measure a metric is meant to compute; the cutoff is the one to request.
UNNAMED = Measure("", cutoff=5)
#: Longest sequence of which one number may be meant.
_MOST_RETURNED = 30


class ByPosition(Exception):
    """A result holds one value per query without its id, and qrels and run were passed in different orders of
    the queries, so that nobody can say which of them it follows."""


class ResultReader(Struct, frozen=True, eq=False):
    """Reads the results of a metric.

    Attributes:
        topics: query as text -> topic id.
        order: the topics that were passed, in their order; none if one query was.
        passed_name: the name of the measure that the metric was passed, empty if none.
        aligned: whether whatever holds all queries was passed in the order of ``order``.
    """

    measure: Measure
    topics: Mapping[str, bytes] = {}
    order: Sequence[bytes] = ()
    passed_name: str = ""
    aligned: bool = True

    def value(self, returned: Any) -> float | None:
        """The value of one query: a number, None for no value, or the measure's entry of a dict.

        Raises:
            BackendError: the result is of another kind.
        """
        if returned is None:
            return None
        if dataclasses.is_dataclass(returned) and not isinstance(returned, type):
            returned = dataclasses.asdict(returned)
        if isinstance(returned, Mapping):
            entries = self._entries(returned)
            if not entries:
                raise BackendError(f"returned a dict without {self.measure}: {_keys(returned)}")
            return self.value(entries[0])
        number = _number(returned)
        if number is None:
            raise BackendError(f"returned {kind(returned)} instead of a number")
        return number

    def table(self, returned: Any) -> tuple[dict[bytes, float], float | None]:
        """Values per query and the mean, from the result over all queries.

        Accepted results: ``{query: value}``, ``{query: {measure: value}}``, ``{measure: {query: value}}``, a
        data frame or a list of dicts with one row per query, ``{measure: mean}``, one number for the mean, or
        one for each query that was passed.

        Raises:
            ByPosition: there is one number for each query, and the queries were not passed in one order.
            BackendError: the result is anything else.
        """
        if hasattr(returned, "to_dict") and hasattr(returned, "index"):
            returned = self._of_frame(returned)
        if isinstance(returned, list) and all(isinstance(row, Mapping) for row in returned):
            returned = self._of_rows(returned) or returned
        number = _number(returned)
        if number is not None or returned is None:
            return {}, number
        numbers = _numbers(returned)
        if numbers and len(numbers) == len(self.order):
            if not self.aligned:
                raise ByPosition
            return dict(zip(self.order, numbers, strict=True)), None
        if not isinstance(returned, Mapping):
            raise BackendError(f"returned {kind(returned)}; expected {{query: value}} or a number")
        if not self._by_query(returned):
            entries = self._entries(returned)
            if not entries:
                missing = f"neither queries nor {self.measure} as keys"
                raise BackendError(f"returned a dict that has {missing}: {_keys(returned)}")
            return self.table(entries[0])
        values = {self.topics[str(query)]: self.value(entry) for query, entry in returned.items()}
        return {topic: value for topic, value in values.items() if value is not None}, None

    def picks(self, returned: Any) -> list[tuple[Pick, ...]]:
        """The items or attributes of a result that may be the measure's value, likeliest first; empty if the
        result is one number, or a table that names the measure."""
        if self.order:  # of all queries at once
            try:
                self.table(returned)
            except ByPosition:
                return []
            except BackendError:
                pass
            else:
                return []
        if returned is None or _number(returned) is not None or isinstance(returned, str | bytes):
            return []
        if isinstance(returned, Mapping) and (hasattr(returned, "columns") or self._entries(returned)):
            return []
        picks: list[tuple[Pick, ...]] = []
        for pick, value in self._parts(returned):
            table = isinstance(value, Mapping) and (self._by_query(value) or self._entries(value))
            if table or _number(value) is not None:
                picks.append((pick,))
            elif isinstance(value, Mapping | tuple):
                picks += [(pick, *more) for more in self.picks(value)]
        words = family_words(self.measure)
        return sorted(picks, key=lambda some: not any(_letters(pick.key).startswith(words) for pick in some))

    def _parts(self, returned: Any) -> list[tuple[Pick, Any]]:
        """The items or attributes of a result, without those that are named after another measure."""
        if isinstance(returned, Mapping):
            keys = [key for key in returned if isinstance(key, str | int) and str(key) not in self.topics]
            return [(Pick(key), returned[key]) for key in keys if not _parses(str(key))]
        fields = getattr(returned, "_fields", None)
        if fields or (hasattr(returned, "__dict__") and not hasattr(returned, "__len__")):
            fields = fields or vars(returned)
            return [(Pick(name, attribute=True), getattr(returned, name)) for name in fields]
        items = returned if isinstance(returned, Sequence) else _numbers(returned) or ()
        if len(items) > _MOST_RETURNED:
            return []
        parts = [(Pick(place), value) for place, value in enumerate(items)]
        return [*parts, *((Pick(-1), value) for _, value in parts[-1:] if len(parts) > 1)]

    def _by_query(self, returned: Mapping[Any, Any]) -> bool:
        return all(str(key) in self.topics for key in returned)

    def _of_frame(self, frame: Any) -> dict[Any, Any]:
        """The rows of a frame by query: the column that holds queries, whatever its name, or the index."""
        if getattr(frame, "ndim", 0) == 1:
            return dict(frame.to_dict())
        return self._of_rows(frame.to_dict(orient="records")) or dict(frame.to_dict(orient="index"))

    def _of_rows(self, rows: Sequence[Mapping[Any, Any]]) -> dict[Any, Any] | None:
        """Rows by query, which is the entry that holds queries, whatever its name; None if there is none."""
        for name in rows[0] if rows else ():
            queries = [str(row.get(name)) for row in rows]
            if len({*queries}) == len(queries) and self.topics.keys() >= {*queries}:
                others = ({key: value for key, value in row.items() if key != name} for row in rows)
                return dict(zip(queries, others, strict=True))
        return None

    def _entries(self, returned: Mapping[Any, Any]) -> list[Any]:
        """The entries whose keys name the measure, likeliest first.

        After its own name that of the cutoff, or of the measure without its cutoff, which was passed or is
        the metric's own. For :data:`UNNAMED` the only entry.
        """
        named = {key: value for key, value in returned.items() if isinstance(key, str)}
        entries = [*returned.values()] * (self.measure.family == UNNAMED.family and len(returned) == 1)
        entries += [value for key, value in named.items() if key and key == self.passed_name]
        for key, value in returned.items():
            if key in named and _same_measure(key, self.measure):
                entries.append(value)
            if isinstance(value, Mapping):  # {"P": {5: value}}
                entries += (v for k, v in value.items() if _same_measure(f"{key}@{k}", self.measure))
        cutoff = self.measure.cutoff
        if cutoff is not None:
            entries += (returned[key] for key in (cutoff, str(cutoff)) if key in returned)
            whole = replace(self.measure, cutoff=None)
            entries += (value for key, value in named.items() if _same_measure(key, whole))
        return entries


def _letters(key: str | int) -> str:
    return str(key).lower().replace("_", "")


def _parses(name: str) -> Measure | None:
    try:
        return parse_measure(name)
    except UnknownMeasure:
        return None


def _same_measure(name: str, measure: Measure) -> bool:
    return measure in map(_parses, (name, name.replace("_at_", "@"), name.upper().replace("_AT_", "@")))


def _numbers(returned: Any) -> list[float] | None:
    """The numbers of a list, tuple or one-dimensional array, None for anything else."""
    if hasattr(returned, "tolist") and not hasattr(returned, "columns"):
        returned = returned.tolist()
    if not isinstance(returned, list | tuple):
        return None
    numbers = [number for value in returned if (number := _number(value)) is not None]
    return numbers if len(numbers) == len(returned) else None


def _number(value: Any) -> float | None:
    """A number, also one inside an array or tensor of exactly one element."""
    if hasattr(value, "item"):
        count = value.numel() if hasattr(value, "numel") else getattr(value, "size", None)
        value = value.item() if count == 1 else value
    return as_float(value)


def _keys(returned: Mapping[Any, Any]) -> str:
    return ", ".join(quoted(printable(str(key), 40)) for key in list(returned)[:5]) or "it is empty"
