"""Runs grouped by a column of the queries, and the impact of the mismatches of a case."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck.errors import InputError, UsageError
from crosscheck.harness import Settings, run_with
from crosscheck.report import render
from crosscheck.results import Document
from tests.harness.data import case_of, write_case
from tests.studies.examples import Qrels, Runs, gain_flips_two_systems

pytest.importorskip("scipy.special", reason="scipy is not installed")

TOPICS = "query,difficulty\n1,hard\n2,hard\n3,easy\n4,easy\n6,easy\n"


def compared(
    folder: Path, qrels: Qrels, runs: Runs, topics: str | None = None, group_by: str | None = None
) -> Document:
    rows = {name: [(q, d, s) for q, row in run.items() for d, s in row.items()] for name, run in runs.items()}
    case = case_of(write_case(folder / "case", qrels, [], **rows))
    case = replace(case, runs=tuple(path for path in case.runs if not path.endswith("/run")))
    if topics is not None:
        (folder / "topics.csv").write_text(topics)
        case = replace(case, topics=str(folder / "topics.csv"))
    settings = Settings(
        measures=("nDCG@3", "P@3"),
        backends=("native:gain=exponential",),
        reference="native",
        group_by=group_by,
    )
    return run_with([case], settings)


def test_groups_add_up_to_the_comparison(tmp_path):
    """Queries, matches and mismatches of the groups sum to those of their comparison; the mean of a group is
    over its queries only: all hard queries are alike, one easy one is perfect. Reports name the column, its
    groups, and the queries without one."""
    document = compared(tmp_path, *gain_flips_two_systems(), TOPICS, "difficulty")
    for c in document.comparisons:
        found = [g for g in document.groups if (g.run, g.measure) == (c.run, c.measure)]
        assert [g.group for g in found] == ["easy", "hard", None]
        sums = [sum(getattr(g, field) for g in found) for field in ("queries", "matches", "mismatches")]
        assert sums == [c.queries, c.matches, c.mismatches]
        assert c.measure == "nDCG@3" or all(g.mean.match and g.mismatches == 0 for g in found)
    groups = {g.group: g for g in document.groups if (g.run, g.measure) == ("run.best", "nDCG@3")}
    hard, easy = groups["hard"].mean.reference_value, groups["easy"].mean.reference_value
    assert isinstance(hard, float)
    assert easy == pytest.approx((2 * hard + 1) / 3)
    assert groups["hard"].mean.match is False
    for format in ("text", "markdown", "json"):
        text = render(document, format)
        for word in ("difficulty", "hard", "easy", "null" if format == "json" else "(no group)"):
            assert word in text
        assert format != "text" or max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("topics", "column", "error", "said"),
    [
        (TOPICS, "dificulty", InputError, "did you mean difficulty"),
        (None, "difficulty", UsageError, r"topics\.csv, topics\.toml or topics\.jsonl"),
    ],
)
def test_a_column_that_is_not_there_is_named(tmp_path, topics, column, error, said):
    """The message suggests the near one, or says how to add a table of queries."""
    with pytest.raises(error, match=said):
        compared(tmp_path, *gain_flips_two_systems(), topics, column)


def test_a_case_of_two_runs_says_what_its_mismatch_means(tmp_path):
    """The swap of two systems by the gain is in the document, the text and the Markdown. A table of queries
    alone changes nothing."""
    document = compared(tmp_path, *gain_flips_two_systems(), TOPICS)
    (impact,) = document.impacts
    assert (impact.case, impact.measure, impact.affected) == ("case", "nDCG@3", True)
    for format in ("text", "markdown"):
        text = " ".join(render(document, format).split())
        assert "What it means for the systems" in text
        assert "'run.best' overtakes 'run.fair'" in text
        assert "By difficulty" not in text
    assert document.groups == []
