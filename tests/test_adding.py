"""What is new needs only the files of its recipe in ARCHITECTURE.md: added to a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import crosscheck
from tests.support.kept import Kept

ROOT = Path(crosscheck.__file__).parent


def added(files, changes, *called):
    """What is said by calls of a copy of the package with these files and texts in place of others.

    A call is a Python program, or a command, of which only lines with the word after # are shown.
    """
    # Compiled files come along, so that it starts as quickly.
    shutil.copytree(ROOT, "crosscheck", ignore=shutil.ignore_patterns("*.pyc.*"))
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, "utf-8")
    for name, texts in changes.items():
        for before, after in texts.items():
            text = Path(name).read_text("utf-8")
            assert text.count(before) == 1, f"{before!r} does not stand once in {name}"
            Path(name).write_text(text.replace(before, after), "utf-8")
    return "\n".join(map(_called, called))


def _called(call):
    command, _, word = call.partition(" # ")
    program = "(" in call
    given = ["-c", call] if program else ["-m", "crosscheck", *command.split()]
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "COLUMNS": "110"}
    done = subprocess.run(
        [sys.executable, "-W", "error", *given], env=environment, capture_output=True, text=True, check=False
    )
    said = [
        line.rstrip() for line in (done.stdout + done.stderr).splitlines() if line.strip() and word in line
    ]
    return "\n".join([*[f"$ crosscheck {command}"] * (not program), *said, f"exit code {done.returncode}"])


EXAMPLES = Kept(__file__, added=added)
test_examples = EXAMPLES.test()
