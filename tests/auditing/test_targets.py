"""Whatever a metric returns becomes values per query, or a mean, or a clear refusal."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import UNNAMED, ByPosition, ResultReader
from crosscheck.errors import BackendError
from crosscheck.names import parse_measure

P5 = parse_measure("P@5")
TOPICS = {"1": b"1", "2": b"2"}
READER = ResultReader(P5, TOPICS)
BOTH = ({b"1": 0.5, b"2": 1.0}, None)


class Tensor:
    """Stands for one of PyTorch, whose ``size`` is a method."""

    def __init__(self, *values: float) -> None:
        self._values = values

    def numel(self) -> int:
        return len(self._values)

    def size(self) -> tuple[int]:
        return (len(self._values),)

    def item(self) -> float:
        (value,) = self._values
        return value


def refused(expected: object) -> Any:
    return pytest.raises(BackendError, match="returned") if expected is BackendError else nullcontext()


@pytest.mark.parametrize(
    ("measure", "returned", "value"),
    [
        ("P@5", 0.5, 0.5),
        ("P@5", 1, 1.0),
        ("P@5", np.float32(0.5), 0.5),
        ("P@5", Decimal("0.5"), 0.5),
        ("P@5", Decimal("sNaN"), BackendError),
        ("P@5", 0.5 + 0j, BackendError),
        ("P@5", np.array([0.5]), 0.5),
        ("P@5", Tensor(0.5), 0.5),
        ("P@5", None, None),
        ("P@5", True, 1.0),
        ("P@5", np.bool_(False), 0.0),
        ("P@5", {5: 0.25, 10: 0.5}, 0.25),
        ("P@5", {"P@5": 0.25, "AP": 1.0}, 0.25),
        ("P@5", {"precision": 0.1, "P_5": 0.25}, 0.25),
        # A name without the cutoff counts where none has it: it was passed, or is the metric's own.
        ("nDCG@10", {"ndcg": 0.25, "map": 0.1}, 0.25),
        ("nDCG@10", {"ndcg": 0.1, "ndcg@10": 0.25}, 0.25),
        ("nDCG@10", {"ndcg": 0.1, 10: 0.25}, 0.25),
        ("nDCG@10", {"nDCG": 0.25, "nDCG@5": 0.1}, 0.25),
        ("", {"my_precision": 0.25}, 0.25),
        ("", {"mine": 0.0, "other": 1.0}, BackendError),
        ("P@5", "0.5", BackendError),
        ("P@5", [0.5, 0.5], BackendError),
        ("P@5", {"AP": 1.0}, BackendError),
        ("P@5", object(), BackendError),
        ("P@5", np.array([1.0, 2.0]), BackendError),
        ("P@5", Tensor(1.0, 2.0), BackendError),
    ],
)
def test_one_value(measure, returned, value):
    """Numbers of any kind, None for no value, and the measure's entry of a dict, or its only one if no
    measure is named; all else is an error that says what it was."""
    with refused(value):
        assert ResultReader(parse_measure(measure) if measure else UNNAMED).value(returned) == value


@pytest.mark.parametrize(
    ("order", "returned", "expected"),
    [
        # Every nesting that tools use gives the same values.
        ("", {"1": 0.5, "2": 1.0}, BOTH),
        ("", {1: 0.5, 2: 1.0}, BOTH),
        ("", {"1": {"P@5": 0.5}, "2": {"P@5": 1.0}}, BOTH),
        ("", {"P@5": {"1": 0.5, "2": 1.0}}, BOTH),
        ("", {"1": {"P_5": 0.5, "map": 0.0}, "2": {"P_5": 1.0, "map": 0.0}}, BOTH),
        ("", [{"qid": "1", "P@5": 0.5}, {"qid": "2", "P@5": 1.0}], BOTH),
        ("", [{"map": 1, "qid": 2, "P_5": 1.0}, {"map": 1, "qid": 1, "P_5": 0.5}], BOTH),
        # As many numbers as queries were passed are their values, in that order.
        ("2", [0.5], ({b"2": 0.5}, None)),
        ("", [("2", 1.0), ("1", 0.5)], BOTH),
        ("12", [0.5, 1.0], BOTH),
        ("12", (0.5, 1.0), BOTH),
        ("21", np.array([1.0, 0.5]), BOTH),
        # One number, alone or under the measure's name, is the mean; no value for a query leaves it out.
        ("", 0.5, ({}, 0.5)),
        ("", {"P_5": 0.5}, ({}, 0.5)),
        ("", {"1": None, "2": 0.5}, ({b"2": 0.5}, None)),
        ("", "x", BackendError),
        ("", {"9": 0.5}, BackendError),
        ("", [1.0], BackendError),
        ("", [("9", 0.5)], BackendError),
        ("", [], BackendError),
    ],
)
def test_tables_of_values(order, returned, expected):
    with refused(expected):
        assert ResultReader(P5, TOPICS, [TOPICS[topic] for topic in order]).table(returned) == expected


def test_values_by_position_need_one_order():
    """Where qrels and run have their queries in different orders, nobody says whose values they are."""
    with pytest.raises(ByPosition):
        ResultReader(P5, TOPICS, [*TOPICS.values()], aligned=False).table([0.5, 1.0])


def test_data_frames():
    """One row per query, by index or by a column that names it."""
    pd = pytest.importorskip("pandas")
    by_index = pd.DataFrame({"P@5": [0.5, 1.0]}, index=["1", "2"])
    by_column = pd.DataFrame({"query": ["1", "2"], "P@5": [0.5, 1.0], "AP": [0.0, 0.0]})
    for frame in (by_index, by_column, by_index["P@5"]):
        assert READER.table(frame) == BOTH


@dataclass
class _Report:
    mrr: float
    precision: float
    name: str = ""


@pytest.mark.parametrize(
    ("returned", "picks"),
    [
        (0.5, []),
        ((0.1, 0.2), ["[0]", "[1]", "[-1]"]),
        ({"recall": 0.1, "precision": 0.2, "AP": 0.3}, ["['precision']", "['recall']"]),
        ({"P@5": 0.1, "recall": 0.2}, []),
        (_Report(0.1, 0.2), [".precision", ".mrr"]),
        ({"means": {"precision": 0.1}, "k": 5}, ["['means']['precision']", "['k']"]),
        ("0.5", []),
        # A long sequence holds the values of queries or documents.
        ([0.5] * 30, [*(f"[{place}]" for place in range(30)), "[-1]"]),
        ([0.5] * 31, []),
    ],
)
def test_the_numbers_among_several_values(returned, picks):
    """Each number can be picked, first one that is called like the measure; never another measure's."""
    assert READER.picks(returned) == picks
    assert [str(parse_call(f"f(gains){pick}")) for pick in picks] == [f"f(gains){pick}" for pick in picks]
