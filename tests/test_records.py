"""Each record is defined once: no two share most of their fields."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import types
from functools import cache
from itertools import combinations
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

import crosscheck.model

#: Two records with fewer fields in common share words of the field (run, query, measure), not a definition.
FEWEST = 5
SHARE = 0.7

Fields = set[tuple[str, str]]


def is_record(thing: type) -> bool:
    named_tuple = issubclass(thing, tuple) and hasattr(thing, "_fields")
    return dataclasses.is_dataclass(thing) or issubclass(thing, msgspec.Struct) or named_tuple


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
    # Some modules have the names of arrays, or of records that use theirs, for the type checker alone.
    hints = get_type_hints(record, localns=vars(crosscheck.model) | {r.__name__: r for r in all_records()})
    inherited = {name for base in record.__mro__[1:] for name in inspect.get_annotations(base)}
    names = inspect.get_annotations(record).keys() - inherited
    return {(name, kind(hints[name])) for name in names}


#: The results of one case, which are kept in a file of their own, are a part of a document's.
PARTS = {"crosscheck.harness.merging.CaseResults"}


def twins(records: list[type]) -> list[str]:
    """Pairs of records that share most of the fields of the smaller one."""
    held = [(record, own_fields(record)) for record in records]
    return [
        f"{one.__module__}.{one.__qualname__} and {other.__module__}.{other.__qualname__} share "
        f"{', '.join(sorted(name for name, _ in ours & theirs))}"
        for (one, ours), (other, theirs) in combinations(held, 2)
        if len(ours & theirs) >= max(FEWEST, SHARE * min(len(ours), len(theirs)))
    ]


@cache
def all_records() -> list[type]:
    """Every Struct, dataclass and NamedTuple of the package."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(crosscheck.__path__, "crosscheck."):
        if module.name.endswith("__main__"):
            continue
        for thing in vars(importlib.import_module(module.name)).values():
            if isinstance(thing, type) and thing.__module__.startswith("crosscheck") and is_record(thing):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return list(found.values())


#: Rooms with records that are still dataclasses.
OLD = {"auditing", "diagnosis", "hypotheses", "probes", "properties"}


def test_a_record_is_a_struct() -> None:
    """Only the record of ``crosscheck.benchmark_metrics`` is a dataclass, as its specification says."""
    classes = {record for record in all_records() if dataclasses.is_dataclass(record)}
    assert {c.__qualname__ for c in classes if c.__module__.split(".")[1] not in OLD} == {"IRMetrics"}


def test_no_record_is_defined_twice() -> None:
    """Over all Structs, dataclasses and NamedTuples of the package."""
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
