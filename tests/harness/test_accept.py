"""Declared mismatches: held strictly against what happens, and written by ``accept_mismatches``."""

from pathlib import Path
from typing import Any

import pytest

from crosscheck.formats.cases import find_cases
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.harness.accept import accept_mismatches
from crosscheck.harness.runner import unused
from crosscheck.results import Document
from tests.harness.data import comparison, write_case

#: Linear and exponential gain differ on nDCG, and nowhere else; query 3 is the same for all.
QRELS = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
RUN = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 2.0), ("2", "d", 1.0), ("3", "e", 1.0)]
OTHER = [("1", "b", 2.0), ("1", "a", 1.0), ("2", "d", 2.0), ("2", "c", 1.0)]
TOOL = "native:gain=exponential"
REASON = "the tool gains 2^level - 1"


def declared(measure: str = "nDCG@10", causes: str = '["gain"]', more: str = "", tool: str = TOOL) -> str:
    return (
        f'[[expect]]\ncandidate = "{tool}"\nmeasure = "{measure}"\ncauses = {causes}\n'
        f'reason = "{REASON}"\n{more}'
    )


def run(
    folder: Path, *measures: str, queries: tuple[str, ...] = (), tools: tuple[str, ...] = (TOOL,)
) -> Document:
    """The tools against ``native`` on the cases of a folder."""
    asked = measures or ("nDCG@10", "P@5")
    settings = Settings(measures=asked, backends=tools, reference="native", queries=queries)
    return run_with(find_cases([str(folder)]), settings)


KNOWN, SURPRISE, STALE = ("mismatch", True, False), ("mismatch", False, False), ("match", False, True)
GONE = "case.toml declares a mismatch that no longer happens; --prune removes the entry"
NO_CAUSE = "case.toml declares the cause discount, gain, but the cause found is gain"
NO_STRENGTH = "case.toml declares the strength proved, but the strength found is consistent"


@pytest.mark.parametrize(
    ("config", "asked", "found", "message"),
    [
        (declared(), {}, KNOWN, None),
        (declared("ndcg_cut_10"), {}, KNOWN, None),
        (declared("ndcg@10"), {}, KNOWN, None),
        (declared(more='strength = "consistent"\n'), {}, KNOWN, None),
        (declared(more='strength = "proved"\n'), {}, SURPRISE, NO_STRENGTH),
        (declared(causes='["discount", "gain"]'), {}, SURPRISE, NO_CAUSE),
        (declared(more='outcome = "error"\n').replace('causes = ["gain"]\n', ""), {}, SURPRISE,
         "case.toml declares the outcome error, but the outcome is mismatch"),
        ("", {}, SURPRISE, None),
        (declared("P@5"), {"measure": "P@5"}, STALE, GONE),
        # The query that differs may be among the others.
        (declared(), {"queries": ("3",)}, ("match", True, False), None),
        # A declaration for one run goes before one for all.
        (declared(causes='["discount"]') + declared(more='run = "run"\n'), {}, KNOWN, None),
        (declared() + declared(causes='["discount", "gain"]', more='run = "run"\n'), {}, SURPRISE, NO_CAUSE),
    ],
)  # fmt: skip
def test_a_declaration_is_held_against_what_happens(tmp_path, config, asked, found, message):
    """A declared mismatch with its cause stays a mismatch, carries the reason and is expected; another cause
    or strength is not, nor is one that is gone. The message says what was declared and what was found."""
    write_case(tmp_path / "c", QRELS, RUN, config)
    measure = asked.get("measure", "nDCG@10")
    document = run(tmp_path, measure, queries=asked.get("queries", ()))
    (c,) = document.comparisons
    assert (c.outcome, c.expected, c.stale) == found
    assert c.message == message
    assert c.reason == (REASON if found in (KNOWN, STALE) else None)
    assert exit_code(document) == (not c.expected)
    assert exit_code(document, fail_on="mismatch") == (found != ("match", True, False))
    counted = document.summary.mismatch, document.summary.unexpected, document.summary.stale
    assert counted == (c.outcome == "mismatch", not c.expected, c.stale)


def accept(folder: Path, *measures: str, reason: str = "known", **more: Any) -> tuple[Document, int]:
    cases = find_cases([str(folder)])
    unexplained = more.pop("unexplained", False)
    return accept_mismatches(run(folder, *measures, **more), cases, reason, unexplained=unexplained)


WRITTEN = f'\n[[expect]]\ncandidate = "{TOOL}"\nmeasure = "nDCG@10"\ncauses = ["gain"]\nreason = "known"\n'
NO_FILE = ""
FOREIGN = declared("nDCG").replace(TOOL, "somebody else")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'# about\nmeasures = [ "P@5","nDCG@10" ] # both\n\n{FOREIGN}# the end\n', "{before}" + WRITTEN),
        (NO_FILE, WRITTEN.removeprefix("\n")),
        (declared("ndcg_cut_10", '["discount"] # was') + "# the end\n",
         declared("ndcg_cut_10", '["gain"] # was').replace(REASON, "known") + "# the end\n"),
        (declared(more='strength = "proved"\n'),
         declared(more='strength = "consistent"\n').replace(REASON, "known")),
    ],
)  # fmt: skip
def test_accepting_declares_what_was_unexpected_and_nothing_else(tmp_path, before, after):
    """Comments, order and other entries keep their bytes, an entry whose cause or strength changed is edited
    in its place, and a case without a file gets one; the next run says what the document says now."""
    config = write_case(tmp_path / "c", QRELS, RUN, before) / "case.toml"
    document, written = accept(tmp_path)
    text = config.read_text("utf-8")
    assert (written, text) == (1, after.replace("{before}", before))
    assert document == run(tmp_path)
    assert exit_code(document) is ExitCode.AS_EXPECTED
    assert (accept(tmp_path)[1], config.read_text("utf-8")) == (0, text)


def test_what_is_stale_is_not_removed_by_accepting(tmp_path):
    """It should be looked at: it stays, and fails."""
    config = write_case(tmp_path / "c", QRELS, RUN, declared("P@5")) / "case.toml"
    document, written = accept(tmp_path)
    assert (written, config.read_text("utf-8").startswith(declared("P@5"))) == (1, True)
    assert comparison(document, "P@5", TOOL).stale
    assert exit_code(document) is ExitCode.UNEXPECTED


def test_an_error_is_never_accepted(tmp_path):
    """It deserves a look. (What is unexplained is accepted if the command says so.)"""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    (tmp_path / "tool.py").write_text("def fails(qrels, run):\n    raise KeyError('x')\n")
    tools = (f"python:{tmp_path / 'tool.py'}:fails",)
    document, written = accept(tmp_path, "AP", tools=tools, unexplained=True)
    assert (written, document.summary.error, (folder / "case.toml").exists()) == (0, 1, False)
    assert exit_code(document) is ExitCode.INCONCLUSIVE


def test_with_several_runs_each_entry_names_its_run(tmp_path):
    """Two runs that differ are two entries, and only those make the next run as expected."""
    config = write_case(tmp_path / "c", QRELS, RUN, other=OTHER) / "case.toml"
    document, written = accept(tmp_path, "nDCG@10")
    text = config.read_text("utf-8")
    assert written == document.summary.mismatch == 2
    assert text.count('run = "run"') == text.count('run = "run.other"') == 1
    assert document == run(tmp_path, "nDCG@10")


@pytest.mark.parametrize(
    ("expected", "unmet"),
    [
        *(("published AP run.a", 0), ("published AP run.b", 1), ("recorded:gone AP run", 1)),
        *(("nobody AP run", 1), ("sklearn AP run", 0), (f"{TOOL} AP run", 0), (f"{TOOL} RR run", 1)),
    ],
)
def test_an_expectation_that_no_comparison_can_meet_is_unused(tmp_path, expected, unmet):
    """A number that is published of one run is compared on no other; a tool may be asked another time."""
    tool, measure, name = expected.split()
    known = declared(measure, more=f'run = "{name}"\n', tool=tool)
    config = f'{known}[[published]]\nAP = 0.5\nrun = "run.a"\n'
    write_case(tmp_path / "c", QRELS, RUN, config, a=RUN, b=OTHER)
    (case,) = find_cases([str(tmp_path)])
    settings = Settings(measures=("AP",), backends=(TOOL,), reference="native")
    assert unused(case, settings) == [*case.expectations] * unmet
