"""Bytes of a file become rows, or an error that names the line, shows it and says what to do."""

import gzip
import os
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError
from crosscheck.formats.reference_reader import RUN_LINES, Rules, lines
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Run, display

lenient_run, run_with_comments = partial(read_run, strict=False), partial(read_run, comments=True)
lenient_qrels, qrels_with_comments = partial(read_qrels, strict=False), partial(read_qrels, comments=True)
subtopics = partial(read_qrels, needs="subtopics")
lenient_subtopics, preferences = partial(subtopics, strict=False), partial(read_qrels, needs="preferences")


def rows(table):
    """(topic, docno, score or level) of every row."""
    topics = np.repeat(np.array(table.topics, object), np.diff(table.offsets))
    values = table.scores if isinstance(table, Run) else table.rels
    return list(zip(topics.tolist(), table.docnos.tolist(), values.tolist(), strict=True))


def shown(table):
    """The rows of a table, or its judgements per subtopic if it has any, as text."""
    if isinstance(table, Run) or table.subtopics is None:
        return ", ".join(f"{display(topic)} {display(docno)} {value}" for topic, docno, value in rows(table))
    held, documents = table.subtopics, rows(table)
    entries = zip(held.document.tolist(), held.subtopic.tolist(), held.rels.tolist(), strict=True)
    return ", ".join(
        f"{display(documents[row][0])} {display(held.names[name])} {display(documents[row][1])} {level}"
        for row, name, level in entries
    )


NESTED = b' \n{"q2": {"a": 1.5, "b": 2}, "q1": {"a": -1}}'
SUBTOPICS = b"2 b x 1\n1 b x 0\n1 a y 2\n1 a x 3\n2 a y -1\n"
SCORES = [b"0x0B", b"1e1", b"+1", b".5", b"-inf", b"1e999", b"-0.0", b"16777217.25"]
LEVELS = [b"1.9", b"abc", b"0x5", b"1e3", b"+2", b"-0.5", b"1_0"]


@pytest.mark.parametrize(
    ("read", "data", "expected"),
    [
        # Topics in byte order, documents in input order.
        (read_run, b"9 Q0 x 1 1 t\na Q0 x 1 2 t\n10 Q0 x 1 3 t\nB Q0 x 1 4 t\n9 Q0 w 2 5 t\n10 Q0 w 2 6 t\n",
         "10 x 3.0, 10 w 6.0, 9 x 1.0, 9 w 5.0, B x 4.0, a x 2.0"),
        # Only the six ASCII blanks separate columns; blank lines and further columns are ignored in runs.
        (read_run, b"\r\n  q Q0\ta 1 3 tag more words\r\n\n\t\nq\vQ0\fb 2 2 tag\r\nq Q0 c x 1 last",
         "q a 3.0, q b 2.0, q c 1.0"),
        (lenient_run, b"q Q0 a b 1 2.5 t\n", "q a 1.0"),
        (read_qrels, "q\u00a0 0 d\x1c\x85 1\n".encode("latin-1"), "q\\xa0 d\x1c\\x85 1"),
        (read_run, b"1 Q0 a 1\r1.0 t\r\n1 Q0 b 2 0.5 t \r\n1 Q0 c 3 2 t x \r\n", "1 a 1.0, 1 b 0.5, 1 c 2.0"),
        # Ids are bytes, of any length; a byte order mark is a part of the first.
        (read_qrels, b"\xff 0 \xfe\x80 1\nq 0 D 1\nq 0 d 0\nq 0 " + b"x" * 99 + b" 2\n",
         f"q D 1, q d 0, q {'x' * 99} 2, \\xff \\xfe\\x80 1"),
        (read_run, b"\xef\xbb\xbfq Q0 a 1 1 t\nq Q0 b 1 1 t\n", "q b 1.0, \ufeffq a 1.0"),
        # Numbers are what C reads; strict readers take whole numbers only.
        (read_run, b"".join(b"q Q0 %d 1 %s t\n" % row for row in enumerate(SCORES)),
         "q 0 11.0, q 1 10.0, q 2 1.0, q 3 0.5, q 4 -inf, q 5 inf, q 6 -0.0, q 7 16777217.25"),
        (lenient_run, b"q Q0 a 1 abc t\nq Q0 b 1 1.5junk t\nq Q0 c 1 1,9 t\nq Q0 a 1 nan t\n",
         "q a 0.0, q b 1.5, q c 1.0, q a nan"),
        (lenient_qrels, b"".join(b"q 0 %d %s\n" % row for row in enumerate(LEVELS)),
         "q 0 1, q 1 0, q 2 0, q 3 1, q 4 2, q 5 0, q 6 1"),
        (read_qrels, b"q 0 a -1\nq 0 b -2\nq 0 c +3\n", "q a -1, q b -2, q c 3"),
        # Comments only where asked: in a run after blanks, in qrels in the first byte.
        (run_with_comments, b"# two\n  # words\nq Q0 #d 1 1 #t\n", "q #d 1.0"),
        (read_run, b"#1 Q0 d 1 1 t\n", "#1 d 1.0"),
        (qrels_with_comments, b"# a\n# b\nq 0 d 1\n# c", "q d 1"),
        (qrels_with_comments, b" #q 0 d 1\n", "#q d 1"),
        # Gzip and JSON of either form are recognised by content.
        (read_run, gzip.compress(b"q Q0 a 1 2 t\n", mtime=0), "q a 2.0"),
        (read_run, gzip.compress(NESTED, mtime=0), "q1 a -1.0, q2 a 1.5, q2 b 2.0"),
        (read_run, b"\xef\xbb\xbf" + NESTED, "q1 a -1.0, q2 a 1.5, q2 b 2.0"),
        (read_qrels, b'{"query": [2, 1], "docid": ["a", "b"], "rel": [0, 3]}', "1 b 3, 2 a 0"),
        # Subtopics: every judgement is kept, by topic and document; names as the file first names them.
        (subtopics, SUBTOPICS, "1 b x 0, 1 a x 3, 1 a y 2, 2 b x 1, 2 a y -1"),
        (subtopics, b"1 0 a 1\n1 0 b 0\n2 7 a 1\n", "1 a 1, 1 b 0, 2 a 1"),
        (subtopics, b'{"1": {"b": {"x": 0}, "a": {"x": 2}}}', "1 b x 0, 1 a x 2"),
        (subtopics, b'{"query": [1, 1], "subtopic": ["b", "a"], "docid": ["x", "x"], "rel": [0, 1]}',
         "1 b x 0, 1 a x 1"),
    ],
)  # fmt: skip
def test_bytes_become_rows(tmp_path, read, data, expected):
    """By trec_eval's rules, whatever the container."""
    (tmp_path / "file").write_bytes(data)
    assert shown(read(str(tmp_path / "file"))) == expected


RUN, QRELS = b"q Q0 z 1 9 t\n\n", b"q 0 z 1\n"
_NUL = "it may be UTF-16, an archive, or binary"


@pytest.mark.parametrize(
    ("read", "data", "said"),
    [
        (read_run, RUN + b"q Q0 a 1 2.5", ":3: the run line has 5 columns|'q Q0 a 1 2.5'|add a run tag"),
        (read_run, RUN + b"q Q0 a 1", ":3: the run line has 4 columns|complete the line"),
        (read_run, b"q Q0 a 1", ":1: the run line has 4 columns|looks like a line of qrels"),
        (read_run, RUN + b"q a 1", ":3: the run line has 3 columns|at least 6 columns|the path \"msmarco:"),
        (read_run, RUN + b"q,Q0,a,1,2,t", ":3: the run line has 1 column\n|name them in a first line"),
        (read_run, RUN + b"# hello", ":3: the run line has 2 columns|no comments"),
        (read_run, RUN + b"q Q0 a 1 abc t", ":3: the score is not a number|would silently read 0.0"),
        (read_run, RUN + b"q Q0 a b 1 2.5 t", ":3: the rank is in a later column|CSV or JSON"),
        (read_run, RUN + b"q Q0 a 7 1 2 t\nq Q0 a 8 2 1 t", ":4: document 'a' occurs|if ids have blanks"),
        (read_run, RUN + b"q Q0 a 1 -nan t", ":3: the score is NaN|remove the line"),
        (read_run, RUN + b"q Q0 a\x00b 1 2 t", rf":3: a NUL byte|'q Q0 a\x00'|{_NUL}"),
        (read_run, RUN + b"q Q0 z 2 1 t", ":3: document 'z' occurs twice under topic 'q', on lines 1 and 3"),
        (read_run, b"1 Q0 a 1 1 t\n1 Q0 b 2 1 t\r1 Q0 c 2 0.5 t\n", ":2: a carriage return inside a line"),
        # Of several errors the first one in the file is named; what it quotes is escaped.
        (read_run, b"q Q0 a 1 1 t\nq Q0 b 1 x t\nq Q0\n", ":2: the score"),
        (read_run, b"q Q0 a 1 1 t\nq Q0\nq Q0 b 1 x t\n", ":2: the run line"),
        (read_run, b"\x1b[31mq Q0 a 1\n", r"\x1b[31mq"),
        (read_qrels, QRELS + b"q Q0 a 1 2.5 t", ":2: the qrels line has 6 columns|remove further columns"),
        (read_qrels, b"q Q0 a 1 2.5 t", ":1: the qrels line has 6 columns|looks like a line of a run"),
        (read_qrels, b"q Q0 a 1 2.5", ":1: the qrels line has 5 columns|looks like a line of a run"),
        (read_qrels, QRELS + b"q 0 a b 1", ":2: the qrels line has 5 columns|blanks inside the docno"),
        (read_qrels, QRELS + b"q g s a 1", "looks like a line of preferences"),
        (read_qrels, QRELS + b"q a 1", ":2: the qrels line has 3 columns|the path \"qid,docid,relevance:"),
        (read_qrels, QRELS + b"# x", ":2: the qrels line has 2 columns|no comments"),
        (read_qrels, QRELS + b" \t", ":2: a blank line in qrels|found:    ' \\t'"),
        (read_qrels, QRELS + b"q 0 a 0.5", ":2: the relevance level is not a whole number|read 0"),
        (read_qrels, b"q 0 a 9223372036854775808", ":1: the relevance level does not fit into 64 bits"),
        (lenient_qrels, b"q 0 a -9223372036854775809", "does not fit into 64 bits|trec_eval fails on it"),
        (lenient_qrels, b"q 0 a " + b"9" * 5000, "does not fit into 64 bits"),
        # Duplicates: topics are looked at in byte order, lines are those of the file.
        (read_qrels, QRELS + b"q 0 z 2",
         ":2: document 'z' occurs twice|'q', on lines 1 and 2\n  found:    'q 0 z 2'|to do:    remove one"),
        (read_qrels, b"b 0 x 1\na 0 y 1\nb 0 x 1\na 0 z 1\na 0 y 1\n", ":5: document 'y' occurs twice|'a'"),
        (read_qrels, b"1 a x 1\n1 b x 1\n", "on lines 1 and 2|measures over subtopics (alpha_nDCG@10)"),
        (subtopics, b"1 a x 1\n1 b x 1\n1 b x 0\n", "topic '1' and one subtopic, on lines 2 and 3"),
        (lenient_subtopics, b"1 a x 1\n1 b x 1\n1 b x 0\n", "and one subtopic, on lines 2 and 3"),
        (preferences, b"1 g s a 1\n1 g\n", ":2: the preferences line has 2 columns|exactly 5 columns|-R"),
        (preferences, b"1 g a 1\n\n", ":2: a blank line in preferences|exactly 4 columns|remove the line"),
        # Nothing, and containers.
        (read_run, b"", "the file is empty"),
        (read_qrels, gzip.compress(b"", mtime=0), "the file is empty"),
        (read_run, b"\n \n\r\n", "nothing but blank lines"),
        (qrels_with_comments, b"# a\n", "nothing but blank lines and comments"),
        (read_run, gzip.compress(RUN * 99, mtime=0)[:-10], "the gzip data is corrupt"),
        (read_run, gzip.compress(RUN, mtime=0) + b"garbage", "the gzip data is corrupt"),
        (read_run, b"\x28\xb5\x2f\xfd rest", "the zstd data is corrupt"),
        (read_qrels, b"ARROW1\0\0", "the feather file cannot be read"),
        (read_run, b"\xfd7zXZ\0 rest", "the xz data is corrupt"),
        (read_run, b"BZh91AY&SY rest", "the bzip2 data is corrupt"),
        (read_run, b"\x04\x22\x4d\x18 rest", "compressed with lz4"),
        (read_run, b"PK\x03\x04 rest", "an archive of zip, as .zip, .xlsx and .npz are"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_shown_and_explained(tmp_path, read, data, said):
    """The file, the line, its content and the way out."""
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(str(path))
    text = str(caught.value)
    assert text.startswith(str(path))
    assert [part for part in said.split("|") if part not in text] == []
    assert "\x1b" not in text


def test_what_belongs_to_the_rows(tmp_path):
    """Positions in the input, ranks, the last tag, notes; and levels for measures without subtopics."""
    path = tmp_path / "file"
    path.write_bytes(b"9 Q0 x 4 1 t\n10 Q0 x 5 3 t\n9 Q0 w 6 5 last\n")
    run = read_run(str(path))
    assert run.ranks is not None
    assert (run.lines.tolist(), run.ranks.tolist(), run.tag) == ([1, 0, 2], [5, 4, 6], b"last")
    assert run.notes == ("the lines have 2 different tags ('t', 'last'); they are read as one run",)
    path.write_bytes(b"q Q0 a 1 1 t\nq Q0 b x 1 t\n")
    run = read_run(str(path))
    noted = "the rank column contains a value that is not an integer (line 2: 'x'), so it is ignored"
    assert (run.ranks, run.notes) == (None, (noted,))
    path.write_bytes(SUBTOPICS)
    qrels = subtopics(str(path))
    assert rows(qrels) == [(b"1", b"x", 3), (b"1", b"y", 2), (b"2", b"x", 1), (b"2", b"y", -1)]
    (said,) = qrels.notes
    assert said == "2 subtopics: for other measures a document has the highest of its relevance levels"
    path.write_bytes(b"1 0 a 1\n2 7 a 1\n")
    (said,) = subtopics(str(path)).notes
    assert said == "each query has a single subtopic, which measures over subtopics treat as the whole topic"
    path.write_bytes(b"q 0 abcdefghi 1\n")
    assert read_qrels(str(path)).docnos.dtype == "S16"


QUERIES = st.sampled_from([b"1", b"2", b"10", b"\xff", b"q" * 70])
ROWS = st.tuples(QUERIES, st.integers(0, 200), st.floats(allow_nan=False))


@given(st.lists(ROWS, min_size=1, max_size=60, unique_by=lambda row: row[:2]))
def test_grouping_is_what_a_dict_of_lists_gives(tmp_path_factory, some):
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_like_a_file(tmp_path):
    """A file that can be read only once is read once, also where an error is found at its end."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for data, said in ((b"q 0 a 1\nq 0 b 0\n", ""), (b"q 0 a 1\nq 0 a 0\n", "on lines 1 and 2")):
        writer = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
        writer.start()
        if said:
            with pytest.raises(InputError, match=said):
                read_qrels(str(path))
        else:
            assert shown(read_qrels(str(path))) == "q a 1, q b 0"
        writer.join()


def test_paths_that_are_no_file(tmp_path):
    """A missing file gets a suggestion, a folder is called a folder."""
    (tmp_path / "run.bm25").write_bytes(RUN)
    for path, said in (
        (tmp_path / "run.bm52", f"there is no such file|did you mean '{tmp_path / 'run.bm25'}'?"),
        (tmp_path, "this is a directory"),
        (tmp_path / "no" / "qrels", "there is no folder"),
        ("a\0b", "the path is not a file name"),
    ):
        with pytest.raises(InputError) as caught:
            read_run(str(path))
        assert all(part in str(caught.value) for part in said.split("|"))
