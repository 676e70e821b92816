"""Numbers printed with a few decimals: ``python -m tests.programs.real.printed`` tries all parts of all runs.

Values under each of eight conventions are printed with 3, 4 and 5 decimals, as C and as Python print them,
and held against the exact values under each of the eight. The truth is decimal arithmetic on the doubles.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from functools import partial
from pathlib import Path
from typing import NamedTuple

from crosscheck.backends.native import native_values
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import differ
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import MeasureValues, display
from crosscheck.names import parse_measure
from tests.programs.frame import Case, main
from tests.programs.real.runs import parts

__all__ = ["CONVENTIONS", "Verdict", "verdicts"]

CONVENTIONS = (
    "trec_eval-9.0.8",
    "ties=input",
    "score_precision=float64,ties=docid-asc",
    "gain=exponential",
    "unjudged=removed",
    "relevance_level=2",
    "missing_queries=zero,precision_denominator=min(k,retrieved)",
    "universe=retrieved,discount=jarvelin",
)
MEASURES = ("nDCG@10", "AP", "P@10", "R@20", "RR", "bpref", "Rprec", "nDCG", "Success@5")
DECIMALS = (3, 4, 5)

#: Query (or ``all``) -> the number as text.
Printed = Mapping[str, str]


class Verdict(NamedTuple):
    """One comparison of printed with exact values.

    Attributes:
        same: all that is printed is what the exact values would be printed as.
        apart: something is off by more than half a unit of its last digit.
        agrees: what crosscheck says.
    """

    what: str
    same: bool
    apart: bool
    agrees: bool

    @property
    def wrong(self) -> bool:
        return self.agrees is not True if self.same else self.agrees and self.apart


def _text(value: float, decimals: int) -> str:
    """As C prints a double: its exact value, rounded half to even."""
    if not math.isfinite(value):
        return repr(value)
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN))


def _shortened(text: str) -> str:
    """Without the zeros at the end, as Python prints what ``round`` gave."""
    return text.rstrip("0") + "0" * text.rstrip("0").endswith(".") if "." in text else text


def _as_lines(name: str, printed: Printed) -> str:
    return "".join(f"{name}\t{query}\t{text}\n" for query, text in printed.items())


def _as_json(name: str, printed: Printed) -> str:
    return json.dumps({query: {name: text} for query, text in printed.items()})


_LAYOUTS: dict[str, Callable[[str, Printed], str]] = {
    "lines": _as_lines,
    "short lines": lambda name, printed: _as_lines(name, {q: _shortened(t) for q, t in printed.items()}),
    "JSON": _as_json,
}


def _all(found: MeasureValues) -> dict[str, float]:
    """Values and mean by query."""
    mean = {} if found.mean is None else {"all": found.mean}
    return {display(topic): value for topic, value in found.values.items()} | mean


def verdicts(name: str, rankings: Rankings, folder: Path) -> Iterator[Verdict]:
    """Every comparison on one run; files are written into a folder."""
    for measure in map(parse_measure, MEASURES):
        exact = {spec: native_values(rankings, measure, conventions(spec), "exact") for spec in CONVENTIONS}
        for decimals in DECIMALS:
            texts = {
                spec: {query: _text(value, decimals) for query, value in _all(found).items()}
                for spec, found in exact.items()
            }
            for layout, written in _LAYOUTS.items():
                for theirs, printed in texts.items():
                    path = folder / "printed"
                    path.write_text(written(str(measure), printed))
                    saved = RecordedValues(str(path))
                    read = saved.evaluate(rankings.pairing.qrels, rankings.pairing.run, [measure])[measure]
                    for ours, found in exact.items():
                        yield Verdict(
                            f"{name} {measure} {decimals} {layout}: {theirs} as {ours}",
                            texts[ours] == printed,
                            _apart(_all(found), printed, decimals),
                            differ(found, read).agree,
                        )


def _apart(exact: Mapping[str, float], printed: Printed, decimals: int) -> bool:
    if exact.keys() != printed.keys():
        return True
    half = Decimal(5).scaleb(-decimals - 1) + Decimal("1e-8")
    return any(
        abs(Decimal(value) - Decimal(printed[query])) > half
        for query, value in exact.items()
        if math.isfinite(value)
    )


def _tried(name: str, rankings: Rankings) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        found = list(verdicts(name, rankings, Path(folder)))
    wrong = [verdict.what for verdict in found if verdict.wrong]
    equal = sum(verdict.same for verdict in found)
    return f"{equal} of {len(found)} equal", "; ".join(wrong if equal else ["none is equal as printed"])


def _cases(given: object) -> list[Case]:
    return [Case(name, name, partial(_tried, name, rankings)) for name, rankings in parts()]


if __name__ == "__main__":
    sys.exit(main("tests.programs.real.printed", __doc__, _cases))
