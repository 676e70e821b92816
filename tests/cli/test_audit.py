"""``crosscheck audit`` as a user calls it: exit codes, reports, and cases that are saved."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from crosscheck.auditing.words import CONVERSIONS, WORDS
from crosscheck.report.json_report import schema
from tests.cli.command import ROOT, Done, arguments, crosscheck, environment
from tests.support.kept import Kept


def audit_of(folder: Path, source: str, *given: str) -> Done:
    """The audit of the function ``f`` in this source text."""
    (folder / "m.py").write_text(source, "utf-8")
    return crosscheck(folder, "audit", "m.py:f", "--quiet", *given)


def uncallable(source: str, *given: str) -> str:
    """What an audit says, its verdict and exit code; the place of an error differs by version of Python."""
    done = audit_of(Path(), source, "-m", "P@5", "--report", "text", "--report", "json=a.json", *given)
    verdict = json.loads(Path("a.json").read_text("utf-8"))["audit"]["verdict"]
    said = re.sub(r"\([^()]+:\d+ in [^()]+\)", "(PLACE)", " ".join(done.out.split()))
    said = said.removesuffix(" The full report is in a.json, or use --verbose.")
    return f"{said}\n{verdict}, exit code {done.code}{done.err}"


EXAMPLES = Kept(__file__, uncallable=uncallable)


@pytest.mark.one_in(7)
@EXAMPLES.each()
def test_a_metric_that_cannot_be_called(given):
    EXAMPLES.holds(given)


def test_the_same_seed_writes_the_same_document(tmp_path):
    """Two audits with one seed are the same bytes, whatever the hash seed of the interpreter, and whether the
    measure stands after -m or alone."""
    asked = ("audit", f"{ROOT}/tests/targets/s1.py:ndcg_at_k", "--seed", "0", "--report", "json=-")
    calls = (arguments(*asked, *measure) for measure in (("-m", "nDCG@6"), ("nDCG@6",)))
    done = [subprocess.run(call, cwd=tmp_path, env=environment(), capture_output=True) for call in calls]
    one, other = (each.stdout for each in done)
    assert one == other
    document = json.loads(one)
    Draft202012Validator(json.loads(schema("audit"))).validate(document)
    assert set(document["audit"]["behaviour"]) >= {"empty run", "k = 0", "k past the end"}


def test_a_metric_that_is_killed_once(tmp_path):
    """By the system, as when memory runs out: it is asked again, and nothing of it is held against it."""
    killed = (
        "import os, pathlib, signal\n"
        "def f(qrels, run):\n"
        "    if len(run) > 1 and not pathlib.Path('died').exists():\n"
        "        pathlib.Path('died').touch()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return {query: float(len(run[query])) for query in run if query in qrels}\n"
    )
    done = audit_of(tmp_path, killed, "-m", "NumRet", "--report", "json=-")
    assert done.code == 0
    assert (tmp_path / "died").exists()
    assert json.loads(done.out)["audit"]["notes"] == []


@pytest.mark.whole
def test_saved_cases_are_tried_the_next_time(tmp_path):
    """A case in the folder of saved ones shows a deviation that an audit by itself does not meet."""
    source = "def f(ranked_ids, relevant_ids):\n    if 'odd-one' in ranked_ids: return 0.5\n"
    source += "    return next((1 / i for i, d in enumerate(ranked_ids, 1) if d in relevant_ids), 0.0)\n"
    audited = ("-m", "RR", "--save-fixture", "made")
    assert audit_of(tmp_path, source, *audited).code == 0
    case = tmp_path / "made" / "odd"
    case.mkdir(parents=True)
    (case / "qrels").write_text("1 0 odd-one 1\n", "utf-8")
    (case / "run.txt").write_text("1 Q0 odd-one 1 1.0 t\n", "utf-8")
    again = audit_of(tmp_path, source, *audited)
    assert again.code == 1
    assert "all values on 0 of 1 runs of the cases; not on odd/run.txt\n" in again.out


@pytest.mark.whole
def test_saved_cases_of_ids_with_blanks_are_cases(tmp_path):
    """Lines have no place for a blank inside an id: such a case is saved as JSON, and compares the same."""
    done = crosscheck(tmp_path, "audit", "native:ids=strip", "-m", "P@5", "--save-fixture", "made")
    assert done.code == 1
    names = {path.name for path in (tmp_path / "made" / "id-normalisation").iterdir()}
    assert names == {"qrels.json", "run.json", "case.toml", "example.py", "recorded.audited.json"}
    assert crosscheck(tmp_path, "run", "made", "-b", "native").code == 0


def test_the_help_names_every_word_of_a_call(tmp_path):
    """Words and conversions alike."""
    assert {*WORDS, *CONVERSIONS} <= {*re.findall(r"\w+", crosscheck(tmp_path, "audit", "--help").out)}
