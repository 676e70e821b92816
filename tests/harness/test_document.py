"""Finished documents: the exit code that each deserves, and parts of a run put together."""

from typing import Any

from msgspec.structs import replace

from crosscheck.harness import exit_code
from crosscheck.harness.document import FailOn, absent_backends, merged
from crosscheck.report.json_report import load, render
from crosscheck.results import BackendRecord, Comparison, Document, Exhibit, ToolConventions
from tests.report import samples
from tests.support.kept import examples

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


FAIL_ON: tuple[FailOn, ...] = ("unexpected", "mismatch", "never")


def codes(*comparisons: Comparison) -> list[int]:
    """Exit codes; an interrupted run has no other, and a broken measure counts unless nothing does."""
    found = []
    for fail_on in FAIL_ON:
        found.append(int(exit_code(document(*comparisons), fail_on=fail_on)))
        assert exit_code(document(*comparisons, complete=False), fail_on=fail_on) == 130
        broken = replace(document(*comparisons), broken=["RR"])
        assert exit_code(broken, fail_on=fail_on) == (found[-1] if fail_on == "never" else 1)
    return found


def absent(comparison: Comparison, reference: str = "tool", needed: bool = False) -> str:
    """Exit codes and the backends that are missed; the same of what was saved, also beside another part."""
    made = document(comparison, reference=reference, needed=needed)
    other = replace(made, comparisons=[], backends=[TOOL, ABSENT])
    assert ('"needed"' in render(made)) is needed
    (said,) = {
        f"{[int(exit_code(one, fail_on=fail_on)) for fail_on in FAIL_ON]}, missed: "
        + ", ".join(backend.id for backend in absent_backends(one))
        for one in (made, load(render(made)), merged([made, other], ["a", "b"]))
    }
    return said


#: The exit code that each document deserves.
test_examples = examples(globals(), str)


def part(run: str, conventions: dict[str, str | int | None], measures: list[str]) -> Document:
    """One comparison on a run, with what its part says of the tool and its evidence."""
    c = samples.comparison(run=run)
    place: dict[str, Any] = {"case": c.case, "candidate": c.candidate}
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
