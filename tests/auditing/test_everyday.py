"""Metrics with everyday signatures are called as they are written for, or not at all."""

from __future__ import annotations

import pytest

from tests.auditing.everyday import EVERYDAY, call_of
from tests.auditing.everyday.registry import Everyday
from tests.sampling import one_in


# ``python -m tests.auditing.everyday`` tries and audits all.
@pytest.mark.parametrize("one", one_in(6, EVERYDAY), ids=lambda one: one.target.rpartition(":")[2])
def test_an_everyday_function_is_called_as_it_is_written_for(one: Everyday) -> None:
    """Names, annotations and docstrings, and the answers on some inputs, leave one call: the right one."""
    assert str(call_of(one).call) == one.call
