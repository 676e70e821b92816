"""Workers of ``evaluate``: lost ones are replaced once, and none outlives the work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crosscheck.errors import ResourceError
from crosscheck.processes.pool import WorkerPool
from tests.cli.command import arguments, environment
from tests.processes.watching import children, ended, marked, wait_until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def _twice(number: int) -> int:
    return 2 * number


def _dies_at_first(number: int, folder: str) -> int:
    """Killed as by the system when memory is short: once for 3, always for 7."""
    mark = Path(folder, str(number))
    if number == 7 or (number == 3 and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _fails(number: int) -> int:
    time.sleep(number / 100)
    raise ValueError(number)


class _OfTwo(Exception):
    """It is pickled with one argument, and needs two."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)


def test_results_come_in_order():
    """More parts than workers, in their order; what a worker raises is raised here, and what others still
    compute at that time is no answer to a later request. What cannot be sent is an error as well."""
    with WorkerPool(2, fork=False, preload=__name__, notice=pytest.fail) as pool:
        assert list(pool.results(_twice, [(n,) for n in range(20)])) == [2 * n for n in range(20)]
        with pytest.raises(ValueError, match="5"):
            list(pool.results(_fails, [(5,), (50,)]))
        with pytest.raises(RuntimeError, match="TypeError: cannot pickle"):
            list(pool.results(open, [(os.devnull,)]))
        assert list(pool.results(_twice, [(3,), (4,)])) == [6, 8]
        assert list(pool.results(_twice, [])) == []
        with pytest.raises(TypeError, match="missing 1 required"):  # when it is made again
            list(pool.results(_twice, [(_OfTwo("name", "message"),)]))


def test_a_lost_worker_is_one_message_and_its_part_is_done_again(tmp_path):
    """Killed once: the result is complete. Killed twice on the same part: an error that says so."""
    said: list[str] = []
    with WorkerPool(2, fork=False, preload=__name__, notice=said.append) as pool:
        assert list(pool.results(_dies_at_first, [(n, str(tmp_path)) for n in range(6)])) == list(range(6))
        assert said == ["a worker process was killed by SIGKILL; its part of the work is repeated"]
        with pytest.raises(
            ResourceError, match="on the same part of the work; the second was killed by SIGKILL"
        ):
            list(pool.results(_dies_at_first, [(n, str(tmp_path)) for n in range(4, 9)]))


def _slow_track(folder: Path) -> list[str]:
    """An evaluation that takes two workers several seconds."""
    with open(folder / "qrels", "w") as file:
        file.writelines(f"{t} 0 d{d} 1\n" for t in range(300) for d in range(0, 1000, 10))
    with open(folder / "run", "w") as file:
        file.writelines(f"{t} Q0 d{d} 0 {-d} tag\n" for t in range(300) for d in range(1000))
    workers = ("--workers", "2", "--output", "tsv", "--quiet")
    return ["evaluate", "qrels", *["run"] * 24, "-m", "AP", "-m", "nDCG", *workers]


def _started(folder: Path, mark: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        arguments(*_slow_track(folder)), cwd=folder, env=environment(CROSSCHECK_TEST=mark),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert wait_until(lambda: sum(bool(children(s)) for s in children(process.pid)) == 2)
    return process


@pytest.mark.parametrize("which", ["supervisor", "worker"])
def test_evaluate_survives_the_loss_of_a_worker(tmp_path, which):
    """kill -9 of one of two workers, or of its supervisor: one message, all values, exit code 0."""
    process = _started(tmp_path, f"{tmp_path}-loss")
    supervisor = children(process.pid)[0]
    os.kill(supervisor if which == "supervisor" else children(supervisor)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (
        0, b"crosscheck: a worker process was killed by SIGKILL; its part of the work is repeated\n"
    )  # fmt: skip
    assert out.count(b"\tAP\tall\t") == 24
    assert marked(f"{tmp_path}-loss") == []


@pytest.mark.parametrize("which", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_workers_end_with_the_command(tmp_path, which):
    """However the command ends: within seconds, with 130 where it can still say so, and nothing is left."""
    process = _started(tmp_path, f"{tmp_path}-end")
    process.send_signal(getattr(signal, which))
    _, err = process.communicate(timeout=20)
    if which == "SIGKILL":
        assert process.returncode == -signal.SIGKILL
    else:
        assert (process.returncode, err.strip()) == (130, b"crosscheck: interrupted")
    assert wait_until(lambda: not marked(f"{tmp_path}-end"), 5)
    assert ended(process.pid)


_INTERRUPTED_FORK = """
import os, signal
from crosscheck.processes.pool import WorkerPool
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    with WorkerPool(2, fork=True, preload="", notice=print) as pool:
        print(list(pool.results(abs, [(-1,), (-2,)])))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_while_a_worker_is_forked_is_not_lost():
    """Python ignores what hooks of fork raise, and prints a traceback."""
    ended = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_FORK], capture_output=True, text=True, timeout=60, check=True
    )
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")
