"""Judgment groups: reading them, and measures averaged over them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from crosscheck.conventions import Conventions
from crosscheck.errors import InputError
from crosscheck.formats.trec import read_run
from crosscheck.names import parse_measure
from crosscheck.trec_eval.judgement_groups import GroupedRankings, judgment_groups_from_text
from tests.measures import embedded
from tests.measures.vectors import Case, cases


def values(text: str, run: Path, conventions: Conventions, names: list[str]) -> dict[str, dict[str, float]]:
    grouped = GroupedRankings(read_run(str(run)), judgment_groups_from_text(text.encode(), "qrels"))
    found: dict[str, dict[str, float]] = {topic.decode(): {} for topic in grouped.topics}
    for name in names:
        measure = parse_measure(name.replace("_avgjg", ""))
        for topic, value in zip(grouped.topics, grouped.values(measure, conventions).tolist(), strict=True):
            found[topic.decode()][name] = value
    return found


@pytest.mark.parametrize(
    "case", [*cases("te908", "qrels_jg"), *cases("te10", "qrels_jg")], ids=lambda c: c.name
)
def test_values_are_those_of_the_program(case: Case) -> None:
    """Map, P and Rprec_mult over two groups of judges, to the last digit."""
    expected = {t: {n: float(v) for n, v in row.items()} for t, row in case.values.items() if t != "all"}
    names = list(next(iter(expected.values())))
    text = (case.folder / "qrels").read_text("utf-8")
    assert values(text, case.folder / "run", case.conventions(), names) == expected


def random_request(rnd: random.Random, number: int) -> dict[str, Any]:
    docnos = [f"d{i}" for i in range(rnd.choice([3, 8, 40]))]
    lines, run = [], []
    for topic in range(rnd.randint(1, 3)):
        for group in range(rnd.randint(1, 4)):
            levels = rnd.choice([[0, 1, 2], [-1, 0, 1], [0, 1]])
            some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
            lines += [
                f"q{number}x{topic} g{group} {d} {rnd.choice(levels) if i else 1}\n"
                for i, d in enumerate(some)
            ]
        some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
        run += [f"q{number}x{topic} Q0 {d} 1 {rnd.choice([1, 2, rnd.random()])!r} t\n" for d in some]
    rnd.shuffle(lines)
    request: dict[str, Any] = {"qrels": "".join(lines), "run": "".join(run), "format": "qrels_jg"}
    request["measures"] = ["map_avgjg", "P_avgjg.1,5,10", "Rprec_mult_avgjg"]
    request["l"] = rnd.choice([0, 1, 1, 2])
    request |= {"J": 1} if rnd.random() < 0.3 else {}
    request |= {"M": rnd.choice([1, 3, 10])} if rnd.random() < 0.3 else {}
    return request


@pytest.mark.skipif(embedded.why_not() is not None, reason=embedded.why_not() or "")
def test_values_are_those_of_the_c_code(tmp_path: Path) -> None:
    """200 random sets of groups under random flags: no bit differs."""
    rnd = random.Random(11)
    requests = [random_request(rnd, number) for number in range(200)]
    for request, theirs in zip(requests, embedded.ask(requests), strict=True):
        (tmp_path / "run").write_text(request["run"], "utf-8")
        conventions = Conventions().with_changes(
            relevance_level=request["l"],
            depth=request.get("M"),
            unjudged="removed" if "J" in request else "nonrelevant",
        )
        ours = values(request["qrels"], tmp_path / "run", conventions, list(theirs["all"]))
        assert ours == {topic: row for topic, row in theirs.items() if topic != "all"}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (b"q g a 1\nq g a 0\n", 2, "document 'a' occurs twice in group 'g' of topic 'q'"),
        (b"q g a\n", 1, "a line with 3 columns"),
        (b"q g a 99999999999999999999\n", 1, "a relevance level that does not fit into 64 bits"),
    ],
)
def test_what_cannot_be_used_is_named(text: bytes, line: int, problem: str) -> None:
    """The error has the line and says what is wrong with it."""
    with pytest.raises(InputError) as raised:
        judgment_groups_from_text(text, "qrels")
    assert (raised.value.line, raised.value.message) == (line, problem)


def test_the_same_document_in_two_groups_is_no_duplicate() -> None:
    """That is what groups are for."""
    groups = judgment_groups_from_text(b"q h a 1\nq g a 0\nr g a 1\n", "qrels")
    assert (groups.topics, groups.sizes) == ((b"q", b"r"), (2, 1))
    assert [qrels.rels.tolist() for qrels in groups.nth] == [[0, 1], [1]]
