"""Runs that are hard to read or to order, made from an ordinary one line by line."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["VARIANTS", "write_variants"]

Lines = list[list[str]]


def _shuffled(lines: Lines) -> Lines:
    """The documents of each topic in no order."""
    rng = random.Random(0)
    return sorted(lines, key=lambda line: (line[0], rng.random()))


def _long_decimals(lines: Lines) -> Lines:
    rng = random.Random(0)
    return _with_scores(lines, (repr(float(line[4]) + rng.random() * 1e-6) for line in lines))


def _all_tied(lines: Lines) -> Lines:
    return _with_scores(lines, ("1.000000" for _ in lines))


def _heavy_ties(lines: Lines) -> Lines:
    return _with_scores(lines, (f"{float(line[4]):.0f}" for line in lines))


def _exponents(lines: Lines) -> Lines:
    """Every other score in exponent notation."""
    scores = (f"{float(line[4]):.8e}" if i % 2 else line[4] for i, line in enumerate(lines))
    return _with_scores(lines, scores)


def _tied_in_float32(lines: Lines) -> Lines:
    """Scores that differ only beyond single precision."""
    return _with_scores(lines, (repr(1 + float(line[4]) * 1e-10) for line in lines))


def _with_scores(lines: Lines, scores: Iterable[str]) -> Lines:
    return [[*line[:4], score, *line[5:]] for line, score in zip(lines, scores, strict=True)]


VARIANTS: dict[str, Callable[[Lines], Lines]] = {
    "unsorted": _shuffled,
    "long decimals": _long_decimals,
    "all tied": _all_tied,
    "heavy ties": _heavy_ties,
    "float32 ties": _tied_in_float32,
    "exponents": _exponents,
}


def write_variants(run: Path) -> dict[str, Path]:
    """Write all variants beside a run; returns their paths."""
    lines = [line.split() for line in run.read_text().splitlines()]
    paths = {}
    for name, change in VARIANTS.items():
        paths[name] = run.with_suffix(f".{name.replace(' ', '-')}")
        paths[name].write_text("".join(" ".join(line) + "\n" for line in change(lines)))
    return paths
