"""The commands of README print the output that it shows."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.cli.command import ROOT, crosscheck

README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"^\$ crosscheck (.*)\n((?:.*\n)*?)\.\.\.\n", README, re.MULTILINE)


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_is_true(command: str, shown: str) -> None:
    """A command in README prints the lines below it, and more."""
    done = crosscheck(ROOT, *shlex.split(command))
    assert done.code == (0 if command.startswith("describe") else 1)

    def plain(text: str) -> str:
        return re.sub(r"pytrec_eval [\d.]+", "pytrec_eval", text)

    assert plain(done.out).startswith(plain(shown))
