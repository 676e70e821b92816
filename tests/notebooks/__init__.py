"""The functions of the notebooks, with the numbers that these print.

s1.py, s3.py: test_s1_s3.py
"""

import inspect
from collections.abc import Callable


def shape(function: Callable[..., object]) -> list[tuple[str, object]]:
    """The arguments of a function in order, each with its default."""
    return [(one.name, one.default) for one in inspect.signature(function).parameters.values()]
