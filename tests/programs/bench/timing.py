"""Processes timed from outside, interleaved, and the table of what came out."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.programs.frame import table

Rows = list[dict[str, Any]]
_WATCH = Path(__file__).with_name("watch.py")


class Sample(NamedTuple):
    """One process from start to end.

    Attributes:
        wall, cpu: seconds; cpu is user and system time of the process and of its workers.
        rss: peak resident memory in MB, of the process or of the largest of its workers.
        inside: seconds after imports, as the process says itself, or None.
        check: what it computed.
    """

    wall: float
    cpu: float
    rss: float
    inside: float | None
    check: object


def sample(argv: Sequence[str]) -> Sample:
    """Run one process to its end; if it fails, a RuntimeError has what it wrote to stderr."""
    # No tool here uses the linear algebra that numpy would start threads for; our commands set this too.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.NamedTemporaryFile() as output:
        watched = [sys.executable, "-IS", str(_WATCH), output.name, *argv]
        done = subprocess.run(watched, capture_output=True, env=environment, check=False)
        took = json.loads(done.stdout) if done.returncode == 0 else {"code": done.returncode}
        if took["code"]:
            raise RuntimeError(f"{' '.join(argv)}: {done.stderr.decode(errors='replace').strip()[-500:]}")
        said = output.read()
    report = json.loads(said) if said.startswith(b"{") else {}
    return Sample(took["wall"], took["cpu"], took["rss"], report.get("seconds"), report.get("map"))


def answering(argv: Sequence[str]) -> list[str]:
    """A command of ours that ends with 0 if it gives an answer: with every exit code to 3, but 2."""
    return ["sh", "-c", '"$@"; code=$?; test $code -lt 4 -a $code -ne 2', "sh", *argv]


def interleaved(
    commands: dict[str, list[str]], rounds: int, files: Sequence[Path] = ()
) -> dict[str, list[Sample]]:
    """All commands once per round, so that a busy moment of the machine falls on all of them.

    The files are read before each command, so that it finds them in memory even after a command that needed
    most of it. Commands that fail are left out, with a message.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name in list(samples):
            _read(files)
            try:
                samples[name].append(sample(commands[name]))
            except RuntimeError as error:
                print(f"  {name} is left out: {error}")
                del samples[name]
    return samples


def _read(files: Sequence[Path]) -> None:
    block = bytearray(1 << 20)
    for path in files:
        with path.open("rb", buffering=0) as file:
            while file.readinto(block):
                pass


def summary(samples: dict[str, list[Sample]], bases: Sequence[str], over: Sequence[str] = ("wall",)) -> Rows:
    """Medians, and the medians over rounds of the ratios to each base.

    Next to ``wall / base``, ``inside / base`` leaves out what it takes to start Python and import packages;
    a base that does not say what that takes counts as a whole.
    """
    rows: Rows = []
    for name, own in samples.items():
        row: dict[str, Any] = {"tool": name}
        row |= {key: statistics.median(getattr(s, key) for s in own) for key in ("wall", "cpu", "rss")}
        inside = [s.inside for s in own if s.inside is not None]
        row["inside"] = statistics.median(inside) if inside else None
        for base in (base for base in bases if base in samples):
            pairs = list(zip(own, samples[base], strict=True))
            for key in over:
                row[f"{key} / {base}"] = statistics.median(
                    getattr(s, key) / getattr(b, key) for s, b in pairs
                )
            if inside:
                ratios = (s.inside / (b.inside or b.wall) for s, b in pairs if s.inside is not None)
                row[f"inside / {base}"] = statistics.median(ratios)
        rows.append(row)
    return rows


def options(module: str, doc: str | None, rounds: int) -> argparse.ArgumentParser:
    """A parser with what every benchmark takes."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.programs.bench{module}", description=doc)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--json", type=Path, help="write all numbers to this file")
    return parser


def printed(title: str, rows: Rows, path: Path | None = None) -> Rows:
    """The rows, printed as a table, and kept as JSON where a path is given."""
    print(table(title, rows))
    if path:
        path.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    return rows
