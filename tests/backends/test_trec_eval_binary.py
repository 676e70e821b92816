"""trec_eval's own code: through its binding, and as the program, played by a script that behaves like it."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from crosscheck.axes.ties import SCORE_PRECISION
from crosscheck.backends import Backend, Options, make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.pytrec_eval_backend import PytrecEval
from crosscheck.backends.trec_eval_names import printed_name
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure
from crosscheck.names import parse_measure, parse_measures, trec_eval_family
from tests.backends.inputs import qrels_of, run_of, told
from tests.support.kept import REMEDY, Kept, each

pytrec_eval = pytest.importorskip("pytrec_eval")
#: What pytrec_eval calls a measure and has no number.
TEXTS = {"runid", "relstring"}

AP, P5 = Measure("AP"), Measure("P", 5)


def test_every_measure_of_trec_eval_9_gives_the_native_values():
    """All that the binding knows are offered, with the values of native measures to the last bit and their
    summaries: sums of counts, and geometric means."""
    qrels = qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}, "3": {"b": 1, "c": 0, "d": -1}})
    run = run_of({"1": {"a": 1, "b": 2, "c": 0.5}, "2": {"z": 1, "a": 1, "d": 1}, "3": {"c": 1, "b": 0.5}})
    measures = [m for m in parse_measures(["all_trec"]) if PytrecEval().supports(m)]
    assert {trec_eval_family(name).name for name in pytrec_eval.supported_measures - TEXTS} == {
        m.family for m in measures
    }
    rankings = Rankings(run, qrels)
    for measure, found in PytrecEval().evaluate(qrels, run, measures).items():
        ours = native_values(rankings, measure, conventions("pytrec_eval"), "native")
        assert ours.values == found.values, measure
        assert ours.mean == pytest.approx(found.mean, rel=1e-14, abs=0), measure


# ---- the program ---------------------------------------------------------------------------------------

with_program = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script with a #! line")


def backend_of(timeout: float = 60.0, **environment: str) -> Backend:
    """The stand-in, executable, in the working directory."""
    source = Path(__file__).with_name("fake_trec_eval.py").read_text()
    path = Path("trec_eval").absolute()
    path.write_text(f"#!{sys.executable}\n{source}")
    path.chmod(0o755)
    os.environ |= {"FAKE_VERSION": "9.0.7", "FAKE_MODE": ""} | environment
    return make("trec_eval", Options(trec_eval_bin=str(path), timeout=timeout))


def asked(qrels: Any, run: Any, names: str, mode: str = "") -> str:
    """What the program answers."""
    backend, measures = backend_of(FAKE_MODE=mode), [parse_measure(name) for name in names.split()]
    assert all(map(backend.supports, measures))
    return told(backend.evaluate(qrels_of(qrels), run_of(run), measures))


def version(reported: str) -> str:
    """What is known of a program that reports it."""
    backend = backend_of(FAKE_VERSION=reported)
    about = backend.describe()
    assert (about.available, about.version) == (True, reported)
    return f"{about.engine}, scores as {conventions(backend.conventions or '')[SCORE_PRECISION]}"


CALLS = (each, printed_name, Measure, asked, version, make, Options)
EXAMPLES = Kept(__file__, **{one.__name__: one for one in CALLS})


@with_program
def test_examples(monkeypatch):
    """Names of measures, what is read from the program's output, and what cannot be used."""
    for name in ("FAKE_MODE", "FAKE_VERSION"):
        monkeypatch.setenv(name, "")
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


@with_program
def test_a_hang_ends_at_the_time_limit(tmp_path, monkeypatch):
    """Every measure fails at once, none is tried again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAKE_MODE", "")
    with Guarded(backend_of(timeout=0.5, FAKE_MODE="hang")) as backend:
        found = backend.evaluate(qrels_of({"1": {"a": 1}}), run_of({"1": {"a": 1.0}}), [AP, P5])
    assert {str(outcome) for outcome in found.values()} == {"trec_eval did not answer within 0.5 s"}
    assert backend.seconds < 10
