"""The commands of docs/questions.md print what the page shows, on the files that it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.command import ROOT, crosscheck

PAGE = (ROOT / "docs" / "questions.md").read_text("utf-8")


def steps() -> list[tuple[str, str]]:
    """Each line behind a prompt, with what is shown below it."""
    blocks = re.findall(r"(?ms)^```console\n(.*?)^```$", PAGE)
    return [step for block in blocks for step in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", block)]


def test_every_thread_is_answered_by_the_command_that_stands_there(tmp_path: Path) -> None:
    """Ten threads: the files are as shown, and the output begins as shown."""
    assert len(re.findall(r"\[\w+#\d+\]\(https://github.com/", PAGE)) == 10
    called = 0
    for command, shown in steps():
        program, *arguments = shlex.split(command)
        if program == "cat":
            (tmp_path / arguments[0]).parent.mkdir(exist_ok=True)
            (tmp_path / arguments[0]).write_text(shown, "utf-8")
        else:
            done = crosscheck(tmp_path, *arguments)
            assert done.code == 0, done.err
            assert done.out.startswith(shown.removesuffix("...\n")), command
            called += 1
    assert called == 10
