"""Judgment groups: reading them, and measures averaged over them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from crosscheck.conventions import Conventions
from crosscheck.errors import InputError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Qrels
from crosscheck.names import parse_measure
from crosscheck.rankings.changed_inputs import by_group
from tests.measures import embedded
from tests.measures.vectors import Case, cases


def read(text: bytes, folder: Path) -> Qrels:
    (folder / "qrels").write_bytes(text)
    return read_qrels(str(folder / "qrels"), needs="subtopics")


def values(
    text: str, run: Path, conventions: Conventions, names: list[str], folder: Path
) -> dict[str, dict[str, float]]:
    rankings = Rankings(read_run(str(run)), read(text.encode(), folder))
    found: dict[str, dict[str, float]] = {topic.decode(): {} for topic in rankings.pairing.topics}
    for name in names:
        evaluated = evaluate(rankings, parse_measure(name), conventions)
        topics = [topic.decode() for topic in rankings.pairing.all_topics]
        for topic, value, present in zip(topics, evaluated.values.tolist(), evaluated.present, strict=True):
            if present:
                found[topic][name] = value
    return found


@pytest.mark.parametrize(
    "case", [*cases("te908", "qrels_jg"), *cases("te10", "qrels_jg")], ids=lambda c: c.name
)
def test_values_are_those_of_the_program(case: Case, tmp_path: Path) -> None:
    """Map, P and Rprec_mult over two groups of judges, to the last digit."""
    expected = {t: {n: float(v) for n, v in row.items()} for t, row in case.values.items() if t != "all"}
    names = list(next(iter(expected.values())))
    text = (case.folder / "qrels").read_text("utf-8")
    assert values(text, case.folder / "run", case.conventions(), names, tmp_path) == expected


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
        ours = values(request["qrels"], tmp_path / "run", conventions, list(theirs["all"]), tmp_path)
        assert ours == {topic: row for topic, row in theirs.items() if topic != "all"}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (
            b"q g a 1\nq g a 0\n",
            2,
            "document 'a' occurs twice under topic 'q' and one subtopic, on lines 1 and 2",
        ),
        (b"q g a\n", 1, "a qrels line with 3 columns"),
        (b"q g a 99999999999999999999\n", 1, "a relevance level that does not fit into 64 bits"),
    ],
)
def test_what_cannot_be_used_is_named(text: bytes, line: int, problem: str, tmp_path: Path) -> None:
    """The error has the line and says what is wrong with it."""
    with pytest.raises(InputError) as raised:
        read(text, tmp_path)
    assert raised.value.line == line
    assert raised.value.message.startswith(problem)


def test_the_same_document_in_two_groups_is_no_duplicate(tmp_path: Path) -> None:
    """That is what groups are for; they are taken in byte order of their names."""
    first, second = by_group(read(b"q h a 1\nq g a 0\nr g a 1\n", tmp_path))
    assert (first.topics, first.rels.tolist()) == ((b"q", b"r"), [0, 1])
    assert (second.topics, second.rels.tolist()) == ((b"q",), [1])
