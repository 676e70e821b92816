"""The whole output of each command on one small collection, and of sessions; the program writes them:
``python -m tests.cli.test_outputs``, or with the names of some.

``collection/`` has what tools differ on: ties, levels, unjudged documents, queries that one side lacks.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.command import INPUTS, crosscheck, session
from tests.programs.real.planted import settings
from tests.support.kept import cases, holds, write

OUTPUTS = Path(__file__).parent / "outputs"
SESSIONS = sorted((OUTPUTS / "sessions").glob("*.txt"))
REMEDY = "run `python -m tests.cli.test_outputs`, read what changed, and commit it"
REPORTS = ("--report", "text", "--report", "json=document.json")
#: Name of the kept output -> arguments, divided by blanks.
COMMANDS = dict(line.split(": ", 1) for line in (OUTPUTS / "commands").read_text("utf-8").splitlines())
#: Every setting and every profile as a candidate, a dozen at once.
_SETTINGS = [f"native:{one}" for one in settings()]
_MEASURES = "-m nDCG@5 -m AP -m RR -m P@5 -m bpref"
_OF_SETTINGS = {
    f"settings-{first:03}": f"run --qrels qrels --run tied --reference native {_MEASURES} -b "
    + " -b ".join(_SETTINGS[first : first + 12])
    for first in range(0, len(_SETTINGS), 12)
}
_KEPT = COMMANDS | _OF_SETTINGS


def _written(folder: Path) -> None:
    """A copy of ``collection/``: qrels, those of another assessor, five runs; and saved values of some."""
    shutil.copytree(Path(__file__).parent / "collection", folder, dirs_exist_ok=True)
    for name, spec in (("good", ""), ("fair", ""), ("half", "gain=exponential,ties=docid-asc")):
        run = name if name != "half" else "good"
        given = ["qrels", run, "-m", "AP", "-m", "nDCG@5", "-q", "--output", "trec_eval", "--all-digits"]
        done = crosscheck(folder, "evaluate", *given, *(["--conventions", spec] if spec else []))
        (folder / f"{name}.values").write_text(done.out)
    for name in ("good", "tied"):
        call = f"run --qrels qrels --run {name} -b native:gain=exponential --reference native -m nDCG@5"
        crosscheck(folder, *call.split(), "--report", f"json={name}.json", "--quiet")


def _number(folder: Path, given: str) -> str:
    """Four digits of a mean, for arguments such as ``nDCG@5={gain=exponential:nDCG@5}``."""
    begin, _, asked = given.rstrip("}").partition("{")
    if not asked:
        return given
    spec, measure = asked.split(":")
    run = "tied" if spec.startswith("ties") else "good"
    done = crosscheck(
        folder, "evaluate", "qrels", run, "-m", measure, "--conventions", spec, "--output", "csv"
    )
    return f"{begin}{float(done.out.split(',')[-1]):.4f}"


def output(name: str, folder: Path) -> str:
    """The arguments, the exit code, what the command says on both streams, and its document."""
    given = [_number(folder, word) for word in _KEPT[name].split()]
    plain = ("evaluate", "describe", "explain", "profiles", "trec_eval")
    reports = () if "--report" in given or name.startswith("settings") else REPORTS
    brief = given[0] in plain or name.startswith("brief")
    more = [] if brief else ["--verbose", *["--quiet"] * (given[0] != "diff"), *reports]
    done = crosscheck(folder, *given, *more)
    text = f"$ crosscheck {' '.join(given)}\n{done.out}{done.err}exit code {done.code}\n"
    document = folder / "document.json"
    if document.exists():
        content = json.loads(document.read_text())
        del content["environment"]  # versions of packages
        text += json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        document.unlink()
    return text


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collection")
    _written(folder)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.one_in(5)] * given.startswith("audit"))
        for name, given in COMMANDS.items()
    ],
)
def test_a_command_says_what_was_read_and_found_good(name, collection):
    """Every line of it: no number, no word and no exit code changes unnoticed."""
    assert output(name, collection) == (OUTPUTS / f"{name}.txt").read_text("utf-8"), REMEDY


@pytest.mark.one_in(11)
@pytest.mark.parametrize("name", _OF_SETTINGS)
def test_every_setting_is_told_as_was_read_and_found_good(name, collection):
    """As the candidate of a run, with every cause and its evidence."""
    assert output(name, collection) == (OUTPUTS / f"{name}.txt").read_text("utf-8"), REMEDY


@cases(*SESSIONS, slow=("A case of a mean", "A metric that is given records"))
def test_a_session_goes_as_it_was_read_and_found_good(block):
    """Calls one after the other on ``inputs/``: each answer and exit code, and the files that are written."""
    holds(block, session)


def test_the_cause_of_a_mismatch_with_pyndeval_is_named(tmp_path):
    """Its ties are ordered by docno ascending; with that order it agrees. No order of ties is known to be the
    best or the worst of all."""
    pytest.importorskip("pyndeval")
    asked = (INPUTS / "sub", "-m", "alpha_nDCG@2,ERR-IA@2,StRecall@1,P@1", "-b", "ir-measures")
    done = crosscheck(tmp_path, *asked, "--report", "json=-", "--reference", "native")
    found = {c["measure"]: c for c in done.document()["comparisons"]}
    assert [name for name, c in found.items() if c["outcome"] == "match"] == ["P@1"]
    alpha = found["alpha_nDCG@2"]
    said = [alpha["diagnosis"][name] for name in ("causes", "strength", "conventions")]
    assert said == [["tie-breaking"], "consistent", {"ties": "docid-asc"}]
    assert all(cell.get("ties") is None for cell in alpha["cells"])
    same = crosscheck(tmp_path, *asked, "--report", "json=-", "--reference", "native:ties=docid-asc")
    assert same.code == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        _written(Path(scratch))
        for name in [one for one in _KEPT if one in sys.argv or not sys.argv[1:]]:
            (OUTPUTS / f"{name}.txt").write_text(output(name, Path(scratch)), "utf-8")
    write(SESSIONS, session)
