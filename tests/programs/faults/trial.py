"""One command with one fault, in a copy of a process that has imported everything: thousands are quick.

Each command of ``commands.toml`` is run in a folder of its own with older results in it.
"""

import contextlib
import ctypes
import json
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tests.harness.data import write_case
from tests.processes.watching import children
from tests.programs.faults.injection import KINDS, Fault, arm, disarm

_PR_SET_CHILD_SUBREAPER = 36
#: Seconds after which a command hangs.
_PATIENCE = 60.0
#: What Python says by itself of memory that was short at the beginning or end of something.
_PYTHONS_OWN = re.compile(
    r"(Process ForkProcess-\d+:|Exception ignored in: .*)\nTraceback.*\n( .*\n)*MemoryError.*\n"
)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Exit codes of a process that had not begun to handle signals.
_UNHANDLED = tuple(-number for number in _SIGNALS)
_NONE = Fault("", 0, stays=False)


METRIC = """
def num_ret(qrels, run):
    return {query: float(len(run[query])) for query in run if query in qrels}


def fails(qrels, run):
    raise ValueError("never")
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, its exit code without a fault, the files that it replaces beside those of the line, and
    what can fail: only some calls in turn if it is slow; imports too if it is cold, and imports everything
    anew."""

    line: str
    code: int = 0
    beside: Sequence[str] = ()
    slow: bool = False
    kinds: Sequence[str] = tuple(KINDS)
    cold: bool = False

    @property
    def writes(self) -> set[str]:
        return {*re.findall(r"out/\S+", self.line), *self.beside}


COMMANDS = {
    name: Command(**said)
    for name, said in tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8")).items()
}


def fill(folder: Path) -> None:
    """Inputs, and older content of every file that a command writes."""
    (folder / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    (folder / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n2 Q0 x 1 9 t\n2 Q0 c 2 8 t\n")
    (folder / "r2").write_text("1 Q0 b 1 2 u\n2 Q0 c 1 9 u\n")
    for name, other in (("r3", "r"), ("r4", "r2")):
        (folder / name).write_bytes((folder / other).read_bytes())
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("map\t1\t0.5000\nmap\tall\t0.5000\n")
    (folder / "m.py").write_text(METRIC)
    graded = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}}
    rows = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "d", 2.0), ("2", "c", 1.0)]
    write_case(folder / "cases" / "graded", graded, rows, "# kept\n")
    (folder / "out").mkdir()
    for name in ("doc.json", "doc.md", "pool"):
        (folder / "out" / name).write_text("old")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit code of a command, None if it hung; calls of each kind, and the names of what failed; the
    files of its folder, the names of temporary files and processes left, and the seconds since its begin or
    signal."""

    code: int | None
    out: bytes
    err: str
    calls: dict[str, int]
    failed: list[str]
    files: dict[str, bytes]
    left: list[str]
    seconds: float

    def said(self) -> str:
        return f"exit code {self.code} after {', '.join(self.failed[:3]) or 'nothing'} failed: {self.err!r}"


class Trials:
    """A command that is run again and again, each time with another fault."""

    def __init__(self, command: Command) -> None:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # what it leaves becomes our child
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # as crosscheck.__main__ does
        self.command = command
        self._before: dict[str, bytes] = {}
        import crosscheck.cli  # noqa: F401  # before that, nothing can be said

        if not command.cold:
            self._warm_up()
        self._good = self._outcome(_NONE)
        assert (self._good.code, self._good.left) == (command.code, []), self._good

    def _warm_up(self) -> None:
        """Import all that the command imports, so that its copies need not."""
        folder, handlers = os.getcwd(), {number: signal.getsignal(number) for number in _SIGNALS}
        with _folders() as (work, _), open(os.devnull, "w") as nothing:
            os.chdir(work)
            with contextlib.redirect_stdout(nothing), contextlib.suppress(SystemExit):
                _main(self.command.line)
        os.chdir(folder)
        for number, handler in handlers.items():
            signal.signal(number, handler)

    def calls(self, kind: str) -> int:
        """How many calls of a kind there are without a fault; of signals, how many milliseconds."""
        if kind == "signal":
            return int(1000 * min(self._outcome(_NONE).seconds for _ in range(3)))
        return self._good.calls.get(kind, 0)

    def wrong(self, fault: Fault) -> tuple[list[str], Outcome]:
        """All that is wrong with what the command does with a fault, and what it does."""
        outcome = self._outcome(fault)
        wrong = self._wrong_results(outcome, fault.kind == "signal")
        return [*wrong, *self._wrong_messages(outcome)], outcome

    def _outcome(self, fault: Fault) -> Outcome:
        with _folders() as (work, temporary):
            self._before = self._before or _files(work)
            out, err, log = (temporary.parent / name for name in ("out", "err", "log"))
            for path in (out, err):
                path.touch()
            pid = os.fork()
            if pid == 0:
                _redirect(out, err)
                os.chdir(work)
                _in_a_copy(self.command.line, temporary, log, fault)
            begin = time.monotonic()
            if fault.kind == "signal":
                time.sleep(fault.number / 1000)
                begin = time.monotonic()
                os.kill(pid, _SIGNALS[fault.number % len(_SIGNALS)])
            code = _waited(pid)
            seconds = time.monotonic() - begin
            left = [*_processes(), *os.listdir(temporary)]
            calls, failed = {}, []
            with contextlib.suppress(OSError, json.JSONDecodeError):  # it was ended before it could write
                calls, failed = json.loads(log.read_bytes())
            said = out.read_bytes(), err.read_text()
            return Outcome(code, *said, calls, failed, _files(work), left, seconds)

    def _wrong_results(self, outcome: Outcome, signalled: bool) -> Iterator[str]:
        good, before, files = self._good, self._before, outcome.files
        if outcome.code is None:
            yield "it hangs"
        elif outcome.code not in (good.code, *((130, *_UNHANDLED) if signalled else (2, 3))):
            yield f"exit code {outcome.code}"
        if signalled and outcome.code != good.code and outcome.seconds > load():
            yield f"over after {outcome.seconds:.1f} s"
        if outcome.left:
            yield f"left behind: {outcome.left}"
        changed = {name for name in {*files, *before} if files.get(name) != before.get(name)}
        beside = {name for name in changed if signalled and ".interrupted." in name}
        if stray := changed - self.command.writes - beside:
            yield f"files that nobody asked for: {stray}"
        for name in changed & self.command.writes | beside:
            if not _whole(files.get(name, b""), good.files.get(name, b""), outcome.code):
                yield f"cut: {name}"
        if outcome.code == 0:
            if outcome.out != good.out or files != good.files:
                yield "not the result, and no exit code says so"
        elif "stdout" not in outcome.failed and not (
            _whole(outcome.out, good.out, outcome.code) or _some_runs(outcome.out, good.out)
        ):
            yield "cut: stdout"

    def _wrong_messages(self, outcome: Outcome) -> Iterator[str]:
        if "Traceback" in _PYTHONS_OWN.sub("", outcome.err):
            yield "a traceback"
        errors = [line for line in outcome.err.splitlines() if "error: " in line]
        if len(errors) > len(set(errors)) or (len(errors) > 1 and "evaluate" not in self.command.line):
            yield "several messages"
        if outcome.code in (0, self._good.code, *_UNHANDLED):
            return
        said = outcome.err + "".join(map(bytes.decode, (outcome.out, *outcome.files.values())))
        if not outcome.err and (outcome.out, outcome.files) in ((b"", self._before), (b"", self._good.files)):
            yield "no message"
        names = list(filter(None, map(self._user_sees, outcome.failed)))
        if names and not any(name in said for name in names):
            yield f"the message names none of {names}"

    def _user_sees(self, failed: str) -> str | None:
        """The name of a file that the user gave, None for what is none of theirs."""
        path = Path(failed)
        if path.name.startswith(".crosscheck-"):  # made to replace another one there
            return f"{path.parent.name}/"
        return path.name if path.name in {"stdout", *(Path(name).name for name in self._before)} else None


def _in_a_copy(line: str, temporary: Path, log: Path, fault: Fault) -> NoReturn:
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)))
    tempfile.tempdir = None
    if fault.kind == "memory" and fault.stays:
        import crosscheck.cli

        vars(crosscheck.cli)["need_memory"] = lambda size: None  # numpy is there already
    arm(fault)
    try:
        _main(line)
    finally:
        log.write_text(json.dumps(disarm()))


def _main(line: str) -> NoReturn:
    from crosscheck.cli import main

    main(line.split())


def _redirect(out: Path, err: Path) -> None:
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115


@contextlib.contextmanager
def _folders() -> Iterator[tuple[Path, Path]]:
    """A folder to work in with all its inputs, and one for temporary files."""
    owner, folder = os.getpid(), tempfile.mkdtemp(prefix="faults-")
    work, temporary = Path(folder, "work"), Path(folder, "tmp")
    for path in (work, temporary):
        path.mkdir()
    fill(work)
    try:
        yield work, temporary
    finally:
        if os.getpid() == owner:  # a copy ends through here too
            shutil.rmtree(folder)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _whole(found: bytes, good: bytes, code: int | None) -> bool:
    """Whether it is nothing, the result without a fault, or, with code 3 or 130, one of what was done."""
    if found in (b"", good):
        return True
    return code in (3, 130) and (not good.startswith(b"{") or bool(json.loads(found)))


def _some_runs(found: bytes, good: bytes) -> bool:
    """Whether it is all that ``evaluate`` says without a fault of some of the runs; lines begin with them."""
    runs = {line.partition(b"\t")[0] for line in found.splitlines()}
    lines = good.splitlines(keepends=True)
    return found == b"".join(line for line in lines if line.partition(b"\t")[0] in runs)


def _waited(pid: int) -> int | None:
    """The exit code of a process, None if it hangs."""
    watched = os.pidfd_open(pid)
    ended = bool(select.select([watched], [], [], _PATIENCE)[0])
    os.close(watched)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status) if ended else None


def load() -> float:
    """How many programs want a processor, for each processor, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _processes() -> list[str]:
    """The names of all processes that a command left, which are our children now; they are ended."""
    limit = time.monotonic() + 2
    while (found := children(os.getpid())) and time.monotonic() < limit:
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.002)
    names = []
    for pid in found:
        names.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return names
