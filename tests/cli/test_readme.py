"""What README shows is what comes out."""

from __future__ import annotations

import re
import shlex

from tests.cli.command import ROOT, crosscheck


def test_the_example_is_true() -> None:
    """The command in README prints the lines below it, and more."""
    readme = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"^\$ crosscheck (.*)\n((?:.*\n)*?)\.\.\.\n", readme, re.MULTILINE)
    assert found is not None
    done = crosscheck(ROOT, *shlex.split(found[1]))
    assert done.code == 1

    def plain(text: str) -> str:
        return re.sub(r"pytrec_eval [\d.]+", "pytrec_eval", text)

    assert plain(done.out).startswith(plain(found[2]))
