"""The commands of README and of the pages in docs/ print what the pages show; what ``init`` writes runs."""

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


ACTION = f"some-one/crosscheck@{'0123456789' * 4}"
WORKFLOW = ".github/workflows/crosscheck.yml"


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_init_writes_runs(tmp_path):
    """The case agrees, and the workflow's inputs are the action's."""
    done = crosscheck(tmp_path, "init", "--action", ACTION)
    assert (done.code, done.out) == (0, "")
    written = _files(tmp_path)
    case = [f"cases/first/{name}" for name in ("case.toml", "qrels", "run.new.txt", "run.txt")]
    assert sorted(written) == [WORKFLOW, *case]
    compared = crosscheck(tmp_path, "cases/", "-b", "native", "--report", "text")
    assert (compared.code, compared.out.splitlines()[0].endswith("comparisons agree.")) == (0, True)
    *_, checkout, step = yaml.safe_load(written[WORKFLOW])["jobs"]["crosscheck"]["steps"]
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    assert step["uses"] == ACTION
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    required = {name for name, about in inputs.items() if about.get("required")}
    assert required <= set(step["with"]) <= set(inputs)


def test_an_action_cannot_add_a_step(tmp_path):
    """What is no action with its commit is written into no workflow."""
    done = crosscheck(tmp_path, "init", "--action", f"a/b@{'0' * 40}\n      - run: ls")
    assert (done.code, "is not a GitHub action" in done.err, [*tmp_path.iterdir()]) == (2, True, [])


def test_what_exists_is_left(tmp_path):
    """A case with files of other names, and a dangling link."""
    (tmp_path / "cases" / "first").mkdir(parents=True)
    (tmp_path / "cases" / "first" / "qrels.mine").write_text("mine")
    (tmp_path / WORKFLOW).parent.mkdir(parents=True)
    (tmp_path / WORKFLOW).symlink_to(tmp_path / "elsewhere")
    done = crosscheck(tmp_path, "init", "--action", ACTION)
    assert (done.code, done.err.count("exists and is left as it is")) == (0, 2)
    assert _files(tmp_path) == {"cases/first/qrels.mine": b"mine"}


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
