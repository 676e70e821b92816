"""Child processes under their supervisor, whatever they do, and those that start early; a part of the metrics
that misbehave and of the commands with faults (``python -m tests.programs.hostile`` and ``.faults`` run all).
"""

import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from crosscheck.cli.commands import run_command
from crosscheck.processes import supervised, supervisor
from crosscheck.processes.supervised import Supervised, run_program
from tests.cli.command import ROOT, crosscheck, environment
from tests.processes.watching import marked, wait_until
from tests.programs.hostile import check

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("metric", "ending"),
    [
        *((f"python {what}", "end") for what in ("exits", "floods", "stops_itself", "starts_a_grandchild")),
        *((metric, "end") for metric in ("wrapper", "cat", "python doubles")),
        *((f"python {what}", "audit") for what in ("kills_its_group", "opens_no_more")),
        ("python forks_and_hangs", "SIGTERM"),
        ("wrapper", "SIGHUP"),
        ("exec forks_and_hangs", "SIGKILL"),
        ("python hangs", "kill worker"),
        ("exec forks_and_hangs", "kill supervisor"),
    ],
)
def test_cell(metric, ending, tmp_path):
    """Over in time, one message, the right exit code, no process and no temporary file left."""
    check(metric, ending, tmp_path, slack=4)  # other tests run beside it


@pytest.mark.one_in(2)
@pytest.mark.parametrize("command", ["evaluate", "workers", "accept", "child", "pool", "trec_eval"])
def test_faults(command):
    """Results are whole or absent, a message names the file, the exit code says so, and nothing is left."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.programs.faults", "--sample", "1", command],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"{command}, open +\| +1 \| +0 ", done.stdout), done.stdout


def test_memory_of_a_metric_and_its_helpers_can_be_bounded(tmp_path):
    """Together, not each: four processes of 60 MB are more than 200 MB; without the option they may."""
    (tmp_path / "m.py").write_text(
        "import os, time\n"
        "def metric(qrels, run):\n"
        "    for _ in range(3):\n"
        "        if os.fork() == 0:\n"
        "            held = b'x' * 60_000_000\n"
        "            time.sleep(600)\n"
        "    held = b'x' * 60_000_000\n"
        "    time.sleep(1)\n"
        "    return dict.fromkeys(run, 1.0)\n"
    )
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    mark = f"memory-{tmp_path}"
    asked = (
        "--qrels", "q", "--run", "r", "-m", "RR", "--reference", "native", "-b", "python:m.py:metric",
        "--report", "text=-", "--quiet",
    )  # fmt: skip
    bounded = crosscheck(tmp_path, *asked, "--memory-limit", "200M", env={"CROSSCHECK_TEST": mark})
    assert bounded.code == 3
    assert "used more than 210 MB of memory" in " ".join(bounded.out.split())
    assert crosscheck(tmp_path, *asked, env={"CROSSCHECK_TEST": mark}).code == 0
    assert marked(mark) == []
    assert crosscheck(tmp_path, *asked, "--memory-limit", "much").code == 2


def test_a_program_is_run_to_its_end_and_what_it_leaves_is_ended(tmp_path):
    """Its output, its exit code and its last words; a program that does not exist is an ending too."""
    for script, ending in {
        "cat; echo out; echo err >&2; exit 5": (5, "exited with code 5", b"out\n", "err\n"),
        "kill -SEGV $$": (-11, "was killed by SIGSEGV", b"", ""),
        "kill -TERM $$": (-15, "was killed by SIGTERM", b"", ""),
        "printf %05000d 7 >&2": (0, "exited with code 0", b"", "7".rjust(4000, "0")),
        "exec no/such 2>/dev/null": (127, "exited with code 127", b"", ""),
        "exec ls /proc/self/fd": (0, "exited with code 0", b"0\n1\n2\n3\n", ""),  # none of ours
    }.items():
        done = run_program(["sh", "-c", script], 10)
        assert (done.code, done.ending, done.out, done.err) == ending
    absent = run_program(["no-such-program-anywhere"], 10)
    assert (absent.code, absent.ending) == (127, "could not be started: No such file or directory")
    with pytest.raises(TimeoutError):
        run_program(["sh", "-c", f"MARK={tmp_path} sleep 600; echo"], 0.5)
    assert run_program(["sh", "-c", f"MARK={tmp_path} setsid sleep 600 & echo"], 10).out == b"\n"
    assert wait_until(lambda: not marked(f"MARK={tmp_path}"), 2)


def test_signals_are_as_at_the_start_of_a_program():
    """Neither what this process ignores or blocks, nor what Python ignores, reaches a program."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    try:
        said = run_program(["grep", "^Sig[BI]", "/proc/self/status"], 10).out
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    assert {line.split()[1] for line in said.splitlines()} == {b"0" * 16}


def test_a_supervisor_that_was_stopped_is_ended(monkeypatch):
    """It cannot end anything any more; its owner does not wait for it for ever."""
    monkeypatch.setattr(supervised, "_PATIENCE", 0.5)
    program = Supervised("program", ["sleep", "600"])
    assert wait_until(lambda: len(marked(program._scratch)) == 2)
    os.kill(program.pid, signal.SIGSTOP)
    program.close()
    assert wait_until(lambda: not marked(program._scratch), 2)


def test_what_cannot_be_started_leaves_no_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ValueError, match="null byte"):
        Supervised("program", ["true"], env={"NAME": "a\0b"})
    assert [*tmp_path.iterdir()] == []


def test_descendants_are_found_without_lists_of_children(monkeypatch):
    """Older kernels have none; each process says who its parent is. One that has ended is nobody's, and needs
    no memory; others need what the system says."""
    with closing(Supervised("program", ["sh", "-c", "sleep 600 & wait"])) as program:
        assert wait_until(lambda: len(marked(program._scratch)) == 3)
        found = set(supervisor._descendants())
        assert found >= {program.pid, *marked(program._scratch)}
        (held,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{program.pid}/status").read_text())
        assert supervisor._resident(program.pid) == 1024 * int(held)
        monkeypatch.setattr(os.path, "exists", lambda path: False)
        assert set(supervisor._descendants()) == found
    assert supervisor._parent(program.pid) == supervisor._resident(program.pid) == 0


def test_a_thread_without_memory_is_not_waited_for():
    """Python waits for ever for one that cannot begin, so none is started."""
    code = (
        "import resource, threading\n"
        "from crosscheck.processes.supervised import time_limit\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "limit = pages * resource.getpagesize() + (9 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "try:\n    time_limit(1, print).__enter__()\n"
        "except MemoryError:\n    print(threading.active_count())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("1\n", "")


# ---- a child that is started before its work is known serves the first that asks, or ends ------------------


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Supervised]:
    """All children that are started."""
    found: list[Supervised] = []
    start = supervised._start

    def noted(memory: int | None) -> Supervised:
        found.append(start(memory))
        return found[-1]

    monkeypatch.setattr(supervised, "_start", noted)
    return found


def test_the_first_that_asks_gets_it(begun):
    """The second one, and one with another limit of memory, get children of their own."""
    with supervised.starting():
        limited, first, second = supervised.started(10**9), supervised.started(), supervised.started()
        assert [begun.index(one) for one in (limited, first, second)] == [1, 0, 2]
    for one in begun:
        assert one.alive()
        one.close()


def test_it_ends_if_nobody_asks(begun):
    """Its process is gone after the block."""
    with supervised.starting():
        assert begun[0].alive()
    assert not begun[0].alive()


def test_an_audit_of_a_function_starts_two_children(begun, tmp_path, monkeypatch):
    """The one that was started before the imports is the one that calls the function; a second one is asked
    for the battery again."""
    source = "def f(gains):\n    return float(gains[0] > 0) if gains else 0.0\n"
    (tmp_path / "m.py").write_text(source, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run_command(["audit", "m.py:f", "-m", "P@1", "--quiet"]) == 0
    assert len(begun) == 2
    assert not any(child.alive() for child in begun)
