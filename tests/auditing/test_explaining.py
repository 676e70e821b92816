"""The search of an audit is bounded: of four and more changes only the most telling ones are combined."""

from __future__ import annotations

from itertools import combinations
from math import prod

import pytest

from crosscheck.auditing import explaining
from crosscheck.axes import likeliest


@pytest.mark.parametrize("most", [100, 2_000])
def test_the_most_telling_changes_make_a_bounded_number_of_sets(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many changes as fit, and none before a more telling one; one more would make too many sets."""
    monkeypatch.setattr(explaining, "_MOST_SETS", most)
    axes = likeliest()[:9]
    telling = {(axis, value): 7 * place % 31 + value for place, axis in enumerate(axes) for value in range(6)}
    in_order = sorted(telling, key=lambda change: -telling[change])

    def sets(number: int) -> int:
        by_axis = [sum(axis is of for axis, _ in in_order[:number]) for of in axes]
        return sum(prod(chosen) for chosen in combinations(by_axis, 4))

    chosen = explaining._most(telling, 4)
    assert chosen == in_order[: len(chosen)]
    assert sets(len(chosen)) <= most < sets(len(chosen) + 1)
