"""Metrics that say that they were called, and then do what their name says; harnesses as well."""

from __future__ import annotations

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


def raises_interrupt() -> None:
    raise KeyboardInterrupt


def raises_exit() -> None:
    sys.exit(0)


class _Unprintable(Exception):
    def __str__(self) -> str:
        raise self


def raises_unprintable() -> None:
    raise _Unprintable


def recurses() -> None:
    recurses()


class _Deep:
    def __repr__(self) -> str:
        return repr(self)


def overflows() -> None:
    """The stack of C."""
    sys.setrecursionlimit(1 << 30)
    repr(_Deep())


def takes_memory() -> None:
    bytearray(1 << 60)


def exits_well() -> None:
    os._exit(0)


def aborts() -> None:
    os.abort()


def kills_its_group() -> None:
    os.killpg(0, signal.SIGKILL)


def kills_its_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)


def closes_files() -> None:
    os.closerange(0, 100)


def writes_everywhere() -> None:
    for number in range(100):
        with contextlib.suppress(OSError):
            os.set_blocking(number, False)
            os.write(number, b"\xff" * 100)


def floods_errors() -> None:
    while True:
        os.write(2, b"x" * 65536)


def rings() -> None:
    signal.alarm(1)
    time.sleep(600)


def leaves_threads() -> None:
    threading.Thread(target=time.sleep, args=(600,)).start()


def hangs_at_exit() -> None:
    atexit.register(time.sleep, 600)


def loses_its_folder() -> None:
    os.chdir("/")
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)


def opens_no_more() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def forgets_modules() -> None:
    sys.modules.clear()


def doubles() -> None:
    """Once: both go on."""
    if not _doubled:
        _doubled.append(os.fork())


def becomes_another() -> None:
    os.execvp("sleep", ["sleep", "600"])


_doubled: list[int] = []
BEHAVIOURS: dict[str, Callable[[], None]] = {
    function.__name__: function
    for function in (
        returns, raises, exits, segfaults, hangs, floods, stops_itself, starts_a_grandchild, forks_and_hangs,
        raises_interrupt, raises_exit, raises_unprintable, recurses, overflows, takes_memory, exits_well,
        aborts, kills_its_group, kills_its_parent, closes_files, writes_everywhere, floods_errors, rings,
        leaves_threads, hangs_at_exit, loses_its_folder, opens_no_more, forgets_modules, doubles,
        becomes_another,
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
