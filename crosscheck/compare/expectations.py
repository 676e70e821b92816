"""Strict comparison of declared mismatches with the outcomes."""

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
        stale: whether the declared mismatch or error no longer happens, because both sides agree.
        reason: the reason that the fulfilled declaration gives; message: why the outcome is unexpected.
    """

    expected: bool
    stale: bool = False
    reason: str | None = None
    message: str | None = None


def find_expectation(
    expectations: Sequence[Expectation], candidate: str, measure: str, run: str
) -> Expectation | None:
    """The declaration for this comparison; one that names the run takes precedence over one for every run."""
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
    """Compare an outcome with its declaration.

    Args:
        causes, strength: labels and strength of the diagnosis of a mismatch. The strength counts if the
            declaration names one.
        whole: False if only some queries were compared; a declared mismatch may then be absent.
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
