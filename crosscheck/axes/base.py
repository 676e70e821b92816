"""The classes of which axes are made. An axis is one choice on which implementations of IR metrics differ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Flag, IntEnum, StrEnum, auto
from importlib import import_module
from itertools import chain, repeat, zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import force_setattr

from crosscheck.errors import UsageError

# For types only: the functions of an axis receive a family of measures, or a measure on a run (a view).
if TYPE_CHECKING:
    from crosscheck.evaluation.recomputer import Recomputer
    from crosscheck.measures import base as measures
    from crosscheck.model import BoolArray

    View: TypeAlias = Recomputer
    Family: TypeAlias = measures.Family
else:
    View = Family = Any


AxisValue: TypeAlias = str | int | None
#: One truth value per topic. The type is a string, so that numpy is not imported.
Mask: TypeAlias = "BoolArray"

#: File of this package -> the names of its axes, in the order of an evaluation.
FILES = {
    "ties": ("special_scores", "order", "best_score", "ties", "score_precision"),
    "ids": ("duplicates", "identical_ids", "ids"),
    "judging": (
        *("universe", "depth", "unjudged", "negatives", "exact_level", "first_result"),
        *("judged_depth", "relevance_level"),
    ),
    "gains": ("gain", "discount", "ideal"),
    "denominators": ("precision_denominator", "recall_denominator", "ap_denominator", "rprec_denominator"),
    "forms": ("rr_cutoff", "bpref_form", "recall_points", "geometric_floor", "rr_of", "max_grade", "unit"),
    "summaries": (
        *("missing_queries", "no_relevant", "query_set", "rounding", "averaging", "result_precision"),
        "unjudged_queries",
    ),
}
FILE_OF = {name: file for file, names in FILES.items() for name in names}
_PLACES = {name: place for place, name in enumerate(FILE_OF)}


class Value(StrEnum):
    """A value of an axis: its text in settings, such as ``exponential``, and the words that describe it.

    Attributes:
        words: the words for ``{}`` in the axis's clause; if the clause is only ``{}``, a whole clause about a
            tool.
        cited: the words in a sentence that describes a measure for a paper; None to use the clause, or
            nothing for trec_eval's value.
    """

    words: str
    cited: str | None

    def __new__(cls, text: str, words: str, cited: str | None = None) -> Self:
        made = str.__new__(cls, text)
        made._value_ = text
        made.words, made.cited = words, cited
        return made


V = TypeVar("V", bound=Value | int | None)


class Stage(IntEnum):
    """The stages of an evaluation, in trec_eval's order. Each depends on the stages before it and on its own
    axes."""

    READ = auto()  # which lines are used, and which ids are the same
    ORDER = auto()  # the rank of each document
    JUDGE = auto()  # which ranked documents are kept, and their levels
    FORMULA = auto()  # the value of a query, computed from its judged ranking
    SUMMARISE = auto()  # which queries have a value, and the mean over queries


class PassedAs(Flag):
    """Forms in which a metric receives its input, and by which some choices are made before it is called."""

    NOTHING = 0
    ONE_QUERY = auto()  # one query at a time
    RANK_ORDER = auto()  # lists of documents in rank order
    LEVELS = auto()  # relevance levels instead of docnos
    DICT = auto()  # {docno: score}, with each docno once


class Numbers(Struct, frozen=True):
    """The whole numbers that are values of an axis.

    Attributes:
        least: the lowest number; None if there is no lower bound.
        none: whether ``none`` is a value as well.
        ranks: whether they are ranks at which rankings end, so that any number is as good as its neighbours.
    """

    least: int | None = None
    none: bool = True
    ranks: bool = False


class Label(Struct, frozen=True, kw_only=True, eq=False):
    """A cause of differences between two implementations, with an example: a few documents on which it
    matters, and the values that crosscheck computes on them.

    Attributes:
        label: name of the cause, which does not change between versions.
        priority: of explanations with equally many causes and equal evidence, the one with the lowest sum of
            priorities comes first.
        summary: the cause in one line.
        prose: text of ``crosscheck explain``, followed by the example and ``way_out``.
        qrels, run: the example, as lines of TREC files.
        means: (measure, axis settings, mean over the queries of the example under these settings); empty
            settings are trec_eval's.
        says: the conclusion of the example in words, with ``{}`` for each of the means in order.
        qrels_shown, run_shown: lines to print instead of ``qrels`` and ``run``, if these are many.
        way_out: how to avoid the difference.
        needs: the input that reveals the cause, in words that complete "an input with ...".
    """

    label: str
    priority: int
    summary: str
    prose: str
    qrels: Sequence[str] = ("1 0 a 1",)
    run: Sequence[str] = ("1 Q0 a 1 2.0 tag",)
    means: Sequence[tuple[str, str, float]] = ()
    says: str = ""
    qrels_shown: Sequence[str] = ()
    run_shown: Sequence[str] = ()
    way_out: str
    needs: str = ""

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @property
    def explained(self) -> str:
        """The text of ``crosscheck explain``: the cause in prose, the example, and how to avoid the
        difference."""
        sides = zip_longest(self.qrels_shown or self.qrels, self.run_shown or self.run, fillvalue="")
        heads = chain([("qrels:", "run:")], repeat(("", "")))
        example = [
            f"    {head:6} {ours:16} {other:4} {theirs}".rstrip()
            for (head, other), (ours, theirs) in zip(heads, sides, strict=False)
        ]
        numbers = ("NaN" if math.isnan(value) else repr(value) for _, _, value in self.means)
        conclusion = self.says.format(*numbers)
        return "\n".join([self.prose, "", *example, "", conclusion, f"Way out: {self.way_out}"])


#: Stage -> whether an axis of this stage affects a family of measures, if the axis has no ``matters``.
_MATTERS: dict[Stage, Callable[[Axis[Any], Family], bool]] = {
    Stage.READ: lambda axis, family: family.retrieved,
    Stage.ORDER: lambda axis, family: family.ranked,
    Stage.JUDGE: lambda axis, family: family.retrieved,
    Stage.FORMULA: lambda axis, family: axis in family.reads,
    Stage.SUMMARISE: lambda axis, family: not family.is_sum,
}


class Axis(Label, Generic[V], frozen=True, kw_only=True, eq=False):
    """One choice on which implementations differ.

    Attributes:
        name: the name in settings such as ``gain=exponential``; by default that of the class of the values,
            in small letters. The label is the name with hyphens, unless it is given.
        default: trec_eval 9.0.8's value. The values of the axis are all members of the class of this value,
            the numbers of ``numbers``, or both.
        stage: the stage of the evaluation that the axis changes.
        words: entry ``n``: the words for a number, with ``{n}`` in its place; ``1``: those for 1, where they
            are singular; ``none``: those for None.
        clause: a clause about a tool with some value, with ``{}`` for the words of the value.
        contrast: a clause for a report, with ``{base}`` for the words of the reference's value and
            ``{found}`` for the words of the value found; if empty, it is made of ``clause``.
        verb: the contrast as the end of a sentence that begins with the name of a tool; empty if there is
            none.
        cited: the words for a number in a sentence that describes a measure for a paper; see :class:`Value`.
        matters: function: whether the axis affects a family of measures at all; by default its stage decides.
        beside: function: whether the axis affects such a family beside other axes; the second argument is a
            function that gives their values by name.
        tried: function: the values to try on a view, likeliest first; by default all values.
        gate: function: the mask of the queries on which the axis can matter, over all topics.
        doubtful: function: the mask of the queries on which the axis is an unlikely cause, over all topics.
        doubt: number that is added to the priority if all differing queries are doubtful.
        weighs: whether the axis changes the weights of single documents, and not only a common divisor.
        on_mean: whether the axis can change the mean while every query keeps its value, although it is not of
            the last stage.
        fixed_when_passed: forms of input under which a metric has no choice on the axis.
        visible_in_one_query: values that a metric can have in spite of ``fixed_when_passed``, because they
            show in the value of a single query.
    """

    name: str = ""
    default: V
    stage: Stage = Stage.FORMULA
    label: str = ""
    words: Mapping[str, str] = MappingProxyType({})
    numbers: Numbers | None = None
    clause: str = "{}"
    contrast: str = ""
    verb: str = ""
    cited: str = ""
    matters: Callable[[Family], bool] | None = None
    beside: Callable[[Family, Callable[[str], AxisValue]], bool] = lambda family, value_of: True
    tried: Callable[[View], Sequence[AxisValue]] | None = None
    gate: Callable[[View], Mask] = lambda view: view.everywhere
    doubtful: Callable[[View], Mask] = lambda view: view.nowhere
    doubt: int = 0
    weighs: bool = False
    on_mean: bool = False
    fixed_when_passed: PassedAs = PassedAs.NOTHING
    visible_in_one_query: tuple[V, ...] = ()

    def __post_init__(self) -> None:
        of_class = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self.default).__name__).lower()
        force_setattr(self, "name", self.name or of_class)
        force_setattr(self, "label", self.label or self.name.replace("_", "-"))

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.name,)

    def place(self) -> tuple[Stage, int]:
        """Sort key of axes, in the order of an evaluation."""
        return self.stage, _PLACES.get(self.name, len(_PLACES))

    @property
    def of_ranks(self) -> bool:
        """Whether the values are ranks at which rankings end."""
        return self.numbers is not None and self.numbers.ranks

    @property
    def values(self) -> tuple[V, ...]:
        """All values that are not numbers, including ``None`` if it is a value."""
        if isinstance(self.default, Value):
            return tuple(type(self.default))
        return cast(tuple[V, ...], (None,)) if self.numbers and self.numbers.none else ()

    def parse(self, value: object) -> V:
        """The value of the axis with this text or number. An axis with neither texts nor numbers
        (``FORMULA``) accepts any object.

        Raises:
            UsageError: the axis does not have this value; the message lists its values.
        """
        if self.default is None and self.numbers is None:
            return cast(V, value)
        if isinstance(self.default, Value):
            if type(value) is type(self.default):
                return value
            with suppress(ValueError):
                return cast(V, type(self.default)(str(value)))  # type: ignore[call-arg]
        if self.numbers is not None:
            return cast(V, self._number(self.numbers, value))
        options = ", ".join(map(str, self.values))
        raise UsageError(f"{self.name} has no value {value!r}", hint=f"use one of: {options}")

    def _number(self, numbers: Numbers, value: object) -> int | None:
        if numbers.none and (value is None or value == "none"):
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

    def _known(self, value: AxisValue) -> Value | None:
        """The member of the class of values that equals a text, if any."""
        return next((known for known in self.values if isinstance(known, Value) and known == value), None)

    def _worded(self, value: AxisValue) -> str:
        """The words for a value."""
        if known := self._known(value):
            return known.words
        key = "none" if value is None else "1" if value == 1 and "1" in self.words else "n"
        words = "" if isinstance(value, str) else self.words.get(key, "")
        return words.replace("{n}", str(value)) or str(value)

    def phrase(self, value: AxisValue) -> str | None:
        """A clause about a tool with this value; None for a text that is not a value."""
        if isinstance(value, str) and self._known(value) is None:
            return None
        return self.clause.format(self._worded(value))

    def describe(self, base: AxisValue, value: AxisValue) -> str:
        """A clause for a report that contrasts a tool's value with the reference's value ``base``."""
        reference = "" if self.clause == "{}" else " instead of {base}"
        form = self.contrast or self.clause.replace("{}", "{found}") + reference
        return form.format(base=self._worded(base), found=self._worded(value))

    def does(self, base: AxisValue, value: AxisValue) -> str | None:
        """The contrast as the end of a sentence about a tool, such as ``divides by R, not by k``; None if
        there is none."""
        return self.verb.format(base=self._worded(base), found=self._worded(value)) or None

    def cite(self, value: AxisValue) -> str:
        """The words for this value in a sentence for a paper; empty if it need not be mentioned."""
        known = self._known(value)
        if known is not None and known.cited is not None:
            return known.cited
        if self.cited and isinstance(value, int):
            return self.cited.format(n=value)
        return "" if value == plain(self.default) else self.phrase(value) or str(value)

    def read_by(self, family: Family) -> bool:
        """Whether the axis affects the measures of a family."""
        return self.matters(family) if self.matters else _MATTERS[self.stage](self, family)

    def read_under(self, family: Family, value_of: Callable[[str], AxisValue]) -> bool:
        """Whether the axis affects the measures of a family, beside other axes; see ``beside``."""
        return self.read_by(family) and self.beside(family, value_of)

    def options(self, view: View) -> Sequence[AxisValue]:
        """The values to try on a view, likeliest first, perhaps with the current value of the view."""
        return self.values if self.tried is None else self.tried(view)

    def other_options(self, view: View) -> list[AxisValue]:
        """The values to try on a view, without its current value."""
        current = plain(view.conventions[self])
        return [value for value in self.options(view) if value != current]


def plain(value: Any) -> AxisValue:
    """An axis value as plain text, number or None."""
    return str(value) if isinstance(value, StrEnum) else cast(AxisValue, value)


def load(name: str) -> Axis[Any]:
    """The axis with this name."""
    return cast(Axis[Any], getattr(import_module(f"{__package__}.{FILE_OF[name]}"), name.upper()))
