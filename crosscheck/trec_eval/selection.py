"""The measures of trec_eval in its order, and their selection by ``-m``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Literal, TypeAlias

from msgspec import Struct

from crosscheck.errors import UnknownMeasure, did_you_mean, quoted
from crosscheck.measures import Family
from crosscheck.names import GROUPS, PRINT_ORDER, parse_measure, trec_eval_family, trec_eval_name
from crosscheck.trec_eval.failure import TrecEvalError

__all__ = ["Request", "TrecEvalMeasure", "Version", "trec_eval_measures"]

Version: TypeAlias = Literal["9.0.8", "10.0"]


class TrecEvalMeasure(Struct, frozen=True, eq=False):
    """One of trec_eval's measures, or a series of measures that differ in the cutoff only.

    Attributes:
        name: name that ``-m`` takes.
        family: the family that computes the measure; None for the two texts, ``runid`` and ``relstring``.
    """

    name: str
    family: Family | None

    @property
    def takes(self) -> Literal["", "cutoffs", "points", "values", "pairs"]:
        """The parameter after the point: nothing, rank cutoffs, recall points or multiples of R, numbers, or
        pairs ``level=gain``."""
        if self.family is None:
            return "values" if self.name == "relstring" else ""
        if self.name == self.family.trec_eval_cut:
            return "cutoffs" if self.family.at_parameter == "cutoff" else "points"
        if "gains" in self.family.params or self.family.trec_eval_param == "p":
            return "pairs"
        return "values" if self.family.trec_eval_param else ""

    @property
    def needs(self) -> Literal["qrels", "qrels_jg", "prefs"] | None:
        """The kind of judgements that the measure is computed from; None if it needs the run only."""
        if self.name in ("runid", "num_q"):
            return None
        match self.family:
            case Family(needs="groups"):
                return "qrels_jg"
            case Family(needs="preferences"):
                return "prefs"
        return "qrels"

    @property
    def counts(self) -> bool:
        """Whether it is printed as a whole number and summed up, not averaged."""
        return self.family is not None and self.family.is_sum

    @property
    def where(self) -> Literal["both", "topics", "summary"]:
        """Whether it is printed per topic, in the summary, or both."""
        if self.name == "relstring":
            return "topics"
        geometric = self.family is not None and self.family.aggregate == "geometric"
        return "summary" if geometric or self.needs is None else "both"


@cache
def trec_eval_measures(version: Version) -> dict[str, TrecEvalMeasure]:
    """The measures of a version by name, in the order in which they are computed and printed."""
    found = [TrecEvalMeasure(name, trec_eval_family(name)) for name in PRINT_ORDER]
    return {
        about.name: about
        for about in found
        if version == "10.0" or about.family is None or about.family.trec_eval_since == "9.0.8"
    }


class Request:
    """The measures requested by ``-m`` options.

    Attributes:
        version: the version of trec_eval.
        parameters: name -> text after the point; only the first text of a measure counts.
    """

    def __init__(self, version: Version) -> None:
        self.version: Version = version
        self.parameters: dict[str, bytes] = {}
        self._marked: set[str] = set()

    def add(self, argument: bytes) -> None:
        """Add one ``-m`` argument: a measure or a nickname, and parameters after its first point.

        Raises:
            TrecEvalError: with code 1, the version has no such measure, or a point is the last byte.
        """
        raw, point, parameters = argument.partition(b".")
        name = raw.decode("ascii", "backslashreplace")
        shown = quoted(raw)
        illegal = f"trec_eval: illegal measure {shown}"
        if point and not parameters:
            raise TrecEvalError(
                1,
                f"trec_eval: improper measure in parameter {shown}",
                illegal,
                problem=f"-m {name}.: parameters are missing after the point",
            )
        known = trec_eval_measures(self.version)
        if name in GROUPS:
            self._marked.update(part for part in GROUPS[name] if part in known)
        elif name in known:
            self._marked.add(name)
        else:
            raise TrecEvalError(1, illegal, problem=_explained(name, self.version))
        if point:
            self.parameters.setdefault(name, parameters)

    def selected(self) -> Iterator[TrecEvalMeasure]:
        """The requested measures, ``official`` if there is no ``-m``, in trec_eval's order."""
        marked = self._marked or set(GROUPS["official"])
        return (about for about in trec_eval_measures(self.version).values() if about.name in marked)

    def named(self) -> list[str]:
        """The names of the measures that ``-m`` options request, empty if there is no ``-m``."""
        return [name for name in PRINT_ORDER if name in self._marked]


def _explained(name: str, version: Version) -> str:
    """A suggestion for a measure that does not exist."""
    shown = quoted(name)
    known = trec_eval_measures(version)
    if name in trec_eval_measures("10.0"):
        return f"{shown} came with trec_eval 10: add --compat 10.0"
    stem, _, cutoff = name.rpartition("_")
    if stem in known and known[stem].takes and cutoff:
        return f"{shown} is how the value is printed; write -m {stem}.{quoted(cutoff)[1:-1]}"
    try:
        spelt = trec_eval_name(parse_measure(name))
    except UnknownMeasure:
        spelt = None
    meant = f"; did you mean {spelt}?" if spelt else did_you_mean(name, [*known, *GROUPS], "; ")
    return f"trec_eval has no measure {shown}{meant}\n  the measures are: {', '.join([*known, *GROUPS])}"
