"""Metrics that say that they were called, and then do what their name says; harnesses as well."""

# The text file uses what is imported.
# ruff: noqa: F401

import atexit
import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Values = dict[str, float]


def _begun() -> None:
    with open("begun.part", "w") as file:
        file.write(str(os.getpid()))
    os.rename("begun.part", "begun")
    time.sleep(0.3)


def hangs() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        pass


def floods(number: int) -> None:
    while True:
        os.write(number, b"x" * 65536)


def starts_a_grandchild() -> None:
    """One that leaves the group, the session and the family."""
    code = (
        "import os, subprocess\nif os.fork() == 0:\n    os.setsid()\n    subprocess.run(['sleep', '600'])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def forks_and_hangs() -> None:
    starts_a_grandchild()
    for _ in range(5):
        if os.fork() == 0:
            break
    time.sleep(600)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise self


def recurses() -> None:
    recurses()


class _Deep:
    def __repr__(self) -> str:
        return repr(self)


def overflows() -> None:
    """The stack of C."""
    sys.setrecursionlimit(1 << 30)
    repr(_Deep())


def writes_everywhere() -> None:
    for number in range(100):
        with contextlib.suppress(OSError):
            os.set_blocking(number, False)
            os.write(number, b"\xff" * 100)


def doubles() -> None:
    """Once: both go on."""
    if not _doubled:
        _doubled.append(os.fork())


_doubled: list[int] = []
#: Name -> what is done: the lines of the text file.
BEHAVIOURS = dict(
    line.split(": ", 1) for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
)


def _metric(name: str) -> Callable[[Mapping[str, object], Mapping[str, object]], Values]:
    def metric(qrels: Mapping[str, object], run: Mapping[str, object]) -> Values:
        _begun()
        exec(BEHAVIOURS[name], globals())
        return dict.fromkeys(run, 1.0)

    return metric


globals().update({f"metric_{name}": _metric(name) for name in BEHAVIOURS})


def _harness(name: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "start":
            print(json.dumps({"name": "hostile"}), flush=True)
        elif message["cmd"] == "measure":
            values = {m: _metric(name)(message["qrels"], message["run"]) for m in message["measures"]}
            print(json.dumps({"seq": message["seq"], "values": values}), flush=True)


if __name__ == "__main__":
    _harness(sys.argv[1])
