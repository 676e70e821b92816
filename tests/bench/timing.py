"""Processes timed from outside, interleaved, and the table of what came out."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Sample", "interleaved", "summary", "table"]


@dataclass(frozen=True, slots=True)
class Sample:
    """One process from start to end.

    Attributes:
        wall, cpu: seconds; cpu is user and system time of the process, without that of workers.
        rss: peak resident memory in MB, without that of workers.
        inside: seconds after imports, as the process says itself, or None.
        check: what it computed.
    """

    wall: float
    cpu: float
    rss: float
    inside: float | None
    check: object


def sample(argv: Sequence[str]) -> Sample:
    """Run one process to its end.

    Raises:
        RuntimeError: it failed; the message is what it wrote to stderr.
    """
    start = time.perf_counter()
    # No tool here uses the linear algebra that numpy would start threads for; our commands set this too.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    assert process.stderr is not None
    output, said = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {said.decode(errors='replace').strip()[-500:]}")
    report = json.loads(output) if output.startswith(b"{") else {}
    cpu = usage.ru_utime + usage.ru_stime
    rss = report.get("rss") or usage.ru_maxrss / 1024
    return Sample(wall, cpu, rss, report.get("seconds"), report.get("map"))


def interleaved(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Sample]]:
    """All commands once per round, so that a busy moment of the machine falls on all of them.

    What fails is left out, with a line to say so.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name in list(samples):
            try:
                samples[name].append(sample(commands[name]))
            except RuntimeError as error:
                print(f"  {name} is left out: {error}")
                del samples[name]
    return samples


def summary(samples: dict[str, list[Sample]], bases: Sequence[str]) -> list[dict[str, object]]:
    """Medians, and the medians over rounds of the ratios to each base.

    Next to ``wall / base``, ``inside / base`` leaves out what it takes to start Python and import packages;
    a base that does not say what that takes counts as a whole.
    """
    rows: list[dict[str, object]] = []
    for name, own in samples.items():
        row: dict[str, object] = {"tool": name}
        row |= {key: statistics.median(getattr(s, key) for s in own) for key in ("wall", "cpu", "rss")}
        inside = [s.inside for s in own if s.inside is not None]
        row["inside"] = statistics.median(inside) if inside else None
        for base in bases:
            if base in samples:
                pairs = list(zip(own, samples[base], strict=True))
                row[f"wall / {base}"] = statistics.median(s.wall / b.wall for s, b in pairs)
                if inside:
                    ratios = (s.inside / (b.inside or b.wall) for s, b in pairs if s.inside is not None)
                    row[f"inside / {base}"] = statistics.median(ratios)
        rows.append(row)
    return rows


def table(title: str, rows: Sequence[dict[str, object]]) -> str:
    """Rows as aligned text; the first column to the left."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    cells = [heads, *([_written(row.get(head)) for head in heads] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(heads))]
    lines = [
        "  ".join(
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    ]
    return "\n".join([title, *(f"  {line}" for line in lines), ""])


def _written(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
