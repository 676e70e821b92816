"""Whatever a metric returns becomes values per query, or a mean, or a clear refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import ResultReader
from crosscheck.errors import BackendError
from crosscheck.names import parse_measure

P5 = parse_measure("P@5")
TOPICS = {"1": b"1", "2": b"2"}
READER = ResultReader(P5, TOPICS)


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


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (0.5, 0.5),
        (1, 1.0),
        (np.float32(0.5), 0.5),
        (np.array([0.5]), 0.5),
        (Tensor(0.5), 0.5),
        (None, None),
        (True, 1.0),
        (np.bool_(False), 0.0),
        ({5: 0.25, 10: 0.5}, 0.25),
        ({"P@5": 0.25, "AP": 1.0}, 0.25),
        ({"precision": 0.1, "P_5": 0.25}, 0.25),
    ],
)
def test_one_value(returned: Any, value: float | None) -> None:
    """Numbers of any kind, None for no value, and the measure's entry of a dict."""
    assert READER.value(returned) == value


@pytest.mark.parametrize(
    "returned",
    [
        {"ndcg": 0.25, "map": 0.1},
        {"ndcg": 0.1, "ndcg@10": 0.25},
        {"ndcg": 0.1, 10: 0.25},
        {"nDCG": 0.25, "nDCG@5": 0.1},
    ],
)
def test_a_name_without_the_cutoff_counts_where_none_has_it(returned: Any) -> None:
    """The cutoff was passed, or is the metric's own."""
    assert ResultReader(parse_measure("nDCG@10")).value(returned) == 0.25


@pytest.mark.parametrize(
    "returned", ["0.5", [0.5, 0.5], {"AP": 1.0}, object(), np.array([1.0, 2.0]), Tensor(1.0, 2.0)]
)
def test_what_is_no_value_is_refused(returned: Any) -> None:
    """Everything else is an error that says what it was."""
    with pytest.raises(BackendError, match="returned"):
        READER.value(returned)


@pytest.mark.parametrize(
    "returned",
    [
        {"1": 0.5, "2": 1.0},
        {1: 0.5, 2: 1.0},
        {"1": {"P@5": 0.5}, "2": {"P@5": 1.0}},
        {"P@5": {"1": 0.5, "2": 1.0}},
        {"1": {"P_5": 0.5, "map": 0.0}, "2": {"P_5": 1.0, "map": 0.0}},
        [{"qid": "1", "P@5": 0.5}, {"qid": "2", "P@5": 1.0}],
        [{"map": 1, "qid": 2, "P_5": 1.0}, {"map": 1, "qid": 1, "P_5": 0.5}],
    ],
)
def test_tables_of_values(returned: Any) -> None:
    """Every nesting that tools use gives the same values."""
    assert READER.table(returned) == ({b"1": 0.5, b"2": 1.0}, None)


def test_data_frames() -> None:
    """One row per query, by index or by a column that names it."""
    pd = pytest.importorskip("pandas")
    by_index = pd.DataFrame({"P@5": [0.5, 1.0]}, index=["1", "2"])
    by_column = pd.DataFrame({"query": ["1", "2"], "P@5": [0.5, 1.0], "AP": [0.0, 0.0]})
    for frame in (by_index, by_column, by_index["P@5"]):
        assert READER.table(frame) == ({b"1": 0.5, b"2": 1.0}, None)


def test_one_number_for_each_query_that_was_passed() -> None:
    """A list or array as long as the list of queries holds their values, in that order."""
    assert ResultReader(P5, TOPICS, [b"2"]).table([0.5]) == ({b"2": 0.5}, None)
    for returned in ([0.5, 1.0], (0.5, 1.0), np.array([0.5, 1.0])):
        assert ResultReader(P5, TOPICS, [b"2", b"1"]).table(returned) == ({b"2": 0.5, b"1": 1.0}, None)


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
    ],
)
def test_the_numbers_among_several_values(returned: Any, picks: list[str]) -> None:
    """Each number can be picked, first one that is called like the measure; never another measure's."""
    assert READER.picks(returned) == picks
    assert [str(parse_call(f"f(gains){pick}")) for pick in picks] == [f"f(gains){pick}" for pick in picks]


def test_means() -> None:
    """One number, alone or under the measure's name, is the mean; no value for a query leaves it out."""
    assert READER.table(0.5) == ({}, 0.5)
    assert READER.table({"P_5": 0.5}) == ({}, 0.5)
    assert READER.table({"1": None, "2": 0.5}) == ({b"2": 0.5}, None)


@pytest.mark.parametrize("returned", ["x", {"9": 0.5}, [1.0]])
def test_tables_that_are_none_are_refused(returned: Any) -> None:
    """A query that was not requested, or a result that is not a table, is an error."""
    with pytest.raises(BackendError):
        READER.table(returned)
