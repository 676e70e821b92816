"""action.yml: its steps, run here as GitHub runs them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from crosscheck.results import Summary
from tests.cli.command import EXPONENTIAL, ROOT, environment, three_cases

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def test_nothing_foreign_can_change_or_be_injected():
    """Actions are pinned by their commit, and inputs reach the scripts as variables only."""
    for step in STEPS:
        assert "run" in step or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
        assert "${{" not in step.get("run", "")


def test_every_count_of_the_summary_is_an_output():
    """The outputs are the verdict and the numbers of the summary, each under its own name."""
    counts = [name for name, kind in Summary.__annotations__.items() if kind == "int"]
    assert list(ACTION["outputs"]) == ["verdict", *counts]
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.compare.outputs.{name} }}}}"


def _compare(
    folder: Path, paths: str, backends: str = "", fail_on: str = ""
) -> tuple[int, dict[str, str], str]:
    """The exit code, outputs and log of the step that compares, in a folder of three cases."""
    for case in three_cases(folder).iterdir():
        config = case / "case.toml"
        declared = config.read_text("utf-8") if config.exists() else ""
        config.write_text(f'measures = ["nDCG@10"]\n{declared}', "utf-8")
    (step,) = (step for step in STEPS if step.get("id") == "compare")
    given = {"paths": paths, "backends": backends, "fail-on": fail_on}
    asked = {name: given[text[len("${{ inputs.") : -len(" }}")]] for name, text in step["env"].items()}
    (folder / "step.sh").write_text(step["run"], "utf-8")
    outputs = folder / "outputs"
    outputs.write_text("")
    python = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"],
        cwd=folder,
        env=environment(
            **asked,
            PATH=f"{python}{os.pathsep}{os.environ['PATH']}",
            RUNNER_TEMP=str(folder),
            GITHUB_WORKSPACE=str(folder),
            GITHUB_OUTPUT=str(outputs),
            GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
        ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = dict(line.split("=", 1) for line in outputs.read_text("utf-8").splitlines())
    return done.returncode, found, done.stdout + done.stderr


def test_an_unexpected_mismatch_fails_the_step(tmp_path):
    """Exit code, verdict and counts agree; the log has an annotation, and the job's summary the page."""
    code, outputs, log = _compare(tmp_path, "cases\n", f"{EXPONENTIAL}\n")
    assert (code, outputs["verdict"]) == (1, "unexpected"), log
    assert (outputs["unexpected"], outputs["stale"], outputs["error"]) == ("1", "0", "0")
    assert (outputs["comparisons"], outputs["match"], outputs["mismatch"]) == ("3", "1", "2")
    assert "::error " in log
    assert "gain" in (tmp_path / "summary.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("paths", "backends", "fail_on", "code", "verdict"),
    [
        ("cases/agreeing\n\n  cases/declared", EXPONENTIAL, "", 0, "as-expected"),
        ("cases/declared", EXPONENTIAL, "mismatch", 1, "unexpected"),
        ("cases/agreeing", "trec_eval", "never", 3, "inconclusive"),
        ("--accept=$(touch hacked)", "native", "", 2, "error"),
        ("cases", "native", "$(touch hacked)", 2, "error"),
    ],
)
def test_verdicts(tmp_path, paths, backends, fail_on, code, verdict):
    """Each exit code has its verdict; without a result there are no counts; no input is taken for code."""
    found, outputs, log = _compare(tmp_path, paths, backends, fail_on)
    assert (found, outputs["verdict"]) == (code, verdict), log
    assert ("comparisons" in outputs) == (code != 2)
    assert not (tmp_path / "hacked").exists()
