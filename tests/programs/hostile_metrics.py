"""Metrics that say that they were called, and then do what their name says; harnesses as well."""

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


def raises(error: BaseException) -> None:
    raise error


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


class _Unprintable(Exception):
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


def rings() -> None:
    signal.alarm(1)
    time.sleep(600)


def loses_its_folder() -> None:
    os.chdir("/")
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)


def doubles() -> None:
    """Once: both go on."""
    if not _doubled:
        _doubled.append(os.fork())


_doubled: list[int] = []
BEHAVIOURS: dict[str, Callable[[], object]] = {
    "returns": lambda: None,
    "raises": lambda: raises(ValueError("no such document")),
    "exits": lambda: os._exit(7),
    "segfaults": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "hangs": hangs,
    "floods": lambda: floods(1),
    "stops_itself": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "starts_a_grandchild": starts_a_grandchild,
    "forks_and_hangs": forks_and_hangs,
    "raises_interrupt": lambda: raises(KeyboardInterrupt()),
    "raises_exit": lambda: sys.exit(0),
    "raises_unprintable": lambda: raises(_Unprintable()),
    "recurses": recurses,
    "overflows": overflows,
    "takes_memory": lambda: bytearray(1 << 60),
    "exits_well": lambda: os._exit(0),
    "aborts": lambda: os.abort(),
    "kills_its_group": lambda: os.killpg(0, signal.SIGKILL),
    "kills_its_parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "closes_files": lambda: os.closerange(0, 100),
    "writes_everywhere": writes_everywhere,
    "floods_errors": lambda: floods(2),
    "rings": rings,
    "leaves_threads": lambda: threading.Thread(target=time.sleep, args=(600,)).start(),
    "hangs_at_exit": lambda: atexit.register(time.sleep, 600),
    "loses_its_folder": loses_its_folder,
    "opens_no_more": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0)),
    "forgets_modules": lambda: sys.modules.clear(),
    "doubles": doubles,
    "becomes_another": lambda: os.execvp("sleep", ["sleep", "600"]),
}


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
