"""Claims about --report github: annotations, their places and limits, and the summary of the job."""

import os
import re

import pytest
from msgspec.structs import replace

from crosscheck.cli.output import append_summary, places
from crosscheck.report import RenderOptions, render
from crosscheck.results import identity
from tests.cli.command import ROOT
from tests.html import documents
from tests.report import samples

COMMAND = re.compile(r"::(error|warning|notice) ([a-z]+=[^:,\n]*)(,[a-z]+=[^:,\n]*)*::[^\n]*")


def annotations(text: str) -> list[str]:
    """The lines that GitHub takes for commands."""
    return [line for line in text.splitlines() if line.lstrip().startswith(("::", "##["))]


@pytest.mark.parametrize("id", [*samples.HOSTILE_IDS, "::error::x", "100%\n::error::x", "a,b:c%0A"])
def test_ids_cannot_add_a_command_or_a_property(id):
    """An id in every place of a comparison: as many commands as without, each with the same properties."""
    hostile = samples.comparison(case=id, run=id, candidate=id, message=id, cells=[samples.cell(query=id)])
    document = replace(samples.everything(), comparisons=[hostile])
    place = {identity(hostile): {"file": f"{id}/case.toml", "line": "3"}}
    text = render(document, "github", RenderOptions(places=place))
    (line,) = annotations(text)
    assert COMMAND.fullmatch(line)
    assert re.findall(r"[ ,]([a-z]+)=", line.split("::")[1]) == ["file", "line", "title"]


def test_the_line_is_that_of_the_expectation_for_the_run(tmp_path, monkeypatch):
    """Of two that differ in their run only."""
    folder = tmp_path / "case"
    folder.mkdir()
    known = '[[expect]]\ncandidate = "x"\nmeasure = "P_5"\nrun = "{}"\ncauses = ["gain"]\nreason = "r"\n'
    (folder / "case.toml").write_text(known.format("run.a") + known.format("run.b"))
    c = replace(samples.comparison(case="case", run="run.b", candidate="x"), measure="P@5")
    inputs = replace(
        samples.everything().inputs[0], case="case", run="run.b", qrels_path=str(folder / "qrels")
    )
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (found,) = places(replace(samples.everything(), comparisons=[c], inputs=[inputs])).values()
    assert found == {"file": "case/case.toml", "line": "7"}


def test_the_summary_stays_below_its_limit(tmp_path):
    """Appended, without pictures; where there is no room, nothing is added."""
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    environ = {"GITHUB_STEP_SUMMARY": str(path)}
    append_summary(samples.everything(), environ)
    first = path.read_text("utf-8")
    assert first.startswith("before\n## ")
    assert "![" not in first
    path.write_text("x" * 995_000)
    append_summary(samples.everything(), environ)
    assert path.stat().st_size <= 1_000_000


def test_files_outside_of_the_repository_have_no_place(tmp_path, monkeypatch):
    """A path that GitHub could not find is left out."""
    found = documents.document("evidence")
    monkeypatch.setenv("GITHUB_WORKSPACE", os.fspath(ROOT))
    assert places(found)
    monkeypatch.setenv("GITHUB_WORKSPACE", os.fspath(tmp_path))
    assert not places(found)
