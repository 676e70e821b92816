"""Metrics that misbehave, ended in every way or audited: nothing hangs, and no process or file remains.

``python -m tests.programs.hostile`` runs all of it, in minutes; ``tests/processes/test_hostile.py`` a part.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.cli.command import arguments, environment
from tests.processes.watching import children, marked, wait_until
from tests.programs.faults.trial import load
from tests.programs.frame import Case, main
from tests.programs.hostile_metrics import BEHAVIOURS

_METRICS = Path(__file__).with_name("hostile_metrics.py")
_TIMEOUT = 3.0
#: Of an audit.
_BUDGET = 60.0
#: Metric -> its backend: programs that are no harness at all, and each behaviour in both ways.
_TARGETS = {
    "wrapper": "exec:sh wrapper.sh",
    "cat": "exec:cat /dev/zero",
    "echo": "exec:yes",
    "mute": "exec:sleep 600",
    **{f"python {name}": f"python:{_METRICS}:metric_{name}" for name in BEHAVIOURS},
    **{f"exec {name}": f"exec:{sys.executable} {_METRICS} {name}" for name in BEHAVIOURS},
}
_WRAPPER = "echo $$ > begun\nsleep 600\necho done\n"
_ENDINGS = ("end", "audit", "SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "kill worker", "kill supervisor")
#: Metrics that give values in the end.
_FINE = {"returns", "starts_a_grandchild", "leaves_threads", "hangs_at_exit", "loses_its_folder"}
_FINE |= {"opens_no_more", "forgets_modules", "doubles"}
#: Metrics that may have answered before their end.
_EITHER = {"kills_its_parent", "opens_no_more"}


def _code(metric: str, ending: str) -> int:
    if ending == "SIGKILL":
        return -signal.SIGKILL
    if ending.startswith("SIG"):
        return 130
    fine = metric.partition(" ")[2] in _FINE - ({"opens_no_more"} if ending == "audit" else set())
    return {"end": 0, "audit": 1}.get(ending, 3) if fine else 3


def check(metric: str, ending: str, folder: Path, slack: float = 1) -> None:
    """Fails unless the command is over within its time limit and five seconds, says one thing with the right
    exit code, and leaves neither a process nor a temporary file. On a busy machine, ``slack`` multiplies the
    five seconds and the waits for the end of processes."""
    mark, temporary = f"hostile-{folder}", folder / "tmp"
    temporary.mkdir()
    (folder / "q").write_text("1 0 a 1\n")
    (folder / "r").write_text("1 Q0 a 1 1 t\n")
    (folder / "wrapper.sh").write_text(_WRAPPER)
    begin = time.monotonic()
    asked: list[object] = ["--qrels", "q", "--run", "r", "--reference", "native", "-b", _TARGETS[metric]]
    if ending == "audit":
        asked = ["audit", _TARGETS[metric], "--budget", _BUDGET]
    process = subprocess.Popen(
        arguments(*asked, "-m", "RR", "--timeout", _TIMEOUT, "--quiet", "--report", "json=-"),
        cwd=folder, env=environment(CROSSCHECK_TEST=mark, TMPDIR=str(temporary), PYTHONWARNINGS="ignore"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    if ending not in ("end", "audit"):
        assert wait_until((folder / "begun").exists if " " in metric else lambda: len(marked(mark)) > 3)
        sent = time.monotonic()
        if ending.startswith("SIG"):
            process.send_signal(getattr(signal, ending))
        else:
            supervisor = children(process.pid)[0]
            killed = supervisor if ending == "kill supervisor" else children(supervisor)[0]
            os.kill(killed, signal.SIGKILL)
    longest = _BUDGET + 5 * slack if ending == "audit" else _TIMEOUT  # its own work does not count
    out, err = process.communicate(timeout=longest + 30 * slack)
    over = time.monotonic()
    codes = {_code(metric, ending), *({0, 1} if metric.partition(" ")[2] in _EITHER else ())}
    assert process.returncode in codes, (process.returncode, err, out[-300:])
    assert b"Traceback" not in err, err
    assert len(err.splitlines()) <= 2, err
    assert over - begin < longest + 5 * slack, over - begin
    if ending.startswith("SIG"):
        assert over - sent < 3 * slack, over - sent
        assert ending == "SIGKILL" or err.strip() == b"crosscheck: interrupted", err
    patience = slack * (5 if ending == "SIGKILL" else 1)
    assert wait_until(lambda: not marked(mark), patience), marked(mark)
    assert wait_until(lambda: not os.listdir(temporary), patience), os.listdir(temporary)


def _tried(metric: str, ending: str) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        check(metric, ending, Path(folder), load())
    return "ended", ""


def _cells(given: object) -> list[Case]:
    """All that make sense: programs that end at once cannot be ended in the middle."""
    return [
        Case(ending, f"{metric} / {ending}", partial(_tried, metric, ending))
        for metric in _TARGETS
        for ending in _ENDINGS
        if metric not in ("cat", "echo") or ending in ("end", "audit")
    ]


if __name__ == "__main__":
    # As in tests/conftest.py.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main("tests.programs.hostile", __doc__, _cells))
