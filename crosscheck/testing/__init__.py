"""Assertions about metrics for tests, and the plugin that collects cases in pytest.

``assert_agrees(my_ndcg, "nDCG@10")`` audits a metric; ``assert_same(qrels, run, values, "nDCG@10")`` compares
given values. ``pytest --crosscheck fixtures/`` collects every comparison of the cases in a folder.
Importing this package, or the plugin, imports nothing but the standard library.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crosscheck.testing.assertions import assert_agrees, assert_same

__all__ = ["assert_agrees", "assert_same"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from crosscheck.testing import assertions

    return getattr(assertions, name)
