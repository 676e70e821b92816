"""Ctrl-C and SIGTERM while a backend hangs: a quick end, nothing left running, and what there is is kept."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import EXPONENTIAL, arguments, environment, three_cases

#: A metric that hangs on the second case it sees, with a helper process of its own; it tells both ids.
HANGS = """
import os, subprocess, sys, time

def metric(qrels, run):
    if len(qrels) > 1:
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open("ids.part", "w") as file:
            file.write(f"{os.getpid()} {helper.pid}")
        os.rename("ids.part", "ids")
        time.sleep(600)
    return {query: 0.5 for query in run}
"""


#: A metric that hangs after some experiments.
HANGS_LATER = """
import os, time
calls = 0

def metric(qrels, run):
    global calls
    calls += 1
    if calls > 40:
        with open("ids.part", "w") as file:
            file.write(f"{os.getpid()}")
        os.rename("ids.part", "ids")
        time.sleep(600)
    return {query: float(len(run[query])) for query in run if query in qrels}
"""


def started(
    folder: Path, command: list[str], metric: str = HANGS
) -> tuple[subprocess.Popen[bytes], list[int]]:
    """The command in the folder, as soon as its metric hangs, and the ids of what hangs."""
    (folder / "hangs.py").write_text(metric)
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    limit = time.monotonic() + 60
    while not (folder / "ids").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit, "it never hung"
        time.sleep(0.02)
    return process, [int(id) for id in (folder / "ids").read_text().split()]


def gone(id: int) -> bool:
    """Whether a process has ended, including one that was not waited for (a zombie)."""
    try:
        with open(f"/proc/{id}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def all_gone(ids: list[int]) -> bool:
    limit = time.monotonic() + 10
    while not all(map(gone, ids)) and time.monotonic() < limit:
        time.sleep(0.02)
    return all(map(gone, ids))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_an_interrupted_call_ends_with_130_and_leaves_nothing_behind(
    tmp_path: Path, which: signal.Signals
) -> None:
    """Finished comparisons are reported as incomplete; the backend and its children are ended."""
    three_cases(tmp_path)
    process, ids = started(
        tmp_path,
        arguments(
            "cases", "-m", "nDCG@10", "-b", "python:hangs.py:metric", "-b", EXPONENTIAL, "--jobs", "3",
            "--report", "json=doc.json", "--report", "junit=suite.xml", "--accept", "not now",
        ),
    )  # fmt: skip
    begin = time.monotonic()
    process.send_signal(which)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - begin < 20
    assert err == b"crosscheck: interrupted\n"
    assert all_gone(ids)
    document = json.loads((tmp_path / "doc.json").read_text("utf-8"))
    assert document["complete"] is False
    assert {c["case"] for c in document["comparisons"]} == {"agreeing"}
    assert b"Interrupted" in out
    assert "complete" in (tmp_path / "suite.xml").read_text("utf-8")
    assert not (tmp_path / "cases" / "agreeing" / "case.toml").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_an_interrupted_audit_says_what_it_knows(tmp_path: Path) -> None:
    """The number of values, and of those that are not the reference's; no verdict; the metric is ended."""
    command = arguments(
        *("audit", "python:hangs.py:metric", "-m", "NumRet", "--quiet", "--timeout", "500"),
        *("--report", "json=doc.json"),
    )
    process, ids = started(tmp_path, command, HANGS_LATER)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    first, known = err.decode().strip().splitlines()
    assert first == "crosscheck: interrupted"
    found = re.fullmatch(r"  values so far: ([\d,]+); not those of the reference: 0", known)
    assert found
    assert int(found[1].replace(",", "")) >= 1
    assert out == b""
    assert not (tmp_path / "doc.json").exists()
    assert all_gone(ids)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_ctrl_c_in_a_program_is_a_keyboard_interrupt(tmp_path: Path) -> None:
    """``crosscheck.run`` raises it at once; the program decides what comes next."""
    three_cases(tmp_path)
    program = (
        "import crosscheck\n"
        "try:\n"
        "    crosscheck.run('cases', measures=['AP'], backends=['python:hangs.py:metric'])\n"
        "except KeyboardInterrupt:\n"
        "    print('caught')\n"
    )
    process, ids = started(tmp_path, [sys.executable, "-c", program])
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"caught\n", b"")
    assert all_gone(ids)
    assert os.listdir(tmp_path / "cases" / "agreeing") != []
