"""``crosscheck diff``: two saved outputs, query by query."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import crosscheck as api
from tests.cli.command import crosscheck
from tests.harness.data import write_case

QRELS = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
RUN = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 1.0)]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """``a`` as trec_eval -q prints it, ``b.json`` with other gains, ``c`` as ``a`` with -c."""
    write_case(tmp_path / "case", QRELS, RUN)
    qrels, run = str(tmp_path / "case" / "qrels"), str(tmp_path / "case" / "run")
    names = ["ndcg_cut_10", "P_5"]
    values = api.evaluate(qrels, run, names)
    lines = [f"{name:<22}\t{query}\t{values[query][name]:.4f}" for query in values for name in names]
    means = [f"{name:<22}\tall\t{sum(v[name] for v in values.values()) / 2:.4f}" for name in names]
    odd = ["runid                 \tall\ttest", "moose                 \tall\t1.0000", "elk_5\t1\t0.1000"]
    (tmp_path / "a").write_text("\n".join([odd[0], *lines, *odd[1:], *means, ""]))
    other = api.evaluate(qrels, run, ["nDCG@10", "P@5", "AP"], conventions="gain=exponential")
    (tmp_path / "b.json").write_text(json.dumps(other))
    zeros = [f"{name}\t3\t0.0000" for name in names]
    means = [f"{name}\tall\t{sum(v[name] for v in values.values()) / 3:.4f}" for name in names]
    (tmp_path / "c").write_text("\n".join([*lines, *zeros, *means, ""]))
    return tmp_path


def diff(folder: Path, *given: object) -> tuple[str, ...]:
    return ("diff", *map(str, given), "--qrels", "case/qrels", "--run", "case/run")


def test_two_outputs_are_compared_on_what_they_have_in_common(saved: Path) -> None:
    """Different layouts and spellings, 4 decimals against full precision: only the gain differs. Each side
    has its own names and digits; means alone are compared as well; no file is written unless asked for."""
    done = crosscheck(saved, *diff(saved, "a", "b.json"), "--report", "json=-")
    assert done.code == 1
    document = done.document()
    assert document["reference"] == "recorded:a"
    found = {c["measure"]: c for c in document["comparisons"]}
    assert list(found) == ["nDCG@10", "P@5"]
    assert found["P@5"]["outcome"] == "match"
    assert found["nDCG@10"]["diagnosis"]["causes"] == ["gain"]
    assert found["nDCG@10"]["diagnosis"]["strength"] == "consistent"
    assert "only 2 queries differ" in found["nDCG@10"]["diagnosis"]["explanation"]
    assert "left out 2 measures that crosscheck does not have: elk_5, moose" in done.err
    for c, theirs in zip(found.values(), ("ndcg_cut_10", "P_5"), strict=True):
        assert (c["reference_name"], c["candidate_name"]) == (theirs, c["measure"])
        assert (c["reference_decimals"], c["candidate_decimals"], c["decimals"]) == (4, None, 4)
    (saved / "odd").write_text("ndcg_cut_10\tall\t0.0123\nP_5\tall\t0.3000\n")
    before = sorted(os.listdir(saved))
    done = crosscheck(saved, *diff(saved, "odd", "a"), "-m", "nDCG@10")
    said = "No known conventions give the mean of the reference recorded:odd itself, so the difference cannot"
    assert (done.code, said in " ".join(done.out.split())) == (1, True)
    assert sorted(os.listdir(saved)) == before


def test_measures_of_one_output_are_said(saved: Path) -> None:
    """By the names that they have there; nothing is said where measures are chosen, or nothing is missing."""
    for extra in ("map\t1\t0.5000", "Rprec\tall\t0.2500"):
        (saved / "more").write_text((saved / "a").read_text() + extra + "\n")
        done = crosscheck(saved, *diff(saved, "a", "more"), "--report", "json=-")
        name = extra.split()[0]
        assert done.document()["inputs"][0]["notes"] == [f"not compared, because only more has them: {name}"]
    done = crosscheck(saved, *diff(saved, "b.json", "more"))
    words = " ".join(done.out.split())
    assert "not compared, because only b.json has them: AP" in words
    assert "not compared, because only more has them: Rprec" in words
    for given in (("a", "more", "-m", "P_5"), ("a", "c")):
        found = crosscheck(saved, *diff(saved, *given), "--report", "json=-").document()
        assert found["inputs"][0]["notes"] == []


def test_outputs_are_named_by_their_files_where_these_differ(saved: Path) -> None:
    """As runs are; the command that makes the comparison again has the paths."""
    (saved / "other").mkdir()
    (saved / "other" / "a").write_bytes((saved / "c").read_bytes())
    for first, second, names in (
        (saved / "a", saved / "c", ("a", "c")),
        (saved / "a", "other/a", (str(saved / "a"), "other/a")),
    ):
        done = crosscheck(saved, *diff(saved, first, second), "--report", "json=-")
        found = done.document()["comparisons"][0]
        assert (found["reference"], found["candidate"]) == tuple(f"recorded:{name}" for name in names)
    done = crosscheck(saved, *diff(saved, saved / "a", saved / "c"), "--verbose")
    # Without blanks: where a long path is broken depends on its length.
    said = "".join(done.out.replace("\\\n", " ").split())
    command = f"crosscheck diff {saved / 'a'} {saved / 'c'} --qrels case/qrels --run case/run"
    assert "".join(command.split()) in said


def test_te10_columns_are_said(corpus: Path, tmp_path: Path) -> None:
    """Of two real outputs of trec_eval, those that only version 10 prints."""
    folder = corpus / "trec-covid-r1"
    files = [str(folder / f"out.{version}.BERT") for version in ("te908", "te10")]
    given = ("--qrels", str(folder / "qrels"), "--run", str(folder / "run.BERT.txt"), "--tolerance", "1")
    notes = crosscheck(tmp_path, "diff", *files, *given, "--report", "json=-").document()["inputs"][0][
        "notes"
    ]
    assert [note for note in notes if "not compared" in note] == [
        f"not compared, because only {files[1]} has them: rbp, rbp_resid, unj_5, unj_10, unj_20"
    ]


def test_outputs_that_agree_end_with_0(saved: Path) -> None:
    """A copy of an output agrees with it; a wide tolerance makes any two agree."""
    (saved / "copy").write_bytes((saved / "a").read_bytes())
    assert crosscheck(saved, *diff(saved, "a", "copy")).code == 0
    assert crosscheck(saved, *diff(saved, "a", "b.json"), "--tolerance", "0.9").code == 0


def test_measures_are_chosen(saved: Path) -> None:
    """``-m`` compares less; a measure that a file lacks is told and decides nothing."""
    done = crosscheck(saved, *diff(saved, "a", "b.json"), "-m", "P_5", "-m", "AP", "--report", "json=-")
    assert done.code == 0
    outcomes = {c["measure"]: c["outcome"] for c in done.document()["comparisons"]}
    assert outcomes == {"P@5": "match", "AP": "unsupported"}
    assert crosscheck(saved, *diff(saved, "a", "b.json"), "-m", "AP").code == 3


def test_summaries_are_explained_through_their_means(saved: Path) -> None:
    """The reference's mean is met by trec_eval's conventions, or by those that another tool has; whether one
    of the two has values per query as well makes no difference to the cause."""
    graded = {"1": {"a": 1, "b": 3, "f": 2}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
    run = [
        ("1", "a", 3.0),
        ("1", "x", 2.0),
        ("1", "b", 1.0),
        ("2", "y", 2.0),
        ("2", "d", 1.0),
        ("3", "e", 1.0),
    ]
    write_case(saved / "graded", graded, run)
    linear, exponential = (
        save(saved, name, saved / "graded", ["ndcg_cut_10", "P_5"], spec)
        for name, spec in (("linear", "trec_eval-9.0.8"), ("exponential", "gain=exponential"))
    )
    given = ("--qrels", "graded/qrels", "--run", "graded/run")
    for ours, theirs, said in (
        *(
            (a, b, "the gain is 2^level - 1 instead of the relevance level")
            for a in linear
            for b in exponential
        ),
        *(
            (a, b, "the gain is the relevance level instead of 2^level - 1")
            for a in exponential
            for b in linear
        ),
    ):
        done = crosscheck(saved, "diff", ours, theirs, *given, "--verbose")
        assert done.code == 1
        assert f"cause gain: {said}" in " ".join(done.out.split()), (ours, theirs, done.out)
        assert "No known conventions" not in done.out
        noted = f"recorded:{ours} has no values per query" in " ".join(done.out.split())
        assert noted == ours.endswith(".means")
    for a, b in (linear, linear[::-1], exponential, exponential[::-1]):
        assert crosscheck(saved, "diff", a, b, *given).code == 0


def test_a_real_summary_is_explained_through_its_means(corpus: Path, tmp_path: Path) -> None:
    """trec_eval's own means without -q as the reference, on real data: of a tool with another gain the gain
    is found, from its means and from its values."""
    folder = corpus / "trec-covid-r1"
    lines = (folder / "out.te908.BERT").read_text().splitlines(keepends=True)
    (tmp_path / "theirs").write_text("".join(line for line in lines if line.split()[1] == "all"))
    names = ["map", "P_10", "ndcg", "ndcg_cut_10"]
    given = ("--qrels", str(folder / "qrels"), "--run", str(folder / "run.BERT.txt"))
    for ours in save(tmp_path, "ours", folder, names, "gain=exponential", run="run.BERT.txt"):
        done = crosscheck(tmp_path, "diff", "theirs", ours, *given, "--report", "json=-")
        assert done.code == 1
        found = {c["measure"]: c for c in done.document()["comparisons"]}
        assert {m: c["outcome"] for m, c in found.items() if c["outcome"] == "mismatch"} == {
            "nDCG": "mismatch",
            "nDCG@10": "mismatch",
        }
        for measure in ("nDCG", "nDCG@10"):
            assert found[measure]["diagnosis"]["causes"] == ["gain"]
            assert found[measure]["diagnosis"]["conventions"] == {"gain": "exponential"}


def save(
    folder: Path, name: str, case: Path, measures: list[str], conventions: str, run: str = "run"
) -> tuple[str, str]:
    """Save the output of trec_eval -q under given conventions, and its means alone; return both file
    names."""
    values = api.evaluate(str(case / "qrels"), str(case / run), measures, conventions=conventions)
    rows = [
        f"{measure}\t{query}\t{row[measure]:.4f}\n" for query, row in values.items() for measure in measures
    ]
    means = [f"{m}\tall\t{sum(row[m] for row in values.values()) / len(values):.4f}\n" for m in measures]
    (folder / f"{name}.q").write_text("".join(rows + means))
    (folder / f"{name}.means").write_text("".join(means))
    return f"{name}.q", f"{name}.means"


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("a", "a", "both outputs are the same file"),
        ("a", "./a", "both outputs are the same file"),
        ("a", "nowhere", "nowhere: there is no such file"),
        ("a", "case", "case: this is a directory"),
        ("a", "case/run", "case/run:1: a line without measure, topic and value"),
        ("a", "other", "no measure in common"),
        ("a", "empty", "empty: the file is empty"),
        ("a", "pipe", "not a regular file"),
    ],
)
def test_outputs_that_cannot_be_compared_end_with_2(saved: Path, a: str, b: str, said: str) -> None:
    """Though a measure is chosen that needs no look at the files, the sentence says which one and why."""
    (saved / "other").write_text("map\t1\t0.5000\n")
    (saved / "empty").write_text("")
    os.mkfifo(saved / "pipe")
    done = crosscheck(saved, *diff(saved, a, b), "-m", "P@5")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
