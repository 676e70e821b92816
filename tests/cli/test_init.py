"""crosscheck init writes what runs as it is, and never over anything."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.cli.command import ROOT, crosscheck

ACTION = f"some-one/crosscheck@{'0123456789' * 4}"


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_it_writes_runs(tmp_path: Path) -> None:
    """The case agrees in every default backend, and the workflow's inputs are the action's."""
    done = crosscheck(tmp_path, "init", "--action", ACTION)
    assert (done.code, done.out) == (0, "")
    written = _files(tmp_path)
    assert sorted(written) == [
        ".github/workflows/crosscheck.yml",
        *(f"cases/first/{name}" for name in ("case.toml", "qrels", "run.txt")),
    ]
    compared = crosscheck(tmp_path, "cases/", "--report", "text")
    assert (compared.code, compared.out.splitlines()[0].endswith("comparisons agree.")) == (0, True)
    *_, checkout, step = yaml.safe_load(written[".github/workflows/crosscheck.yml"])["jobs"]["crosscheck"][
        "steps"
    ]
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    assert step["uses"] == ACTION
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert (
        {name for name, about in inputs.items() if about.get("required")} <= set(step["with"]) <= set(inputs)
    )


def test_what_exists_is_left(tmp_path: Path) -> None:
    """A second call writes nothing; a case with files of other names and a dangling link are left too."""
    (tmp_path / "cases" / "first").mkdir(parents=True)
    (tmp_path / "cases" / "first" / "qrels.mine").write_text("mine")
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "crosscheck.yml").symlink_to(tmp_path / "elsewhere")
    done = crosscheck(tmp_path, "init", "--action", ACTION)
    assert (done.code, done.err.count("exists and is left as it is")) == (0, 2)
    assert _files(tmp_path) == {"cases/first/qrels.mine": b"mine"}


def test_an_action_is_named_by_its_commit(tmp_path: Path) -> None:
    """A tag, or text that would be YAML of its own, is refused before anything is written."""
    for action in ("a/b@v1", f"{ACTION}\n      - run: ls", "b"):
        done = crosscheck(tmp_path, "init", "--action", action)
        assert (done.code, "is no action" in done.err) == (2, True)
    assert _files(tmp_path) == {}
