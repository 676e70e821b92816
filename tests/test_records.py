"""Each record is defined once: no two share most of their fields."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import types
from collections.abc import Callable
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

import crosscheck.model
from crosscheck.auditing.calls import Call
from crosscheck.records import Record

#: Two records with fewer fields in common share words of the field (run, query, measure), not a definition.
FEWEST = 5
SHARE = 0.7

Fields = set[tuple[str, str]]


def is_record(thing: type) -> bool:
    named_tuple = issubclass(thing, tuple) and hasattr(thing, "_fields")
    return dataclasses.is_dataclass(thing) or issubclass(thing, (msgspec.Struct, Record)) or named_tuple


def kind(annotation: Any) -> str:
    """A field's type in one word, the same for a list and a tuple, for text and bytes, for any record."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        kinds = sorted({kind(one) for one in inside})
        return "/".join(kinds)
    if origin is Literal:
        return "/".join(sorted({kind(type(value)) for value in inside}))
    thing = origin or annotation
    if not isinstance(thing, type):
        return str(thing)
    if is_record(thing):
        return "record"
    for word, held in (("text", (str, bytes)), ("number", (int, float)), ("several", (list, tuple, set))):
        if issubclass(thing, held):
            return word
    return "several" if thing.__name__ == "Sequence" else thing.__name__


def own_fields(record: type) -> Fields:
    """Fields that a class itself defines, with their kinds; what it inherits is defined elsewhere."""
    # Where numpy must not be waited for, a module has the names of its arrays for the type checker alone.
    hints = get_type_hints(record, localns={**vars(crosscheck.model), "Call": Call})
    inherited = {name for base in record.__mro__[1:] for name in inspect.get_annotations(base)}
    names = inspect.get_annotations(record).keys() - inherited
    return {(name, kind(hints[name])) for name in names}


#: The results of one case, which are kept in a file of their own, are a part of a document's.
PARTS = {"crosscheck.harness.case_results.CaseResults"}


def twins(records: list[type]) -> list[str]:
    """Pairs of records that share most of the fields of the smaller one."""
    held = [(record, own_fields(record)) for record in records]
    return [
        f"{one.__module__}.{one.__qualname__} and {other.__module__}.{other.__qualname__} share "
        f"{', '.join(sorted(name for name, _ in ours & theirs))}"
        for (one, ours), (other, theirs) in combinations(held, 2)
        if len(ours & theirs) >= max(FEWEST, SHARE * min(len(ours), len(theirs)))
    ]


def all_records() -> list[type]:
    """Every dataclass, Struct, Record and NamedTuple of the package."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(crosscheck.__path__, "crosscheck."):
        if module.name.endswith("__main__"):
            continue
        for thing in vars(importlib.import_module(module.name)).values():
            if isinstance(thing, type) and thing.__module__.startswith("crosscheck") and is_record(thing):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return list(found.values())


def test_no_record_is_defined_twice() -> None:
    """Over all dataclasses, Structs, Records and NamedTuples of the package."""
    records = all_records()
    assert len(records) > 100
    whole = [record for record in records if f"{record.__module__}.{record.__qualname__}" not in PARTS]
    assert len(whole) == len(records) - len(PARTS)
    assert twins(whole) == []


class Plain(NamedTuple):
    """As a computation has it."""

    topic: bytes
    documents: int
    overlap: float | None
    levels: tuple[int, ...]
    notes: tuple[str, ...]


@dataclasses.dataclass
class Written:
    """The same as a document has it, and more."""

    topic: str
    documents: int
    overlap: float | None
    levels: list[int]
    notes: list[str]
    summary: str
    values: dict[str, float]


@dataclasses.dataclass
class Inherits(Written):
    """Defines one field, and none again."""

    more: int


class Words(msgspec.Struct):
    """Names in common, but other things."""

    topic: int
    documents: list[str]
    overlap: float
    levels: int
    notes: list[str]


def test_a_record_for_the_document_beside_one_for_the_computation_is_found() -> None:
    """Tuples beside lists and bytes beside text are the same field; inheriting is no second definition."""
    (found,) = twins([Plain, Written, Inherits, Words])
    assert "Plain and" in found
    assert "Written share documents, levels, notes, overlap, topic" in found


class Judged(Record):
    """As records of the package are written."""

    topic: bytes
    level: int = 1

    @cached_property
    def name(self) -> str:
        return f"{self.topic!r} {self.level}"


class Counted(Judged, kw_only=True):
    """Inherits two fields."""

    number: int
    rule: Callable[[int], int] = lambda number: number + 1


def test_a_record_has_its_fields_and_defaults_and_does_not_change() -> None:
    """By place and by name; a default that is a function stays one; a copy has no cached property."""
    one = Counted(b"q", number=3)
    assert (one.topic, one.level, one.number, one.rule(1), one.name) == (b"q", 1, 3, 2, "b'q' 1")
    other = one._replace(level=2)
    assert (other.topic, other.name, one.name) == (b"q", "b'q' 2", "b'q' 1")
    assert one != one._replace()
    assert pickle.loads(pickle.dumps(one._replace(rule=abs))).rule is abs
    assert repr(Judged(b"q")) == "Judged(topic=b'q', level=1)"
    with pytest.raises(AttributeError, match=r"_replace\(level=\.\.\.\) makes another"):
        one.level = 5  # type: ignore[misc]


def test_a_field_that_is_missing_or_does_not_exist_is_named() -> None:
    for make in (lambda: Counted(b"q"), lambda: Counted(b"q", number=1)._replace(numbr=2)):
        with pytest.raises(TypeError, match="Counted: missing or unknown fields: numb"):
            make()
