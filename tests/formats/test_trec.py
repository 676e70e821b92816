"""Bytes of a file become rows, or an error that names the line, shows it and says what to do."""

import os
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError
from crosscheck.formats.forms import with_form
from crosscheck.formats.reference_reader import RUN_LINES, Rules, lines
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Run, display
from tests.support.kept import Kept


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


def columns(run):
    """What belongs to the rows of a run: positions in the input, ranks, the last tag."""
    return run.lines.tolist(), run.ranks is not None and run.ranks.tolist(), run.tag


def told(table, show=shown):
    """What it holds, and the notes on it."""
    return "\n".join([str(show(table)), *(f"note: {note}" for note in table.notes)])


def file(content):
    """A file with this content."""
    Path("file").write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path("file")


def read(reader, content, path="file", form="", show=shown, **options):
    """What a file with this content holds."""
    file(content)
    return told(reader(with_form(path, form) if form else path, **options), show)


READERS = {"run": partial(read, read_run), "qrels": partial(read, read_qrels)}
EXAMPLES = Kept(__file__, within=(READERS,), rows=rows, columns=columns)
test_examples = EXAMPLES.test()


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
