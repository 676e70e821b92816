"""action.yml: its steps, run here as GitHub runs them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from crosscheck.results import Summary
from tests.cli.command import ROOT, environment, three_cases
from tests.support.kept import Kept

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def test_nothing_foreign_can_change_or_be_injected():
    """Actions are pinned by their commit, and inputs reach the scripts as variables only."""
    for step in STEPS:
        assert "run" in step or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])
        assert "${{" not in step.get("run", "")


def test_every_count_of_the_summary_is_an_output():
    """The outputs are the verdict and the numbers of the summary, each under its own name."""
    counts = [name for name, kind in Summary.__annotations__.items() if kind is int]
    assert list(ACTION["outputs"]) == ["verdict", *counts]
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.compare.outputs.{name} }}}}"


def compared(paths: str, backends: str, fail_on: str = "") -> str:
    """What the step that compares says, its exit code and outputs, and the job's summary, on three cases."""
    folder = Path.cwd()
    for case in three_cases(folder).iterdir():
        config = case / "case.toml"
        declared = config.read_text("utf-8") if config.exists() else ""
        config.write_text(f'measures = ["nDCG@10"]\n{declared}', "utf-8")
    (step,) = (step for step in STEPS if step.get("id") == "compare")
    given = {"paths": paths, "backends": backends, "fail-on": fail_on}
    asked = {name: given[text[len("${{ inputs.") : -len(" }}")]] for name, text in step["env"].items()}
    (folder / "step.sh").write_text(step["run"], "utf-8")
    before = {*folder.iterdir()}
    paths_of = {"RUNNER_TEMP": ".", "GITHUB_WORKSPACE": ".", "GITHUB_OUTPUT": "outputs"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"],
        cwd=folder,
        env=environment(**asked, **paths_of, PATH=path, GITHUB_STEP_SUMMARY="summary.md"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    made = sorted(path.name for path in {*folder.iterdir()} - before)
    outputs = (folder / "outputs").read_text("utf-8")
    summary = (folder / "summary.md").read_text("utf-8") if "summary.md" in made else ""
    return f"{done.stdout}exit code {done.returncode}\n{outputs}{made}\n{summary.partition(chr(10))[0]}"


EXAMPLES = Kept(__file__, compared=compared)


@EXAMPLES.each()
def test_the_step_says_what_was_read_and_found_good(given):
    EXAMPLES.holds(given)
