"""Kinds of scores in fresh inputs."""

from __future__ import annotations

import random
from collections.abc import Callable

__all__ = ["SCORES", "falling"]


def falling(rng: random.Random, count: int) -> list[float]:
    """Whole numbers down to 1, in rank order."""
    return [float(count - i) for i in range(count)]


def _decimals(places: int, spread: float = 1.0) -> Callable[[random.Random, int], list[float]]:
    """A kind of scores that need ``places`` decimals: with fewer, some tie."""

    def scores(rng: random.Random, count: int) -> list[float]:
        unit = 10**places
        most = max(int(spread * unit), 2 * count)
        return [value / unit for value in rng.sample(range(1, most + 1), count)]

    return scores


def _close(rng: random.Random, count: int) -> list[float]:
    """Scores around a common value, whose neighbours differ in the second to seventh decimal."""
    base = rng.choice((0.5, 1.0, 12.0))
    return [base + i * 10.0 ** -rng.choice((2, 3, 4, 5, 6)) for i in rng.sample(range(count), count)]


def _in_single_precision(rng: random.Random, count: int) -> list[float]:
    """Scores that differ in double but not in single precision."""
    return [1.0 + 1e-10 * i for i in rng.sample(range(count), count)]


def _around_zero(rng: random.Random, count: int) -> list[float]:
    return [(i - count // 2) / 2 for i in rng.sample(range(count), count)]


def _negative(rng: random.Random, count: int) -> list[float]:
    return [-0.25 * (i + 1) for i in rng.sample(range(count), count)]


def _magnitudes(rng: random.Random, count: int) -> list[float]:
    """Scores from tiny to huge."""
    return [rng.uniform(1, 9) * 10.0 ** rng.randint(-30, 30) for _ in range(count)]


def _steps(first: float, step: float) -> Callable[[random.Random, int], list[float]]:
    return lambda rng, count: [first + step * i for i in rng.sample(range(count), count)]


def _tied(groups: Callable[[random.Random, int], int]) -> Callable[[random.Random, int], list[float]]:
    def scores(rng: random.Random, count: int) -> list[float]:
        values = [rng.randint(-3, 12) + rng.choice((0.0, 0.5)) for _ in range(max(groups(rng, count), 1))]
        return [rng.choice(values) for _ in range(count)]

    return scores


#: All kinds, as functions that draw the scores of a number of documents.
SCORES: tuple[Callable[[random.Random, int], list[float]], ...] = (
    falling,
    _decimals(1, 5.0),
    _decimals(3),
    _decimals(5, 0.004),
    _decimals(6, 0.0003),
    _close,
    _in_single_precision,
    _around_zero,
    _negative,
    _magnitudes,
    _steps(90.0, 1.5),
    _steps(2000.0, 0.25),
    _steps(1e-8, 3e-8),
    _steps(1e9, 3e8),
    _tied(lambda rng, count: count // 2),
    _tied(lambda rng, count: count // 6),
    _tied(lambda rng, count: 2),
    _tied(lambda rng, count: 1),
)
