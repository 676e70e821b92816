"""The commands of README and docs/questions.md print what the pages show; what ``init`` writes runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli.command import ROOT, crosscheck

README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"^\$ crosscheck (.*)\n((?:.*\n)*?)\.\.\.\n", README, re.MULTILINE)
QUESTIONS = (ROOT / "docs" / "questions.md").read_text("utf-8")


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_is_true(command: str, shown: str) -> None:
    """A command in README prints the lines below it, and more."""
    done = crosscheck(ROOT, *shlex.split(command))
    assert done.code == (0 if command.startswith("describe") else 1)

    def plain(text: str) -> str:
        return re.sub(r"pytrec_eval [\d.]+", "pytrec_eval", text)

    assert plain(done.out).startswith(plain(shown))


def test_every_thread_is_answered_by_the_command_that_stands_there(tmp_path: Path) -> None:
    """Ten threads: the files are as shown, and the output begins as shown."""
    assert len(re.findall(r"\[\w+#\d+\]\(https://github.com/", QUESTIONS)) == 10
    blocks = re.findall(r"(?ms)^```console\n(.*?)^```$", QUESTIONS)
    steps = [step for block in blocks for step in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", block)]
    called = 0
    for command, shown in steps:
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


ACTION = f"some-one/crosscheck@{'0123456789' * 4}"
WORKFLOW = ".github/workflows/crosscheck.yml"


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_init_writes_runs(tmp_path: Path) -> None:
    """The case agrees, and the workflow's inputs are the action's."""
    done = crosscheck(tmp_path, "init", "--action", ACTION)
    assert (done.code, done.out) == (0, "")
    written = _files(tmp_path)
    case = [f"cases/first/{name}" for name in ("case.toml", "qrels", "run.txt")]
    assert sorted(written) == [WORKFLOW, *case]
    compared = crosscheck(tmp_path, "cases/", "-b", "native", "--report", "text")
    assert (compared.code, compared.out.splitlines()[0].endswith("comparisons agree.")) == (0, True)
    *_, checkout, step = yaml.safe_load(written[WORKFLOW])["jobs"]["crosscheck"]["steps"]
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    assert step["uses"] == ACTION
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    required = {name for name, about in inputs.items() if about.get("required")}
    assert required <= set(step["with"]) <= set(inputs)


def test_what_exists_is_left(tmp_path: Path) -> None:
    """A case with files of other names and a dangling link are left; a tag, or text that would be YAML of
    its own, is refused before anything is written."""
    for action in ("a/b@v1", f"{ACTION}\n      - run: ls", "b"):
        done = crosscheck(tmp_path, "init", "--action", action)
        assert (done.code, "is no action" in done.err) == (2, True)
    assert _files(tmp_path) == {}
    (tmp_path / "cases" / "first").mkdir(parents=True)
    (tmp_path / "cases" / "first" / "qrels.mine").write_text("mine")
    (tmp_path / WORKFLOW).parent.mkdir(parents=True)
    (tmp_path / WORKFLOW).symlink_to(tmp_path / "elsewhere")
    done = crosscheck(tmp_path, "init", "--action", ACTION)
    assert (done.code, done.err.count("exists and is left as it is")) == (0, 2)
    assert _files(tmp_path) == {"cases/first/qrels.mine": b"mine"}
