"""The joint conventions of all measures of a tool: one tool has one order, one precision, one gain.

A single measure often allows several explanations. The likeliest is the one that other measures of the same
tool also need and none of them contradicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from crosscheck.axes import axis
from crosscheck.compare import align
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Search
from crosscheck.model import MeasureValues

#: Number of explanations of one measure that are tried on the others.
_TRIED = 12

Axes = dict[str, AxisValue]


class Account(Struct, frozen=True, eq=False):
    """The evidence of one measure about a tool.

    Attributes:
        evidence: the tool's values for the measure.
        explanations: sets of changed axes that each explain the tool's values, likeliest first; no set, or an
            empty one, if the tool agrees with the reference.
    """

    evidence: Evidence
    explanations: Sequence[Mapping[str, AxisValue]]

    @property
    def measure(self) -> str:
        return str(self.evidence.recomputer.measure)

    def holds(self, axes: Mapping[str, AxisValue]) -> bool:
        """Whether these conventions, as far as they concern the measure, give all values of the tool."""
        return self.evidence.holds(self.under(axes))

    def under(self, axes: Mapping[str, AxisValue]) -> Conventions:
        """The conventions of the reference with these values of axes; axes that the measure does not read
        keep the reference's value."""
        situation = self.evidence.recomputer
        read = {name: value for name, value in axes.items() if axis(name).read_by(situation.family)}
        return situation.base.with_changes(**read)


class Joint(Struct, frozen=True):
    """One set of conventions for a tool.

    Attributes:
        axes: the changed axes; empty if no change explains more measures than the reference's conventions.
        measures: the measures whose values these conventions reproduce, including measures on which the tool
            agrees with the reference; rest: all other measures.
    """

    axes: Axes
    measures: tuple[str, ...]
    rest: tuple[str, ...]


def joint_conventions(accounts: Sequence[Account]) -> Joint:
    """The set of conventions that reproduces the most measures of a tool.

    Explanations of single measures are combined one by one. Each step adds the explanation with which the
    most measures are reproduced; of several, the one with the fewest changes, then the first. Axes that no
    measure needs are left out.
    """
    proposals: list[Axes] = []
    for axes in (dict(axes) for account in accounts for axes in account.explanations[:_TRIED]):
        proposals += [axes] * (axes not in proposals)

    def held(axes: Axes) -> int:
        return sum(account.holds(axes) for account in accounts)

    chosen: Axes = {}
    while extended := [chosen | axes for axes in proposals if _compatible(chosen, axes)]:
        best = max(extended, key=lambda axes: (held(axes), -len(axes)))
        if held(best) <= held(chosen):
            break
        chosen = best
    for name in list(chosen):
        without = {other: value for other, value in chosen.items() if other != name}
        if held(without) == held(chosen):
            chosen = without
    measures = tuple(account.measure for account in accounts if account.holds(chosen))
    return Joint(chosen, measures, tuple(a.measure for a in accounts if a.measure not in measures))


def identify_summary(
    summary: Sequence[tuple[Recomputer, MeasureValues]],
) -> list[Conventions | None]:
    """Conventions that give the mean of each measure, for a tool that gives only means.

    The recomputer's own conventions are tried first, then changes of one and of two axes. Many such sets give
    a single mean. So the set that gives the most means is used for all measures whose mean it gives. Every
    other measure gets its own likeliest set, or None if there is none.
    """
    accounts, joint = _of_means(summary)
    tried = [(account, [joint.axes, *account.explanations]) for account in accounts]
    return [
        next((account.under(axes) for axes in sets if account.holds(axes)), None) for account, sets in tried
    ]


def joint_of_means(summary: Sequence[tuple[Recomputer, MeasureValues]]) -> Axes:
    """The changed axes that give the most means of a tool that gives only means."""
    return _of_means(summary)[1].axes


def _of_means(summary: Sequence[tuple[Recomputer, MeasureValues]]) -> tuple[list[Account], Joint]:
    accounts = [_summary_account(situation, values) for situation, values in summary]
    return accounts, joint_conventions(accounts)


def _summary_account(situation: Recomputer, values: MeasureValues) -> Account:
    evidence = Evidence(situation, align(values, situation.topics), judge_cells=False)
    return Account(evidence, [explanation.axes for explanation in Search(evidence).smallest(2)])


def _compatible(chosen: Mapping[str, AxisValue], axes: Mapping[str, AxisValue]) -> bool:
    """Whether ``axes`` adds an axis to ``chosen`` and contradicts none of its values."""
    return bool(axes.keys() - chosen.keys()) and all(chosen.get(a, v) == v for a, v in axes.items())
