"""Ids that look alike are told, whichever way a run and its qrels come to the join."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import crosscheck
from crosscheck.errors import InputError, InputWarning
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings.pairing import Pairing
from tests.cli.command import crosscheck as command
from tests.support.kept import Kept, shown

Ids = dict[str, str]


def _evaluated(judged, retrieved, folder):
    return crosscheck.evaluate(*_dicts(judged, retrieved), ["AP"])


def _evaluated_as_pytrec_eval(judged, retrieved, folder):
    qrels, run = _dicts(judged, retrieved)
    return crosscheck.RelevanceEvaluator(qrels, {"map"}).evaluate(run)


def _streamed(judged, retrieved, folder):
    qrels, run = _dicts(judged, retrieved)
    for name, table in (("run", run), ("qrels", qrels)):
        middle = "Q0 {} 1 {} tag" if name == "run" else "0 {} {:.0f}"
        lines = [f"{topic} {middle.format(*row)}\n" for topic in table for row in table[topic].items()]
        (folder / name).write_text("".join(lines), "utf-8")
    return crosscheck.evaluate(str(folder / "qrels"), str(folder / "run"), ["AP"])


def _studied(judged, retrieved, folder):
    qrels, run = _dicts(judged, retrieved)
    notes = crosscheck.tools(qrels, run, ["AP"]).notes
    assert tuple(notes) == Pairing.of(run_from_dict(run), qrels_from_dict(qrels)).spelling
    return notes


def _dicts(judged, retrieved):
    """Qrels and run; ``_`` stands for a blank."""

    def split(ids):
        return [id.replace("_", " ") for id in ids.split()]

    qrels = {topic: dict.fromkeys(split(ids), 1) for topic, ids in judged.items()}
    run = {topic: {id: 9.0 - i for i, id in enumerate(split(ids))} for topic, ids in retrieved.items()}
    return qrels, run


def told(judged: Ids, retrieved: Ids, folder: Path) -> list[str]:
    """What each way to ask warns of, at the line of the caller, or notes. No line of a file holds blanks."""
    lines: dict[str, list[str]] = {}
    blanks = any("_" in ids or " " in topic for one in (judged, retrieved) for topic, ids in one.items())
    for ask in (_evaluated, _evaluated_as_pytrec_eval, _studied, *([] if blanks else [_streamed])):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            ask(judged, retrieved, folder)
        assert {one.category for one in found} <= {InputWarning}
        assert {one.filename for one in found} <= {__file__}
        said = "; ".join(str(one.message) for one in found) or "nothing"
        lines.setdefault(said, []).append(ask.__name__.removeprefix("_"))
    return [f"{', '.join(ways)}: {said}" for said, ways in lines.items()]


def facts(judged: dict[str, int], retrieved: str) -> list[str]:
    """What is noted, not warned of: the values are what was asked for."""
    run = run_from_dict({topic: {"a": 1.0} for topic in retrieved})
    qrels = qrels_from_dict({topic: {"a": level} for topic, level in judged.items()})
    (values,) = crosscheck.evaluate_runs(qrels, [run], ["AP"])
    assert values.facts == Pairing.of(run, qrels).facts
    return [*values.facts]


KEPT = Kept(__file__, TypeError, ValueError, within=({"told": told, "facts": facts},), show=shown)


@KEPT.each()
def test_ids_that_look_alike_are_told(given):
    """As a warning, and in the notes of documents. Nothing is said of two documents that are both retrieved
    or both judged, or of other topics, nor where a run lacks queries or has more of one form."""
    KEPT.holds(given)


def test_of_a_large_run_in_memory_some_documents_are_looked_at():
    """Ids that all are spelt otherwise are told at any size."""
    qrels = {str(t): {f"D{d}": 1 for d in range(0, 100, 7)} for t in range(100)}
    run = {str(t): {f"d{d}": float(d) for d in range(100)} for t in range(100)}
    with pytest.warns(InputWarning, match="'d0', which differs from 'D0'"):
        crosscheck.evaluate(qrels, run, ["AP"])


def test_judgements_are_no_run_of_themselves(tmp_path):
    """Given twice, as one object or one file, they would get 1 in every measure; a copy is an ideal run."""
    qrels = {"1": {"a": 1}}
    (tmp_path / "q.json").write_text('{"1": {"a": 1}}')
    (tmp_path / "copy.json").write_text('{"1": {"a": 1}}')
    for given in (qrels, str(tmp_path / "q.json")):
        with pytest.raises(InputError, match="the run is the qrels themselves"):
            crosscheck.evaluate(given, given, ["AP"])
    for one, other in ((qrels, dict(qrels)), (tmp_path / "q.json", tmp_path / "copy.json")):
        assert crosscheck.evaluate(one, other, ["AP"]) == {"1": {"AP": 1.0}}


def test_every_command_says_it_once_on_stderr(tmp_path):
    """Also where Python is told to ignore warnings; what is printed to stdout stays that of the C program."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "run").write_text("\ufeff1 Q0 a 1 2 t\n2 Q0 B 1 2 t\n2 Q0 c 1 1 t\n", "utf-8")
    calls = [
        "evaluate qrels run -m AP --quiet --workers 1",
        "evaluate qrels run -m AP --quiet --workers 2",
        "qrels run -m AP -b native:gain=exponential --quiet",
        "why qrels run AP=0.5 --quiet",
        "impact qrels run run2 --candidate native:gain=exponential -m AP --quiet",
        "agreement qrels qrels2 --quiet",
    ]
    (tmp_path / "run2").write_text("1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n")
    (tmp_path / "qrels2").write_text("\ufeff1 0 a 1\n2 0 B 1\n2 0 c 1\n", "utf-8")
    for call in calls:
        assert warned(call, command(tmp_path, *call.split()).err)
    asked = [sys.executable, "-W", "ignore", "-m", "crosscheck", "trec_eval", "-m", "map", "qrels", "run"]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert warned("trec_eval", done.stderr)
    assert done.stdout == "map                   \tall\t0.0000\n"


def warned(call, stderr):
    lines = [line for line in stderr.splitlines() if line.startswith("crosscheck: warning: ")]
    assert len(lines) == len(set(lines)) == 2, (call, stderr)
    assert "'B', which differs from 'b' in letter case" in lines[1]
    return r"topic '\ufeff1' begins with a byte order mark" in lines[0]


def test_of_files_the_encoding_is_told_and_a_ranking_that_is_cut_is_not(tmp_path):
    """A run in Latin-1 beside judgements in UTF-8; with -M 0 ids are as they are in the qrels."""
    (tmp_path / "qrels").write_text("1 0 café 1\n1 0 x 0\n", "utf-8")
    (tmp_path / "run").write_text("1 Q0 café 1 2 t\n1 Q0 x 1 1 t\n", "latin-1")
    said = command(tmp_path, "trec_eval", "-m", "map", "qrels", "run").err
    assert r"'caf\xe9', which differs from 'café' in the encoding of letters" in said
    (tmp_path / "run").write_text("1 Q0 café 1 2 t\n1 Q0 x 1 1 t\n", "utf-8")
    for options in ((), ("-M", "0")):
        assert command(tmp_path, "trec_eval", *options, "-m", "map", "qrels", "run").err == ""
