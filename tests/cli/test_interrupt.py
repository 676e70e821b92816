"""Ctrl-C and SIGTERM while a backend hangs: a quick end, nothing left running, and what there is is kept."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import EXPONENTIAL, arguments, environment, three_cases
from tests.processes.watching import ended, marked, wait_until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")

#: A metric that hangs on its CALLth call with more than QUERIES queries; it tells the ids of what hangs.
HANGS = """
import os, subprocess, sys, time
calls = 0

def metric(qrels, run):
    global calls
    calls += 1
    if len(qrels) > QUERIES and calls >= CALL:
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open("ids.part", "w") as file:
            file.write(f"{os.getpid()} {helper.pid}")
        os.rename("ids.part", "ids")
        time.sleep(600)
    return {query: float(len(run[query])) for query in run if query in qrels}
"""
PROGRAM = """
import crosscheck
try:
    crosscheck.run('cases', measures=['AP'], backends=['python:hangs.py:metric'])
except KeyboardInterrupt:
    print('caught')
"""


def interrupted(
    folder: Path, command: list[str], which: signal.Signals, queries: int = 1, call: int = 1
) -> tuple[int, str, str]:
    """Exit code and output of a command that gets the signal while its metric hangs; nothing is left."""
    (folder / "hangs.py").write_text(HANGS.replace("QUERIES", str(queries)).replace("CALL", str(call)))
    if "-W" in command:  # a file that is being opened when the signal comes stays open
        command = [*command[:3], "-W", "ignore::ResourceWarning", *command[3:]]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert wait_until(lambda: (folder / "ids").exists() or process.poll() is not None, 60)
    assert process.poll() is None, process.communicate()
    ids = [int(id) for id in (folder / "ids").read_text().split()]
    begin = time.monotonic()
    process.send_signal(which)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < 20
    assert wait_until(lambda: all(map(ended, ids)), 10)
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_an_interrupted_run_keeps_what_there_is_and_what_was_there(tmp_path, which):
    """Finished comparisons are reported as incomplete, beside an older report; nothing is accepted."""
    three_cases(tmp_path)
    (tmp_path / "doc.json").write_text('"old"')
    command = arguments(
        "cases", "-m", "nDCG@10", "-b", "python:hangs.py:metric", "-b", EXPONENTIAL, "--jobs", "3",
        "--report", "json=doc.json", "--report", "junit=suite.xml", "--accept", "not now",
    )  # fmt: skip
    code, out, err = interrupted(tmp_path, command, which)
    first, *rest = err.splitlines()
    assert (code, first) == (130, "crosscheck: interrupted")
    assert [line for line in rest if "'doc.json' is left as it is" not in line] == []
    assert (tmp_path / "doc.json").read_text() == '"old"'
    document = json.loads((tmp_path / "doc.interrupted.json").read_text("utf-8"))
    assert document["complete"] is False
    assert {c["case"] for c in document["comparisons"]} == {"agreeing"}
    assert "Interrupted" in out
    assert "complete" in (tmp_path / "suite.xml").read_text("utf-8")
    assert not (tmp_path / "cases" / "agreeing" / "case.toml").exists()


def test_an_interrupted_audit_says_what_it_knows(tmp_path):
    """The number of values, and of those that are not the reference's; no verdict."""
    command = arguments(
        *("audit", "python:hangs.py:metric", "-m", "NumRet", "--quiet", "--timeout", "500"),
        *("--report", "json=doc.json"),
    )
    code, out, err = interrupted(tmp_path, command, signal.SIGINT, 0, 40)
    first, known = err.strip().splitlines()
    assert (code, out, first) == (130, "", "crosscheck: interrupted")
    found = re.fullmatch(r"  values so far: ([\d,]+); not those of the reference: 0", known)
    assert found
    assert int(found[1].replace(",", "")) >= 1
    assert not (tmp_path / "doc.json").exists()


def test_ctrl_c_in_a_program_is_a_keyboard_interrupt(tmp_path):
    """``crosscheck.run`` raises it at once; the program decides what comes next."""
    three_cases(tmp_path)
    command = [sys.executable, "-c", PROGRAM]
    assert interrupted(tmp_path, command, signal.SIGINT) == (0, "caught\n", "")


def test_ctrl_c_before_the_command_line_is_there_ends_without_a_traceback():
    """In the imports nothing can be said yet; Python would print where it was."""
    early = "import os, signal, crosscheck.__main__; os.kill(os.getpid(), signal.SIGINT)"
    ended_early = subprocess.run([sys.executable, "-c", early], capture_output=True, timeout=60)
    assert (ended_early.returncode, ended_early.stderr) == (-signal.SIGINT, b"")


_IN_A_CALLBACK = """
import os, signal, time, weakref
from crosscheck import cli
class Thing:
    pass
def command(arguments):
    thing = Thing()
    watched = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGTERM))
    del thing
    time.sleep(60)
cli._run = command
cli.main([])
"""


def test_a_signal_while_python_ignores_exceptions_is_not_lost():
    """In a callback of a weak reference, where Python prints a traceback and goes on."""
    ended = subprocess.run([sys.executable, "-c", _IN_A_CALLBACK], capture_output=True, text=True, timeout=50)
    assert (ended.returncode, ended.stderr) == (130, "crosscheck: interrupted\n")


def limited(folder: Path, code: str) -> subprocess.Popen[bytes]:
    """A command of limited memory that has printed that it is under way; ``code`` replaces what it does."""
    process = subprocess.Popen(
        ["sh", "-c", 'ulimit -v 1000000; exec "$@"', "sh", sys.executable, "-c", code],
        cwd=folder, env=environment(CROSSCHECK_TEST=str(folder)), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"in\n"
    return process


def test_a_command_that_waits_for_memory_in_c_ends_a_second_after_a_signal(tmp_path):
    """Python never comes to call a handler; two signals at once, as of timeout(1), count as one."""
    deaf = (
        "from collections import deque\nfrom functools import partial\nfrom itertools import chain, repeat\n"
    )
    deaf += "import crosscheck.cli as c\nsay = map(partial(print, flush=True), ['in'])\n"
    deaf += "c._run = lambda a: deque(chain(say, repeat(0)), maxlen=0)\nc.main([])"
    with limited(tmp_path, deaf) as process:
        begin = time.monotonic()
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGKILL
    assert 0.9 < time.monotonic() - begin < 10


def test_a_command_of_limited_memory_is_interrupted_as_any_other(tmp_path):
    """What watches it leaves it in peace once a handler has run, and ends with it."""
    slow = "import time\nimport crosscheck.cli as c\n"
    slow += "def run(a):\n    try:\n        print('in', flush=True)\n        time.sleep(60)\n"
    slow += "    finally:\n        time.sleep(2)\nc._run = run\nc.main([])"
    process = limited(tmp_path, slow)
    assert len(marked(str(tmp_path))) == 2
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"crosscheck: interrupted\n")
    assert wait_until(lambda: not marked(str(tmp_path)), 5)
