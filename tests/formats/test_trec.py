"""Run and qrels files are read by trec_eval's rules, and what cannot be read is named precisely."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError
from crosscheck.formats.grouping import find_duplicate
from crosscheck.formats.reference_reader import RUN_LINES, Rules, lines
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Qrels, Run

Write = Callable[[bytes], str]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Writes bytes to a file and gives its path."""

    def write(data: bytes) -> str:
        path = tmp_path / "file.txt"
        path.write_bytes(data)
        return str(path)

    return write


def rows(table: Run | Qrels) -> list[tuple[bytes, bytes, float]]:
    """(topic, docno, score or level) of every row."""
    topics = np.repeat(np.array(table.topics, object), np.diff(table.offsets))
    values = table.scores if isinstance(table, Run) else table.rels
    return list(zip(topics.tolist(), table.docnos.tolist(), values.tolist(), strict=True))


# ---- rules ---------------------------------------------------------------------------------------------


def test_topics_are_in_byte_order_and_documents_in_input_order(file: Write) -> None:
    """Interleaved topics are grouped; 10 comes before 9 and B before a, as trec_eval sums them."""
    run = read_run(
        file(b"9 Q0 x 1 1 t\na Q0 x 1 2 t\n10 Q0 x 1 3 t\nB Q0 x 1 4 t\n9 Q0 w 2 5 t\n10 Q0 w 2 6 t\n")
    )
    assert run.topics == (b"10", b"9", b"B", b"a")
    assert rows(run) == [
        (b"10", b"x", 3), (b"10", b"w", 6), (b"9", b"x", 1), (b"9", b"w", 5), (b"B", b"x", 4), (b"a", b"x", 2)
    ]  # fmt: skip
    assert run.lines.tolist() == [2, 5, 0, 4, 3, 1]
    assert run.ranks is not None
    assert run.ranks.tolist() == [1, 2, 1, 2, 1, 1]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"1", b"2", b"10", b"\xff", b"q" * 70]),
            st.integers(0, 200),
            st.floats(allow_nan=False),
        ),
        min_size=1,
        max_size=60,
        unique_by=lambda row: row[:2],
    )
)
def test_grouping_is_what_a_dict_of_lists_gives(
    tmp_path_factory: pytest.TempPathFactory, some: list[tuple[bytes, int, float]]
) -> None:
    """Columns, offsets and input positions agree with grouping the plain parser's rows by hand."""
    text = b"".join(b"%s Q0 d%d %d %r t%d\n" % (t, d, d, s, d) for t, d, s in some)
    path = tmp_path_factory.getbasetemp() / "grouping"
    path.write_bytes(text)
    run = read_run(str(path))
    by_topic: dict[bytes, list[tuple[bytes, float, int]]] = {}
    for position, (_, columns, _) in enumerate(lines(text, "f", RUN_LINES, Rules())):
        topic, _, docno, _, score, _ = columns
        by_topic.setdefault(topic, []).append((docno, float(score), position))
    expected = [(t, *row) for t in sorted(by_topic) for row in by_topic[t]]
    assert [(*row, line) for row, line in zip(rows(run), run.lines.tolist(), strict=True)] == expected
    assert run.offsets.tolist() == [0, *np.cumsum([len(by_topic[t]) for t in sorted(by_topic)])]
    assert run.tag == b"t%d" % some[-1][1]


def test_only_the_six_ascii_blanks_separate_columns(file: Write) -> None:
    """CRLF, tabs, form feeds, blank lines, further columns and a missing last newline are fine."""
    run = read_run(file(b"\r\n  q Q0\ta 1 3 tag more words\r\n\n\t\nq\vQ0\fb 2 2 tag\r\nq Q0 c x 1 last"))
    assert rows(run) == [(b"q", b"a", 3), (b"q", b"b", 2), (b"q", b"c", 1)]
    assert run.tag == b"last"
    assert run.ranks is None
    assert any("line 6: 'x'" in note for note in run.notes)
    strange = "q\u00a0\u2003 0 d\x1c\x85 1\n".encode("latin-1", "ignore")
    assert rows(read_qrels(file(strange))) == [(b"q\xa0", b"d\x1c\x85", 1)]


def test_ids_are_bytes(file: Write) -> None:
    """Invalid UTF-8, letter case and very long ids are kept as they are."""
    long = b"x" * 200
    qrels = read_qrels(file(b"\xff 0 \xfe\x80 1\nq 0 D 1\nq 0 d 0\nq 0 " + long + b" 2\n"))
    assert rows(qrels) == [(b"q", b"D", 1), (b"q", b"d", 0), (b"q", long, 2), (b"\xff", b"\xfe\x80", 1)]


def test_short_ids_cost_no_objects(file: Write) -> None:
    """Docnos are a fixed-width column, unless one is longer than 64 bytes."""
    assert read_qrels(file(b"q 0 abcdefghi 1\n")).docnos.dtype == "S16"
    assert read_qrels(file(b"q 0 %s 1\nq 0 a 1\n" % (b"x" * 65))).docnos.dtype == object


def test_scores_are_doubles_as_c_reads_them(file: Write) -> None:
    """Hexadecimal, exponents, signs and infinities count; overflow is an infinity."""
    texts = [b"0x0B", b"1e1", b"+1", b".5", b"-inf", b"1e999", b"-0.0", b"16777217.25"]
    run = read_run(file(b"".join(b"q Q0 d%d 1 %s t\n" % (i, text) for i, text in enumerate(texts))))
    expected = [11.0, 10.0, 1.0, 0.5, -np.inf, np.inf, -0.0, 16777217.25]
    assert [x.hex() for x in run.scores.tolist()] == [x.hex() for x in expected]


def test_unstrict_reading_takes_number_prefixes(file: Write) -> None:
    """Without strictness what is no number is what trec_eval makes of it, and NaN and duplicates stay."""
    run = read_run(
        file(b"q Q0 a 1 abc t\nq Q0 b 1 1.5junk t\nq Q0 c 1 1,9 t\nq Q0 a 1 nan t\n"), strict=False
    )
    assert run.scores.tolist()[:3] == [0.0, 1.5, 1.0]
    assert np.isnan(run.scores[3])
    assert run.docnos.tolist() == [b"a", b"b", b"c", b"a"]
    levels = [b"1.9", b"abc", b"0x5", b"1e3", b"+2", b"-0.5", b"1_0"]
    text = b"".join(b"q 0 d%d %s\n" % (i, level) for i, level in enumerate(levels))
    assert read_qrels(file(text), strict=False).rels.tolist() == [1, 0, 0, 1, 2, 0, 1]


def test_negative_levels_are_kept(file: Write) -> None:
    """Pooled documents without a judgement keep their negative level."""
    assert read_qrels(file(b"q 0 a -1\nq 0 b -2\nq 0 c +3\n")).rels.tolist() == [-1, -2, 3]


def test_comments_are_skipped_only_when_asked(file: Write) -> None:
    """A # begins a comment in a run after blanks, in qrels in the first byte only; # elsewhere is an id."""
    text = b"# two\n  # words\nq Q0 #d 1 1 #t\n"
    assert rows(read_run(file(text), comments=True)) == [(b"q", b"#d", 1)]
    with pytest.raises(InputError, match="remove the line"):
        read_run(file(text))
    assert rows(read_run(file(b"#1 Q0 d 1 1 t\n"))) == [(b"#1", b"d", 1)]
    assert rows(read_qrels(file(b"# a\n# b\nq 0 d 1\n# c"), comments=True)) == [(b"q", b"d", 1)]
    assert rows(read_qrels(file(b" #q 0 d 1\n"), comments=True)) == [(b"#q", b"d", 1)]


def test_a_byte_order_mark_is_kept(file: Write) -> None:
    """The first topic id holds the mark, as in trec_eval; the join says so."""
    run = read_run(file(b"\xef\xbb\xbfq Q0 a 1 1 t\nq Q0 b 1 1 t\n"))
    assert run.topics == (b"q", b"\xef\xbb\xbfq")


# ---- containers ----------------------------------------------------------------------------------------


def test_gzip_is_recognised_by_content(file: Write) -> None:
    """The name does not matter."""
    text = b"q Q0 a 1 2 t\n" * 1
    assert rows(read_run(file(gzip.compress(text)))) == rows(read_run(file(text)))


def test_json_is_recognised_by_content(file: Write) -> None:
    """A file whose first byte that is not a blank is { is JSON, of either form; also inside gzip."""
    nested = b' \n{"q2": {"a": 1.5, "b": 2}, "q1": {"a": -1}}'
    for data in (nested, gzip.compress(nested), b"\xef\xbb\xbf" + nested):
        assert rows(read_run(file(data))) == [(b"q1", b"a", -1), (b"q2", b"a", 1.5), (b"q2", b"b", 2)]
    columns = b'{"query": [2, 1], "docid": ["a", "b"], "rel": [0, 3]}'
    assert rows(read_qrels(file(columns))) == [(b"1", b"b", 3), (b"2", b"a", 0)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    """A file that can be read only once is read once, also where an error is found at its end."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write(data: bytes) -> threading.Thread:
        thread = threading.Thread(target=path.write_bytes, args=(data,))
        thread.start()
        return thread

    writer = write(b"q 0 a 1\nq 0 b 0\n")
    assert rows(read_qrels(str(path))) == [(b"q", b"a", 1), (b"q", b"b", 0)]
    writer.join()
    writer = write(b"q 0 a 1\nq 0 a 0\n")
    with pytest.raises(InputError, match="on lines 1 and 2"):
        read_qrels(str(path))
    writer.join()


# ---- errors --------------------------------------------------------------------------------------------


def message(read: Callable[[str], object], path: str) -> str:
    """The text of the error, with the path cut off."""
    with pytest.raises(InputError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(path)
    return text.removeprefix(path)


GOOD_RUN, GOOD_QRELS = b"q Q0 z 1 9 t\n\n", b"q 0 z 1\n"


@pytest.mark.parametrize(
    ("line", "problem", "hint"),
    [
        (b"q Q0 a 1 2.5", "a run line with 5 columns", "add a run tag"),
        (b"q Q0 a 1", "a run line with 4 columns", "looks like a line of qrels"),
        (b"q a 1", "a run line with 3 columns", "MS MARCO"),
        (b"q,Q0,a,1,2,t", "a run line with 1 column", "not by commas"),
        (b"q Q0", "a run line with 2 columns", "complete the line"),
        (b"# hello", "a run line with 2 columns", "no comments"),
        (b"q Q0 a 1 abc t", "a score that is not a number", "would silently read 0.0"),
        (b"q Q0 a 1 1.5junk t", "a score that is not a number", "would silently read 1.5"),
        (b"q Q0 a 1 -nan t", "a NaN score", "remove the line"),
        (b"q Q0 a\x00b 1 2 t", "a NUL byte", "UTF-16"),
        (b"q Q0 z 2 1 t", "document 'z' occurs twice under topic 'q', on lines 1 and 3", "remove one"),
    ],
)
def test_a_bad_run_line_is_named_quoted_and_explained(
    file: Write, line: bytes, problem: str, hint: str
) -> None:
    """Every error says where, shows the line (up to a NUL byte) and says what to do."""
    text = message(read_run, file(GOOD_RUN + line + b"\nq Q0 y 1 1 t\n"))
    assert text.startswith(f":3: {problem}")
    shown, nul, _ = line.decode().partition("\0")
    assert repr(shown + nul)[1:-1] in text
    assert hint in text
    assert "expected: " in text


@pytest.mark.parametrize(
    ("line", "problem", "hint"),
    [
        (b"q Q0 a 1 2.5 t", "a qrels line with 6 columns", "looks like a line of a run"),
        (b"q Q0 a 1 2.5", "a qrels line with 5 columns", "looks like a line of a run"),
        (b"q 0 a b 1", "a qrels line with 5 columns", "a docno cannot hold blanks"),
        (b"q a 1", "a qrels line with 3 columns", "BEIR"),
        (b"", "a blank line in qrels", "trec_eval refuses it too"),
        (b" \t", "a blank line in qrels", "trec_eval refuses it too"),
        (b"q 0 a 0.5", "a relevance level that is not a whole number", "would silently read 0"),
        (b"q 0 a x", "a relevance level that is not a whole number", "would silently read 0"),
        (b"q 0 a 9223372036854775808", "a relevance level that does not fit into 64 bits", "trec_eval fails"),
        (
            b"q 0 a -9223372036854775809",
            "a relevance level that does not fit into 64 bits",
            "trec_eval fails",
        ),
        (b"q 0 z 1", "document 'z' occurs twice under topic 'q', on lines 1 and 2", "remove one"),
    ],
)
def test_a_bad_qrels_line_is_named_quoted_and_explained(
    file: Write, line: bytes, problem: str, hint: str
) -> None:
    """The same for qrels."""
    text = message(read_qrels, file(GOOD_QRELS + line + b"\nq 0 y 1\n"))
    assert text.startswith(f":2: {problem}")
    assert f"found:    {line.decode()!r}" in text.replace("\\t", "\\t")
    assert hint in text


def test_levels_beyond_64_bits_are_errors_in_either_mode(file: Write) -> None:
    """trec_eval fails on them, so there is nothing to imitate."""
    assert "64 bits" in message(
        lambda path: read_qrels(path, strict=False), file(b"q 0 a %s\n" % (b"9" * 5000))
    )


def test_the_first_bad_line_counts(file: Write) -> None:
    """Of several errors the first one in the file is told, whatever its kind."""
    assert message(read_run, file(b"q Q0 a 1 1 t\nq Q0 b 1 x t\nq Q0\n")).startswith(":2: a score")
    assert message(read_run, file(b"q Q0 a 1 1 t\nq Q0\nq Q0 b 1 x t\n")).startswith(":2: a run line")


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_files_that_hold_nothing(file: Write, read: Callable[[str], object]) -> None:
    """An empty file is an error of its own, also inside gzip."""
    assert "the file is empty" in message(read, file(b""))
    assert "the file is empty" in message(read, file(gzip.compress(b"")))


def test_files_without_rows(file: Write) -> None:
    """Only blank lines, or only comments, are told apart from an empty file."""
    assert "nothing but blank lines" in message(read_run, file(b"\n \n\r\n"))
    assert "a blank line in qrels" in message(read_qrels, file(b"\n\n"))
    assert "and comments" in message(lambda path: read_qrels(path, comments=True), file(b"# a\n"))


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    """A missing file gets a suggestion, a folder is called a folder."""
    (tmp_path / "run.bm25").write_bytes(GOOD_RUN)
    text = message(read_run, str(tmp_path / "run.bm52"))
    assert "there is no such file" in text
    assert f"did you mean '{tmp_path / 'run.bm25'}'?" in text
    assert "this is a directory" in message(read_run, str(tmp_path))
    assert "there is no folder" in message(read_qrels, str(tmp_path / "no" / "qrels"))
    with pytest.raises(InputError, match="not a file name"):
        read_run("a\0b")


@pytest.mark.parametrize("damage", [slice(0, -10), slice(0, 12)])
def test_damaged_gzip(file: Write, damage: slice) -> None:
    """A truncated file is corrupt, not short."""
    data = gzip.compress(b"".join(b"q Q0 d%d 1 1 t\n" % i for i in range(1000)))
    assert "the gzip data is corrupt" in message(read_run, file(data[damage]))
    assert "the gzip data is corrupt" in message(read_run, file(data + b"garbage"))
    assert "the gzip data is corrupt" in message(read_run, file(data[:30] + b"\xff\xff\xff" + data[33:]))


def test_utf16_gets_a_hint(file: Write) -> None:
    """Files written by Windows shells are recognised by their NUL bytes."""
    assert "UTF-16" in message(read_qrels, file("q 0 a 1\n".encode("utf-16")))


def test_control_characters_never_reach_the_terminal(file: Write) -> None:
    """Ids are other people's bytes: a message shows them escaped."""
    text = message(read_run, file(b"\x1b[31mq Q0 a 1\n"))
    assert "\x1b" not in text
    assert r"\x1b[31mq" in text


# ---- duplicates ----------------------------------------------------------------------------------------


def naive_duplicate(topics: list[list[bytes]]) -> tuple[int, int] | None:
    """First row whose docno occurs earlier in its topic, and that earlier row."""
    base = 0
    for docnos in topics:
        for later in range(len(docnos)):
            if docnos[later] in docnos[:later]:
                return base + docnos.index(docnos[later]), base + later
        base += len(docnos)
    return None


@given(
    st.lists(
        st.lists(st.sampled_from([b"d%d" % i for i in range(12)] + [b"x" * 20]), max_size=6), max_size=8
    ),
    st.sampled_from(["S20", "S24", object]),
)
def test_find_duplicate_finds_the_first_one(topics: list[list[bytes]], dtype: str | type) -> None:
    """Whatever the width of the column, the pair is the one that a search by hand finds first."""
    offsets = np.cumsum([0, *map(len, topics)])
    docnos = np.array([docno for some in topics for docno in some], dtype)
    assert find_duplicate(docnos, offsets) == naive_duplicate(topics)


def test_find_duplicate_in_many_rows() -> None:
    """Neither many topics nor one long topic hide a duplicate; the same document under two topics is none."""
    docnos = np.array([b"doc%d" % (i % 20_000) for i in range(60_000)], "S16")
    assert find_duplicate(docnos, np.array([0, 20_000, 40_000, 60_000])) is None
    assert find_duplicate(docnos, np.array([0, 20_000, 60_000])) == (20_000, 40_000)
    assert find_duplicate(docnos, np.arange(0, 60_001, 10)) is None
    docnos[59_999] = docnos[59_990]
    assert find_duplicate(docnos, np.arange(0, 60_001, 10)) == (59_990, 59_999)


def test_of_several_duplicates_one_is_told_the_same_way_each_time(file: Write) -> None:
    """Topics are looked at in byte order; lines are those of the file."""
    text = b"b 0 x 1\na 0 y 1\nb 0 x 1\na 0 z 1\na 0 y 1\n"
    assert message(read_qrels, file(text)).startswith(":5: document 'y' occurs twice under topic 'a'")


# ---- real files ----------------------------------------------------------------------------------------


def test_real_collections_are_read_as_a_split_by_hand_reads_them(corpus: Path) -> None:
    """Every row of every run and qrels of the corpus, with the doubles that Python's float gives."""
    for path in sorted(corpus.glob("*/run*")):
        split = [line.split() for line in path.read_bytes().splitlines()]
        expected = sorted(enumerate((c[0], c[2], float(c[4])) for c in split), key=lambda r: (r[1][0], r[0]))
        run = read_run(str(path))
        assert rows(run) == [row for _, row in expected]
        assert run.lines.tolist() == [line for line, _ in expected]
    for path in sorted(corpus.glob("*/qrels")):
        split = [line.split() for line in path.read_bytes().splitlines()]
        levels = sorted(((c[0], c[2], int(c[3])) for c in split), key=lambda row: row[0])
        assert rows(read_qrels(str(path))) == levels
