"""Tables of claims in Python: each line is an expression that is true."""

from collections.abc import Mapping
from typing import Any

import pytest


def claims(table: str) -> pytest.MarkDecorator:
    """The lines of a table as cases of a test with the argument ``claim``; comments say what they show."""
    lines = [line.strip() for line in table.splitlines()]
    return pytest.mark.parametrize("claim", [line for line in lines if line and not line.startswith("#")])


def is_true(claim: str, names: Mapping[str, Any]) -> bool:
    return eval(claim, dict(names)) is True
