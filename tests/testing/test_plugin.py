"""The pytest plugin, a project a claim; ``python -m tests.testing.test_plugin`` writes what it says."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.command import ROOT, environment
from tests.support.kept import Answer, cases, holds, write

HERE = Path(__file__).parent
SESSIONS = HERE / "outputs" / "plugin.txt"
#: Where this checkout is not installed, its plugin is named.
NAMED = "" if entry_points(group="pytest11", name="crosscheck") else "-p crosscheck.testing.plugin"
#: The Python of these tests, and pytest, which says nothing of its version.
SHELL = f"""python() {{ {sys.executable} "$@"; }}
pytest() {{ python -m pytest -q --no-header -W error {NAMED} "$@"; }}
"""
#: What is left out: pytest's short form of what it has said in full, places in the code, and versions.
_LEFT_OUT = re.compile(
    r"(?m)^((?:FAILED|ERROR) .*?) - .*|^(SKIPPED \[1\]) \S+|(?<=pytrec_eval) [\d.]+| in \d+\.\d+s.*"
)


def _answer(folder: Path, line: str) -> str:
    """What a line prints, and its exit code unless it is 0."""
    shell = {name: value for name, value in environment().items() if name not in ("CI", "BUILD_NUMBER")}
    # pytest would compile all of this package again in each process, if it were not allowed to write.
    shell |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": ""}
    command = ["bash", "-c", SHELL + line.removeprefix("$ ")]
    done = subprocess.run(command, cwd=folder, env=shell, capture_output=True, text=True, timeout=120)
    said = _LEFT_OUT.sub(r"\1\2", done.stdout + done.stderr).replace(str(folder), "FOLDER")
    return f"{said}exit code {done.returncode}" if done.returncode else said


@contextmanager
def session() -> Iterator[Answer]:
    """A project with ``inputs/``: a case with levels 1 and 2 in the wrong order on four queries, and what its
    ``case.toml`` may hold."""
    with TemporaryDirectory() as made:
        yield partial(_answer, Path(shutil.copytree(HERE / "inputs", Path(made) / "project")))


@cases(SESSIONS, slow=("Its counterexample is replayed", "The settings of the project hold"))
def test_pytest_says_what_was_read_and_found_good(block):
    holds(block, session)


if __name__ == "__main__":
    write([SESSIONS], session)
