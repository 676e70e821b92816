"""Preferences: the readers, their errors, and the measures against vectors and trec_eval's own code."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from crosscheck.conventions import Conventions, profiles
from crosscheck.errors import InputError
from crosscheck.formats.trec import read_run
from crosscheck.trec_eval.preference_measures import COUNTS, MEASURES, preference_measures
from crosscheck.trec_eval.preferences import preferences_from_text, ranked_preferences
from tests.measures import embedded
from tests.measures.vectors import Case, cases


def values(
    text: str, run: str, folder: Path, conventions: Conventions, *, subgroups: bool = True
) -> dict[str, dict[str, float]]:
    (folder / "run").write_text(run, "utf-8")
    preferences = preferences_from_text(text.encode(), "prefs", subgroups=subgroups)
    ranked = ranked_preferences(preferences, read_run(str(folder / "run")), conventions)
    return {topic.decode(): preference_measures(found) for topic, found in ranked.items()}


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
    request: dict[str, Any] = {"qrels": "".join(lines), "run": "".join(run), "measures": list(MEASURES)}
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
        (b"q g s a 1\nq g s b\n", 2, "a line with 4 columns"),
        (b"q g s a 1\n\n", 2, "a blank line"),
        (b"q g s a 1 x\n", 1, "a line with 6 columns"),
        (b"q g s a\0 1\n", 1, "a NUL byte"),
        (b"", None, "the file is empty"),
    ],
)
def test_lines_that_cannot_be_read_are_named(text: bytes, line: int | None, problem: str) -> None:
    """The error has the line, its content and the expected content."""
    with pytest.raises(InputError) as raised:
        preferences_from_text(text, "prefs", subgroups=True)
    assert (raised.value.line, raised.value.message) == (line, problem)
    assert "topic group subgroup docno level" in str(raised.value)


def test_counts_are_measures() -> None:
    """Only the three counts are summed over topics, and they come first."""
    assert list(MEASURES)[:3] == list(COUNTS)
