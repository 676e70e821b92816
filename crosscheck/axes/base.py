"""An axis: one way in which implementations of IR metrics differ, with all that is known about it.

Axes see a measure on a run, and a family of measures, through the protocols of :mod:`crosscheck.axes.view`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Flag, IntEnum, StrEnum, auto
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from msgspec import Struct

from crosscheck.errors import UsageError

if TYPE_CHECKING:
    from crosscheck.axes.view import Facts, View
    from crosscheck.model import BoolArray
else:
    Facts = View = Any  # creating the protocols would slow the start

__all__ = [
    "Axis",
    "AxisValue",
    "Example",
    "Facts",
    "Label",
    "Mask",
    "Numbers",
    "PassedAs",
    "Stage",
    "V",
    "View",
    "load",
    "plain",
]

AxisValue: TypeAlias = str | int | None
#: One truth value per topic. A string, to avoid importing numpy.
Mask: TypeAlias = "BoolArray"
V = TypeVar("V", bound=StrEnum | int | None)


class Stage(IntEnum):
    """The stages of an evaluation, in trec_eval's order. Each depends on the stages before it and on its own
    axes."""

    READ = auto()  # which lines count, and which ids are the same
    ORDER = auto()  # the rank of each document
    JUDGE = auto()  # which documents are judged, and which exist
    FORMULA = auto()  # the score computed from a judged ranking
    SUMMARISE = auto()  # which queries have a value, and their mean


class PassedAs(Flag):
    """Kinds of input that fix a choice before a metric is called, so that the metric cannot make it."""

    NOTHING = 0
    ONE_QUERY = auto()  # one query at a time
    RANK_ORDER = auto()  # lists of documents in rank order
    LEVELS = auto()  # relevance levels instead of docnos
    DICT = auto()  # {docno: score}, with each docno once


class Numbers(Struct, frozen=True):
    """The whole numbers that an axis takes.

    Attributes:
        least: the lowest, None if there is no bound.
        none: whether ``none`` is a value as well.
    """

    least: int | None = None
    none: bool = True


class Example(Struct, frozen=True, kw_only=True, eq=False):
    """A few documents on which an axis matters, with the values that crosscheck computes on them.

    Attributes:
        qrels, run: lines of TREC files.
        values: (measure, axis settings, value): the mean over the queries under these settings, ``""`` for
            trec_eval's own.
        says: the conclusion in words, with ``{}`` for the values in order.
        qrels_shown, run_shown: the lines to print instead of ``qrels`` and ``run``, if those are many.
    """

    qrels: Sequence[str]
    run: Sequence[str]
    values: Sequence[tuple[str, str, float]]
    says: str
    qrels_shown: Sequence[str] = ()
    run_shown: Sequence[str] = ()

    def __str__(self) -> str:
        left, right = self.qrels_shown or self.qrels, self.run_shown or self.run
        lines = []
        for i in range(max(len(left), len(right))):
            ours, theirs = (side[i] if i < len(side) else "" for side in (left, right))
            heads = ("qrels:", "run:") if i == 0 else ("", "")
            lines.append(f"    {heads[0]:6} {ours:16} {heads[1]:4} {theirs}".rstrip())
        numbers = ("NaN" if math.isnan(value) else repr(value) for _, _, value in self.values)
        return "\n".join(lines) + "\n\n" + self.says.format(*numbers)


class Label(Struct, frozen=True, kw_only=True, eq=False):
    """A cause of differences between two implementations.

    Attributes:
        label: stable identifier.
        priority: of explanations with equally many causes and equal evidence, the one with the lowest sum of
            priorities comes first.
        summary: the cause in one line.
        prose: paragraphs for ``crosscheck explain``; ``example`` and ``way_out`` follow them.
        needs: the input that reveals it, completing "an input with ...".
    """

    label: str
    priority: int
    summary: str
    prose: str
    example: Example
    way_out: str
    needs: str = ""

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @property
    def explained(self) -> str:
        """The text of ``crosscheck explain``: the cause in prose, the example, and how to avoid the
        difference."""
        return f"{self.prose}\n{self.example}\nWay out: {self.way_out}"


#: By stage: whether an axis without ``matters`` matters to a family of measures.
_MATTERS: dict[Stage, Callable[[Axis[Any], Facts], bool]] = {
    Stage.READ: lambda axis, family: family.retrieved,
    Stage.ORDER: lambda axis, family: family.ranked,
    Stage.JUDGE: lambda axis, family: family.retrieved,
    Stage.FORMULA: lambda axis, family: axis in family.reads,
    Stage.SUMMARISE: lambda axis, family: not family.is_sum,
}


class Axis(Label, Generic[V], frozen=True, kw_only=True, eq=False):
    """One way in which implementations differ. Each file of this package holds one, named like the file.

    Attributes:
        name: as written in ``gain=exponential``.
        default: trec_eval 9.0.8's value. An axis takes the members of the enumeration of this value, the
            numbers of ``numbers``, or both.
        stage: the stage that the axis changes; position: its position among the axes of that stage.
        phrases: value -> the behaviour of a tool with it. All numbers have the key ``n``, and ``{n}`` in the
            phrase stands for the number; None has the key ``none``.
        contrast: one clause for a report, with ``{base}`` for the value of the reference and ``{found}`` for
            the one found, in the words of ``short``, or of ``phrases`` if ``short`` lacks the value.
        verb: the same contrast as the end of a sentence that begins with the name of the tool; empty if there
            is no such form.
        cited: value -> its words in a sentence that describes a measure in a paper. A value without words is
            described by its phrase, except for trec_eval's, which is not described.
        matters: whether the axis affects a family of measures at all; by default the stage decides.
        tried: values to try, likeliest first; by default all.
        gate: mask over all topics of the queries on which the axis can matter.
        doubtful: mask over all topics of the queries on which the axis is possible but unlikely as the cause.
        doubt: added to the priority if all differing queries are doubtful.
        weighs: whether the axis changes the weights of single documents, not a common divisor.
        on_mean: whether the axis can change the mean while every query keeps its value.
        fixed_when_passed: kinds of input that fix the value, so that the metric has no choice.
        shown_by_one: values that the metric may have in spite of ``fixed_when_passed``, because they show in
            the value of a single query.
    """

    name: str
    default: V
    stage: Stage
    position: int
    phrases: Mapping[str, str]
    numbers: Numbers | None = None
    contrast: str = "{found} (reference: {base})"
    short: Mapping[str, str] = MappingProxyType({})
    verb: str = ""
    cited: Mapping[str, str] = MappingProxyType({})
    matters: Callable[[Facts], bool] | None = None
    tried: Callable[[View], Sequence[AxisValue]] | None = None
    gate: Callable[[View], Mask] = lambda view: view.everywhere
    doubtful: Callable[[View], Mask] = lambda view: view.nowhere
    doubt: int = 0
    weighs: bool = False
    on_mean: bool = False
    fixed_when_passed: PassedAs = PassedAs.NOTHING
    shown_by_one: tuple[V, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.name,)

    def place(self) -> tuple[Stage, int, str]:
        """Position of the axis among all axes, in the order of an evaluation."""
        return self.stage, self.position, self.name

    @property
    def values(self) -> tuple[V, ...]:
        """All values; for an axis of numbers only ``none``, if it has it."""
        if isinstance(self.default, StrEnum):
            return tuple(type(self.default))
        return cast(tuple[V, ...], (None,)) if self.numbers and self.numbers.none else ()

    def parse(self, value: object) -> V:
        """A value from its text or number.

        Raises:
            UsageError: the axis has no such value; the message lists its values.
        """
        kind: Any = type(self.default)
        if not isinstance(self.default, StrEnum):
            assert self.numbers is not None
            return cast(V, self._number(self.numbers, value))
        if type(value) is kind:
            return cast(V, value)
        try:
            return cast(V, kind(str(value)))
        except ValueError:
            if self.numbers is not None:
                return cast(V, self._number(self.numbers, value))
            options = ", ".join(map(str, self.values))
            raise UsageError(
                f"{self.name} has no value {value!r}", hint=f"it takes one of: {options}"
            ) from None

    def _number(self, numbers: Numbers, value: object) -> int | None:
        if value is None or value == "none":
            if not numbers.none:
                raise UsageError(f"{self.name} needs a whole number")
            return None
        try:
            number = int(str(value))
        except ValueError:
            words = ["none"] if numbers.none else list(map(str, self.values))
            wanted = " or ".join(["a whole number", *words])
            raise UsageError(f"{self.name} needs {wanted}, not {value!r}") from None
        if numbers.least is not None and number < numbers.least:
            raise UsageError(f"{self.name} needs a whole number from {numbers.least} on, not {value!r}")
        return number

    def phrase(self, value: AxisValue) -> str | None:
        """The behaviour of a tool with this value, None for a value that does not exist."""
        return _worded(self.phrases, value)

    def describe(self, base: AxisValue, found: AxisValue) -> str:
        """One clause for a report that contrasts the value ``found`` with the reference's value ``base``."""
        return self.contrast.format(base=self._in_short(base), found=self._in_short(found))

    def does(self, base: AxisValue, found: AxisValue) -> str | None:
        """The contrast as the end of a sentence about the tool (``divides by R, not by k``), or None."""
        said = self.verb.format(base=self._in_short(base), found=self._in_short(found))
        return said or None

    def cite(self, value: AxisValue) -> str:
        """The words for this value in a sentence of a paper; empty if it needs none."""
        said = _worded(self.cited, value)
        if said is None and value != plain(self.default):
            return self.phrase(value) or str(value)
        return said or ""

    def _in_short(self, value: AxisValue) -> str:
        return _worded(self.short, value) or self.phrase(value) or str(value)

    def read_by(self, family: Facts) -> bool:
        """Whether the axis affects a family of measures at all."""
        return self.matters(family) if self.matters else _MATTERS[self.stage](self, family)

    def options(self, view: View) -> Sequence[AxisValue]:
        """Values to try, likeliest first; the view's own value may be among them."""
        return self.values if self.tried is None else self.tried(view)

    def other_options(self, view: View) -> list[AxisValue]:
        """The options without the view's own value."""
        current = plain(view.conventions[self])
        return [value for value in self.options(view) if value != current]


def plain(value: Any) -> AxisValue:
    """An axis value as plain text, number or None."""
    return str(value) if isinstance(value, StrEnum) else cast(AxisValue, value)


def _worded(words: Mapping[str, str], value: AxisValue) -> str | None:
    if isinstance(value, int) and "n" in words:
        return words["n"].replace("{n}", str(value))
    return words.get("none" if value is None else str(value))


def load(name: str) -> Axis[Any]:
    """The axis in the file with this name."""
    found: Axis[Any] = getattr(import_module(f"{__package__}.{name}"), name.upper())
    return found
