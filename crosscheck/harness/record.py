"""The comparisons of the result document, made from values: compare, explain, check expectations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from crosscheck.compare import Differences, coarser, differ, find_expectation, judge
from crosscheck.errors import BackendError
from crosscheck.harness.asking import RunAnswers
from crosscheck.model import Measure, MeasureValues
from crosscheck.results import Comparison, Diagnosis, Mean, Outcome, ToolConventions, number, optional

if TYPE_CHECKING:
    from crosscheck.harness.explaining import Explainer, Reasons

#: What a comparison without numbers holds.
_NONE = MeasureValues({}, None, "")
_NOTHING = differ(_NONE, _NONE)


class Recorder(Struct, frozen=True, eq=False, dict=True):
    """Compares every candidate with the reference on one run of one case."""

    about: RunAnswers
    notes: tuple[str, ...] = ()

    @cached_property
    def _explainer(self) -> Explainer:
        # Its import takes as long as that of half of the package, and where all agree nothing is explained.
        from crosscheck.harness.explaining import Explainer

        return Explainer(self.about)

    def comparisons(self, measures: Sequence[Measure], saved: Collection[str]) -> Iterator[Comparison]:
        """One comparison per measure and candidate, in their order.

        Args:
            saved: candidates whose numbers came with the case, compared in the measures that they have.
        """
        for measure in measures:
            for candidate, answers in self.about.answers.items():
                if candidate != self.about.reference and (measure in answers or candidate not in saved):
                    yield self._comparison(measure, candidate)

    def tools(self, compared: Iterable[Comparison]) -> Iterator[ToolConventions]:
        """For each candidate that differs on several measures, their joint conventions."""
        of_tools: dict[str, dict[str, Diagnosis | None]] = {}
        for c in compared:
            if c.outcome in ("match", "mismatch"):
                of_tools.setdefault(c.candidate, {})[c.measure] = c.diagnosis
        for candidate, diagnoses in of_tools.items():
            if sum(diagnosis is not None for diagnosis in diagnoses.values()) > 1:
                with self.about.call.timings.stage("diagnose"):
                    yield self._explainer.tool(candidate, diagnoses)

    def _comparison(self, measure: Measure, candidate: str) -> Comparison:
        about = self.about
        reference = about.reference
        ours, theirs = (about.answers[id].get(measure) for id in (reference, candidate))
        if ours is None or theirs is None:
            lacking = about.call.guards[reference if ours is None else candidate]
            return self._record(measure, candidate, "unsupported", message=lacking.lacks(measure))
        if isinstance(ours, BackendError):
            return self._record(measure, candidate, "error", message=f"reference {reference}: {ours}")
        if isinstance(theirs, BackendError):
            return self._record(measure, candidate, "error", message=str(theirs))
        with about.call.timings.stage("compare"):
            found = about.differences(measure, candidate, ours, theirs)
        if found.agree:
            return self._record(measure, candidate, "match", found, (ours, theirs))
        reasons = self._explainer.explained(measure, candidate, found)
        compared = self._record(measure, candidate, "mismatch", found, (ours, theirs), reasons)
        if reasons.situation is not None:
            first = ("evidence", candidate, measure, tuple(reasons.diagnosed.diagnosis.causes))
            evidence = about.of.found.evidence
            about.known.once(first, lambda: evidence.append(reasons.evidence(compared)))
        return compared

    def _record(
        self,
        measure: Measure,
        candidate: str,
        outcome: Outcome,
        found: Differences = _NOTHING,
        sides: tuple[MeasureValues, MeasureValues] = (_NONE, _NONE),
        reasons: Reasons | None = None,
        message: str | None = None,
    ) -> Comparison:
        """A comparison beside what the case expects of it."""
        about, (ours, theirs) = self.about, sides
        case, run = about.of.case, about.run
        diagnosis = reasons.diagnosed.diagnosis if reasons else None
        verdict = judge(
            outcome,
            diagnosis.causes if diagnosis else (),
            find_expectation(case.expectations, candidate, str(measure), run.name),
            strength=diagnosis.strength if diagnosis else None,
            whole=run.whole,
        )
        both, sizes = ~found.missing, found.abs_diff[~np.isnan(found.abs_diff)]
        notes = [] if found is _NOTHING else [*self.notes, *ours.notes, *theirs.notes]
        return Comparison(
            case=case.name,
            run=run.name,
            measure=str(measure),
            candidate=candidate,
            outcome=outcome,
            expected=verdict.expected,
            stale=verdict.stale,
            **agreement(found, match=found.mean_match and found is not _NOTHING),
            max_abs_diff=number(float(sizes.max())) if sizes.size else None,
            max_ulp=int(found.ulp[both].max()) if both.any() else None,
            diagnosis=diagnosis,
            cells=reasons.cells() if reasons else [],
            reference=about.reference,
            reference_engine=ours.engine,
            candidate_engine=theirs.engine,
            tolerance=about.tolerance(candidate),
            decimals=coarser(ours.decimals, theirs.decimals),
            message=message or verdict.message,
            reason=verdict.reason,
            notes=notes + (reasons.notes if reasons else []),
            reference_decimals=ours.decimals,
            candidate_decimals=theirs.decimals,
            reference_name=ours.name,
            candidate_name=theirs.name,
            informs=candidate in about.call.informing,
        )


def agreement(found: Differences, *, match: bool) -> dict[str, Any]:
    """The fields of :class:`~crosscheck.results.Agreed`."""
    return {
        "queries": len(found.topics),
        "matches": int(found.match.sum()),
        "mismatches": int(found.mismatch.sum()),
        "missing": int(found.missing.sum()),
        "mean": Mean(optional(found.reference_mean), optional(found.candidate_mean), match=match),
    }
