"""Recognition of a metric that is not the measure it was audited as: other measures and formulas are tried.

The metric's answers to the experiments and to the fresh inputs are compared with the formulas of
:mod:`crosscheck.hypotheses.decoys`, under the reference's conventions and with one or two axes changed. A
formula is named only if it gives every value that the metric gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from crosscheck.audit_records import Recognised
from crosscheck.auditing.axes import Axis
from crosscheck.auditing.checking import Asked
from crosscheck.auditing.elimination import Elimination
from crosscheck.auditing.strength import of_fresh, options_of, tried_sets
from crosscheck.axes import likeliest
from crosscheck.axes.base import Stage
from crosscheck.conventions import Conventions, plain
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.changes import Options
from crosscheck.hypotheses.decoys import Decoy, decoys
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.rivals import MOST_CHANCE, NEEDED_ON, chance, made_up, of_decoy, same_result
from crosscheck.hypotheses.search import Search
from crosscheck.model import Measure
from crosscheck.probes.fresh import ordinary
from crosscheck.rankings.memo import Memo

__all__ = ["recognised"]

#: Cutoffs that are tried for every measure, beside its own and those near it.
_CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000)
#: Number of hypotheses, those that give most values, that are tried with a first, and with a second, change
#: of any axis. A first change of an axis of the stage ``formula`` is tried with all of them.
_BEAM = (40, 12)
#: Number of runs, the longest first, on which formulas are tried before all others.
_FIRST = 2
#: Number of rivals from which on nothing is named, because it would say nothing.
_MOST_NAMED = 3


class _Hypothesis(NamedTuple):
    """A formula under conventions."""

    decoy: Decoy
    conventions: Conventions


def recognised(
    search: Elimination, axes: Sequence[Axis], fresh: Sequence[Asked], settled: frozenset[str], most: int
) -> Recognised | None:
    """The measure or formula that gives every value of a metric; None if there is none, or many.

    Args:
        axes: axes of the measure that was requested.
        fresh: the metric's answers on fresh inputs.
        settled: the axes fixed by the call.
        most: number of axes that may be changed.
    """
    said = _said(search, fresh)
    numbers = {float(value) for e in said for value in e.observed.values[e.observed.present]}
    if most < 0 or (len(numbers) < 2 and said[0].judge_cells):
        return None
    return _Recognition(said, search.base, axes, settled).result(most)


def _said(search: Elimination, fresh: Sequence[Asked]) -> list[Evidence]:
    """All values of a metric as evidence, the runs with most values first; missing values on inputs out of
    the ordinary do not count."""
    said = search.evidence(search.base, every=True)
    for one in fresh:
        for e in of_fresh([one], said[0], search.base):
            said.append(e if ordinary(one.probe) else replace(e, known=e.observed.present))
    return sorted((e for e in said if _size(e)), key=_size, reverse=True)


def _size(evidence: Evidence) -> int:
    """Number of values that count."""
    return int(evidence.observed.present.sum()) * evidence.judge_cells or int(evidence.counts_mean)


class _Recognition:
    """The hypotheses about one metric, and how many of its values each gives."""

    def __init__(
        self, said: list[Evidence], base: Conventions, axes: Sequence[Axis], settled: frozenset[str]
    ) -> None:
        self._said, self._base, self._axes, self._settled = said, base, axes, settled
        self._measure = said[0].recomputer.measure
        k = self._measure.cutoff or 0
        self._decoys = decoys(self._measure, (k - 1, k + 1, 2 * k, *_CUTOFFS))
        self._synthetic = made_up(self._measure.cutoff)
        self._options, self._missed = Memo(), Memo()

    def result(self, most: int) -> Recognised | None:
        tried = [_Hypothesis(decoy, self._base) for decoy in self._decoys]
        for size in range(min(most, len(_BEAM)) + 1):
            if size:
                tried = self._grown(tried, size)
            fitting = [h for h in tried if not self._first(h) and not self._misses(h)]
            if fitting:
                return self._named(fitting, tried, size)
        return None

    def _at(self, hypothesis: _Hypothesis, place: int) -> int:
        """Number of values in one run that a hypothesis does not give."""
        said, (decoy, conventions) = self._said[place], hypothesis

        def missed() -> int:
            result = of_decoy(decoy, said.recomputer.rankings, self._measure, conventions)
            return _size(said) if result is None else said.missed(result)

        return self._missed.once((decoy.name, conventions, place), missed)

    def _first(self, hypothesis: _Hypothesis) -> int:
        return sum(self._at(hypothesis, place) for place in range(min(_FIRST, len(self._said))))

    def _misses(self, hypothesis: _Hypothesis) -> int:
        """Number of values that a hypothesis does not give; counting stops at :data:`NEEDED_ON`."""
        found = 0
        for place in range(len(self._said)):
            found += self._at(hypothesis, place)
            if found >= NEEDED_ON:
                break
        return found

    def _grown(self, tried: Sequence[_Hypothesis], size: int) -> list[_Hypothesis]:
        """The hypotheses that give most values, each with one more change."""
        best: dict[tuple[str, int], _Hypothesis] = {}
        for hypothesis in sorted(tried, key=self._first):
            # Changes that make no difference are not worth another one.
            best.setdefault((hypothesis.decoy.name, self._first(hypothesis)), hypothesis)
        beam = _BEAM[size - 1]
        return [
            _Hypothesis(decoy, conventions.with_changes(**{axis.name: value}))
            for place, (decoy, conventions) in enumerate(best.values())
            for axis, values in self._options_of(decoy.measure or self._measure)
            if place < beam or (size == 1 and axis.stage is Stage.FORMULA)
            for value in values
            if conventions.plain(axis.name) == self._base.plain(axis.name)
        ]

    def _options_of(self, measure: Measure) -> Options:
        return self._options.once(measure.family, partial(self._find_options, measure))

    def _find_options(self, measure: Measure) -> Options:
        views = [Recomputer(e.recomputer.rankings, measure, self._base) for e in self._said[:_FIRST]]
        found: Options = []
        for axis in likeliest():
            if axis.name in self._settled or axis.stage is Stage.READ or not axis.read_by(views[0].family):
                continue
            values = dict.fromkeys(plain(value) for view in views for value in axis.options(view))
            found.append((axis, [value for value in values if value != self._base.plain(axis.name)]))
        return found

    def _named(self, fitting: list[_Hypothesis], tried: list[_Hypothesis], size: int) -> Recognised | None:
        chosen = fitting[0]
        near = [h for h in tried if self._first(h) < NEEDED_ON and self._misses(h) < NEEDED_ON]
        rivals = [h for h in near if not self._alike(h, chosen)]
        if len(rivals) >= _MOST_NAMED:
            return None
        measure, doubt = chosen.decoy.measure, self._doubt(chosen, rivals, size)
        return Recognised(
            formula=chosen.decoy.name,
            measure=None if measure is None else str(measure),
            conventions=chosen.conventions.changes_from(self._base),
            strength="consistent" if doubt else "proved",
            doubt=doubt,
            rivals=[_words(h, self._base) for h in rivals],
            values=sum(map(_size, self._said)),
        )

    def _alike(self, one: _Hypothesis, other: _Hypothesis) -> bool:
        """Whether two hypotheses give the same values on synthetic queries."""
        left, right = (of_decoy(h.decoy, self._synthetic, self._measure, h.conventions) for h in (one, other))
        return left is not None and right is not None and same_result(left, right)

    def _doubt(self, chosen: _Hypothesis, rivals: Sequence[_Hypothesis], size: int) -> str:
        """The reason why the chosen hypothesis is not proved, empty if it is."""
        found = []
        for name in chosen.conventions.changes_from(self._base):
            without = chosen.conventions.as_in(self._base, name)
            if self._misses(_Hypothesis(chosen.decoy, without)) < NEEDED_ON:
                found.append(f"fewer than {NEEDED_ON} values would differ without {name}")
        if rivals:
            found.append(f"fewer than {NEEDED_ON} values tell it apart from {_words(rivals[0], self._base)}")
        first, *beside = self._said
        search = Search(first, first.differing, beside=beside, options=options_of(self._axes, [self._base]))
        tried = len(self._decoys) * (1 + tried_sets(self._axes, size) * bool(size))
        if chance(search, tried) >= MOST_CHANCE:
            found.append(f"one of {tried:,} formulas and sets of conventions may give these values by chance")
        return "; ".join(found)


def _words(hypothesis: _Hypothesis, base: Conventions) -> str:
    changed = hypothesis.conventions.changes_from(base)
    return " with ".join((hypothesis.decoy.name, *(f"{name}={value}" for name, value in changed.items())))
