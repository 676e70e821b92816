"""The committed report of the fixtures is what crosscheck says of them today, on every machine.

``python -m tests.test_reports`` writes it anew. What a run writes to ``reports/`` by itself is not committed:
it names the machine that it ran on.
"""

import importlib.util
import subprocess
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck.report import render
from crosscheck.report.json_report import load
from crosscheck.results import Environment
from tests.cli.command import ROOT, crosscheck
from tests.html.picture import PICTURE, shown
from tests.support.cases import FIXTURES
from tests.support.sampling import WHOLE

COMMITTED = {"json": ROOT / "reports" / "fixtures.json", "markdown": ROOT / "reports" / "fixtures.md"}
REMEDY = "run `python -m tests.test_reports`, look at what changed, and commit reports/"


def everywhere(document):
    """Without what depends on the machine: versions of Python, packages and tools."""
    return replace(
        document,
        environment=Environment(python="", platform="", seed=0),
        backends=[replace(backend, version="", engine="") for backend in document.backends],
        comparisons=[replace(c, reference_engine="", candidate_engine="") for c in document.comparisons],
    )


def fresh(*paths):
    """The document of a run over these cases, as it is on every machine."""
    with tempfile.TemporaryDirectory() as folder:
        done = crosscheck(ROOT, *paths, "--quiet", "--report", f"json={folder}/fresh.json")
        assert done.code == 0, done.out[-3000:] + done.err
        return everywhere(load((Path(folder) / "fresh.json").read_bytes()))


def texts(document):
    """The document in both formats."""
    return {format: render(document, format) for format in COMMITTED}


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("evaluate", "trectools")),
    reason="the committed report was made with the hf extra: pip install evaluate trectools",
)
@pytest.mark.first
def test_the_committed_report_is_not_stale():
    """It has all cases, and its Markdown is made from its JSON. A fresh run over every sixth case, or all of
    them, exits 0 and gives what it says of them."""
    committed = load(COMMITTED["json"].read_bytes())
    now = fresh("fixtures/") if WHOLE else committed
    assert texts(now) == {format: path.read_text("utf-8") for format, path in COMMITTED.items()}, REMEDY
    cases = sorted(path.parent.name for path in FIXTURES.glob("*/qrels*"))
    assert cases == [one.case for one in {one.case: one for one in committed.inputs}.values()]
    some = cases[::6]
    now = fresh(*(f"fixtures/{name}" for name in some))
    for part in ("inputs", "comparisons", "tools"):
        expected = [one for one in getattr(committed, part) if one.case in some]
        assert getattr(now, part) == expected, REMEDY


def test_the_picture_in_readme_shows_the_committed_report():
    """Its numbers are those of the report; a picture says which it shows."""
    now = shown(load(COMMITTED["json"].read_bytes()))
    assert now.encode("latin-1") in PICTURE.read_bytes(), "run `python -m tests.html.picture`, and look"


def test_only_the_report_that_is_the_same_everywhere_is_committed():
    """The first command of README leaves ``git status`` clean."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout")

    def git(*words):
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.split()

    kept = ("compatibility.html", "compatibility.json", "fixtures.json", "fixtures.md")
    assert sorted(git("ls-files", "reports")) == [f"reports/{name}" for name in kept]
    written = [f"reports/crosscheck.{end}" for end in ("json", "html", "md", "1-waterfall.svg")]
    assert git("check-ignore", *written) == written


if __name__ == "__main__":
    for format, text in texts(fresh("fixtures/")).items():
        COMMITTED[format].write_text(text, "utf-8")
