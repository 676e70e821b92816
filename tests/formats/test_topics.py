"""Claims about crosscheck.formats.topics: tables of queries in three ways of writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.errors import InputError
from crosscheck.formats.cases import find_cases
from crosscheck.formats.topics import read_topics

CSV = 'query,difficulty,title\n301,hard,"crime, organised"\n302,,polio\n'
JSONL = (
    '{"query": "301", "difficulty": "hard", "title": "crime, organised"}\n\n'
    '{"query": 302, "difficulty": null, "title": "polio"}\n'
)
TOML = '[301]\ndifficulty = "hard"\ntitle = "crime, organised"\n[302]\ntitle = "polio"\n'
TOML_LIST = (
    '[[topic]]\nquery = 301\ndifficulty = "hard"\ntitle = "crime, organised"\n'
    '[[topic]]\nquery = "302"\ntitle = "polio"\n'
)


def written(folder: Path, name: str, text: str | bytes) -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [("topics.csv", CSV), ("topics.jsonl", JSONL), ("topics.toml", TOML), ("topics.toml", TOML_LIST)],
    ids=["csv", "jsonl", "toml", "toml-list"],
)
def test_all_ways_of_writing_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    """Ids are bytes, values are text, and what is empty or null has no group."""
    topics = read_topics(written(tmp_path, name, text))
    assert topics.columns == ("difficulty", "title")
    assert topics.group(b"301", "title") == "crime, organised"
    assert topics.group(b"301", "difficulty") == "hard"
    assert topics.group(b"302", "difficulty") is None
    assert topics.group(b"999", "difficulty") is None


@pytest.mark.parametrize(
    ("head", "id"), [("title,topic", b"b"), ("query,topic", b"a"), ("number,title", b"a")]
)
def test_the_id_column_is_query_or_topic_or_the_first(tmp_path: Path, head: str, id: bytes) -> None:
    """A column named query wins, then topic, then the first."""
    assert list(read_topics(written(tmp_path, "topics.csv", f"{head}\na,b\n")).rows) == [id]


def test_a_byte_order_mark_and_crlf_are_no_trouble(tmp_path: Path) -> None:
    """Spreadsheets write both."""
    topics = read_topics(written(tmp_path, "topics.csv", b"\xef\xbb\xbfquery,level\r\n7,\xc3\xa9asy\r\n"))
    assert topics.group(b"7", "level") == "éasy"


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("topics.csv", "query,a\n1,x,y\n", 2, "3 fields where the header has 2"),
        ("topics.csv", "query,a\n1,x\n\n1,y\n", 4, "query '1' occurs twice"),
        ("topics.csv", "query,a\n ,x\n", 2, "a query without id"),
        ("topics.csv", "query,a,a\n1,x,y\n", 1, "the column 'a' occurs twice in the header"),
        ("topics.csv", 'query,a\n1,"x\n', 2, "invalid CSV"),
        ("topics.csv", "query,a\n", None, "the file holds no query"),
        ("topics.csv", b"query,a\n1,\xff\n", 2, "the text is not UTF-8"),
        ("topics.csv", b"", None, "the file is empty"),
        ("topics.jsonl", '{"query": "1"}\n[1]\n', 2, "not a JSON object"),
        ("topics.jsonl", '{"query": "1"}\n{"query": \n', 2, "invalid JSON"),
        ("topics.jsonl", '{"query": "1", "a": [1]}\n', 1, "'a' is a list"),
        ("topics.toml", "[301\n", 1, "invalid TOML"),
        ("topics.toml", "a = 1\n", None, "'a' is not a table"),
        ("topics.toml", "[301]\na = {b = 1}\n", None, "'a' is a table"),
        ("topics.txt", "301 hard\n", None, "a table of queries cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, name: str, text: str | bytes, line: int | None, message: str
) -> None:
    """The message names the file, the line and what is wrong."""
    with pytest.raises(InputError, match=message) as caught:
        read_topics(written(tmp_path, name, text))
    assert caught.value.line == line
    assert name in str(caught.value)


def case(folder: Path, *tables: str) -> Path:
    (folder / "qrels").write_text("1 0 d 1\n")
    (folder / "run").write_text("1 Q0 d 1 1.0 t\n")
    for table in tables:
        (folder / table).write_text("query,a\n1,x\n")
    return folder


def test_a_case_folder_may_hold_one_table(tmp_path: Path) -> None:
    """topics.csv beside the qrels belongs to the case; other files named topics do not."""
    (found,) = find_cases([str(case(tmp_path, "topics.csv", "topics.301-350.txt"))])
    assert found.topics == str(tmp_path / "topics.csv")


def test_two_tables_in_one_case_are_refused(tmp_path: Path) -> None:
    """Nobody could say which one is meant."""
    with pytest.raises(InputError, match="more than one table of queries"):
        find_cases([str(case(tmp_path, "topics.csv", "topics.toml"))])
