"""trec_eval's own code: through its binding, and as the program, which crosscheck's own command plays."""

import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from crosscheck.axes.ties import SCORE_PRECISION
from crosscheck.backends import Backend, Options, make, trec_eval_binary
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.pytrec_eval_backend import PytrecEval
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.names import parse_measure, parse_measures, trec_eval_family
from tests.backends.inputs import qrels_of, run_of, told
from tests.support.cases import ROOT
from tests.support.kept import examples

pytrec_eval = pytest.importorskip("pytrec_eval")
#: What pytrec_eval calls a measure and has no number.
TEXTS = {"runid", "relstring"}


def test_every_measure_of_trec_eval_9_gives_the_native_values():
    """All that the binding knows are offered, with the values of native measures to the last bit and their
    summaries: sums of counts, and geometric means."""
    qrels = qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}, "3": {"b": 1, "c": 0, "d": -1}})
    run = run_of({"1": {"a": 1, "b": 2, "c": 0.5}, "2": {"z": 1, "a": 1, "d": 1}, "3": {"c": 1, "b": 0.5}})
    measures = [m for m in parse_measures(["all_trec"]) if PytrecEval().supports(m)]
    assert {
        (about := trec_eval_family(name)) and about.name for name in pytrec_eval.supported_measures - TEXTS
    } == {m.family for m in measures}
    rankings = Rankings(run, qrels)
    for measure, found in PytrecEval().evaluate(qrels, run, measures).items():
        ours = native_values(rankings, measure, conventions("pytrec_eval"), "native")
        assert ours.values == found.values, measure
        assert ours.mean == pytest.approx(found.mean, rel=1e-14, abs=0), measure


#: What the program does; instead of this it may fail.
COMPUTES = f'PYTHONPATH={ROOT} exec {sys.executable} -m crosscheck trec_eval "$@"'


def program(does: str = COMPUTES, timeout: float = 60.0, reports: str = "9.0.7") -> Backend:
    """A script in the working directory that reports a version and does something."""
    path = Path("trec_eval").absolute()
    version = f'[ "$1" = -v ] && echo "trec_eval version {reports}" >&2 && exit'
    path.write_text(f"#!/bin/sh\n{version}\n{does}\n")
    path.chmod(0o755)
    return make("trec_eval", Options(trec_eval_bin=str(path), timeout=timeout))


def asked(qrels: Any, run: Any, names: str, does: str = COMPUTES, timeout: float = 60.0) -> str:
    """What the program answers."""
    measures = [parse_measure(name) for name in names.split()]
    with Guarded(program(does, timeout)) as backend:
        assert all(map(backend.supports, measures))
        return told(backend.evaluate(qrels_of(qrels), run_of(run), measures))


def version(reports: str) -> str:
    """What is known of a program that reports it."""
    backend = program(reports=reports)
    about = backend.describe()
    assert (about.available, about.version) == (True, reports)
    return f"{about.engine}, scores as {conventions(backend.conventions or '')[SCORE_PRECISION]}"


#: Names of measures, what is read from the program's output, and what cannot be used.
test_examples = examples(globals(), str, trec_eval_binary, structs)
