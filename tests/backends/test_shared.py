"""Claims about backends whose queries are shared out among several children."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from crosscheck.backends import make
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import guarded
from crosscheck.errors import BackendError
from crosscheck.formats.cases import find_cases
from crosscheck.harness.asking import CaseAsked, RunQueue
from crosscheck.harness.case_run import case_runs
from crosscheck.harness.settings import Timings
from crosscheck.model import Measure
from tests.backends import fakes
from tests.backends.inputs import qrels_of, run_of

P1, P2 = Measure("P", 1), Measure("P", 2)
QRELS = qrels_of({str(i): {"a": 1, "b": i % 2} for i in range(5)})
RUN = run_of({str(i): {"a": 2.0, f"c{i}": 3.0, "b": 1.0} for i in range(5)})


@pytest.fixture
def backend(tmp_path: Path) -> fakes.ByQuery:
    return fakes.ByQuery(str(tmp_path / "asked"))


def asked(backend: fakes.ByQuery) -> list[str]:
    return sorted(Path(backend.file).read_text().splitlines())


@pytest.mark.parametrize("children", [1, 2, 3])
def test_any_number_of_children_gives_what_one_call_gives(backend: fakes.ByQuery, children: int) -> None:
    """The same values in the same order, the mean and the notes of the whole run, each query asked once."""
    with guarded(backend, Options(children=children)) as shared:
        assert shared.shared
        found = shared.evaluate(QRELS, RUN, [P2, P1])
        assert shared.seconds > 0
        assert shared.peak_bytes > 0
    assert asked(backend) == ["means 0 1 2 3 4", *(f"values {i}" for i in range(5))]
    once = backend.evaluate(QRELS, RUN, [P2, P1])
    assert found == once
    assert [list(v.values) for v in once.values()] == [list(v.values) for v in found.values()]  # type: ignore[union-attr]


def test_only_a_backend_that_declares_it_is_shared_out() -> None:
    """Code of the user's may leak from one query or call to another, which is what we look for."""
    for id in ("python:tests.harness.metrics:p_at_1", "exec:cat", "hf-evaluate:/home/me/metric.py", "ranx"):
        assert not guarded(make(id)).shared, id
    assert guarded(make("hf-evaluate:bundled")).shared


def test_with_a_limit_of_memory_there_is_one_child(backend: fakes.ByQuery) -> None:
    """The limit is that of the backend, not of each child."""
    with guarded(replace(backend, seconds=0.3), Options(children=4, memory=1 << 30)) as shared:
        begin = time.perf_counter()
        shared.evaluate(QRELS, RUN, [P1])
        assert time.perf_counter() - begin > 5 * 0.3


def test_equal_inputs_are_computed_once(backend: fakes.ByQuery) -> None:
    """Another file with an equal query, elsewhere in it: only what differs is asked."""
    other = run_of(
        {"0": {"z": 1.0}, "3": {"a": 2.0, "c3": 3.0, "b": 1.0}, "4": {"a": 2.0, "c4": 3.5, "b": 1.0}}
    )
    with guarded(backend, Options(children=2)) as shared:
        shared.evaluate(QRELS, RUN, [P1])
        Path(backend.file).unlink()
        found = shared.evaluate(
            structs.replace(QRELS, source="other"), structs.replace(other, source="other"), [P1]
        )
        assert asked(backend) == ["means 0 3 4", "values 0", "values 4"]
        assert found == backend.evaluate(QRELS, other, [P1])
        Path(backend.file).unlink()
        shared.evaluate(QRELS, RUN, [P1])
        assert not Path(backend.file).exists()
        shared.evaluate(QRELS, RUN, [P2])  # other measures are another request
        assert len(asked(backend)) == 6


def test_a_run_of_one_query_is_no_part_of_another_run(backend: fakes.ByQuery) -> None:
    """Its request has the inputs of a part of the run before it, which has no mean: it is another kind."""
    qrels, run = qrels_of({"0": {"a": 1, "b": 0}}), run_of({"0": {"a": 2.0, "c0": 3.0, "b": 1.0}})
    with guarded(backend, Options(children=2)) as shared:
        shared.evaluate(QRELS, RUN, [P1])
        found = shared.evaluate(qrels, run, [P1])[P1]
    assert found == backend.evaluate(qrels, run, [P1])[P1]
    assert found.mean is not None  # type: ignore[union-attr]


def test_a_run_of_one_query_is_one_request(backend: fakes.ByQuery) -> None:
    """Its mean and its value are those of the same call."""
    qrels, run = qrels_of({"1": {"a": 1}}), run_of({"1": {"a": 1.0}})
    with guarded(backend) as shared:
        assert shared.evaluate(qrels, run, [P1]) == backend.evaluate(qrels, run, [P1])
    assert asked(backend) == ["means 1", "means 1", "values 1", "values 1"]


def test_the_first_error_in_the_order_of_queries_is_the_error(backend: fakes.ByQuery) -> None:
    """Which child was faster does not show."""
    queries = {name: {"a": 1} for name in ("1", "bad 2", "bad 3", "bad 4")}
    run = run_of({name: {"a": 1.0} for name in queries})
    with guarded(backend, Options(children=3)) as shared:
        answer = shared.evaluate(qrels_of(queries), run, [P1])[P1]
    assert isinstance(answer, BackendError)
    assert str(answer).startswith("ValueError: bad 2 (")


def test_a_lost_child_is_an_error_and_the_next_run_is_computed(backend: fakes.ByQuery) -> None:
    """A lost child's values are not kept, and the other child goes on."""
    queries = {name: {"a": 1} for name in ("1", "2", "lost")}
    run = run_of({name: {"a": 1.0} for name in queries})
    with guarded(backend, Options(children=2)) as shared:
        answer = shared.evaluate(qrels_of(queries), run, [P1])[P1]
        assert str(answer) == "fake exited with code 3 without an answer"
        again = asked(backend).count("values lost")
        shared.evaluate(qrels_of(queries), run, [P1])
        assert asked(backend).count("values lost") > again
        assert shared.evaluate(QRELS, RUN, [P1]) == backend.evaluate(QRELS, RUN, [P1])


def test_the_limit_of_time_is_that_of_all_queries_together(backend: fakes.ByQuery) -> None:
    """Many queries that are each quick enough do not take longer than one evaluation may."""
    with guarded(replace(backend, seconds=1.0), Options(children=1, timeout=2.5)) as shared:
        answer = shared.evaluate(QRELS, RUN, [P1])[P1]
    assert str(answer) == "fake did not answer within 2.5 s"
    assert len(asked(backend)) < 5


def test_cancel_ends_all_requests_from_another_thread(backend: fakes.ByQuery) -> None:
    """Those that run, and those that wait."""
    shared = guarded(replace(backend, seconds=60), Options(children=2))
    answers: list[object] = []
    threads = [
        threading.Thread(target=lambda: answers.append(shared.evaluate(QRELS, RUN, [P1]))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while not Path(backend.file).exists() or len(asked(backend)) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    shared.cancel()
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()
    assert {str(a[P1]) for a in answers} == {"fake was interrupted"}  # type: ignore[index]
    shared.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_later_runs_are_asked_about_early_by_what_declares_it_only(
    backend: fakes.ByQuery, tmp_path: Path, jobs: int
) -> None:
    """With several jobs, queries of the second run are computed while the first is compared; results are in
    order. A metric that may remember earlier calls is asked in order."""
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "qrels.txt").write_text("1 0 a 1\n2 0 a 1\n")
    for i in (1, 2):
        (tmp_path / "case" / f"run.{i}").write_text(f"{i} Q0 a 1 1 x\n")
    (case,) = find_cases([str(tmp_path / "case")])
    alone = replace(backend, file=f"{backend.file}-alone", by_query=False)
    guards = {"shared": guarded(backend, Options(children=1)), "alone": guarded(alone)}
    of = CaseAsked(case=case, measures=[P1], references={"shared": [P1]}, involved=guards)
    with RunQueue(jobs, Timings(), print) as asking:
        runs = asking.in_order((of, run) for run in case_runs(case, (), Timings()))
        first = next(runs)
        assert set(first.early) == ({"shared"} if jobs > 1 else set())
        assert [list(answers) for answers in asking.answers(first).values()] == [[P1], [P1]]
        deadline = time.monotonic() + 30
        while jobs > 1 and "values 2" not in asked(backend) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert ("values 2" in asked(backend)) == (jobs > 1)
        assert asked(alone) == ["means 1", "values 1"]
        rest = [asking.answers(run) for run in runs]
        assert [answers["alone"][P1].values for answers in rest] == [{b"2": 1.0}]  # type: ignore[union-attr]
        assert rest[0]["shared"] == rest[0]["alone"]
    for guard in guards.values():
        guard.close()
