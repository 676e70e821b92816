"""Preferences: the readers, their errors, and the measures against vectors and trec_eval's own code."""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

import crosscheck
from crosscheck.backends import make
from crosscheck.cli import main
from crosscheck.conventions import Conventions, profiles
from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.errors import InputError, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.reference_reader import preferences
from crosscheck.formats.trec import read_run
from crosscheck.measures.preferences import FAMILIES
from crosscheck.model import Measure
from tests.measures import embedded
from tests.measures.vectors import Case, cases

MEASURES = [about.name for about in FAMILIES]


def values(
    text: str, run: str, folder: Path, conventions: Conventions, *, subgroups: bool = True
) -> dict[str, dict[str, float]]:
    (folder / "run").write_text(run, "utf-8")
    qrels = preferences(text.encode(), "prefs", subgroups=subgroups)
    rankings = Rankings(read_run(str(folder / "run")), qrels)
    topics = [topic.decode() for topic in rankings.pairing.all_topics]
    found: dict[str, dict[str, float]] = {}
    for name in MEASURES:
        evaluated = evaluate(rankings, Measure(name), conventions)
        for topic, value, present in zip(topics, evaluated.values.tolist(), evaluated.present, strict=True):
            if present:
                found.setdefault(topic, {})[name] = value
    return found


@pytest.mark.parametrize("case", [*cases("te908", "prefs"), *cases("te10", "prefs")], ids=lambda c: c.name)
def test_values_are_those_of_the_program(case: Case, tmp_path: Path) -> None:
    """Ties by ascending docno, several groups, subgroups: the recorded values to the last digit."""
    found = values(
        (case.folder / "qrels").read_text("utf-8"),
        (case.folder / "run").read_text("utf-8"),
        tmp_path,
        case.conventions(),
    )
    expected = {
        topic: {n: float(v) for n, v in row.items()} for topic, row in case.values.items() if topic != "all"
    }
    assert found == expected


def random_request(rnd: random.Random, number: int) -> dict[str, Any]:
    """Preferences that do not contradict each other: a document has one level per group."""
    documents = [f"d{i}" for i in range(rnd.choice([3, 6, 15, 40]))]
    scales = [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.5, 0.1, 0.1 + 1e-11], [1.0, 2.0], [0.0]]
    levels = rnd.choice(scales)
    with_subgroups = rnd.random() < 0.7
    lines, run = [], []
    for topic in range(rnd.randint(1, 3)):
        for group in range(rnd.randint(1, 3)):
            level = {document: rnd.choice(levels) for document in documents}
            for subgroup in range(rnd.randint(1, 4) if with_subgroups else 1):
                column = f"s{subgroup} " if with_subgroups else ""
                for document in rnd.sample(documents, rnd.randint(1, len(documents))):
                    line = f"q{number}x{topic} g{group} {column}{document} {level[document]!r}\n"
                    lines += [line] * rnd.choice([1, 1, 1, 2])
        everything = [*documents, "a", "zz"]
        retrieved = rnd.sample(everything, rnd.randint(1, len(everything)))
        scores = [rnd.choice([1, 2, 0.5, 0.5 + 1e-9, rnd.random()]) for _ in retrieved]
        run += [f"q{number}x{topic} Q0 {d} 1 {s!r} t\n" for d, s in zip(retrieved, scores, strict=True)]
    rnd.shuffle(lines)
    request: dict[str, Any] = {"qrels": "".join(lines), "run": "".join(run), "measures": MEASURES}
    request["format"] = "prefs" if with_subgroups else "qrels_prefs"
    if rnd.random() < 0.3:
        request["M"] = rnd.choice([1, 2, 5, 10])
    return request


@pytest.mark.skipif(embedded.why_not() is not None, reason=embedded.why_not() or "")
def test_values_are_those_of_the_c_code(tmp_path: Path) -> None:
    """300 random sets of preferences, repeated lines and both formats included: no bit differs."""
    rnd = random.Random(7)
    requests = [random_request(rnd, number) for number in range(300)]
    for request, theirs in zip(requests, embedded.ask(requests), strict=True):
        conventions = Conventions().with_changes(depth=request.get("M"))
        subgroups = request["format"] == "prefs"
        ours = values(request["qrels"], request["run"], tmp_path, conventions, subgroups=subgroups)
        assert ours == {topic: row for topic, row in theirs.items() if topic != "all"}


def test_levels_that_float32_cannot_tell_apart_are_a_preference_in_version_10_only(tmp_path: Path) -> None:
    """0.1 and 0.10000000001 are the same level to trec_eval 9."""
    text, run = "q g s a 0.10000000001\nq g s b 0.1\n", "q Q0 a 1 2 t\nq Q0 b 1 1 t\n"
    old = values(text, run, tmp_path, Conventions())
    new = values(text, run, tmp_path, profiles()["trec_eval-10"].conventions)
    assert (old["q"]["prefs_num_prefs_poss"], new["q"]["prefs_num_prefs_poss"]) == (0, 1)


def test_negative_levels_never_read_beyond_their_class(tmp_path: Path) -> None:
    """Where the C program runs out of documents of the lowest level, it takes those that there are."""
    text = "".join(f"q g s d{i} {level}\n" for i, level in enumerate([1, 1, 0, 0, 0, -1]))
    run = "".join(f"q Q0 d{i} 1 {9 - i} t\n" for i in range(6))
    found = values(text, run, tmp_path, Conventions())["q"]["prefs_avgjg_Rnonrel"]
    # Pairs of levels 1 > 0 (6), and the one document of level -1 against all six, itself included: of these
    # 6 + 6 preferences those of the documents above it and all of the first kind are fulfilled.
    assert found == 11 / 12


def test_a_topic_without_any_preference_is_zero(tmp_path: Path) -> None:
    """One level for all documents makes no preference, and no division by zero."""
    found = values("q g s a 0\nq g s b 0\n", "q Q0 a 1 2 t\n", tmp_path, Conventions())["q"]
    assert set(found.values()) == {0.0}
    assert not any(math.isnan(value) for value in found.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q g s a 2\nq g s a 1\n", "topic 'q', group 'g': document 'a' has two levels in one subgroup"),
        ("q g s a 2\nq g s b 1\nq g t b 2\nq g t a 1\n", "is preferred to itself through other documents"),
        (
            "q g s a 2\nq g s b 1\nq g t a 0\nq g t b 1\n",
            "is nonrelevant (level 0) in one subgroup and not in",
        ),
    ],
)
def test_contradictions_are_named(text: str, said: str, tmp_path: Path) -> None:
    """A group that contradicts itself is an error that names topic, group and document, never an abort."""
    with pytest.raises(InputError) as raised:
        values(text, "q Q0 a 1 1 t\n", tmp_path, Conventions())
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (b"q g s a 1\nq g s b\n", 2, "a preferences line with 4 columns"),
        (b"q g s a 1\n\n", 2, "a blank line in preferences"),
        (b"q g s a 1 x\n", 1, "a preferences line with 6 columns"),
        (b"q g s a\0 1\n", 1, "a NUL byte"),
        (b"", None, "the file is empty"),
    ],
)
def test_lines_that_cannot_be_read_are_named(text: bytes, line: int | None, problem: str) -> None:
    """The error has the line, its content and the expected content."""
    with pytest.raises(InputError) as raised:
        preferences(text, "prefs", subgroups=True)
    assert (raised.value.line, raised.value.message) == (line, problem)
    assert "topic group subgroup docno level" in str(raised.value)


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


def test_python_takes_preferences_in_every_form(tmp_path: Path) -> None:
    """A file, nested dicts, columns and a frame of the same preferences have the same values."""
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


def test_plain_judgements_are_those_of_one_judge() -> None:
    """Levels of a dict of dicts make preferences, whether groups are written out or not."""
    levels = {"a": 2, "b": 1, "c": 1, "d": 0}
    run = {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}
    plain = crosscheck.evaluate({"q": levels}, run, ["all_prefs"])
    assert plain == crosscheck.evaluate({"q": {"g": levels}}, run, ["all_prefs"])
    # a > b, c, d; b > d; c > d: of these a > c, a > d and b > d are fulfilled, c > d is not.
    assert plain["q"]["prefs_simp"] == 3 / 5


def test_two_kinds_of_judgements_in_one_call_are_refused() -> None:
    """A file is read for preferences or for subtopics."""
    with pytest.raises(UsageError, match="need different judgements"):
        crosscheck.evaluate({"q": {"a": 1}}, RUN, ["prefs_simp", "alpha_nDCG@10"])


def test_a_level_where_no_document_is(tmp_path: Path) -> None:
    """Levels belong to documents, in at most a group and a subgroup."""
    for wrong in ({"q": 1}, {"q": {"g": {"s": {"x": {"a": 1}}}}}):
        with pytest.raises(InputError, match="a level under"):
            crosscheck.evaluate(wrong, RUN, ["prefs_simp"])


@pytest.mark.parametrize(
    ("qrels", "measure", "value"),
    [
        ("".join(f"{' '.join(map(str, line))}\n" for line in LINES), "prefs_simp", "0.8333"),
        ("q u1 a 1\nq u1 b 0\nq u2 a 0\nq u2 c 1\n", "map_avgjg", "0.6667"),
    ],
)
def test_run_compares_them_with_the_c_program(qrels: str, measure: str, value: str, tmp_path: Path) -> None:
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


def test_python_metrics_get_preferences_nested(tmp_path: Path) -> None:
    """A function of one's own is handed groups, subgroups and levels."""
    (tmp_path / "metric.py").write_text(
        "def groups(qrels, run):\n    return {q: sum(map(len, of.values())) for q, of in qrels.items()}\n"
    )
    qrels = as_qrels(tuple(map(list, zip(*LINES, strict=True))), needs="preferences")
    found = make(f"python:{tmp_path / 'metric.py'}:groups").evaluate(
        qrels, as_run(RUN), [Measure("prefs_simp")]
    )
    assert found[Measure("prefs_simp")].values == {b"q": 3.0}


def test_a_file_of_preferences_read_as_qrels_says_what_it_is(tmp_path: Path) -> None:
    """Asked for other measures, the error names those of preferences."""
    (tmp_path / "prefs").write_text("q u1 s1 a 3\n")
    with pytest.raises(InputError, match="ask for their measures, such as prefs_simp"):
        crosscheck.evaluate(str(tmp_path / "prefs"), RUN, ["P@5"])
