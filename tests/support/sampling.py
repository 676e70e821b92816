"""Samples of slow cases, so that all tests take minutes. ``CROSSCHECK_WHOLE=1 pytest`` runs every case."""

import os
from collections import Counter
from collections.abc import Sequence

import pytest

#: Whether every case is asked for.
WHOLE = bool(os.environ.get("CROSSCHECK_WHOLE"))


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests that are not run: those that are marked ``whole``, and of the cases of a test that is marked
    ``one_in(n)`` all but every n-th."""
    number: Counter[str] = Counter()
    left: list[pytest.Item] = []
    for item in () if WHOLE else items:
        if item.get_closest_marker("whole"):
            left.append(item)
        elif mark := item.get_closest_marker("one_in"):
            test = item.nodeid.partition("[")[0]
            left += [item] if number[test] % mark.args[0] else []
            number[test] += 1
    return left
