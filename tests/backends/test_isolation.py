"""Claims about asking backends that crash, hang, print and lie."""

from __future__ import annotations

import errno
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from crosscheck.backends.base import Options
from crosscheck.backends.guarded import guarded
from crosscheck.backends.outcomes import ShortageError
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues
from tests.backends import fakes
from tests.backends.inputs import qrels_of, run_of

QRELS = qrels_of({"1": {"a": 1, "c": 1}, "2": {"b": 2}})
RUN = run_of({"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"a": 1.0, "b": 0.5}})
P1, P2, P3 = Measure("P", 1), Measure("P", 2), Measure("P", 3)
EXPECTED = {b"1": 0.5, b"2": 0.5}

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and process groups")


def values(outcome: object) -> dict[bytes, float]:
    assert isinstance(outcome, MeasureValues), outcome
    return outcome.values


def error(outcome: object) -> str:
    assert isinstance(outcome, BackendError), outcome
    return str(outcome)


def is_running(pid: int) -> bool:
    """Whether a process runs; a zombie, which still has an id, counts only until it is waited for."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_guarded_uses_a_child_process_exactly_where_the_backend_asks_for_one() -> None:
    """A backend that says isolated runs in a child, any other in this process."""
    assert guarded(fakes.Fake(isolated=True)).isolated
    assert not guarded(fakes.Fake(isolated=False)).isolated


@pytest.mark.parametrize("isolated", [True, False])
def test_values_are_the_backend_s_own(isolated: bool) -> None:
    """Neither guard changes a value, and a child gives bit for bit what this process gives."""
    with guarded(fakes.Fake(isolated=isolated)) as backend:
        found = backend.evaluate(QRELS, RUN, [P1, P2, P3])
    assert list(found) == [P1, P2, P3]
    assert values(found[P2]) == EXPECTED
    assert values(found[P3]) == {b"1": 2 / 3, b"2": 1 / 3}
    assert backend.seconds > 0


def test_nothing_asked_is_nothing_answered() -> None:
    """No measures: no child is started and the answer is empty."""
    with guarded(fakes.FailsAt(how="abort")) as backend:
        assert backend.evaluate(QRELS, RUN, []) == {}


@pytest.mark.parametrize("isolated", [True, False])
def test_nan_infinity_decimals_and_notes_arrive(isolated: bool) -> None:
    """NaN stays NaN, infinity stays infinity; neither becomes absent, an error or 0."""
    with guarded(fakes.ReturnsNaN(isolated=isolated)) as backend:
        outcome = backend.evaluate(QRELS, RUN, [P1])[P1]
    assert isinstance(outcome, MeasureValues)
    assert list(outcome.values) == [b"1", b"2"]
    assert all(math.isnan(value) for value in outcome.values.values())
    assert outcome.mean == -math.inf
    assert (outcome.decimals, outcome.notes, outcome.engine) == (4, ("a note",), "fake")


def test_a_query_without_a_value_stays_without_one() -> None:
    """A dropped query is absent on this side too."""
    with guarded(fakes.DropsAQuery()) as backend:
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == {b"1": 0.5}


def test_ties_reach_the_child_as_they_are() -> None:
    """Scores, docnos and their order survive the way into the child."""
    run = run_of({"1": {"z": 1.0, "a": 1.0, "m": 1.0}})
    with guarded(fakes.TiesAscending()) as backend:
        assert values(backend.evaluate(qrels_of({"1": {"a": 1}}), run, [P1])[P1]) == {b"1": 1.0}
    with guarded(fakes.Fake()) as backend:
        assert values(backend.evaluate(qrels_of({"1": {"a": 1}}), run, [P1])[P1]) == {b"1": 0.0}


def test_what_a_backend_prints_does_no_harm() -> None:
    """Megabytes on standard output, by Python and by C, are neither a reply nor a deadlock."""
    with guarded(fakes.Prints()) as backend:
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED


@posix_only
def test_only_the_measure_that_crashes_is_lost() -> None:
    """A crash in a batch is traced to the guilty measure; the others are computed after it."""
    with guarded(fakes.FailsAt(how="abort")) as backend:
        found = backend.evaluate(QRELS, RUN, [P1, P3, P2])
        assert values(found[P2]) == EXPECTED
        assert values(found[P1]) == {b"1": 1.0, b"2": 0.0}
        assert error(found[P3]).startswith("fake was killed by SIGABRT without an answer")
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED


@posix_only
def test_the_end_of_standard_error_is_quoted_without_control_characters() -> None:
    """The message holds the last output of a crashing backend, without control characters for the
    terminal."""
    with guarded(fakes.FailsAt(how="abort")) as backend:
        message = error(backend.evaluate(QRELS, RUN, [P3])[P3])
    assert "assertion \\x1b[31mfailed" in message
    assert "\x1b" not in message


def test_a_silent_exit_is_an_error() -> None:
    """A child that ends without an answer, whatever its exit code, gives no value."""
    with guarded(fakes.FailsAt(how="exit")) as backend:
        found = backend.evaluate(QRELS, RUN, [P3])
    assert error(found[P3]) == "fake exited with code 7 without an answer"


@pytest.mark.parametrize("isolated", [True, False])
def test_only_the_measure_that_raises_is_lost(isolated: bool) -> None:
    """An exception names its type, message and place, control characters escaped."""
    with guarded(fakes.FailsAt(isolated=isolated)) as backend:
        found = backend.evaluate(QRELS, RUN, [P3, P2])
    assert values(found[P2]) == EXPECTED
    assert re.fullmatch(
        r"ZeroDivisionError: topic \\x1b\[31m9\\x07 \(fakes.py:\d+ in _raise\)", error(found[P3])
    )


@pytest.mark.parametrize("isolated", [True, False])
def test_sys_exit_does_not_end_the_run(isolated: bool) -> None:
    """A library that calls sys.exit has failed, no more."""
    with guarded(fakes.FailsAt(isolated=isolated, how="sys.exit")) as backend:
        assert error(backend.evaluate(QRELS, RUN, [P3])[P3]).startswith("SystemExit: giving up")


@pytest.mark.parametrize("what", ["file", "thread", "memory"])
def test_what_is_short_here_is_no_answer_of_the_backend(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """An error of its own kind, which an audit does not take for a refusal; the next request works."""

    def fails(*_: object, **__: object) -> None:
        if what == "thread":
            raise RuntimeError("can't start new thread")
        raise MemoryError if what == "memory" else OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    where = {
        "file": "subprocess.Popen",
        "thread": "threading.Timer.start",
        "memory": "crosscheck.backends.guarded.write_object",
    }
    with guarded(fakes.Fake()) as backend:
        with monkeypatch.context() as patch:
            patch.setattr(where[what], fails)
            short = backend.evaluate(QRELS, RUN, [P1, P2])
        assert {type(outcome) for outcome in short.values()} == {ShortageError}
        assert "could not be asked: " in error(short[P1])
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED


def test_a_hang_ends_at_the_time_limit_and_the_next_request_works() -> None:
    """The whole batch fails once, not once per measure; afterwards a new child answers."""
    with guarded(fakes.FailsAt(how="hang"), Options(timeout=2)) as backend:
        begin = time.monotonic()
        found = backend.evaluate(QRELS, RUN, [P2, P3])
        assert time.monotonic() - begin < 10
        assert {error(outcome) for outcome in found.values()} == {"fake did not answer within 2 s"}
        backend.timeout = 60
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED


def test_a_backend_that_starts_slowly_gets_more_time_for_its_first_answer_only() -> None:
    """The seconds that it says it needs are added to the limit once per child."""
    with guarded(fakes.StartsSlowly(start_seconds=60), Options(timeout=0.5)) as backend:
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED
        assert error(backend.evaluate(QRELS, RUN, [P2])[P2]) == "fake did not answer within 0.5 s"
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED


@posix_only
def test_what_a_hanging_child_started_dies_with_it(tmp_path: Path) -> None:
    """No process is left over after a time limit, and no zombie."""
    file = tmp_path / "processes"
    with guarded(fakes.HangsWithGrandchild(file=str(file)), Options(timeout=3)) as backend:
        error(backend.evaluate(QRELS, RUN, [P2])[P2])
    child, grandchild = map(int, file.read_text().split())
    deadline = time.monotonic() + 5
    while is_running(grandchild) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(grandchild)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@posix_only
def test_cancel_ends_a_running_evaluation_from_another_thread(tmp_path: Path) -> None:
    """Ctrl-C in the main thread can end what a worker thread waits for, and nothing starts again."""
    backend = guarded(fakes.HangsWithGrandchild(file=str(tmp_path / "processes")))
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(backend.evaluate(QRELS, RUN, [P1, P2])))
    thread.start()
    deadline = time.monotonic() + 10
    while not (tmp_path / "processes").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    backend.cancel()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert {str(e) for e in answers[0].values()} == {"fake was interrupted"}  # type: ignore[attr-defined]
    assert error(backend.evaluate(QRELS, RUN, [P1])[P1]) == "fake was interrupted"
    backend.close()


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("about", fakes.LIES)
def test_an_answer_of_the_wrong_type_is_an_error_of_its_measure(isolated: bool, about: str) -> None:
    """Text, None or anything else in the place of a number never becomes a number."""
    with guarded(fakes.Lies(isolated=isolated, about=about)) as backend:
        found = backend.evaluate(QRELS, RUN, [P1, P2])
    assert "P@1" in error(found[P1])
    assert values(found[P2]) == EXPECTED


@pytest.mark.parametrize("isolated", [True, False])
def test_an_answer_that_is_no_dict_is_an_error_of_every_measure(isolated: bool) -> None:
    """The message says what came instead."""
    with guarded(fakes.Lies(isolated=isolated, about="everything")) as backend:
        found = backend.evaluate(QRELS, RUN, [P1, P2])
    assert {error(o) for o in found.values()} == {"returned a list instead of a dict of measures"}


def test_inputs_are_sent_once() -> None:
    """The child keeps qrels and run: it sees the same objects until others are given, in one process."""
    other = run_of({"1": {"a": 1.0}})
    with guarded(fakes.CountsInputs()) as backend:
        seen = [values(backend.evaluate(QRELS, run, [P1])[P1]) for run in (RUN, RUN, other)]
    assert [(s[b"qrels"], s[b"run"]) for s in seen] == [(1, 1), (1, 1), (1, 2)]
    assert len({s[b"process"] for s in seen} - {os.getpid()}) == 1


def test_close_ends_the_child_and_the_next_request_starts_another() -> None:
    """After close no process is left; asking again works."""
    backend = guarded(fakes.CountsInputs())
    first = int(values(backend.evaluate(QRELS, RUN, [P1])[P1])[b"process"])
    backend.close()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    assert values(backend.evaluate(QRELS, RUN, [P1])[P1])[b"process"] != first
    backend.close()
    backend.close()


@posix_only
def test_a_child_that_dies_between_requests_is_replaced() -> None:
    """Its death is not blamed on the next measure."""
    with guarded(fakes.CountsInputs()) as backend:
        process = int(values(backend.evaluate(QRELS, RUN, [P1])[P1])[b"process"])
        os.kill(process, 9)
        time.sleep(0.2)
        assert values(backend.evaluate(QRELS, RUN, [P1])[P1])[b"process"] != process


@posix_only
def test_temporary_files_of_a_lost_child_are_removed() -> None:
    """A crash leaves nothing in the temporary folder."""
    with guarded(fakes.LeavesFiles()) as backend:
        message = error(backend.evaluate(QRELS, RUN, [P1])[P1])
    found = re.search("<(.*)>", message)
    assert found is not None
    assert not Path(found[1]).exists()
    assert not Path(found[1]).parent.exists()


def test_a_module_in_the_working_directory_does_not_shadow_the_child_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's struct.py beside the fixtures is not what the child imports."""
    (tmp_path / "struct.py").write_text("raise SystemExit('wrong struct')")
    monkeypatch.chdir(tmp_path)
    with guarded(fakes.Fake()) as backend:
        assert values(backend.evaluate(QRELS, RUN, [P2])[P2]) == EXPECTED


def test_a_backend_that_cannot_be_sent_is_an_error() -> None:
    """A backend that cannot be pickled gives a message, not an exception."""
    backend = fakes.Fake()
    backend.id = lambda: "local"  # type: ignore[assignment]
    with guarded(backend) as isolated:
        assert "pickle" in error(isolated.evaluate(QRELS, RUN, [P1])[P1]).lower()


def test_a_backend_that_cannot_describe_itself_is_not_available() -> None:
    """describe never raises; supports that raises leaves the explanation to evaluate."""
    backend = guarded(fakes.DescribesByRaising())
    about = backend.describe()
    assert not about.available
    assert str(about.reason).startswith("RuntimeError: no idea")
    assert backend.supports(P1)


def test_memory_of_the_child_is_its_own() -> None:
    """The peak counts what the child used, not what this process used before it."""
    ballast = np.ones(40_000_000)
    with guarded(fakes.Fake()) as backend:
        backend.evaluate(QRELS, RUN, [P1])
    assert 1 << 20 < backend.peak_bytes < ballast.nbytes


@posix_only
def test_an_interrupt_ends_parent_and_child(tmp_path: Path) -> None:
    """Ctrl-C while a backend hangs: the call ends with KeyboardInterrupt at once, no process is left."""
    file = tmp_path / "processes"
    program = (
        "from crosscheck.backends.guarded import guarded\n"
        "from tests.backends import fakes\n"
        "from tests.backends.test_isolation import P1, P2, QRELS, RUN\n"
        f"with guarded(fakes.HangsWithGrandchild(file={str(file)!r})) as backend:\n"
        "    backend.evaluate(QRELS, RUN, [P1, P2])\n"
    )
    root = Path(__file__).parents[2]
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=root, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not (file.exists() and len(file.read_text().split()) == 2) and time.monotonic() < deadline:
        time.sleep(0.05)
    child, grandchild = map(int, file.read_text().split())
    parent.send_signal(signal.SIGINT)
    _, said = parent.communicate(timeout=20)
    assert said.endswith(b"KeyboardInterrupt\n")
    while is_running(grandchild) and time.monotonic() < deadline + 5:
        time.sleep(0.05)
    assert not is_running(child)
    assert not is_running(grandchild)
