"""Claims about calling backends that crash, hang, print and lie: here, in a child process, in several."""

import errno
import fractions
import gc
import importlib
import io
import math
import os
import re
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import length_hint
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from crosscheck import errors
from crosscheck.backends import child as wire
from crosscheck.backends import outcomes
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import Answer, ShortageError
from crosscheck.errors import BackendError
from crosscheck.formats.cases import find_cases
from crosscheck.harness.asking import CaseTask, RunQueue
from crosscheck.harness.case_run import case_runs
from crosscheck.harness.settings import Timings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.processes import supervised
from tests.backends import fakes
from tests.backends.inputs import qrels_of, run_of, told
from tests.processes.watching import ended, wait_until
from tests.support.kept import examples

QRELS = qrels_of({"1": {"a": 1, "c": 1}, "2": {"b": 2}})
RUN = run_of({"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"a": 1.0, "b": 0.5}})
P1, P2, P3 = Measure("P", 1), Measure("P", 2), Measure("P", 3)
EXPECTED: dict[Measure, Answer] = {**fakes.Fake().evaluate(QRELS, RUN, [P1, P2, P3])}


def values(outcome: object) -> dict[bytes, float]:
    assert isinstance(outcome, MeasureValues), outcome
    return outcome.values


def answer(backend: Guarded, measure: Measure) -> Answer:
    return backend.evaluate(QRELS, RUN, [measure])[measure]


def error(outcome: object) -> str:
    assert isinstance(outcome, BackendError), outcome
    return str(outcome)


def answers(fake: fakes.Fake, places: Sequence[bool] = (False, True)) -> str:
    """The answers of a backend here and in a child, which are the same; P@2 is right, also afterwards."""
    said = set()
    for isolated in places:
        with Guarded(replace(fake, isolated=isolated)) as backend:
            assert backend.evaluate(QRELS, RUN, []) == {}
            found = backend.evaluate(QRELS, RUN, [P1, P3, P2])
            assert list(found) == [P1, P3, P2]
            assert (backend.isolated, bool(backend.peak_bytes)) == (isolated, isolated)
            assert backend.seconds > 0
            if type(fake) in (fakes.Fake, fakes.FailsAt):
                assert found[P2] == answer(backend, P2) == EXPECTED[P2]
            said.add(told(found) + "\nfaltered" * backend.faltered)
    (one,) = said
    return one


def test_a_child_imports_from_where_this_process_does(tmp_path, monkeypatch):
    """Whatever was added to sys.path."""
    source = "from tests.backends.fakes import Fake\nclass Other(Fake): pass\n"
    (tmp_path / "only_here_xyz.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with Guarded(importlib.import_module("only_here_xyz").Other()) as backend:
        assert answer(backend, P2) == EXPECTED[P2]


@pytest.mark.parametrize(
    ("where", "failure", "why"),
    [
        ("subprocess.Popen", OSError(errno.EMFILE, "Too many open files"), "Too many open files"),
        ("threading.Timer.start", RuntimeError("can't start new thread"), "can't start new thread"),
        ("pickle.dump", MemoryError(), "memory ran out"),
    ],
)
def test_what_is_short_here_is_no_answer_of_the_backend(monkeypatch, where, failure, why):
    """An error of its own kind, which an audit does not take for a refusal; the next request works."""

    def fails(*_: object, **__: object) -> None:
        raise failure

    with Guarded(fakes.Fake()) as backend:
        with monkeypatch.context() as patch:
            patch.setattr(where, fails)
            short = backend.evaluate(QRELS, RUN, [P1, P2])
        assert {type(outcome) for outcome in short.values()} == {ShortageError}
        assert (error(short[P1]), backend.faltered) == (f"fake could not be called: {why}", True)
        assert answer(backend, P2) == EXPECTED[P2]


def test_the_start_of_a_child_does_not_count_as_part_of_an_answer():
    """Neither the first nor one after a loss; it has a limit of its own, which is not waited for again."""
    with Guarded(fakes.StartsSlowly(), Options(timeout=1.5)) as backend:
        assert answer(backend, P2) == EXPECTED[P2]
        assert error(answer(backend, P2)) == "fake did not answer within 1.5 s"
        assert answer(backend, P2) == EXPECTED[P2]
    slow = fakes.StartsSlowly(seconds=60, start_seconds=0.3)
    for fake, said in (
        (slow, "was not ready within 0.5 s"),
        (fakes.NeverSays(), "did not answer within 0.2 s"),
    ):
        with Guarded(fake, Options(timeout=0.2)) as backend:
            assert backend.supports(P2)
            assert error(answer(backend, P2)) == f"fake {said}"
            seconds = backend.seconds
            assert (error(answer(backend, P2)), backend.seconds) == (f"fake {said}", seconds)


Request = tuple[Qrels, Run, Sequence[Measure]]


@contextmanager
def evaluating(backend: Guarded, *requests: Request) -> Iterator[list[dict[Measure, Answer]]]:
    """The answers to requests that are made in threads of their own, which have ended afterwards."""
    answers: list[dict[Measure, Answer]] = []
    threads = [
        threading.Thread(target=lambda of=of: answers.append(backend.evaluate(*of))) for of in requests
    ]
    for thread in threads:
        thread.start()
    yield answers
    for thread in threads:
        thread.join(timeout=15)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("timeout", "said"), [(3, "fake did not answer within 3 s"), (600, "fake was interrupted")]
)
def test_what_a_hanging_child_started_ends_with_it(tmp_path, timeout, said):
    """At the time limit, and if another thread cancels it; no process is left, and no zombie."""
    file = tmp_path / "processes"
    hangs = fakes.FailsAt(code=f"hangs_with_a_grandchild({str(file)!r})", cutoff=1)
    with Guarded(hangs, Options(timeout=timeout)) as backend:
        with evaluating(backend, (QRELS, RUN, [P1, P2])) as answers:
            assert wait_until(lambda: file.exists() and len(file.read_text().split()) == 2)
            if timeout == 600:
                backend.cancel()
        assert {error(outcome) for outcome in answers[0].values()} == {said}
        if timeout == 600:
            assert error(answer(backend, P1)) == said
        assert wait_until(lambda: all(map(ended, map(int, file.read_text().split()))), 5)


def test_a_child_is_kept_until_it_ends():
    """It sees the same objects until others are given, in one process; one that was closed, or that died in
    between, is replaced."""
    other = run_of({"1": {"a": 1.0}})
    backend = Guarded(fakes.CountsInputs())
    seen = [values(backend.evaluate(QRELS, run, [P1])[P1]) for run in (RUN, RUN, other)]
    assert [(s[b"qrels"], s[b"run"]) for s in seen] == [(1, 1), (1, 1), (1, 2)]
    assert len({s[b"process"] for s in seen} - {os.getpid()}) == 1
    first = int(seen[0][b"process"])
    backend.close()
    assert ended(first)
    second = int(values(answer(backend, P1))[b"process"])
    os.kill(second, 9)
    assert wait_until(lambda: ended(second))
    time.sleep(0.2)
    assert values(answer(backend, P1))[b"process"] not in (first, second)
    assert not backend.faltered
    backend.close()
    backend.close()


def test_a_backend_that_cannot_be_pickled_is_an_error():
    with Guarded(fakes.Fake(id=lambda: "local")) as isolated:  # type: ignore[arg-type]
        assert "pickle" in error(answer(isolated, P1)).lower()


# ---- queries shared out among several children ---------------------------------------------------------

MANY = qrels_of({str(i): {"a": 1, "b": i % 2} for i in range(5)})
RUN_OF_MANY = run_of({str(i): {"a": 2.0, f"c{i}": 3.0, "b": 1.0} for i in range(5)})


@pytest.fixture
def by_query(tmp_path: Path) -> fakes.ByQuery:
    return fakes.ByQuery(file=str(tmp_path / "asked"))


def asked(backend: fakes.ByQuery) -> list[str]:
    return sorted(Path(backend.file).read_text().splitlines())


def requests(children: int, *calls: Request) -> str:
    """What is asked in each of these calls, whose answers are those of one call, in the same order."""
    backend, lines = fakes.ByQuery(file="asked"), []
    with Guarded(backend, Options(children=children)) as shared:
        for call in calls:
            Path("asked").write_text("")
            found = shared.evaluate(*call)
            lines.append("; ".join(asked(backend)) or "nothing")
            once = backend.evaluate(*call)
            assert found == once
            assert [list(values(v)) for v in once.values()] == [list(values(v)) for v in found.values()]
        assert min(shared.seconds, shared.peak_bytes or 0) > 0
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        (("1", "bad 2", "bad 3", "bad 4"), r"ValueError: bad 2 \(.*"),
        (("1", "2", "lost"), "fake exited with code 3 without an answer"),
    ],
)
def test_the_first_error_in_the_order_of_queries_is_the_error(by_query, queries, message):
    """Which child was faster does not show; what failed is asked again, and other runs are computed."""
    judged, run = ({name: {"a": 1} for name in queries} for _ in range(2))
    with Guarded(by_query, Options(children=2)) as shared:
        for _ in range(2):
            before = len(asked(by_query)) if Path(by_query.file).exists() else 0
            failed = shared.evaluate(qrels_of(judged), run_of(run), [P1])
            assert re.fullmatch(message, error(failed[P1]))
            assert len(asked(by_query)) > before
        assert shared.evaluate(MANY, RUN_OF_MANY, [P1]) == by_query.evaluate(MANY, RUN_OF_MANY, [P1])


def test_the_limits_are_those_of_all_queries_together(by_query):
    """Many queries that are each quick enough do not take longer than one evaluation may; with a limit of
    memory there is one child."""
    with Guarded(replace(by_query, seconds=1.0), Options(children=1, timeout=2.5)) as shared:
        answer = shared.evaluate(MANY, RUN_OF_MANY, [P1])[P1]
    assert str(answer) == "fake did not answer within 2.5 s"
    assert len(asked(by_query)) < 5
    assert len(Guarded(by_query, Options(children=4, memory=1 << 30))._children) == 1


def test_cancel_ends_all_requests_from_another_thread(by_query):
    """Those that run, and those that wait."""
    with Guarded(replace(by_query, seconds=60), Options(children=2)) as shared:
        with evaluating(shared, *[(MANY, RUN_OF_MANY, [P1])] * 2) as answers:
            assert wait_until(lambda: Path(by_query.file).exists() and len(asked(by_query)) == 3, 30)
            shared.cancel()
        assert [str(a[P1]) for a in answers] == ["fake was interrupted"] * 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_later_runs_are_asked_about_early_by_what_declares_it_only(by_query, tmp_path, jobs):
    """With several jobs, queries of the second run are computed while the first is compared; results are in
    order. A metric that may remember earlier calls is asked in order."""
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "qrels.txt").write_text("1 0 a 1\n2 0 a 1\n")
    for i in (1, 2):
        (tmp_path / "case" / f"run.{i}").write_text(f"{i} Q0 a 1 1 x\n")
    (case,) = find_cases([str(tmp_path / "case")])
    alone = replace(by_query, file=f"{by_query.file}-alone", by_query=False)
    guards = {"shared": Guarded(by_query, Options(children=1)), "alone": Guarded(alone)}
    task = CaseTask(case=case, measures=[P1], references={"shared": [P1]}, involved=guards)
    with RunQueue(jobs, Timings(), print) as asking:
        held = iter([*case_runs(case, (), Timings())])
        runs = asking.in_order((task, run) for run in held)
        first = next(runs)
        assert length_hint(held) == (1 if jobs == 1 else 0)
        assert set(first.early) == ({"shared"} if jobs > 1 else set())
        assert [list(answers) for answers in asking.answers(first).values()] == [[P1], [P1]]
        assert wait_until(lambda: jobs == 1 or "values 2" in asked(by_query), 30)
        assert ("values 2" in asked(by_query)) == (jobs > 1)
        assert asked(alone) == ["means 1", "values 1"]
        (rest,) = [asking.answers(run) for run in runs]
        assert list(values(rest["alone"][P1])) == [b"2"]
        assert rest["shared"] == rest["alone"]
    for guard in guards.values():
        guard.close()


# ---- messages between parent and child -----------------------------------------------------------------


def test_replies_keep_every_double():
    """Values come back bit for bit: NaN, both infinities, minus zero and subnormals included."""
    numbers = [0.1, -0.0, 5e-324, math.inf, -math.inf, math.nan, 1 / 3]
    sent = MeasureValues({b"%d" % i: x for i, x in enumerate(numbers)}, 0.5, "e", None, ("n",), True)
    pipe = io.BytesIO()
    wire.write_reply(pipe, wire.Reply(None, [sent, "why", True], 7))
    pipe.seek(0)
    back, why, known = wire.read_reply(pipe).answers
    assert isinstance(back, MeasureValues)
    assert [struct.pack("d", x) for x in back.values.values()] == [struct.pack("d", x) for x in numbers]
    assert structs.replace(back, values={}) == structs.replace(sent, values={})
    assert (list(back.values), why, known) == (list(sent.values), "why", True)


def framed(body: bytes) -> bytes:
    return struct.pack("<Q", len(body)) + body


def reply(pipe: bytes) -> str:
    """The error of reading it."""
    with pytest.raises((BackendError, EOFError)) as caught:
        wire.read_reply(io.BytesIO(pipe))
    return re.sub("reply: .*", "reply", f"{caught.typename}: {caught.value}")


def calls_of(failure: BaseException) -> str:
    """The calls for measures of which one fails, and their outcomes. Errors keep no input alive: what the
    failed call held is freed at once."""
    calls, freed = list[str](), list[Callable[[], object]]()

    def ask(measures: Sequence[Measure]) -> dict[Measure, Answer]:
        held = np.zeros(9)
        freed.append(weakref.ref(held))
        calls.append(" ".join(map(str, measures)))
        if P2 in measures:
            raise failure
        return dict.fromkeys(measures, MeasureValues({b"1": 1.0}, 1.0, "e"))

    gc.disable()
    try:
        found = outcomes.outcomes(ask, [P1, P2, P3, P1])
        assert all(one() is None for one in freed)
    finally:
        gc.enable()
    return f"{'; '.join(calls)}\n{told(found)}"


def test_ctrl_c_passes_through():
    with pytest.raises(KeyboardInterrupt):
        calls_of(KeyboardInterrupt())


#: Numbers, foreign text and exit codes as what they are told; what is no reply is an error. Queries that are
#: shared out among children are asked once.
test_examples = examples(globals(), str, wire, errors, outcomes, supervised, fractions)
