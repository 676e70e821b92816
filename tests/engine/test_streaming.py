"""A streamed run is the whole run: same rankings, same values, same errors."""

import gzip
import inspect
import os
import tempfile
import threading
from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crosscheck.axes.judging import Negatives, Universe, Unjudged
from crosscheck.axes.ties import Order, ScorePrecision, Ties
from crosscheck.conventions import Conventions
from crosscheck.engine.streaming import Reading, StreamedRankings, rankings_of
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.trec import read_run
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import JudgedPool
from tests.formats.test_blocks import RUN_TEXT

USUAL = Conventions()
QRELS = {"1": {"1": 1, "2": 0, "q": 2}, "q": {"d" * 64: 1, "d" * 65: 3, "e": 0}, "10": {"absent": 1}}
POOL = JudgedPool(qrels_from_dict(QRELS | {"2": {str(i): i % 4 - 1 for i in range(12)}}))
DOCNO = st.sampled_from([b"1", b"2", b"3", b"q", b"d" * 64, b"d" * 65, b"e", b"u", b"v" * 9])
SCORE = st.sampled_from([b"1", b"2", b"2.0000000001", b"-1", b"1e39", b"2e39", b"inf", b"0.5", b"3"])
CONVENTIONS = st.builds(
    Conventions, order=st.sampled_from(Order), ties=st.sampled_from(Ties),
    score_precision=st.sampled_from(ScorePrecision), depth=st.sampled_from([None, 0, 1, 3]),
    unjudged=st.sampled_from(Unjudged), negatives=st.sampled_from(Negatives),
    universe=st.sampled_from(Universe),
)  # fmt: skip


@st.composite
def runs(draw):
    """Well-formed runs: mostly with each topic in one piece and each document once."""
    lines = []
    for topic in draw(st.lists(st.sampled_from([b"1", b"2", b"10", b"q", b"x"]), min_size=1, max_size=6)):
        for docno in draw(st.lists(DOCNO, min_size=1, max_size=8, unique=True)):
            rank = draw(st.sampled_from([b"1", b"2", b"3"]))
            lines.append(b" ".join([topic, b"Q0", docno, rank, draw(SCORE), b"tag"]))
    return b"\n".join(lines) + draw(st.sampled_from([b"", b"\n"]))


def columns(judged):
    others = "judgements", "recent"
    names = [name for name in inspect.get_annotations(JudgedRankings) if name not in others]
    values = {name: getattr(judged, name) for name in names}
    return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in values.items()}


def outcome(rankings, conventions):
    """Everything that measures see of a run, or the text of the error."""
    try:
        made: Rankings = rankings()
        read = made.reread(conventions)
        pairing = read.pairing
        masks = [pairing.measured.tolist(), pairing.missing.tolist(), pairing.unjudged.tolist()]
        counts = (len(pairing.run.topics), len(pairing.qrels.topics), pairing.run.tag)
        return columns(read.judged(conventions)), pairing.topics, pairing.all_topics, masks, counts
    except CrosscheckError as error:
        return str(error)


def write(folder, text):
    path = folder / "run"
    path.write_bytes(text)
    return str(path)


@settings(max_examples=240)
@given(st.one_of(runs(), RUN_TEXT), CONVENTIONS, st.sampled_from([1, 60, 250, 1 << 20]), st.booleans())
@example(b"1 Q0 1 1 1 t\n2 Q0 1 1 1 t\n1 Q0 2 1 1 t\n", Conventions(), 1, True)
@example(b"\0" * 9, Conventions(), 1, True)
def test_a_streamed_run_is_the_whole_run(text, conventions, size, strict):
    """Under any conventions and block size, topics that span blocks or come back included: the same rankings,
    or the same error for any bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), text)

        def whole():
            return Rankings(read_run(path, strict=strict), POOL)

        def streamed(*made_for):
            return lambda: rankings_of(Reading.of(path, Rules(strict), size), POOL, *made_for)

        # Rankings that were made for other conventions read the file again, and are right as well.
        for made, asked in ((streamed(conventions), conventions), (streamed(), conventions),
                            (streamed(conventions), USUAL)):  # fmt: skip
            assert outcome(made, asked) == outcome(whole, asked)


def test_an_ordinary_run_is_streamed_and_others_are_read_as_a_whole(tmp_path):
    """The fast way is taken for plain text and for gzip, whatever the order of topics; input that cannot be
    read twice, or is not lines of text, gives the same values."""
    text = b"".join(b"%s Q0 %d 1 %d t\n" % (topic, i, -i) for topic in (b"2", b"10", b"1") for i in range(9))
    for data, size, kind in (
        (text, 40, StreamedRankings),
        (gzip.compress(text), 1 << 20, StreamedRankings),
        (b'{"1": {"1": 2.0, "2": 1.0}}', 1 << 20, Rankings),
    ):
        assert type(rankings_of(Reading.of(write(tmp_path, data), Rules(), size), POOL)) is kind
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"1 Q0 1 1 2 t\n",))
    writer.start()
    assert rankings_of(Reading.of(str(pipe), Rules()), POOL).judged(Conventions()).rel.tolist() == [1]
    writer.join()


def test_orders_that_are_prepared_need_the_file_no_more(tmp_path):
    """It is read once for all of them, and each has the ranks that it gives the whole run."""
    text = b"".join(b"%d Q0 %d 1 %d t\n" % (topic, i, i // 2) for topic in (2, 10, 1) for i in range(9))
    path, orders = write(tmp_path, text), [Conventions(ties=ties) for ties in ("input", "reverse-input")]
    whole, streamed = Rankings(read_run(path), POOL), rankings_of(Reading.of(path, Rules(), 40), POOL)
    streamed.prepare(orders)
    Path(path).write_bytes(b"")
    assert [columns(streamed.judged(c)) for c in orders] == [columns(whole.judged(c)) for c in orders]
