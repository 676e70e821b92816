"""The order in which numba's quicksort leaves equal keys; backends/test_ranx.py holds it against ranx."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.evaluation.order import topic_order
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings.pairing import Pairing
from crosscheck.rankings.sorts import quicksort_order

#: Keys, and the order in which ranx 0.3.21 with numba 0.68.1 ranked documents with these scores, negated.
RECORDED = [
    ([0.0] * 15, list(range(15))),
    ([0.0] * 16, [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15]),
    ([0.0] * 17, [15, 14, 13, 12, 11, 10, 9, 16, 8, 6, 5, 4, 3, 2, 1, 0, 7]),
    (
        [-float(i % 3) for i in range(20)],
        [2, 5, 17, 8, 11, 14, 19, 1, 4, 7, 16, 10, 13, 18, 15, 0, 9, 6, 3, 12],
    ),
    (
        [-float(i * 7 % 5) for i in range(40)],
        [
            *(37, 2, 32, 27, 7, 22, 17, 12, 34, 29, 24, 14, 39, 19, 9, 4, 36, 1, 31, 6),
            *(21, 11, 26, 16, 8, 23, 38, 13, 28, 18, 3, 33, 10, 35, 30, 20, 5, 25, 0, 15),
        ],
    ),
]


@pytest.mark.parametrize(("keys", "order"), RECORDED, ids=[str(len(keys)) for keys, _ in RECORDED])
def test_the_order_is_the_one_that_ranx_showed(keys: list[float], order: list[int]) -> None:
    """Input order up to 15 documents; from 16 on what the partitions left."""
    assert quicksort_order(keys) == order


@given(st.lists(st.integers(0, 9), max_size=80))
def test_it_sorts(keys: list[int]) -> None:
    """Every index once, keys ascending, and ties in input order where the list is short."""
    order = quicksort_order(keys)
    assert sorted(order) == list(range(len(keys)))
    assert [keys[i] for i in order] == sorted(keys)
    if len(keys) < 16:
        assert order == sorted(range(len(keys)), key=keys.__getitem__)


def test_twice_sorts_what_the_first_time_left() -> None:
    """ranx sorts a run when it is made and again in make_comparable: 17 tied documents come back in order."""
    run = run_from_dict({"1": {f"d{i:02}": 1.0 for i in range(17)}})
    pairing = Pairing.of(run, qrels_from_dict({"1": {"d00": 1}}))
    assert topic_order(pairing, 0, Conventions(ties=Ties.QUICKSORT)) == RECORDED[2][1]
    assert topic_order(pairing, 0, Conventions(ties=Ties.QUICKSORT_TWICE)) == list(range(17))
