"""Runs grouped by a column of the queries, and the impact of the mismatches of a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.errors import InputError, UsageError
from crosscheck.harness import Settings, run_with
from crosscheck.model import Case
from crosscheck.report import render
from crosscheck.results import Document
from tests.studies.examples import Qrels, Runs, gain_flips_two_systems, nothing_changes

pytest.importorskip("scipy.special", reason="scipy is not installed")


def written(folder: Path, qrels: Qrels, runs: Runs, topics: str | None = None) -> Case:
    (folder / "qrels").write_text(
        "".join(f"{q} 0 {d} {level}\n" for q, row in qrels.items() for d, level in row.items())
    )
    for name, run in runs.items():
        (folder / f"run.{name}").write_text(
            "".join(f"{q} Q0 {d} 0 {score} {name}\n" for q, row in run.items() for d, score in row.items())
        )
    if topics is not None:
        (folder / "topics.csv").write_text(topics)
    return Case(
        name="case",
        qrels=str(folder / "qrels"),
        runs=tuple(str(folder / f"run.{name}") for name in runs),
        topics=None if topics is None else str(folder / "topics.csv"),
    )


def compared(case: Case, group_by: str | None = None, candidate: str = "native:gain=exponential") -> Document:
    settings = Settings(
        measures=("nDCG@3", "P@3"), backends=(candidate,), reference="native", group_by=group_by
    )
    return run_with([case], settings)


TOPICS = "query,difficulty\n1,hard\n2,hard\n3,easy\n4,easy\n6,easy\n"


def test_groups_add_up_to_the_comparison(tmp_path: Path) -> None:
    """Queries, matches and mismatches of the groups sum to those of their comparison."""
    document = compared(written(tmp_path, *gain_flips_two_systems(), TOPICS), "difficulty")
    for comparison in document.comparisons:
        found = [g for g in document.groups if (g.run, g.measure) == (comparison.run, comparison.measure)]
        assert [g.group for g in found] == ["easy", "hard", None]
        assert sum(g.queries for g in found) == comparison.queries
        assert sum(g.matches for g in found) == comparison.matches
        assert sum(g.mismatches for g in found) == comparison.mismatches


def test_a_group_has_its_own_means(tmp_path: Path) -> None:
    """The mean of a group is over its queries only: all hard queries are alike, one easy one is perfect."""
    document = compared(written(tmp_path, *gain_flips_two_systems(), TOPICS), "difficulty")
    groups = {g.group: g for g in document.groups if (g.run, g.measure) == ("run.best", "nDCG@3")}
    hard, easy = groups["hard"].mean.reference_value, groups["easy"].mean.reference_value
    assert isinstance(hard, float)
    assert easy == pytest.approx((2 * hard + 1) / 3)
    assert groups["hard"].mean.match is False
    precision = [g for g in document.groups if g.measure == "P@3"]
    assert all(g.mean.match and g.mismatches == 0 for g in precision)


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_groups_reach_every_report(tmp_path: Path, format: str) -> None:
    """Text, Markdown and JSON name the column, its groups, and the queries without one."""
    document = compared(written(tmp_path, *gain_flips_two_systems(), TOPICS), "difficulty")
    text = render(document, format)
    for word in ("difficulty", "hard", "easy", "null" if format == "json" else "(no group)"):
        assert word in text
    if format == "text":
        assert max(map(len, text.splitlines())) <= 80


def test_without_group_by_there_are_no_groups(tmp_path: Path) -> None:
    """A table of queries alone changes nothing."""
    document = compared(written(tmp_path, *gain_flips_two_systems(), TOPICS))
    assert document.groups == []
    assert "By difficulty" not in render(document, "text")


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The message lists the columns and suggests the near one."""
    with pytest.raises(InputError, match="did you mean difficulty"):
        compared(written(tmp_path, *gain_flips_two_systems(), TOPICS), "dificulty")


def test_grouping_needs_a_table(tmp_path: Path) -> None:
    """Without any table of queries, the message says how to add one."""
    with pytest.raises(UsageError, match=r"topics\.csv, topics\.toml or topics\.jsonl"):
        compared(written(tmp_path, *gain_flips_two_systems()), "difficulty")


def test_a_case_of_two_runs_says_what_its_mismatch_means(tmp_path: Path) -> None:
    """The swap of two systems by the gain is in the document, the text and the Markdown."""
    document = compared(written(tmp_path, *gain_flips_two_systems()))
    (impact,) = document.impacts
    assert (impact.case, impact.measure, impact.affected) == ("case", "nDCG@3", True)
    for format in ("text", "markdown"):
        text = " ".join(render(document, format).split())
        assert "What it means for the systems" in text
        assert "'run.best' overtakes 'run.fair'" in text


def test_one_run_or_no_mismatch_has_no_impact(tmp_path: Path) -> None:
    """There is nothing to rank with one run, and nothing to tell where all agree."""
    qrels, runs = gain_flips_two_systems()
    one = compared(written(tmp_path, qrels, {"fair": runs["fair"]}))
    assert [c.outcome for c in one.comparisons].count("mismatch") == 1
    assert one.impacts == []
    assert compared(written(tmp_path, *nothing_changes())).impacts == []
