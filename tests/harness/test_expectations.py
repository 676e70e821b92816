"""Declared mismatches: held strictly against what happens, and written by ``accept_mismatches``."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.cases import find_cases
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.harness.accept import accept_mismatches
from crosscheck.results import Document
from tests.harness.data import comparison, write_case

#: Linear and exponential gain differ on nDCG, and nowhere else.
QRELS = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}}
RUN = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 2.0), ("2", "d", 1.0)]
OTHER = [("1", "b", 2.0), ("1", "a", 1.0), ("2", "d", 2.0), ("2", "c", 1.0)]
TOOL = "native:gain=exponential"


def declared(measure: str = "nDCG@10", causes: str = '["gain"]', more: str = "") -> str:
    return (
        f'[[expect]]\ncandidate = "{TOOL}"\nmeasure = "{measure}"\ncauses = {causes}\n'
        f'reason = "the tool gains 2^level - 1"\n{more}'
    )


def run(folder: Path, *measures: str, queries: tuple[str, ...] = (), tool: str = TOOL) -> Document:
    """The tool against ``native`` on the cases of a folder."""
    settings = Settings(
        measures=measures or ("nDCG@10", "P@5"), backends=(tool,), reference="native", queries=queries
    )
    return run_with(find_cases([str(folder)]), settings)


@pytest.mark.parametrize("measure", ["nDCG@10", "ndcg_cut_10", "ndcg@10"])
def test_a_declared_mismatch_with_its_cause_is_expected(tmp_path: Path, measure: str) -> None:
    """It stays a mismatch, carries the reason, and the run is as expected; the spelling does not matter."""
    write_case(tmp_path / "c", QRELS, RUN, declared(measure))
    document = run(tmp_path)
    found = comparison(document, "nDCG@10", TOOL)
    assert (found.outcome, found.expected, found.stale) == ("mismatch", True, False)
    assert found.reason == "the tool gains 2^level - 1"
    assert exit_code(document) is ExitCode.AS_EXPECTED
    assert exit_code(document, fail_on="mismatch") is ExitCode.UNEXPECTED
    assert (document.summary.mismatch, document.summary.unexpected) == (1, 0)


def test_a_declared_mismatch_with_another_cause_is_unexpected(tmp_path: Path) -> None:
    """The message names the declared cause and the one that was found."""
    write_case(tmp_path / "c", QRELS, RUN, declared(causes='["discount", "gain"]'))
    document = run(tmp_path)
    found = comparison(document, "nDCG@10", TOOL)
    assert (found.outcome, found.expected, found.stale) == ("mismatch", False, False)
    assert found.message == "case.toml declares the cause discount, gain; found is gain"
    assert exit_code(document) is ExitCode.UNEXPECTED


@pytest.mark.parametrize(("named", "expected"), [("consistent", True), ("proved", False), (None, True)])
def test_a_declared_strength_is_held_against_the_one_found(
    tmp_path: Path, named: str | None, expected: bool
) -> None:
    """Another strength is an unexpected mismatch that says both; none named compares causes only."""
    write_case(tmp_path / "c", QRELS, RUN, declared(more=f'strength = "{named}"\n' if named else ""))
    found = comparison(run(tmp_path), "nDCG@10", TOOL)
    assert (found.outcome, found.expected, found.stale) == ("mismatch", expected, False)
    if not expected:
        assert found.message == "case.toml declares the strength proved; found is consistent"


def test_a_declared_mismatch_that_no_longer_happens_is_stale(tmp_path: Path) -> None:
    """It fails the run, gives the declared reason, and asks for the entry to be removed."""
    write_case(tmp_path / "c", QRELS, RUN, declared("P@5"))
    document = run(tmp_path, "P@5")
    found = comparison(document, "P@5", TOOL)
    assert (found.outcome, found.expected, found.stale) == ("match", False, True)
    assert "no longer happens: --prune" in (found.message or "")
    assert found.reason == "the tool gains 2^level - 1"
    assert exit_code(document) is ExitCode.UNEXPECTED
    assert document.summary.stale == 1


def test_nothing_is_stale_when_only_some_queries_were_compared(tmp_path: Path) -> None:
    """The query that differs may be among the others."""
    qrels, rows = {**QRELS, "3": {"e": 1}}, [*RUN, ("3", "e", 1.0)]
    write_case(tmp_path / "c", qrels, rows, declared())
    document = run(tmp_path, "nDCG@10", queries=("3",))
    found = comparison(document, "nDCG@10", TOOL)
    assert (found.outcome, found.expected, found.stale) == ("match", True, False)
    assert exit_code(document) is ExitCode.AS_EXPECTED


def test_a_declaration_for_one_run_goes_before_one_for_all(tmp_path: Path) -> None:
    """The named run needs its own cause; the other run keeps the general one."""
    everywhere = declared(causes='["gain"]')
    here = declared(causes='["discount"]', more='run = "run.other"\n')
    write_case(tmp_path / "c", QRELS, RUN, everywhere + here, other=OTHER)
    document = run(tmp_path, "nDCG@10")
    assert comparison(document, "nDCG@10", TOOL, "run").expected
    assert not comparison(document, "nDCG@10", TOOL, "run.other").expected


def test_a_declared_failure_is_expected(tmp_path: Path) -> None:
    """A backend that is known to fail on a case does not make the rest inconclusive."""
    tool = f"python:{tmp_path / 'tool.py'}:fails"
    (tmp_path / "tool.py").write_text("def fails(qrels, run):\n    raise KeyError('x')\n")
    entry = f'[[expect]]\ncandidate = "{tool}"\nmeasure = "AP"\noutcome = "error"\nreason = "it is young"\n'
    write_case(tmp_path / "cases" / "c", QRELS, RUN, entry)
    settings = Settings(measures=("AP",), backends=(tool, "native:trec_eval-10"), reference="native")
    document = run_with(find_cases([str(tmp_path / "cases")]), settings)
    found = comparison(document, "AP", tool)
    assert (found.outcome, found.expected, found.reason) == ("error", True, "it is young")
    assert exit_code(document, required=[tool]) is ExitCode.AS_EXPECTED


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (declared(causes='["gian"]'), "'gian'"),
        (declared(measure="nDGC@10"), "did you mean nDCG@10?"),
        ('measures = ["P"]\n', "needs a cutoff"),
        ('[published]\n"XYZ" = 0.5\n', "unknown measure 'XYZ'"),
    ],
)
def test_a_name_that_does_not_exist_is_an_error_of_the_case_file(
    tmp_path: Path, entry: str, said: str
) -> None:
    """Labels and measures in ``case.toml`` are checked before anything is computed."""
    write_case(tmp_path / "c", QRELS, RUN, entry)
    with pytest.raises(InputError) as caught:
        run(tmp_path, "AP")
    assert str(tmp_path / "c" / "case.toml") in str(caught.value)
    assert said in str(caught.value)


def accept(folder: Path, *measures: str, tool: str = TOOL, reason: str = "known") -> tuple[Document, int]:
    cases = find_cases([str(folder)])
    return accept_mismatches(run(folder, *measures, tool=tool), cases, reason)


def test_accepting_declares_what_was_unexpected_and_nothing_else(tmp_path: Path) -> None:
    """Comments, order and other entries keep their bytes; the next run says what the document says now."""
    before = f'# about this case\nmeasures = [  "P@5","nDCG@10" ] # both\n\n{declared("nDCG@5")}# the end\n'
    config = write_case(tmp_path / "c", QRELS, RUN, before) / "case.toml"
    document, written = accept(tmp_path)
    after = config.read_text("utf-8")
    assert written == 1
    assert after.startswith(before)
    assert after.removeprefix(before).split("\n") == [
        "",
        "[[expect]]",
        f'candidate = "{TOOL}"',
        'measure = "nDCG@10"',
        'causes = ["gain"]',
        'reason = "known"',
        "",
    ]
    assert document == run(tmp_path)
    assert exit_code(document) is ExitCode.AS_EXPECTED
    assert accept(tmp_path)[1] == 0
    assert config.read_text("utf-8") == after


def test_accepting_writes_a_case_file_where_there_is_none(tmp_path: Path) -> None:
    """A case without ``case.toml`` gets one, which makes its next run as expected."""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    assert accept(tmp_path)[1] == 1
    assert (folder / "case.toml").is_file()
    assert exit_code(run(tmp_path)) is ExitCode.AS_EXPECTED


def test_accepting_replaces_an_entry_whose_cause_changed(tmp_path: Path) -> None:
    """The entry, found under either spelling of the measure, is edited in its place."""
    text = declared("ndcg_cut_10", '["discount"] # was')
    config = write_case(tmp_path / "c", QRELS, RUN, text + "# the end\n") / "case.toml"
    accept(tmp_path)
    after = config.read_text("utf-8")
    assert after.count("[[expect]]") == 1
    assert 'measure = "ndcg_cut_10"\ncauses = ["gain"]' in after
    assert after.endswith("# the end\n")
    assert exit_code(run(tmp_path)) is ExitCode.AS_EXPECTED


def test_accepting_replaces_a_strength_that_the_entry_names(tmp_path: Path) -> None:
    """The next run is as expected, and the entry still names one."""
    config = write_case(tmp_path / "c", QRELS, RUN, declared(more='strength = "proved"\n')) / "case.toml"
    assert accept(tmp_path)[1] == 1
    assert config.read_text("utf-8").count('strength = "consistent"') == 1
    assert exit_code(run(tmp_path)) is ExitCode.AS_EXPECTED


def unexplained_tool(folder: Path) -> str:
    """A metric that no convention gives on nDCG@10, and one that is trec_eval's with other gains."""
    (folder / "tool.py").write_text("def wrong(qrels, run, measure):\n    return {q: 0.123 for q in run}\n")
    return f"python:{folder / 'tool.py'}:wrong"


def test_what_is_unexplained_is_accepted_only_when_asked(tmp_path: Path) -> None:
    """It may be a bug: without the word it stays unexpected and unwritten, and the explained is written."""
    folder = write_case(tmp_path / "cases" / "c", QRELS, RUN)
    tool = unexplained_tool(tmp_path)
    settings = Settings(measures=("nDCG@10",), backends=(tool, TOOL), reference="native")
    cases = find_cases([str(tmp_path / "cases")])
    document, written = accept_mismatches(run_with(cases, settings), cases, "known")
    assert written == 1
    assert comparison(document, "nDCG@10", TOOL).expected
    assert not comparison(document, "nDCG@10", tool).expected
    assert exit_code(document) is ExitCode.UNEXPECTED
    assert tool not in (folder / "case.toml").read_text("utf-8")
    document, written = accept_mismatches(document, cases, "known", unexplained=True)
    assert written == 1
    assert exit_code(document) is ExitCode.AS_EXPECTED
    again = run_with(find_cases([str(tmp_path / "cases")]), settings)
    assert exit_code(again) is ExitCode.AS_EXPECTED


def test_a_partial_run_touches_only_what_it_ran(tmp_path: Path) -> None:
    """Stale entries of this run, and entries for other measures and candidates, stay as they are."""
    stale, foreign = declared("P@5"), declared("nDCG").replace(TOOL, "somebody else")
    config = write_case(tmp_path / "c", QRELS, RUN, stale + foreign) / "case.toml"
    document, written = accept(tmp_path)
    assert written == 1
    assert config.read_text("utf-8").startswith(stale + foreign)
    assert exit_code(document) is ExitCode.UNEXPECTED
    assert comparison(document, "P@5", TOOL).stale


def test_with_several_runs_each_entry_names_its_run(tmp_path: Path) -> None:
    """Two runs that differ are two entries, and only those make the next run as expected."""
    config = write_case(tmp_path / "c", QRELS, RUN, other=OTHER) / "case.toml"
    document, written = accept(tmp_path, "nDCG@10")
    assert written == document.summary.mismatch == 2
    text = config.read_text("utf-8")
    assert text.count('run = "run"') == text.count('run = "run.other"') == 1
    assert document == run(tmp_path, "nDCG@10")


def test_failures_are_not_accepted(tmp_path: Path) -> None:
    """An error deserves a look; nothing is written for it."""
    folder = write_case(tmp_path / "cases" / "c", QRELS, RUN)
    (tmp_path / "tool.py").write_text("def fails(qrels, run):\n    raise KeyError('x')\n")
    document, written = accept(tmp_path / "cases", "AP", tool=f"python:{tmp_path / 'tool.py'}:fails")
    assert (written, document.summary.error) == (0, 1)
    assert not (folder / "case.toml").exists()
    assert exit_code(document) is ExitCode.INCONCLUSIVE


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_accepting_needs_a_reason(tmp_path: Path, reason: str) -> None:
    """Without one nothing is written."""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    with pytest.raises(UsageError, match="needs a reason"):
        accept(tmp_path, reason=reason)
    assert not (folder / "case.toml").exists()
