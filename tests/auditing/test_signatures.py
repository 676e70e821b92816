"""The calls that names of parameters suggest, and what a call settles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.signatures import UNKNOWN, candidates
from tests.auditing import metrics
from tests.auditing.audited import defined
from tests.support.kept import Kept
from tests.targets import s1, s2, s4, s5


def calls(function: Callable[..., Any] | str, *these: str, cutoff: bool = True) -> str:
    """How many calls are possible, how many of them pass files or have unknown names, and what some cost."""
    costs = {str(named): cost for cost, named in candidates(defined(function), None, has_cutoff=cutoff)}
    files, unknown = sum("file(" in text for text in costs), sum(cost >= UNKNOWN for cost in costs.values())
    cost = "".join(f"\n{call} costs {costs.get(call)}" for call in these)
    return f"{len(costs)} calls, {files} with files, {unknown} of unknown names{cost}"


def words(function: Callable[..., Any] | str) -> list[str]:
    """All words of the calls that are possible."""
    calls = (call for _, call in candidates(defined(function), None, has_cutoff=False))
    return sorted(set[str]().union(*(call.words for call in calls)))


def settled(call: str) -> str:
    """The axes that a call settles, of those that some call settles."""
    asked = {"order", "ties", "duplicates", "ids", "identical_ids", "missing_queries", "max_grade"}
    return ", ".join(sorted(parse_call(call).fixed_axes & asked))


EXAMPLES = Kept(__file__, within=(globals(),), metrics=metrics, s1=s1, s2=s2, s4=s4, s5=s5)
test_what_a_function_says_and_what_a_call_settles = EXAMPLES.test()
