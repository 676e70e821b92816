"""Claims about the board: its files, its committed answers, what is asked again here, and its page."""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

import crosscheck
from crosscheck.conventions import UNKNOWN, Conventions, conventions, profiles
from crosscheck.measures import family
from crosscheck.names import parse_measure
from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from crosscheck.report.page import Details, Section, Table
from tests.programs.board import FAMILIES, board, packages
from tests.programs.board.changes import changes
from tests.programs.board.environments import this
from tests.programs.board.observing import answer_of, arguments, audited, same_values
from tests.programs.board.page import PAGE, SURPRISING, board_page
from tests.programs.board.record import Cell, load
from tests.support.kept import Kept

saved = cache(load)


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_every_tool_has_a_requirement_and_an_expectation_for_each_function(package):
    """A pinned package, or what was read; a family; and for each function a measure and
    conventions that exist, and the profile, if one is named."""
    assert "==" in package.requirement or package.read
    assert set(package.families) <= set(FAMILIES)
    backends = {cell.function for cell in package.expected.values() if cell.backend}
    coded = {one.partition("(")[0] for one in package.code if one != "uses"}
    assert package.expected.keys() == (backends or coded)
    for code in package.code.values():
        compile(code, package.name, "exec")
    for one in (package, *package.others):
        assert one.expected
        for expected in one.expected.values():
            parse_measure(expected.measure)
            assert not expected.profile or expected.profile in profiles()
            if not isinstance(expected.conventions, str):
                Conventions(**expected.conventions)


def answer(id: str, *causes: str, verdict: str = "deviates", call: str = "f(gains, k)", **found: Any) -> str:
    """What is said of an audit of a cell."""
    told = {"verdict": verdict, "causes": causes, "conventions": found, "alternatives": [], "call": call}
    return answer_of(told, next(one for one in board() if one.id == id))


def cell(id: str, **told: Any) -> Cell:
    """A cell of a tool that agrees, but for what is told."""
    usual = {"tool": "t", "function": "f", "release": "t==1.0", "measure": "P@5", "verdict": "agrees"}
    return Cell(**(usual | {"id": id, "command": "", "date": "2026-01-01"} | told))


KEPT = Kept(__file__, answer=answer, cell=cell, changes=lambda *boards: "\n".join(changes(*boards)))


@KEPT.each()
def test_what_is_said_of_an_audit_and_of_two_boards(given):
    """Right in another spelling, wrong with another value or label; a sentence for each changed cell."""
    KEPT.holds(given)


def test_every_cell_says_what_its_source_says():
    """Each cell is of a function of a file, with its command and profile; its answer is as right as was
    written, and none contradicts what reading the source predicts. What has no cell is said on the page; the
    surprises at the top are cells that differ."""
    cells, functions = {cell.id: cell for cell in saved().cells}, {one.id: one for one in board()}
    assert cells.keys() <= functions.keys()
    assert len(functions) >= 150
    assert len(packages()) >= 45
    assert {*Path(packages()[0].file).parent.glob("*.py")} == {package.file for package in packages()}
    for id, cell in cells.items():
        one, others = functions[id], [{"conventions": other} for other in cell.alternatives]
        told = answer_of(asdict(cell) | {"alternatives": others}, one).partition(" ")[0]
        command = shlex.join(["crosscheck", *arguments(one.target, one)])
        assert (told, one.profile, command) == (cell.source, cell.profile, cell.command), id
        assert cell.source != "wrong", id
    assert {tool.name for tool in saved().tools} == {package.name for package in packages()}
    unrun = {tool.name for tool in saved().tools} - {cell.tool for cell in cells.values()}
    last = board_page(saved()).blocks[-1]
    assert isinstance(last, Section | Details)
    (table,) = last.blocks
    assert isinstance(table, Table)
    assert sum("not run yet" in str(row) for row in table.rows) == len(unrun)
    assert all(cells[id].verdict == "deviates" for id in SURPRISING if id in cells)


def test_the_page_is_that_of_the_answers_and_small():
    """The committed page has the parts of one that is made today, and a section for each cell; both files
    stay small."""
    page, text = board_page(saved()), PAGE.read_text("utf-8")
    sections = [one.anchor for one in page.blocks if isinstance(one, Section) and one.tags]
    assert len(sections) == len(set(sections)) == len(saved().cells)
    made, committed = (re.findall(' id="(.*?)"', one) for one in (render(page, RenderOptions()), text))
    assert made == committed
    assert set(sections) <= set(made)
    assert len(text) < 1_000_000
    assert PAGE.with_suffix(".json").stat().st_size < 1_500_000


def _value(shown, changes):
    """The value of an example under trec_eval's conventions with some changed."""
    run = {query: {id: float(score) for id, score in lines.items()} for query, lines in shown.run.items()}
    given, under = (shown.qrels, run, [shown.measure]), conventions("trec_eval-9.0.8").with_changes(**changes)
    if shown.query is None:
        return crosscheck.evaluate(*given, conventions=under, mean=True).get(shown.measure)
    return crosscheck.evaluate(*given, conventions=under).get(shown.query, {}).get(shown.measure)


@pytest.mark.filterwarnings("ignore::crosscheck.errors.InputWarning")
@pytest.mark.parametrize("cell", [c for c in saved().cells if c.shown], ids=lambda cell: cell.id)
def test_an_example_has_both_values_of_its_measure(cell):
    """trec_eval's value of each example is recomputed, and the tool's where conventions give all its values.
    The measure is the cell's, at its cutoff or a smaller one."""
    whole = not cell.arbitrary and "unexplained" not in cell.causes and cell.tool != "ms_marco"  # reads ranks
    for shown in cell.shown:
        assert family(parse_measure(shown.measure).family) is family(parse_measure(cell.measure).family)
        if not any(shown.run.values()):
            assert shown.reference is None
            continue
        values: list[tuple[Any, dict[str, Any]]] = [(shown.reference, {})]
        if whole and shown.cause not in _WITHOUT_AXIS:
            values.append((shown.candidate, cell.conventions))
        for told, under in values:
            computed = pytest.approx(_value(shown, under), abs=1e-6, nan_ok=True)
            assert (told if told is None else float(told)) == computed, shown


#: Causes that no convention gives.
_WITHOUT_AXIS = ("refuses-input", "cross-query-leak", "changes-input")

_BESIDE = {"duplicates", "missing_queries", "query_set", "ids", "identical_ids", "negatives", "no_relevant"}


@pytest.mark.parametrize("cell", [c for c in saved().cells if c.profile], ids=lambda cell: cell.id)
def test_a_profile_says_what_the_board_observed(cell):
    """The conventions of a cell and those of its profile give the same values of the measure, and the
    profile names the release that was run; an axis that it leaves open follows no rule in the cell."""
    profile, measure = profiles()[cell.profile], parse_measure(cell.measure)
    known = profile.conventions
    tool = next(tool for tool in saved().tools if tool.name == cell.tool)
    if profile.evidence == "run" and not tool.read:
        assert tool.release.partition("==")[2] in profile.source
    open_axes = {axis.name for axis in known.unknown if axis.read_by(family(measure.family))} - _BESIDE
    assert open_axes <= {"ties"}
    if open_axes or "unexplained" in cell.causes:
        assert cell.arbitrary or "unexplained" in cell.causes
        return
    # An audit asks for whole queries, as a user does: what depends on the set of queries is in other tests,
    # and what no input of the audit has shown is open.
    said = {name: known.plain(name) for name in known.changes_from(Conventions()) if name not in _BESIDE}
    whole = {axis: value for axis, value in said.items() if value != UNKNOWN}
    shown = {axis: value for axis, value in whole.items() if axis in {*cell.observed, *cell.conventions}}
    found = [
        {axis: value for axis, value in one.items() if axis not in _BESIDE}
        for one in (cell.conventions, *cell.alternatives)
    ]
    assert any(same_values(cell.measure, told, one) for told in (whole, shown) for one in found), found


def test_evidence_is_run_only_where_the_board_or_a_test_ran_it():
    """A profile that is said to be observed has cells here, or another test compares it with its tool."""
    compared = {"trec_eval-9.0.8", "trec_eval-9.0.8-c", "trec_eval-10", "trec_eval-10-c", "anserini"}
    compared |= {name for name in profiles() if name.startswith("sources.")}
    ran = {expected.profile for package in packages() for expected in package.expected.values()}
    of_tools = {profiles()[name].tool or name for name in ran if name}
    said = {p.tool or p.name for p in profiles().values() if p.evidence == "run" and p.name not in compared}
    assert sorted(said - of_tools - _COMPARED - _NOT_YET) == []
    read = {p.name for p in profiles().values() if p.evidence == "read"}
    assert not read & {cell.profile for cell in saved().cells if cell.release}


#: Said to be run before there was a board, and without a cell so far.
_NOT_YET = {"sentence-transformers-reranking"}
#: Profiles that tests/backends/test_profiles.py compares with the tool itself, over whole runs.
_COMPARED = {"ir-measures-pyndeval", "ir-measures-trectools", "ranx-make-comparable"}

#: Cells of the tools that the test environment has, without those whose audits take minutes: CatBoost,
#: cwl_eval and Hugging Face are slow, and searches that find nothing are long.
AGAIN = [
    cell.id
    for package in packages()
    if package.environment in ("ir", "trectools") and package.name not in ("catboost", "cwl_eval")
    for cell in saved().cells
    if cell.tool == package.name and "@" not in cell.id and cell.source == "right"
]
#: ranx compiles itself for minutes: its cells come last, where a sample has the fewest.
AGAIN.sort(key=lambda cell: cell.startswith("ranx."))


@pytest.mark.one_in(60)
@pytest.mark.parametrize("id", AGAIN)
def test_a_tool_of_this_environment_still_gives_the_answer(id, tmp_path):
    """An audit of today says what the board says; another release may, if its answer is the same."""
    one = next(one for one in board() if one.id == id)
    tool = this(one.package)
    before = next(cell for cell in saved().cells if cell.id == id)
    after = audited(one, tool, tmp_path)
    assert changes([before], [after]) == [], (
        f"with {tool.versions}: python -m tests.programs.board --only {id}"
    )
