"""The functions of three notebooks, with the notebooks' names, arguments and conventions.

``s1`` takes relevance levels in rank order, ``s2`` lists of ids and data frames, ``s3`` short formulas. The
notebooks are described in ``fixtures/README.md``. The conventions are those of the profiles ``sources.S1`` to
``sources.S3``, and the numbers are those of the native measures. Where a notebook has no value (a division by
zero) the value is 0.0, and levels are whole numbers as in qrels.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def also_named(**names: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """A decorator that adds keywords to a function. ``names``: new keyword -> the argument that it sets."""

    def accepting(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            for name in names.keys() & kwargs.keys():
                if names[name] in kwargs:
                    raise TypeError(f"{function.__name__}() got {names[name]} twice, once as {name}")
                kwargs[names[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        return called

    return accepting
