"""Ids that look alike are told, whichever way a run and its qrels come to the join.

What commands say of them: tests/cli/outputs/sessions/spelling.txt.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crosscheck
from crosscheck.errors import InputWarning
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings.pairing import Pairing
from tests.cli.command import crosscheck as command
from tests.support.kept import examples

Ids = dict[str, str]


def evaluated(judged, retrieved, folder):
    qrels, run = _dicts(judged, retrieved)
    return crosscheck.evaluate(qrels, run, ["AP"])


def evaluated_as_pytrec_eval(judged, retrieved, folder):
    qrels, run = _dicts(judged, retrieved)
    return crosscheck.RelevanceEvaluator(qrels, {"map"}).evaluate(run)


def streamed(judged, retrieved, folder):
    qrels, run = _dicts(judged, retrieved)
    for name, table in (("run", run), ("qrels", qrels)):
        middle = "Q0 {} 1 {} tag" if name == "run" else "0 {} {:.0f}"
        lines = [f"{topic} {middle.format(*row)}\n" for topic in table for row in table[topic].items()]
        (folder / name).write_text("".join(lines), "utf-8")
    return crosscheck.evaluate(str(folder / "qrels"), str(folder / "run"), ["AP"])


def studied(judged, retrieved, folder):
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


def told(judged: Ids, retrieved: Ids, folder: Path, *ways: Callable[..., Any]) -> list[str]:
    """What each way to ask warns of, at the line of the caller, or notes. No line of a file holds blanks."""
    lines: dict[str, list[str]] = {}
    blanks = any("_" in ids or " " in topic for one in (judged, retrieved) for topic, ids in one.items())
    for ask in ways or (evaluated, evaluated_as_pytrec_eval, studied, *([] if blanks else [streamed])):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            ask(judged, retrieved, folder)
        assert {one.category for one in found} <= {InputWarning}
        assert {one.filename for one in found} <= {__file__}
        said = "; ".join(str(one.message) for one in found) or "nothing"
        lines.setdefault(said, []).append(ask.__name__)
    return [f"{', '.join(ways)}: {said}" for said, ways in lines.items()]


def facts(judged: dict[str, int], retrieved: str) -> list[str]:
    """What is noted, not warned of: the values are what was asked for."""
    run = run_from_dict({topic: {"a": 1.0} for topic in retrieved})
    qrels = qrels_from_dict({topic: {"a": level} for topic, level in judged.items()})
    (values,) = crosscheck.evaluate_runs(qrels, [run], ["AP"])
    assert values.facts == Pairing.of(run, qrels).facts
    return [*values.facts]


def written(*names: str) -> tuple[str, ...]:
    """Files with the same judgements, by their names."""
    for name in names:
        Path(name).write_text('{"1": {"a": 1}}')
    return names


ITSELF = {"1": {"a": 1}}
#: As a warning, and in the notes of documents. Nothing is said of two documents that are both retrieved or
#: both judged, or of other topics, nor where a run lacks queries or has more of one form.
test_ids_that_look_alike_are_told = examples(globals())


def test_of_files_the_encoding_is_told_and_a_ranking_that_is_cut_is_not(tmp_path):
    """A run in Latin-1 beside judgements in UTF-8; with -M 0 ids are as they are in the qrels."""
    (tmp_path / "qrels").write_text("1 0 café 1\n1 0 x 0\n", "utf-8")
    (tmp_path / "run").write_text("1 Q0 café 1 2 t\n1 Q0 x 1 1 t\n", "latin-1")
    said = command(tmp_path, "trec_eval", "-m", "map", "qrels", "run").err
    assert r"'caf\xe9', which differs from 'café' in the encoding of letters" in said
    (tmp_path / "run").write_text("1 Q0 café 1 2 t\n1 Q0 x 1 1 t\n", "utf-8")
    for options in ((), ("-M", "0")):
        assert command(tmp_path, "trec_eval", *options, "-m", "map", "qrels", "run").err == ""
