"""A copy of the package to add something to, and what can be asked of the copy."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import crosscheck

_COMMANDS = """
import contextlib, io, json, sys
from crosscheck.cli import main

done = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as end:
            done.append((end.code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""


class Done(NamedTuple):
    """A command that has ended: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """stdout on one line, without line breaks and columns."""
        return " ".join(self.out.split())


def copied(folder: Path) -> Path:
    """A copy of the package; compiled files come along, so that it starts as quickly."""
    package = folder / "crosscheck"
    shutil.copytree(Path(crosscheck.__file__).parent, package, ignore=shutil.ignore_patterns("*.pyc.*"))
    return package


def insert(path: Path, text: str, *, after: str) -> None:
    """Insert lines into a file after a text that occurs in it once."""
    before = path.read_text("utf-8")
    assert before.count(after) == 1, f"{after!r} does not stand once in {path.name}"
    path.write_text(before.replace(after, after + text), "utf-8")


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the package in that folder; any warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments], cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "120"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def commands(folder: Path, *called: str) -> list[Done]:
    """Commands of the package in a folder, one after the other in one process."""
    done = python(folder, "-c", _COMMANDS, json.dumps([line.split() for line in called]))
    assert done.returncode == 0, done.stderr
    return [Done(*one) for one in json.loads(done.stdout)]
