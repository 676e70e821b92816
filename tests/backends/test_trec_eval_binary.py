"""Claims about calling the C program, made with a script that behaves like it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from crosscheck.axes.ties import SCORE_PRECISION
from crosscheck.backends import Backend, Options, make
from crosscheck.backends.guarded import guarded
from crosscheck.conventions import conventions
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues
from tests.backends.inputs import qrels_of, run_of

pytest.importorskip("pytrec_eval")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script with a #! line")

AP, P5, RELEVANT = Measure("AP"), Measure("P", 5), Measure("NumRel")
QRELS = qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}})
RUN = run_of({"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 1.0, "a": 0.5}})


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


def test_values_have_four_decimals_and_the_summary_is_the_mean(program: str) -> None:
    """The printed values are compared, with their rounding; counts are exact."""
    found = backend_of(program).evaluate(QRELS, RUN, [AP, P5, RELEVANT])
    assert found[AP].values == {b"1": 0.8333, b"2": 0.5}
    assert (found[AP].mean, found[AP].decimals) == (0.6667, 4)
    assert found[P5].values == {b"1": 0.4, b"2": 0.2}
    assert (found[RELEVANT].values, found[RELEVANT].mean) == ({b"1": 2, b"2": 1}, 3)
    assert found[RELEVANT].decimals is None


def test_levels_and_cutoffs_reach_the_program(program: str) -> None:
    """One call per level, all cutoffs of a measure in one list."""
    measures = [Measure("P", k, rel) for k in (5, 1) for rel in (None, 2)]
    found = backend_of(program).evaluate(QRELS, RUN, measures)
    assert [found[m].values[b"1"] for m in measures] == [0.4, 0.2, 1.0, 0.0]


def test_a_query_called_all_is_not_the_summary(program: str) -> None:
    """The summary is the last line of that id."""
    qrels, run = qrels_of({"all": {"a": 1}, "b": {"a": 1}}), run_of({"all": {"a": 1.0}, "b": {"x": 1.0}})
    found = backend_of(program).evaluate(qrels, run, [AP])[AP]
    assert (found.values, found.mean) == ({b"all": 1.0, b"b": 0.0}, 0.5)


def test_scores_arrive_with_every_digit(program: str) -> None:
    """Scores that differ in the last digit keep their order, and bytes that are not text survive."""
    run = run_of({"\xff": {"z": 0.1, "\xe9": 0.30000000000000004, "a": float("inf")}})
    found = backend_of(program).evaluate(qrels_of({"\xff": {"\xe9": 1}}), run, [Measure("RR")])
    assert found[Measure("RR")].values == {b"\xff": 0.5}


@pytest.mark.parametrize(
    ("reported", "profile_precision"), [("9.0.7", "float32"), ("10.0-rc3", "float64"), ("9.0.4", "float32")]
)
def test_the_reported_version_chooses_the_conventions(
    program: str, monkeypatch: pytest.MonkeyPatch, reported: str, profile_precision: str
) -> None:
    """Version 10 compares scores as double; the version is quoted as what the program says."""
    monkeypatch.setenv("FAKE_VERSION", reported)
    backend = backend_of(program)
    about = backend.describe()
    assert (about.available, about.version) == (True, reported)
    assert about.engine == f"trec_eval that reports version {reported}"
    assert backend.conventions is not None
    assert conventions(backend.conventions)[SCORE_PRECISION] == profile_precision


def test_a_refusal_is_an_error_with_what_the_program_said(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit codes other than 0 are failures; standard error is quoted without control characters."""
    monkeypatch.setenv("FAKE_MODE", "ten")
    with pytest.raises(BackendError) as caught:
        backend_of(program).evaluate(QRELS, run_of({"1": {"a": 1.0}}), [AP])
    assert str(caught.value) == (
        "trec_eval exited with code 4: trec_eval: result qid '2' not found in qrels\\x07"
    )


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("crash", "trec_eval was killed by SIGABRT"),
        ("mute", "trec_eval printed no summary line of map"),
        ("words", r"trec_eval printed 'map +\\t1\\tnothing', which holds no number"),
    ],
)
def test_output_that_cannot_be_used_is_an_error(
    program: str, monkeypatch: pytest.MonkeyPatch, mode: str, message: str
) -> None:
    """A crash, a missing summary and text in the place of a number give no values."""
    monkeypatch.setenv("FAKE_MODE", mode)
    with pytest.raises(BackendError, match=message):
        backend_of(program).evaluate(QRELS, RUN, [AP])


def test_a_hang_ends_at_the_time_limit(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every measure fails at once, none is tried again."""
    monkeypatch.setenv("FAKE_MODE", "hang")
    with guarded(backend_of(program, timeout=1)) as backend:
        found = backend.evaluate(QRELS, RUN, [AP, P5])
    assert {str(outcome) for outcome in found.values()} == {"trec_eval did not answer within 1 s"}
    assert backend.seconds < 10


@pytest.mark.parametrize("topic", ["two words", "", "tab\there"])
def test_ids_that_the_format_cannot_hold_are_refused(program: str, topic: str) -> None:
    """A blank in an id would shift the columns: an error, not other numbers."""
    run = run_of({topic: {"a": 1.0}})
    with pytest.raises(BackendError, match="cannot be written into trec_eval's format"):
        backend_of(program).evaluate(qrels_of({topic: {"a": 1}}), run, [AP])


def test_a_program_that_is_not_there_says_how_to_get_it() -> None:
    """Not available, with the place of its sources and the option that names it."""
    backend = backend_of("no-such-trec_eval")
    about = backend.describe()
    assert not about.available
    assert "github.com/usnistgov/trec_eval" in str(about.reason)
    assert "--trec-eval-bin" in str(about.reason)
    with guarded(backend) as asked:
        assert isinstance(asked.evaluate(QRELS, RUN, [AP])[AP], BackendError)


def test_what_is_printed_for_all_queries_only_is_a_summary(program: str) -> None:
    """num_q and geometric means have no values per query; their summaries are compared."""
    measures = [Measure("NumQ"), Measure("gm_map"), Measure("SetF")]
    assert all(backend_of(program).supports(measure) for measure in measures)
    number, geometric, plain = backend_of(program).evaluate(QRELS, RUN, measures).values()
    assert (number.values, number.mean) == ({}, 2)
    assert (geometric.values, geometric.mean) == ({}, 0.6455)
    assert plain.values.keys() == {b"1", b"2"}


def test_its_values_are_pytrec_eval_s_rounded(program: str) -> None:
    """Through files and text, nothing but the decimals is lost."""
    measures = [AP, P5, Measure("nDCG", 10), Measure("bpref")]
    with guarded(make("pytrec_eval")) as reference:
        exact = reference.evaluate(QRELS, RUN, measures)
    for measure, printed in backend_of(program).evaluate(QRELS, RUN, measures).items():
        full = exact[measure]
        assert isinstance(full, MeasureValues)
        assert printed.values == {topic: round(value, 4) for topic, value in full.values.items()}
