"""Metrics that say that they were called, and then do what their name says; harnesses as well."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

Values = dict[str, float]


def _begun() -> None:
    with open("begun.part", "w") as file:
        file.write(str(os.getpid()))
    os.rename("begun.part", "begun")
    time.sleep(0.3)


def returns() -> None:
    """And nothing else."""


def raises() -> None:
    raise ValueError("no such document")


def exits() -> None:
    os._exit(7)


def segfaults() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        pass


def floods() -> None:
    while True:
        os.write(1, b"x" * 65536)


def stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


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


BEHAVIOURS: dict[str, Callable[[], None]] = {
    function.__name__: function
    for function in (
        returns, raises, exits, segfaults, hangs, floods, stops_itself, starts_a_grandchild, forks_and_hangs
    )
}  # fmt: skip


def _metric(name: str) -> Callable[[Mapping[str, object], Mapping[str, object]], Values]:
    def metric(qrels: Mapping[str, object], run: Mapping[str, object]) -> Values:
        _begun()
        BEHAVIOURS[name]()
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
