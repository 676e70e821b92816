"""Which exit code a finished document deserves."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from crosscheck.harness import ExitCode, exit_code
from crosscheck.harness.document import FailOn, absent_backends
from crosscheck.results import BackendRecord, Comparison, Document, Environment, Mean, Summary, Tool

MATCH = Comparison(
    case="c",
    run="run",
    measure="AP",
    candidate="tool",
    outcome="match",
    expected=True,
    stale=False,
    queries=1,
    matches=1,
    mismatches=0,
    missing=0,
    mean=Mean(1.0, 1.0, match=True),
    max_abs_diff=0.0,
    max_ulp=0,
    diagnosis=None,
    cells=[],
    reference="ref",
    reference_engine="",
    candidate_engine="",
    tolerance=1e-9,
    decimals=None,
    message=None,
    reason=None,
    notes=[],
)
KNOWN = replace(MATCH, outcome="mismatch")
UNDECLARED = replace(MATCH, outcome="mismatch", expected=False)
STALE = replace(MATCH, expected=False, stale=True)
FAILED = replace(MATCH, outcome="error", expected=False)
KNOWN_FAILURE = replace(MATCH, outcome="error")
UNSUPPORTED = replace(MATCH, outcome="unsupported")
ABSENT = BackendRecord(id="absent", version="", available=False, engine="", reason="pip install absent")


def document(*comparisons: Comparison, reference: str = "ref", complete: bool = True) -> Document:
    backends = [
        BackendRecord(id=id, version="1", available=True, engine=id, reason=None) for id in ("ref", "tool")
    ]
    return Document(
        schema_version=1,
        complete=complete,
        tool=Tool("crosscheck", "0"),
        environment=Environment(python="3", platform="here", seed=0),
        reference=reference,
        backends=[*backends, ABSENT],
        inputs=[],
        comparisons=list(comparisons),
        summary=Summary(
            comparisons=0, match=0, mismatch=0, error=0, unsupported=0, unexpected=0, stale=0, causes={}
        ),
    )


@pytest.mark.parametrize(
    ("comparisons", "unexpected", "mismatch", "never"),
    [
        ([MATCH], 0, 0, 0),
        ([MATCH, UNSUPPORTED], 0, 0, 0),
        ([KNOWN], 0, 1, 0),
        ([MATCH, UNDECLARED], 1, 1, 0),
        ([MATCH, STALE], 1, 1, 0),
        ([], 3, 3, 3),
        ([UNSUPPORTED], 3, 3, 3),
        ([MATCH, FAILED], 3, 3, 3),
        ([MATCH, KNOWN_FAILURE], 0, 0, 0),
        ([KNOWN_FAILURE], 3, 3, 3),
        ([UNDECLARED, FAILED], 1, 1, 3),
        ([KNOWN, FAILED], 3, 1, 3),
    ],
)
def test_exit_code_for_each_way_to_fail(
    comparisons: list[Comparison], unexpected: int, mismatch: int, never: int
) -> None:
    """Undeclared and stale count as 1 unless told otherwise; failures and emptiness are inconclusive."""
    codes: dict[FailOn, int] = {"unexpected": unexpected, "mismatch": mismatch, "never": never}
    for fail_on, code in codes.items():
        assert exit_code(document(*comparisons), fail_on=fail_on) == code, fail_on


def test_a_required_backend_that_is_absent_is_inconclusive() -> None:
    """An absent backend matters when it is required, or the reference; else it is only reported."""
    assert exit_code(document(MATCH)) is ExitCode.AS_EXPECTED
    assert exit_code(document(MATCH), required=["tool"]) is ExitCode.AS_EXPECTED
    assert exit_code(document(MATCH), required=["absent"]) is ExitCode.INCONCLUSIVE
    assert exit_code(document(MATCH), required=["absent"], fail_on="never") is ExitCode.INCONCLUSIVE
    assert exit_code(document(MATCH, reference="absent")) is ExitCode.INCONCLUSIVE
    assert exit_code(document(UNDECLARED), required=["absent"]) is ExitCode.UNEXPECTED


def test_absent_backends_are_those_that_somebody_needs() -> None:
    """The reference and the required ones, with the reason that tells how to install them."""
    assert absent_backends(document(MATCH), ["tool"]) == []
    assert absent_backends(document(MATCH), ["absent", "tool"]) == [ABSENT]
    assert absent_backends(document(MATCH, reference="absent"), []) == [ABSENT]


@pytest.mark.parametrize("comparisons", [[], [MATCH], [UNDECLARED], [FAILED]])
def test_an_interrupted_run_is_nothing_else(comparisons: list[Comparison]) -> None:
    """Whatever was found before Ctrl-C, the exit code is 130."""
    assert exit_code(document(*comparisons, complete=False)) == 130
