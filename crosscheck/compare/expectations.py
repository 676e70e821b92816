"""Declared mismatches held against what happened, strictly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosscheck.model import Expectation
from crosscheck.results import Outcome, Strength

__all__ = ["Verdict", "find_expectation", "judge"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an outcome was expected.

    Attributes:
        stale: it was declared to be otherwise, and the declaration no longer holds.
        reason: of the declaration that it met; message: why it is unexpected.
    """

    expected: bool
    stale: bool = False
    reason: str | None = None
    message: str | None = None


def find_expectation(
    expectations: Sequence[Expectation], candidate: str, measure: str, run: str
) -> Expectation | None:
    """The declaration for this comparison; one that names the run goes before one for every run."""
    fitting = [
        e for e in expectations if e.candidate == candidate and e.measure == measure and e.run in (run, None)
    ]
    return min(fitting, key=lambda e: e.run is None, default=None)


def judge(
    outcome: Outcome,
    causes: Sequence[str],
    declared: Expectation | None,
    *,
    strength: Strength | None = None,
    whole: bool = True,
) -> Verdict:
    """Hold an outcome against its declaration.

    Args:
        causes, strength: of the diagnosis, for a mismatch. The strength counts where the declaration names
            one.
        whole: False where only some queries were compared; then a declared mismatch may well not show.
    """
    if outcome == "unsupported":
        return Verdict(expected=True)
    if declared is None:
        return Verdict(expected=outcome == "match")
    if outcome == "match":
        if not whole:
            return Verdict(expected=True)
        return Verdict(
            expected=False,
            stale=True,
            message=f"stale: the {declared.outcome} that case.toml declares no longer happens; delete it",
        )
    if outcome != declared.outcome:
        return Verdict(False, message=f"case.toml declares the outcome {declared.outcome}")
    if outcome == "mismatch" and set(causes) != set(declared.causes):
        found, said = ", ".join(causes), ", ".join(declared.causes)
        return Verdict(False, message=f"case.toml declares the cause {said}; found is {found}")
    if outcome == "mismatch" and declared.strength not in (None, strength):
        return Verdict(
            False, message=f"case.toml declares the strength {declared.strength}; found is {strength}"
        )
    return Verdict(expected=True, reason=declared.reason)
