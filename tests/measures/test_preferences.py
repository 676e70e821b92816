"""Preferences and groups of judges: how they are given and read, and values by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

import crosscheck
from crosscheck.backends import make
from crosscheck.cli import main
from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.errors import InputError, UsageError
from crosscheck.formats.trec import read_qrels
from crosscheck.model import Measure

#: One topic: two groups of judges, one of which compared its documents in two parts.
LINES = [
    ("q", "u1", "s1", "a", 3.0),
    ("q", "u1", "s1", "b", 2.5),
    ("q", "u1", "s1", "c", 0.0),
    ("q", "u2", "s1", "b", 2.0),
    ("q", "u2", "s1", "a", 1.0),
    ("q", "u2", "s2", "a", 2.0),
    ("q", "u2", "s2", "d", 1.0),
]
RUN = {"q": {"a": 9.0, "x": 8.0, "c": 7.0, "b": 7.0}}


def values(folder: Path, qrels: str, ranking: str, spec: str = "trec_eval-9.0.8") -> dict[str, float]:
    """All measures of preferences of the topic q, from lines without the topic."""
    (folder / "qrels").write_text("".join(f"q {line}\n" for line in qrels.split(",")))
    run = {"q": {docno: -float(i) for i, docno in enumerate(ranking.split())}}
    return crosscheck.evaluate(str(folder / "qrels"), run, ["all_prefs"], conventions=spec)["q"]


def test_levels_that_float32_cannot_tell_apart_are_a_preference_in_version_10_only(tmp_path):
    """0.1 and 0.10000000001 are the same level to trec_eval 9."""
    found = [
        values(tmp_path, "g s a 0.10000000001,g s b 0.1", "a b", spec)["prefs_num_prefs_poss"]
        for spec in ("trec_eval-9.0.8", "trec_eval-10")
    ]
    assert found == [0, 1]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("g s a 2,g s a 1", "topic 'q', group 'g': document 'a' has two levels in one subgroup"),
        ("g s a 2,g s b 1,g t b 2,g t a 1", "is preferred to itself through other documents"),
        ("g s a 2,g s b 1,g t a 0,g t b 1", "is nonrelevant (level 0) in one subgroup and not in another"),
    ],
)
def test_contradictions_are_named(text, problem, tmp_path):
    """A group that contradicts itself is an error that names topic, group and document, never an abort."""
    with pytest.raises(InputError) as raised:
        values(tmp_path, text, "a")
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "text", "line", "problem"),
    [
        ("preferences", b"q g s a 1\nq g s b\n", 2, "the preferences line has 4 columns"),
        ("preferences", b"q g s a 1\n\n", 2, "a blank line in preferences"),
        ("preferences", b"q g s a 1 x\n", 1, "the preferences line has 6 columns"),
        ("preferences", b"q g s a\0 1\n", 1, "a NUL byte"),
        ("preferences", b"", None, "the file is empty"),
        ("subtopics", b"q g a 1\nq g a 0\n", 2, "document 'a' occurs twice under topic 'q' and one subtopic"),
        ("subtopics", b"q g a\n", 1, "the qrels line has 3 columns"),
        ("subtopics", b"q g a 99999999999999999999\n", 1, "the relevance level does not fit into 64 bits"),
    ],
)
def test_lines_that_cannot_be_read_are_named(kind, text, line, problem, tmp_path):
    """The error has the line and says what is wrong with it."""
    (tmp_path / "qrels").write_bytes(text)
    with pytest.raises(InputError) as raised:
        read_qrels(str(tmp_path / "qrels"), needs=kind)
    assert raised.value.line == line
    assert raised.value.message.startswith(problem)


def test_python_takes_preferences_in_every_form(tmp_path):
    """A file, nested dicts, columns and a frame of the same preferences have the same values; a metric of
    one's own is handed groups, subgroups and levels."""
    nested: dict[str, Any] = {}
    for topic, group, subgroup, docno, level in LINES:
        nested.setdefault(topic, {}).setdefault(group, {}).setdefault(subgroup, {})[docno] = level
    columns = tuple(map(list, zip(*LINES, strict=True)))
    names = ("query", "group", "subgroup", "docid", "rel")
    (tmp_path / "prefs").write_text("".join(f"{' '.join(map(str, line))}\n" for line in LINES))
    (tmp_path / "json").write_text(json.dumps(nested))
    frame = polars.DataFrame(dict(zip(names, columns, strict=True)))
    first, *others = (
        crosscheck.evaluate(form, RUN, ["all_prefs", "P@2"])
        for form in (str(tmp_path / "prefs"), str(tmp_path / "json"), nested, columns, frame)
    )
    # Of 5 + 1 + 1 preferences u1's b > c is not fulfilled (c and b are tied: b comes first, so it is), u2's
    # b > a is not, and a > d, b > d follow from those of its two parts.
    assert first["q"]["prefs_num_prefs_poss"] == 6
    assert first["q"]["prefs_num_prefs_ful"] == 5
    assert all(other == first for other in others)
    (tmp_path / "metric.py").write_text(
        "def groups(qrels, run):\n    return {q: sum(map(len, of.values())) for q, of in qrels.items()}\n"
    )
    asked, qrels = Measure("prefs_simp"), as_qrels(columns, needs="preferences")
    found = make(f"python:{tmp_path / 'metric.py'}:groups").evaluate(qrels, as_run(RUN), [asked])
    assert found[asked].values == {b"q": 3.0}


@pytest.mark.parametrize(
    ("qrels", "measures", "error", "words"),
    [
        ({"q": {"a": 1}}, ["prefs_simp", "alpha_nDCG@10"], UsageError, "need different judgements"),
        ({"q": 1}, ["prefs_simp"], InputError, "a level is nested under"),
        ({"q": {"g": {"s": {"x": {"a": 1}}}}}, ["prefs_simp"], InputError, "a level is nested under"),
    ],
)
def test_judgements_that_do_not_fit_are_refused(qrels, measures, error, words):
    """Judgements are of one kind; levels belong to documents, in at most a group and a subgroup."""
    with pytest.raises(error, match=words):
        crosscheck.evaluate(qrels, RUN, measures)


@pytest.mark.parametrize(
    ("qrels", "measure", "value"),
    [
        ("".join(f"{' '.join(map(str, line))}\n" for line in LINES), "prefs_simp", "0.8333"),
        ("q u1 a 1\nq u1 b 0\nq u2 a 0\nq u2 c 1\n", "map_avgjg", "0.6667"),
    ],
)
def test_run_compares_them_with_the_c_program(qrels, measure, value, tmp_path):
    """``crosscheck run`` hands the program its formats, and finds the same numbers in both."""
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text("".join(f"q Q0 {d} 1 {s} t\n" for d, s in RUN["q"].items()))
    program = tmp_path / "trec_eval"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m crosscheck trec_eval "$@"\n')
    program.chmod(0o755)
    files = ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run"), "-m", measure]
    backends = ["--reference", "trec_eval", "-b", "native", "--trec-eval-bin", str(program)]
    report = tmp_path / "report.json"
    with pytest.raises(SystemExit) as ended:
        main(["run", *files, *backends, "--report", f"json={report}", "--quiet"])
    assert ended.value.code == 0
    (comparison,) = json.loads(report.read_text())["comparisons"]
    assert (comparison["outcome"], f"{comparison['mean']['reference_value']:.4f}") == ("match", value)
