"""The changes that the program for mutation makes, and those it leaves out."""

from __future__ import annotations

from pathlib import Path

from tests.programs import mutation

SAMPLE = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from x import y
class Limit(Base, frozen=True):
    most: int = 3
def far(value: int | None, limit: float = 0.5) -> bool:
    'Whether it is far.'
    if value is None or not value:
        return False
    return abs(value - 1) >= limit
"""
CHANGES = """
6: 3 -> (4)
6: 3 -> (300)
7: 0.5 -> (1.5)
9: value is None -> (value is not None)
9: value is None or not value -> (value is None and (not value))
9: value is None or not value -> (value is None)
9: not value -> (value)
10: False -> (True)
10: return False -> return None
11: 1 -> (2)
11: abs(value - 1) >= limit -> (abs(value - 1) > limit)
11: return abs(value - 1) >= limit -> return None
11: value - 1 -> (value + 1)
"""


def test_conditions_numbers_and_results_are_changed_and_nothing_else(tmp_path: Path) -> None:
    """Annotations, keywords of classes, docstrings and imports for types stay as they are."""
    path = tmp_path / "sample.py"
    path.write_text(SAMPLE)
    found = [f"{one.line}: {one.before} -> {one.after}" for one in mutation.mutants(path)]
    assert sorted(found) == sorted(CHANGES.strip().splitlines())


def test_the_same_seed_draws_the_same_mutants_of_every_room() -> None:
    """No line twice; a room has its share, and a few have at least one."""
    first = mutation.drawn([], 300, 1)
    assert len({(one.path, one.line) for one in first}) == len(first) == 300
    assert {one.room for one in first} >= {"measures", "report", "cli", "formats", "backends"}
    few = [mutation.drawn(["axes"], 20, seed) for seed in (1, 1, 2)]
    assert few[0] == few[1] != few[2]
    assert {one.room for one in few[0]} == {"axes"}
