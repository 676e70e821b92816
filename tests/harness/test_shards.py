"""Parts of a run put together say no more than all of them know."""

from __future__ import annotations

from msgspec.structs import replace

from crosscheck.harness.merging import merged
from crosscheck.results import Document, Exhibit, ToolConventions
from tests.report import samples


def part(run: str, conventions: dict[str, str | int | None], measures: list[str]) -> Document:
    """One comparison on a run, with what its part says of the tool and its evidence."""
    c = samples.comparison(run=run)
    tool = ToolConventions(
        case=c.case,
        run="run.txt",
        candidate=c.candidate,
        conventions=conventions,
        causes=["tie-breaking"],
        measures=measures,
        rest={},
    )
    shown = Exhibit(case=c.case, run=run, measure=c.measure, candidate=c.candidate)
    return replace(samples.document([c]), tools=[tool], evidence=[shown])


def test_what_parts_say_of_the_same_tool_is_kept_where_they_agree() -> None:
    """Parts that say the same say it once; where they differ, neither knows all measures: none is kept."""
    ties, order = part("a", {"ties": "input"}, ["RR"]), part("b", {"order": "rank"}, ["P@5"])
    again = part("b", {"ties": "input"}, ["RR"])
    assert merged([ties, again], ["a", "b"]).tools == ties.tools
    assert merged([ties, order], ["a", "b"]).tools == []


def test_evidence_of_one_story_is_kept_once() -> None:
    """As in a run that is not in parts: that of the first comparison of a candidate, measure and cause."""
    found = merged([part("a", {}, []), part("b", {}, [])], ["a", "b"])
    assert [one.run for one in found.evidence] == ["a"]
    assert len(found.comparisons) == 2
