"""The set of conventions that explains the most measures of a candidate on a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from crosscheck.axes import likeliest
from crosscheck.compare import align
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.joint import Account, joint_conventions
from crosscheck.model import Measure, MeasureValues
from crosscheck.results import Diagnosis, ToolConventions

__all__ = ["Answered", "tool_conventions"]

_LEAK = "cross-query-leak"


class Answered(Struct, frozen=True, kw_only=True, eq=False):
    """One measure of a candidate compared with the reference; ``diagnosis`` is None if they agree."""

    measure: Measure
    ours: MeasureValues
    theirs: MeasureValues
    diagnosis: Diagnosis | None


def tool_conventions(
    case: str,
    run: str,
    candidate: str,
    answered: Sequence[Answered],
    situation_of: Callable[[Measure, MeasureValues], Recomputer | None],
) -> ToolConventions | None:
    """The joint conventions of all measures of a candidate; None if fewer than two of them differ.

    Args:
        situation_of: the recomputer of a measure under the reference's conventions, None if the reference
            follows no known ones.
    """
    if sum(a.diagnosis is not None for a in answered) < 2:
        return None
    accounts: list[Account] = []
    own: dict[str, list[str]] = {}
    for answer in answered:
        situation = situation_of(answer.measure, answer.ours)
        if situation is not None:
            accounts.append(_account(situation, answer))
            own[str(answer.measure)] = answer.diagnosis.causes if answer.diagnosis else []
    joint = joint_conventions(accounts)
    label_of = {axis.name: axis.label for axis in likeliest()}
    return ToolConventions(
        case=case,
        run=run,
        candidate=candidate,
        conventions=joint.axes,
        causes=[label_of[axis] for axis in joint.axes],
        measures=list(joint.measures),
        rest={measure: own[measure] for measure in joint.rest},
    )


def _account(situation: Recomputer, answer: Answered) -> Account:
    diagnosis, theirs = answer.diagnosis, answer.theirs
    explanations = []
    if diagnosis is not None:
        explanations = [diagnosis.conventions, *(other.conventions for other in diagnosis.alternatives)]
    leaks = diagnosis is not None and _LEAK in diagnosis.causes
    evidence = Evidence(
        situation,
        align(theirs, situation.rankings.pairing.all_topics),
        judge_mean=not leaks,
        judge_cells=bool(theirs.values) or theirs.mean is None,
    )
    return Account(evidence, [axes for axes in explanations if axes])
