"""Finished documents: the exit code that each deserves, and parts of a run put together."""

import pytest
from msgspec.structs import replace

from crosscheck.harness import exit_code
from crosscheck.harness.document import FailOn, absent_backends, merged
from crosscheck.report.json_report import load, render
from crosscheck.results import BackendRecord, Comparison, Document, Exhibit, ToolConventions
from tests.report import samples

SAMPLE = samples.everything()
MATCH = replace(SAMPLE.comparisons[0], outcome="match", expected=True, stale=False, informs=False)
KNOWN = replace(MATCH, outcome="mismatch")
UNDECLARED = replace(MATCH, outcome="mismatch", expected=False)
STALE = replace(MATCH, expected=False, stale=True)
FAILED = replace(MATCH, outcome="error", expected=False)
KNOWN_FAILURE = replace(MATCH, outcome="error")
UNSUPPORTED = replace(MATCH, outcome="unsupported")
TOOL = BackendRecord(id="tool", version="1", available=True, engine="tool", reason=None)
ABSENT = BackendRecord(id="absent", version="", available=False, engine="", reason="pip install absent")


def document(
    *comparisons: Comparison, reference: str = "tool", complete: bool = True, needed: bool = False
) -> Document:
    return replace(
        SAMPLE,
        complete=complete,
        reference=reference,
        backends=[TOOL, replace(ABSENT, needed=needed)],
        comparisons=[*comparisons],
        broken=[],
    )


@pytest.mark.parametrize(
    ("comparisons", "unexpected", "mismatch", "never"),
    [
        *(([MATCH], 0, 0, 0), ([MATCH, UNSUPPORTED], 0, 0, 0), ([MATCH, KNOWN_FAILURE], 0, 0, 0)),
        *(([KNOWN], 0, 1, 0), ([MATCH, UNDECLARED], 1, 1, 0), ([MATCH, STALE], 1, 1, 0)),
        *(([], 3, 3, 3), ([UNSUPPORTED], 3, 3, 3), ([MATCH, FAILED], 3, 3, 3), ([KNOWN_FAILURE], 3, 3, 3)),
        *(([UNDECLARED, FAILED], 1, 1, 3), ([KNOWN, FAILED], 3, 1, 3)),
        ([MATCH, replace(UNDECLARED, informs=True), replace(FAILED, informs=True)], 0, 0, 0),
    ],
)
def test_exit_code_for_each_way_to_fail(comparisons, unexpected, mismatch, never):
    """Undeclared and stale count as 1 unless told otherwise; failures and emptiness are inconclusive. An
    interrupted run is nothing else, and a broken measure counts unless nothing does."""
    codes: dict[FailOn, int] = {"unexpected": unexpected, "mismatch": mismatch, "never": never}
    for fail_on, code in codes.items():
        assert exit_code(document(*comparisons), fail_on=fail_on) == code, fail_on
        assert exit_code(document(*comparisons, complete=False), fail_on=fail_on) == 130
        broken = replace(document(*comparisons), broken=["RR"])  # type: ignore[list-item]
        assert exit_code(broken, fail_on=fail_on) == (code if fail_on == "never" else 1)


@pytest.mark.parametrize(
    ("comparison", "reference", "needed", "code"),
    [
        (MATCH, "tool", False, 0),
        (MATCH, "tool", True, 3),
        (MATCH, "absent", False, 3),
        (UNDECLARED, "tool", True, 1),
    ],
)
def test_an_absent_backend_matters_where_somebody_needs_it(comparison, reference, needed, code):
    """Who named it, or took it as the reference. What was saved tells, also beside a part that did not need
    it; a backend that nobody needs is written as before."""
    made = document(comparison, reference=reference, needed=needed)
    other = replace(made, comparisons=[], backends=[TOOL, ABSENT])
    assert ('"needed"' in render(made)) is needed
    for one in (made, load(render(made)), merged([made, other], ["a", "b"])):
        assert exit_code(one) == code
        assert exit_code(one, fail_on="never") == (3 if code else 0)
        assert [backend.id for backend in absent_backends(one)] == (["absent"] if code else [])


def part(run: str, conventions: dict[str, str | int | None], measures: list[str]) -> Document:
    """One comparison on a run, with what its part says of the tool and its evidence."""
    c = samples.comparison(run=run)
    place = {"case": c.case, "candidate": c.candidate}
    tool = ToolConventions(
        **place, run="run.txt", conventions=conventions, causes=["tie-breaking"], measures=measures, rest={}
    )
    shown = Exhibit(**place, run=run, measure=c.measure)
    return replace(samples.document([c]), tools=[tool], evidence=[shown])


def test_parts_of_a_run_say_no_more_than_all_of_them_know():
    """What they say of the same tool is kept once, where they agree; where they differ, neither knows all
    measures. Evidence is that of the first comparison of a candidate, measure and cause."""
    ties, order = part("a", {"ties": "input"}, ["RR"]), part("b", {"order": "rank"}, ["P@5"])
    again = merged([ties, part("b", {"ties": "input"}, ["RR"])], ["a", "b"])
    assert again.tools == ties.tools
    assert merged([ties, order], ["a", "b"]).tools == []
    assert ([one.run for one in again.evidence], len(again.comparisons)) == (["a"], 2)
