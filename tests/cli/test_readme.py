"""The commands of README print the output that it shows."""

from __future__ import annotations

import re
import shlex

import pytest

from crosscheck.auditing.kinds_of_change import KINDS
from crosscheck.explain.decoys import decoys
from crosscheck.names import DEFAULT_MEASURES, parse_measures
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


def test_numbers_in_the_text_are_those_of_the_code() -> None:
    """The formulas that a proof excludes, over the default measures, and the kinds of change of an audit."""
    text = " ".join(README.split())
    formulas = [len(decoys(measure)) for measure in parse_measures(DEFAULT_MEASURES)]
    assert f"none of {min(formulas)} to {max(formulas)} other formulas" in text
    assert round(len(KINDS), -1) == 80
    assert "the reference itself is changed in some eighty ways" in text
