"""The calls that names of parameters suggest, and what a call settles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.signatures import UNKNOWN, candidates
from tests.auditing import metrics
from tests.support.kept import REMEDY, Kept
from tests.targets import s1, s2, s4, s5


def _of_immutables(ranked: tuple[str, ...], relevant: frozenset[str], k: int) -> float:
    return 0.0


def _of_dicts(results: dict[str, list[dict[str, str]]], expected: dict[str, list[str]], k: int) -> float:
    return 0.0


def _of_lists_of_text(truth: list[list[str]], predictions: list[list[str]]) -> None:
    """Ids of several queries."""


class _Fitted:
    """It gets the judgements first."""

    def fit(self, qrels: dict[str, dict[str, int]]) -> None:
        """Keep them."""

    def score(self, run: dict[str, dict[str, float]], k: int) -> float:
        return 0.0


def _gain(found, item):
    return found in item["expected"]


def _of_records(items, k=5):
    """A helper of the module reads the other key."""
    return [_gain(item["retrieved"][0], item) for item in items[:k]]


def _of_objects(samples: list):
    return [sample.relevant == sample.predictions for sample in samples]


def calls(function: Callable[..., Any], call: str = "", *, cutoff: bool = True) -> str:
    """How many calls are possible, how many of them pass files or have unknown names, and what one costs."""
    costs = {str(named): cost for cost, named in candidates(function, None, has_cutoff=cutoff)}
    files, unknown = sum("file(" in text for text in costs), sum(cost >= UNKNOWN for cost in costs.values())
    cost = f"; this one costs {costs.get(call)}" * bool(call)
    return f"{len(costs)} calls, {files} with files, {unknown} of unknown names{cost}"


def words(function: Callable[..., Any]) -> list[str]:
    """All words of the calls that are possible."""
    return sorted({*()}.union(*(call.words for _, call in candidates(function, None, has_cutoff=False))))


def settled(call: str) -> str:
    """The axes that a call settles, of those that some call settles."""
    asked = {"order", "ties", "duplicates", "ids", "identical_ids", "missing_queries", "max_grade"}
    return ", ".join(sorted(parse_call(call).fixed_axes & asked))


EXAMPLES = Kept(__file__, within=(globals(),), metrics=metrics, s1=s1, s2=s2, s4=s4, s5=s5)


def test_examples():
    """What names, annotations and code of a function say, and what a call settles."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY
