"""Ranks of judged documents under every order, tie rule and precision."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from crosscheck.axes.ties import TIES, Order, ScorePrecision, Ties
from crosscheck.conventions import Conventions
from crosscheck.evaluation.order import _ascending, _tie_keys, hit_ranks, whole_rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings import sorts
from crosscheck.rankings.pairing import Pairing
from crosscheck.rankings.sorts import DOCNO_KEYS, sorted_by
from tests.support.kept import examples
from tests.support.strategies import QrelsDict, RunDict, qrels_and_run

ALL = [
    Conventions(order=order, ties=ties, score_precision=precision)
    for order, ties, precision in itertools.product(Order, Ties, ScorePrecision)
]


def paired(qrels: QrelsDict, run: RunDict, ranks: list[int] | None = None) -> Pairing:
    retrieved = run_from_dict(run)
    column = None if ranks is None else np.resize(np.array(ranks, np.int64), len(retrieved.scores))
    return Pairing.of(replace(retrieved, ranks=column), qrels_from_dict(qrels))


def plainly(pairing: Pairing, topic: int, conventions: Conventions) -> list[int]:
    """The rows of one measured topic from rank 1 on, by one plain sort after another."""
    run, ties = pairing.run, conventions[TIES]
    start, end = run.offsets[[place := int(pairing.run_topic[topic]), place + 1]].tolist()
    ordered, key = list(range(start, end)), _ascending(pairing, conventions)
    if key is None:
        return ordered
    if ties.by_docno:
        docno_key = DOCNO_KEYS.get(ties.docno_order or "", bytes)
        ordered.sort(key=lambda row: docno_key(bytes(run.docnos[row])), reverse=ties.descending)
    elif ties not in (Ties.INPUT, Ties.AVERAGE, Ties.GROUP_END):
        (tie_key,) = _tie_keys(pairing, conventions, np.asarray(ordered))
        ordered.sort(key=dict(zip(ordered, tie_key.tolist(), strict=True)).__getitem__)
    return sorted(ordered, key=key.tolist().__getitem__)


@given(qrels_and_run(), st.lists(st.integers(-2, 5), min_size=1, max_size=9), st.sampled_from(["", "7" * 70]))
def test_vectorised_ranks_equal_the_plain_sort(given, ranks, end):
    """Under all conventions the vectorised ranks are the positions in the plainly sorted ranking, also of
    docnos that are too long for a fixed width."""
    qrels, run = (
        {query: {doc + end: v for doc, v in row.items()} for query, row in one.items()} for one in given
    )
    pairing = paired(qrels, run, ranks)
    for conventions in ALL:
        position: dict[int, int] = {}
        for topic in range(len(pairing.topics)):
            ordered = plainly(pairing, topic, conventions)
            assert whole_rankings(pairing, conventions)[topic].tolist() == ordered, conventions
            position |= {row: i for i, row in enumerate(ordered, 1)}
        expected = [position[row] for row in pairing.rows.tolist()]
        assert hit_ranks(pairing, conventions).tolist() == expected, conventions


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(width=32, allow_nan=False)), max_size=60))
def test_floats_are_sorted_by_their_bits_as_by_their_values(rows):
    """Negative numbers, both zeros, infinities and numbers of any size; equal ones keep their order."""
    topic = np.array([topic for topic, _ in rows], np.int64)
    key = np.array([value for _, value in rows], np.float32)
    expected = sorted(range(len(rows)), key=lambda row: (topic[row], key[row]))
    assert sorted_by(topic, key).tolist() == expected
    assert sorted_by(topic, key.astype(np.float64)).tolist() == expected


test_equal_keys_and_missing_ranks = examples(globals(), None, sorts)
