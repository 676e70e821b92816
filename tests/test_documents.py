"""The Python examples of README.md and docs/ give the printed results, and their links exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [page for page in PAGES if ">>> " in page.read_text("utf-8")]


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.name)
def test_examples_print_what_the_page_says(page: Path) -> None:
    """All Python blocks of a page run in order, in one namespace, and print exactly the lines below them."""
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", page.read_text("utf-8"))
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert test.examples
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


def test_the_pages_with_examples_are_known() -> None:
    """README and the page for newcomers have examples; a change of their form must not hide these."""
    assert [page.name for page in EXAMPLES] == ["README.md", "coming_from.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    """Every relative link of a page names a file that exists."""
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
