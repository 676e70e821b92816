"""Judgements per subtopic from files, dicts, columns and frames, and what they are to other measures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.engine.conversion import as_qrels
from crosscheck.errors import InputError
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.formats.trec import read_qrels
from crosscheck.model import Qrels

#: Topic, subtopic, docno and level.
Row = tuple[str, str, str, int]
ROWS: list[Row] = [
    ("2", "b", "x", 1),
    ("1", "b", "x", 0),
    ("1", "a", "y", 2),
    ("1", "a", "x", 3),
    ("2", "a", "y", -1),
]

Write = Callable[[str], str]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Writes text to a file and gives its path."""

    def write(text: str) -> str:
        path = tmp_path / "qrels"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def lines(rows: list[Row]) -> str:
    return "".join(f"{topic} {subtopic} {docno} {level}\n" for topic, subtopic, docno, level in rows)


def judged(qrels: Qrels) -> list[Row]:
    """The judgements per subtopic, as the record holds them."""
    assert qrels.subtopics is not None
    held = qrels.subtopics
    topics = [topic.decode() for topic in qrels.topics]
    ends = qrels.offsets[1:].tolist()
    found = []
    for row, number, level in zip(
        held.document.tolist(), held.subtopic.tolist(), held.rels.tolist(), strict=True
    ):
        topic = next(i for i, end in enumerate(ends) if row < end)
        found.append((topics[topic], held.names[number].decode(), qrels.docnos[row].decode(), level))
    return found


def documents(qrels: Qrels) -> dict[str, dict[str, int]]:
    bounds = list(zip(qrels.topics, qrels.offsets.tolist(), qrels.offsets[1:].tolist(), strict=False))
    docnos, rels = [docno.decode() for docno in qrels.docnos.tolist()], qrels.rels.tolist()
    return {t.decode(): dict(zip(docnos[a:b], rels[a:b], strict=True)) for t, a, b in bounds}


def test_the_second_column_is_the_subtopic(file: Write) -> None:
    """Every judgement is kept, by topic and document; names are numbered as the file first names them."""
    qrels = read_qrels(file(lines(ROWS)), needs="subtopics")
    assert judged(qrels) == [
        ("1", "b", "x", 0),
        ("1", "a", "x", 3),
        ("1", "a", "y", 2),
        ("2", "b", "x", 1),
        ("2", "a", "y", -1),
    ]
    assert qrels.subtopics is not None
    assert qrels.subtopics.names == (b"b", b"a")


def test_elsewhere_a_document_has_its_highest_level(file: Write) -> None:
    """Documents occur once per topic, at the position of their first judgement, with a note."""
    qrels = read_qrels(file(lines(ROWS)), needs="subtopics")
    assert documents(qrels) == {"1": {"x": 3, "y": 2}, "2": {"x": 1, "y": -1}}
    assert qrels.notes == (
        "2 subtopics: for other measures a document has the highest of its relevance levels",
    )


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("12a"), st.sampled_from(["0", "1", "z" * 70]), st.sampled_from("uvwxyz")),
        st.integers(-2, 4),
        min_size=1,
    ),
    st.randoms(),
)
def test_records_hold_what_a_dict_holds(table: dict[tuple[str, str, str], int], shuffle: Any) -> None:
    """Whatever the order of the rows, topics that come back and long names of subtopics included."""
    rows = [(*key, level) for key, level in table.items()]
    shuffle.shuffle(rows)
    qrels = as_qrels(tuple(map(list, zip(*rows, strict=True))), needs="subtopics")
    highest: dict[str, dict[str, int]] = {}
    for topic, _, docno, level in rows:
        known = highest.setdefault(topic, {})
        known[docno] = max(level, known.get(docno, level))
    assert documents(qrels) == highest
    several = any(len({row[1] for row in rows if row[0] == topic}) > 1 for topic in highest)
    assert (qrels.subtopics is not None) == several
    if several:
        assert sorted(judged(qrels)) == sorted(rows)


def test_a_single_subtopic_per_query_is_the_query_itself(file: Write) -> None:
    """Ordinary qrels, whatever their second column holds, are read as ever, with a note."""
    qrels = read_qrels(file("1 0 a 1\n1 0 b 0\n2 7 a 1\n"), needs="subtopics")
    assert qrels.subtopics is None
    assert qrels.notes == (
        "each query has a single subtopic, which measures over subtopics treat as the whole topic",
    )


def test_a_document_stands_once_under_a_subtopic(file: Write) -> None:
    """Twice is an error that names both lines, also where reading is lenient."""
    text = "1 a x 1\n1 b x 1\n1 b y 1\n1 b x 0\n"
    for strict in (True, False):
        with pytest.raises(
            InputError, match="'x' occurs twice under topic '1' and one subtopic, on lines 2 and 4"
        ):
            read_qrels(file(text), strict=strict, needs="subtopics")


def test_nobody_asked_for_subtopics(file: Write) -> None:
    """Then a document under two of them is a duplicate as ever, and the hint says what to ask for."""
    with pytest.raises(InputError, match="on lines 1 and 2") as caught:
        read_qrels(file("1 a x 1\n1 b x 1\n"))
    assert "measures over subtopics (alpha_nDCG@10)" in str(caught.value)
    with pytest.raises(InputError, match="on lines 1 and 2") as caught:
        read_qrels(file("1 a x 1\n1 a x 1\n"))
    assert "alpha_nDCG" not in str(caught.value)


COLUMNS = dict(zip(("query", "subtopic", "docid", "rel"), map(list, zip(*ROWS, strict=True)), strict=True))


@pytest.mark.parametrize("module", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "iteration"])
def test_frames_name_the_subtopic_in_a_column(module: str, name: str) -> None:
    """Under our name, pyndeval's or ir_measures'; a frame without it has no subtopics."""
    library = pytest.importorskip(module)
    make = getattr(library, "DataFrame", None) or library.table
    frame = make({name if key == "subtopic" else key: column for key, column in COLUMNS.items()})
    assert sorted(judged(as_qrels(frame, needs="subtopics"))) == sorted(ROWS)
    plain = make({key: column[:2] for key, column in COLUMNS.items() if key != "subtopic"})
    assert as_qrels(plain, needs="subtopics").subtopics is None


def test_json_is_columns_or_nested_dicts(file: Write) -> None:
    """The same judgements in either form."""
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for topic, subtopic, docno, level in ROWS:
        nested.setdefault(topic, {}).setdefault(subtopic, {})[docno] = level
    for form in (COLUMNS, nested):
        assert sorted(judged(read_qrels(file(json.dumps(form)), needs="subtopics"))) == sorted(ROWS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"1": {"a": {"x": 1}, "b": 2}}, "a value of type int among judgements per subtopic"),
        ({"1": {"a": {"x": 1}}, "2": 3}, "a value of type int among judgements per subtopic"),
        ({"1": {"a": {"x": 0.5}}}, "not a whole number"),
        ({"1": {"a": {}}}, "there is no document in it"),
        (["1"], "a value of type list"),
    ],
)
def test_nested_dicts_that_make_no_sense(given: Any, message: str) -> None:
    """They are input errors and no tracebacks."""
    with pytest.raises(InputError, match=message):
        qrels_from_dict(given, needs="subtopics")
