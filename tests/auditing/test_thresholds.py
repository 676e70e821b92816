"""Numbers that the words of an audit rest on, with an example on either side of each, written as numbers."""

from __future__ import annotations

import gc

import pytest

from crosscheck.auditing import audit
from crosscheck.auditing.checking import _Compared, _one_sided
from crosscheck.auditing.kinds_of_change import KINDS, showing
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain.search import Search
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.names import parse_measure

_LINES = tuple(Line(f"d{i}", i, 10.0 - i) for i in range(1, 4))
ONE = Probe("", (("1", Query((("d1", 1),), _LINES)),), "1")


@pytest.mark.parametrize(("low", "high", "one_sided"), [(20, 0, True), (19, 0, False), (20, 1, False)])
def test_twenty_values_off_in_one_direction_are_no_lack_of_precision(
    low: int, high: int, one_sided: bool
) -> None:
    """``P/(k + 1e-6)`` is too low everywhere, rounding is not; nineteen values can be so by chance."""
    values = [_Compared(ONE, 0.5, 0.5 + sign * 2e-7, None, True) for sign in [-1] * low + [1] * high]
    assert _one_sided(values) is one_sided


def test_a_kind_of_change_is_shown_by_three_inputs() -> None:
    """Of four inputs on which level 1 matters the smallest three are enough; of two, both are taken."""
    kinds = [kind for kind in KINDS if kind.name == "level 1 counted as 0"]
    lists = (tuple(Line(f"d{i}", i, -float(i)) for i in range(1, n + 1)) for n in (1, 2, 3, 4))
    probes = [Probe("", (("1", Query((("d1", 1),), lines)),), "1") for lines in lists]
    for given, shown in ((4, 3), (3, 3), (2, 2)):
        found = showing(kinds, probes[:given], parse_measure("P@5"), Conventions())
        assert found["level 1 counted as 0"] == probes[:shown]


def one_rank_less(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len(set(ranked_ids[: k - 1]) & set(relevant_ids)) / k


def test_what_an_audit_knows_dies_with_it() -> None:
    """No search, and no rankings of its inputs, outlive an audit, whose memo caches they hold."""
    gc.collect()
    before = [o for o in gc.get_objects() if isinstance(o, Search | Rankings)]
    assert audit(one_rank_less, "P@5", call="f(ranked_ids, relevant_ids, k)").verdict == "deviates"
    gc.collect()
    known = {id(o) for o in before}
    assert [o for o in gc.get_objects() if isinstance(o, Search | Rankings) and id(o) not in known] == []
