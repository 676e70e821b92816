"""Whatever a metric returns becomes values per query, or a mean, or a clear refusal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import UNNAMED, ByPosition, ResultReader
from crosscheck.names import parse_measure
from tests.support.kept import Kept, need

P5 = parse_measure("P@5")
TOPICS = {"1": b"1", "2": b"2"}


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


@dataclass
class Report:
    mrr: float
    precision: float
    name: str = ""


class Averaged(NamedTuple):
    of_queries: dict[str, float]
    average: float
    queries: int


def value(measure: str, returned: object) -> object:
    return ResultReader(parse_measure(measure) if measure else UNNAMED).value(returned)


def table(returned: object, order: str = "", *, aligned: bool = True) -> str:
    """Values and mean of what is returned of queries in this order."""
    reader = ResultReader(P5, TOPICS, [TOPICS[topic] for topic in order], aligned=aligned)
    values, mean = reader.table(returned)
    return f"{values}, mean {mean}"


def frame(*given: Any, **more: Any) -> Any:
    need("pandas")
    import pandas

    return pandas.DataFrame(*given, **more)


def picks(returned: object, order: str = "") -> list[str]:
    found = ResultReader(P5, TOPICS, [TOPICS[topic] for topic in order]).picks(returned)
    assert [str(parse_call(f"f(gains){pick}")) for pick in found] == [f"f(gains){pick}" for pick in found]
    return found


EXAMPLES = Kept(__file__, ByPosition, within=(globals(),), Decimal=Decimal, np=np)
test_what_is_returned_becomes_values_or_a_refusal = EXAMPLES.test()
