"""Processes timed from outside, interleaved, and the table of what came out."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.programs.frame import table

Rows = list[dict[str, Any]]
#: What a command is measured over, or beside -> its name -> its arguments.
COMMANDS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text())
_NO_REPORT = {"O": ["--report", f"json={os.devnull}"]}
#: One process from start to end: ``wall``, and ``cpu`` as user and system time of the process and of its
#: workers, in seconds; ``rss``, the peak of its memory in MB or of that of the largest worker; if it says so
#: itself ``inside``, the seconds after its imports, and ``check``, what it computed.
Sample = dict[str, Any]
#: A program of its own, and a small one, because the kernel counts the memory of whoever starts a process
#: into that process's peak. The first argument is a file for the output of the command.
_WATCH = """
import json, os, sys, time
start = time.perf_counter()
out = os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=[out]), 0)
took = {"wall": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime}
print(json.dumps(took | {"code": os.waitstatus_to_exitcode(status), "rss": usage.ru_maxrss / 1024}))
"""


def sample(argv: Sequence[str]) -> Sample:
    """Run one process to its end; if it fails, a RuntimeError has what it wrote to stderr."""
    # No tool here uses the linear algebra that numpy would start threads for; our commands set this too.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.NamedTemporaryFile() as output:
        watched = [sys.executable, "-ISc", _WATCH, output.name, *argv]
        done = subprocess.run(watched, capture_output=True, env=environment, check=False)
        took: Sample = json.loads(done.stdout) if done.returncode == 0 else {"code": done.returncode}
        if took["code"]:
            raise RuntimeError(f"{' '.join(argv)}: {done.stderr.decode(errors='replace').strip()[-500:]}")
        said = output.read()
    return took | (json.loads(said) if said.startswith(b"{") else {})


def ours(line: str, files: dict[str, list[str]], *before: str) -> list[str]:
    """A command of ours, with files for the words that stand for them and what comes before Python. It ends
    with 0 if it gives an answer: with every exit code to 3, but 2."""
    argv = [part for word in line.split() for part in (files | _NO_REPORT).get(word, [word])]
    answering = ["sh", "-c", '"$@"; code=$?; test $code -lt 4 -a $code -ne 2', "sh"]
    return [*answering, *before, sys.executable, "-m", "crosscheck", *argv]


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
            subprocess.run(["cat", *files], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
            try:
                samples[name].append(sample(commands[name]))
            except RuntimeError as error:
                print(f"  {name} is left out: {error}")
                del samples[name]
    return samples


def summary(samples: dict[str, list[Sample]], bases: Sequence[str], over: Sequence[str] = ("wall",)) -> Rows:
    """Medians, and the medians over rounds of the ratios to each base.

    Next to ``wall / base``, ``inside / base`` leaves out what it takes to start Python and import packages;
    a base that does not say what that takes counts as a whole.
    """
    rows: Rows = []
    for name, own in samples.items():
        row: dict[str, Any] = {"tool": name}
        row |= {k: median(s[k] for s in own) for k in ("wall", "cpu", "rss", "inside") if k in own[0]}
        for base in (base for base in bases if base in samples):
            pairs = list(zip(own, samples[base], strict=True))
            for key in (key for key in (*over, "inside") if key in own[0]):
                row[f"{key} / {base}"] = median(s[key] / b.get(key, b["wall"]) for s, b in pairs)
        rows.append(row)
    return rows


def options(module: str, doc: str | None, rounds: int) -> argparse.ArgumentParser:
    """A parser with what every benchmark takes."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.programs.bench{module}", description=doc)
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser


def printed(title: str, rows: Rows) -> Rows:
    """The rows, printed as a table."""
    print(table(title, rows))
    return rows
