"""Commands under limits of their address space: values, or one message and exit code 3.

``python -m tests.programs.faults.memory`` tries limits of 20 to 400 MB; ``tests/cli/test_failures.py`` a few.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.cli.command import arguments, environment
from tests.programs.frame import Case, main

__all__ = ["COMMANDS", "fill", "under_a_limit"]

COMMANDS = (
    "evaluate q r -m AP",
    "trec_eval q r",
    "ties q r",
    "pool r --depth 2",
    "--qrels q --run r -m AP -b native --quiet --report text=-",
    "audit python:m.py:num_ret -m NumRet --quiet",
)


def fill(folder: Path) -> None:
    """Judgements and results of a few megabytes as arrays, and a metric."""
    (folder / "q").write_text("".join(f"{t} 0 d{d} 1\n" for t in range(50) for d in range(40)))
    (folder / "r").write_text("".join(f"{t} Q0 d{d} 0 {d} t\n" for t in range(50) for d in range(400)))
    (folder / "m.py").write_text(
        "def num_ret(qrels, run):\n    return {q: float(len(run[q])) for q in run if q in qrels}\n"
    )


def under_a_limit(folder: Path, command: str, megabytes: int) -> int:
    """Its exit code, 0 or 3; with 3 it says that memory ran out, or that there is none for a thread."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        ["sh", "-c", f'ulimit -v {megabytes << 10}; exec "$@"', "sh", *arguments(*command.split())],
        cwd=folder, env=environment(OPENBLAS_NUM_THREADS="1", TMPDIR=str(temporary)), capture_output=True,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 3), (command, megabytes, done)
    assert "Traceback" not in done.stderr, (command, megabytes, done.stderr)
    said = done.stdout + done.stderr
    assert done.returncode == 0 or "memory ran out" in said or "new thread" in said, (
        command,
        megabytes,
        done,
    )
    assert os.listdir(temporary) == []
    return done.returncode


def _tried(command: str, megabytes: int) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name))
        code = under_a_limit(Path(name), command, megabytes)
    return f"code {code}", "400 MB are not enough" if code and megabytes == 400 else ""


def _cases(given: object) -> list[Case]:
    return [
        Case(command, f"{command} with {size} MB", partial(_tried, command, size))
        for command in COMMANDS
        for size in (*range(20, 300, 5), 400)
    ]


if __name__ == "__main__":
    sys.exit(main("tests.programs.faults.memory", __doc__, _cases))
