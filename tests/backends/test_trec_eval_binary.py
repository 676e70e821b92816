"""trec_eval's own code: through its binding, and as the program, played by a script that behaves like it."""

import os
import sys
from pathlib import Path

import pytest

from crosscheck.axes.ties import SCORE_PRECISION
from crosscheck.backends import Backend, Options, make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.pytrec_eval_backend import PytrecEval
from crosscheck.backends.trec_eval_names import printed_name
from crosscheck.conventions import conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure
from crosscheck.names import parse_measures, trec_eval_family
from tests.backends.inputs import qrels_of, run_of
from tests.support.kept import REMEDY, Kept, each

pytrec_eval = pytest.importorskip("pytrec_eval")
#: What pytrec_eval calls a measure and has no number.
TEXTS = {"runid", "relstring"}

AP, P5, RELEVANT = Measure("AP"), Measure("P", 5), Measure("NumRel")


EXAMPLES = Kept(__file__, each=each, printed_name=printed_name, Measure=Measure)


def test_examples():
    """Measures have trec_eval's name or none."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


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
QRELS = qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}})
RUN = run_of({"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 1.0, "a": 0.5}})
CALLED_ALL = qrels_of({"all": {"a": 1}, "b": {"a": 1}}), run_of({"all": {"a": 1.0}, "b": {"x": 1.0}})
#: Scores that differ in the last digit, and bytes that are not text.
EXACT = qrels_of({"\xff": {"\xe9": 1}}), run_of({"\xff": {"z": 0.1, "\xe9": 0.1 + 0.2, "a": float("inf")}})


@pytest.fixture
def program(tmp_path: Path) -> str:
    """The stand-in, executable."""
    source = Path(__file__).with_name("fake_trec_eval.py").read_text()
    path = tmp_path / "trec_eval"
    path.write_text(f"#!{sys.executable}\n{source}")
    path.chmod(0o755)
    return str(path)


def backend_of(program: str, timeout: float = 60.0) -> Backend:
    return make("trec_eval", Options(trec_eval_bin=program, timeout=timeout))


@with_program
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        # Four decimals and their summary; counts are exact. Levels and cutoffs reach the program. num_q and
        # geometric means have a summary only.
        ((QRELS, RUN), {
            AP: ({b"1": 0.8333, b"2": 0.5}, 0.6667, 4),
            P5: ({b"1": 0.4, b"2": 0.2}, 0.3, 4),
            RELEVANT: ({b"1": 2, b"2": 1}, 3, None),
            Measure("P", 5, 2): ({b"1": 0.2, b"2": 0.0}, 0.1, 4),
            Measure("P", 1): ({b"1": 1.0, b"2": 0.0}, 0.5, 4),
            Measure("P", 1, 2): ({b"1": 0.0, b"2": 0.0}, 0.0, 4),
            Measure("NumQ"): ({}, 2, None),
            Measure("gm_map"): ({}, 0.6455, 4),
        }),
        # The summary is the last line of that id.
        (CALLED_ALL, {AP: ({b"all": 1.0, b"b": 0.0}, 0.5, 4)}),
        (EXACT, {Measure("RR"): ({b"\xff": 0.5}, 0.5, 4)}),
    ],
    ids=["plain", "a query called all", "exact scores"],
)  # fmt: skip
def test_the_program_s_output_is_read(program, inputs, expected):
    """Values, summary and decimals of each measure, from one call per level."""
    backend = backend_of(program)
    assert all(map(backend.supports, expected))
    found = backend.evaluate(*inputs, list(expected))
    assert {m: (values.values, values.mean, values.decimals) for m, values in found.items()} == expected


@with_program
@pytest.mark.parametrize(
    ("reported", "profile_precision"), [("9.0.7", "float32"), ("10.0-rc3", "float64"), ("9.0.4", "float32")]
)
def test_the_reported_version_chooses_the_conventions(program, monkeypatch, reported, profile_precision):
    """Version 10 compares scores as double; the version is quoted as what the program says."""
    monkeypatch.setenv("FAKE_VERSION", reported)
    backend = backend_of(program)
    about = backend.describe()
    assert (about.available, about.version) == (True, reported)
    assert about.engine == f"trec_eval that reports version {reported}"
    assert backend.conventions is not None
    assert conventions(backend.conventions)[SCORE_PRECISION] == profile_precision


@with_program
@pytest.mark.parametrize(
    ("mode", "topic", "message"),
    [
        ("crash", "1", "trec_eval was killed by SIGABRT"),
        ("mute", "1", "trec_eval printed no summary line of map"),
        ("words", "1", r"trec_eval printed 'map +\\t1\\tnothing', which holds no number"),
        ("ten", "1", r"trec_eval exited with code 4: trec_eval: result qid '2' not found in qrels\\x07$"),
        # A blank in an id would shift the columns.
        *(("", topic, "cannot be written into trec_eval's") for topic in ("two words", "", "tab\t", "N\0L")),
    ],
)
def test_what_cannot_be_used_is_an_error(program, monkeypatch, mode, topic, message):
    """Never other numbers; what the program said is quoted without control characters."""
    monkeypatch.setenv("FAKE_MODE", mode)
    qrels = qrels_of({topic: {"a": 1}, "2": {"a": 1}})
    with pytest.raises(BackendError, match=message):
        backend_of(program).evaluate(qrels, run_of({topic: {"a": 1.0}}), [AP])


@with_program
def test_a_hang_ends_at_the_time_limit(program, monkeypatch):
    """Every measure fails at once, none is tried again."""
    monkeypatch.setenv("FAKE_MODE", "hang")
    with Guarded(backend_of(program, timeout=0.5)) as backend:
        found = backend.evaluate(QRELS, RUN, [AP, P5])
    assert {str(outcome) for outcome in found.values()} == {"trec_eval did not answer within 0.5 s"}
    assert backend.seconds < 10


def test_a_program_that_is_not_there_says_how_to_get_it():
    """Not available, with the place of its sources and the option that names it."""
    backend = backend_of("no-such-trec_eval")
    reason = str(backend.describe().reason)
    assert not backend.describe().available
    assert "github.com/usnistgov/trec_eval" in reason
    assert "--trec-eval-bin" in reason
    with Guarded(backend) as asked:
        assert str(asked.evaluate(QRELS, RUN, [AP])[AP]) == reason
