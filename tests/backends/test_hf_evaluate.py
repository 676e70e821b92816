"""Claims about Hugging Face evaluate's trec_eval metric, run for real."""

import os
from pathlib import Path
from typing import Any

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.hf_evaluate import as_columns
from crosscheck.model import Measure, MeasureValues
from tests.backends.inputs import qrels_of, run_of, run_of_rows
from tests.support.kept import REMEDY, Kept

needs_evaluate = pytest.mark.skipif(
    not make("hf-evaluate:bundled").describe().available, reason="evaluate and trectools are not installed"
)

P5, NDCG5 = Measure("P", 5), Measure("nDCG", 5)
ALL = [Measure(name, k) for name in ("P", "nDCG") for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]


@needs_evaluate
def test_ndcg_follows_the_input_and_precision_the_scores():
    """Lines of one query that are not together, and not sorted, are taken in the order of the input."""
    rows = [("1", "low", 1.0), ("2", "x", 1.0), ("1", "high", 9.0), ("2", "y", 2.0)]
    qrels = qrels_of({"1": {"high": 1, "low": 0}, "2": {"y": 1, "x": 0}})
    with Guarded(make("hf-evaluate:bundled")) as backend:
        gains, ranks = backend.evaluate(qrels, run_of_rows(rows), [NDCG5, Measure("RR")]).values()
    assert gains.values == pytest.approx({b"1": 0.6309297535714575, b"2": 0.6309297535714575})
    assert gains.mean == pytest.approx(0.6309297535714575)
    assert ranks.values == {b"1": 1.0, b"2": 1.0}


def metric_script(folder: Path, name: str, factor: str) -> Path:
    """A copy of the bundled script whose P@5 is another number, so that one sees which ran."""
    source = Path(__file__).parents[2] / "crosscheck" / "backends" / "hf_metric" / "trec_eval.py"
    folder.mkdir(parents=True)
    script = folder / name
    text = source.read_text()
    changed = text.replace("        return result\n", f"        return result | {{'P@5': {factor}}}\n")
    assert changed != text
    script.write_text(changed)
    return script


@needs_evaluate
def test_a_cached_script_is_preferred_and_a_path_is_taken_as_given(tmp_path, monkeypatch):
    """hf-evaluate runs the newest cached script; :bundled ours; :PATH a file or its folder. What a script
    raises is the error."""
    home = tmp_path / ".cache" / "huggingface"
    cache = home / "modules" / "evaluate_modules" / "metrics" / "evaluate-metric--trec_eval"
    old = metric_script(cache / "0123456789abcdef", "trec_eval.py", "7.0")
    os.utime(old, (1, 1))
    metric_script(cache / "fedcba9876543210", "trec_eval.py", "8.0")
    given = metric_script(tmp_path / "mine", "mine.py", "9.0")
    qrels, run = qrels_of({"1": {"a": 1}}), run_of({"1": {"a": 1.0}})
    origins = {
        "hf-evaluate": "cached as fedcba98",
        "hf-evaluate:cache": "cached as fedcba98",
        "hf-evaluate:bundled": "bundled",
        f"hf-evaluate:{given}": "from mine.py",
        f"hf-evaluate:{given.parent}": "from mine.py",
    }
    places = tmp_path, home.parent, home, home / "modules"
    names = "HOME", "XDG_CACHE_HOME", "HF_HOME", "HF_MODULES_CACHE"
    for variable, place in zip(names, places, strict=True):
        for name in names:
            monkeypatch.setenv(name, str(place) if name == variable else "")
        assert all(origin in make(id).describe().engine for id, origin in origins.items())
    for id, value in (("hf-evaluate", 8.0), (f"hf-evaluate:{given.parent}", 9.0)):
        with Guarded(make(id)) as backend:
            assert all(map(backend.supports, ALL))
            found, *rest = backend.evaluate(qrels, run, ALL).values()
        assert all(isinstance(one, MeasureValues) for one in (found, *rest))
        assert found.mean == value, id
        assert origins[id] in found.engine, id
    failing = metric_script(tmp_path / "failing", "failing.py", "1 / 0")
    with Guarded(make(f"hf-evaluate:{failing}")) as backend:
        said = str(backend.evaluate(qrels, run, [P5])[P5])
    assert said.startswith("compute on all queries failed: ZeroDivisionError: division by zero (")


@needs_evaluate
@pytest.mark.parametrize(("source", "said"), [("{folder}/broken.py", "RuntimeError: not today"), ("hub", "")])
def test_a_script_that_cannot_be_loaded_is_an_error(tmp_path, monkeypatch, source, said):
    """With the error that the script raised; the hub without a network is neither the bundled script nor a
    hang."""
    (tmp_path / "broken.py").write_text("import evaluate\nraise RuntimeError('not today')\n")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://localhost:9")
    monkeypatch.setenv("HF_EVALUATE_OFFLINE", "1")
    with Guarded(make(f"hf-evaluate:{source.format(folder=tmp_path)}")) as backend:
        outcome = backend.evaluate(qrels_of({"1": {"a": 1}}), run_of({"1": {"a": 1.0}}), [P5])[P5]
    assert str(outcome).startswith(f"evaluate.load failed: {said}")


def columns(judgements: Any, rows: Any, ranks: Any = None) -> str:
    """Qrels and run as the metric gets them."""
    found = as_columns(qrels_of(judgements), run_of_rows(rows, ranks=ranks))
    return "\n".join([str(found.qrels), str(found.run), *(f"note: {note}" for note in found.notes)])


def ids(topic: str) -> str:
    """Which numbers 1 and another topic get."""
    found = as_columns(qrels_of({"1": {"a": 1}, topic: {"a": 1}}), run_of({"1": {"a": 1.0}}))
    return f"{sorted(found.qrels['query'])}, {found.notes[0]}"


EXAMPLES = Kept(__file__, columns=columns, ids=ids)


def test_examples():
    """Rows in the order of the input with ids that are whole numbers, and notes."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY
