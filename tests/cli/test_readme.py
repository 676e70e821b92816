"""The commands of README and of the pages in docs/ print what the pages show."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.command import ROOT, crosscheck
from tests.support import pages

#: Those with most commands first, which take longest.
PAGES = sorted(
    (
        page
        for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
        if "```console" in page.read_text("utf-8")
    ),
    key=lambda page: -page.read_text("utf-8").count("\n$ "),
)


def _crosscheck(arguments: list[str], folder: Path) -> tuple[int, str, str]:
    done = crosscheck(folder, *arguments)
    return done.code, done.out, done.err


@pytest.mark.first
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_true(page, tmp_path, monkeypatch):
    """The commands of a page, in an empty folder and in order, print what stands below them."""
    if "$ jq " in page.read_text("utf-8") and not (shutil.which("jq") or os.environ.get("CI")):
        pytest.skip("jq is not installed")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert pages.run(page, tmp_path, _crosscheck)


def test_every_page_with_commands_is_run():
    """README and the guide; and no command hides in a block of another kind."""
    named = {page.stem for page in PAGES}
    assert {"README", "tutorial", "howto", "compare", "audit", "evidence", "cases", "questions"} <= named
    for page in sorted((ROOT / "docs").glob("*.md")):
        blocks = re.findall(r"(?ms)^```(\S*)[^\n]*\n(.*?)^```$", page.read_text("utf-8"))
        hidden = [
            text for kind, text in blocks if kind != "console" and re.search(r"(?m)^\$?\s*crosscheck ", text)
        ]
        assert hidden == [], page.name


def test_each_thread_is_answered():
    """Each section of the questions links its thread and has one command of crosscheck."""
    text = (ROOT / "docs" / "questions.md").read_text("utf-8")
    threads = len(re.findall(r"\[[\w-]+#\d+\]\(https://github.com/", text))
    assert sum(step.arguments is not None for step in pages.steps(text)) == threads >= 10


@pytest.mark.parametrize(
    "page",
    [
        "$ crosscheck explain gain\ngain: another summary\n...\n",
        "$ crosscheck explain no-such-label\n",
        "$ crosscheck init\n$ echo $?\n1\n",
        "$ echo one two\none\n",
        "$ echo one\none\n...\ntwo\n",
    ],
)
def test_a_page_that_is_false_fails(page, tmp_path):
    """Another line, another exit code, an output cut short."""
    (tmp_path / "page.md").write_text(f"```console\n{page}```\n", "utf-8")
    with pytest.raises(AssertionError):
        pages.run(tmp_path / "page.md", tmp_path, _crosscheck)


def test_what_init_writes_fits_the_action():
    """The workflow in the kept session gives it what it needs and nothing else; checkout is pinned."""
    kept = (Path(__file__).parent / "outputs" / "sessions" / "init.txt").read_text("utf-8")
    workflow = re.split(r"\n\$ cat .*\n", kept)[1].partition("\n$ ")[0]
    *_, checkout, step = yaml.safe_load(workflow)["jobs"]["crosscheck"]["steps"]
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    required = {name for name, about in inputs.items() if about.get("required")}
    assert required <= set(step["with"]) <= set(inputs)


def test_a_page_is_brought_up_to_date(tmp_path):
    """Other lines are those that are printed now, up to the end of a sentence, and so is the exit code."""
    old = """```console
$ printf 'one\\ntwo.\\nthree\\n'
uno
...
$ false
$ echo right
right
$ cat file
as it is
$ exit 3
$ echo $?
2
```
"""
    new = (
        old.replace("uno\n", "one\ntwo.\n").replace("2\n", "3\n").replace("false\n", "false\n$ echo $?\n1\n")
    )
    assert pages.updated(old, tmp_path) == new
    (tmp_path / "page.md").write_text(new, "utf-8")
    assert pages.run(tmp_path / "page.md", tmp_path) == 4
