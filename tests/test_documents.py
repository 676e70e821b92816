"""Examples in README.md, docs/ and docstrings give the printed results, and links lead to files."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import crosscheck
from crosscheck import benchmark_metrics, vectors
from crosscheck.notebooks import s1, s2, s3
from crosscheck.running import Data

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@EACH
def test_examples_print_what_the_page_says(page):
    """All Python blocks of a page run in order, in one namespace, and print exactly the lines below them.
    README and the page for newcomers have some; a change of their form must not hide these."""
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", page.read_text("utf-8"))
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert bool(test.examples) == (page.name in ("README.md", "coming_from.md"))
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize("module", [crosscheck, benchmark_metrics, vectors, s1, s2, s3])
def test_examples_of_docstrings(module):
    """Of the modules whose functions are called by name."""
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 2) == (0, True)


@pytest.mark.skipif(not shutil.which("jq") and not os.environ.get("CI"), reason="jq is not installed")
def test_the_jq_recipe_gives_the_rows_of_the_frame(tmp_path):
    """The recipe prints what the pandas one beside it shows, a line per mismatch."""
    text = (ROOT / "docs" / "coming_from.md").read_text("utf-8")
    (recipe,) = re.findall(r"(?m)^\$ (jq .*)$", text)
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 0.5, "b": 0.5}}
    data: Data = {"qrels": qrels, "runs": {"mine": run}}
    result = crosscheck.run(data, measures=["RR", "P@1", "P@2"], backends=["native", "native:ties=input"])
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "crosscheck.json").write_text(result.to_json(), "utf-8")
    done = subprocess.run(
        shlex.split(recipe), cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    frame = result.to_pandas()
    rows = frame[frame.outcome == "mismatch"][["measure", "candidate", "outcome"]]
    assert done.stdout == rows.to_csv(sep="\t", header=False, index=False)
    assert len(rows) == 2


@EACH
def test_links_lead_to_files(page):
    """Every relative link names a file that exists; links to the reference are held by its build."""
    links = re.findall(r"\]\((?!reference/)([^)#:]+)\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
