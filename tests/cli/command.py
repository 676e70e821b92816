"""Calling the command line in a folder; claims about its process start one with :func:`arguments`."""

import contextlib
import gc
import io
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import pytest

from crosscheck.cli import main
from crosscheck.report.json_report import schema
from tests.support.kept import Answer

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
#: Qrels, runs, saved values and cases: some that agree, and some that cannot be used.
INPUTS = Path(__file__).parent / "inputs"
#: A candidate that differs from every other on graded judgements.
EXPONENTIAL = "native:gain=exponential"
#: Both of these run inside the process: fast, and nothing can be missing.
FAST = ("-b", EXPONENTIAL, "--reference", "native")
#: Variables that change the output.
_OUTPUT = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM")


@dataclass(frozen=True)
class Done:
    """A call that has ended: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    def document(self) -> Any:
        """The result document on stdout, checked against its schema."""
        document = json.loads(self.out)
        jsonschema.validate(document, json.loads(schema()))
        return document


def arguments(*given: object) -> list[str]:
    """The command: Python fails on any warning, as on an unhandled error."""
    return [sys.executable, "-W", "error", "-m", "crosscheck", *map(str, given)]


def environment(**variables: str) -> dict[str, str]:
    """The caller's environment without what changes the output."""
    plain = {k: v for k, v in os.environ.items() if k not in _OUTPUT}
    return {**plain, "PYTHONPATH": str(ROOT), **variables}


def crosscheck(folder: Path, *given: object, env: Mapping[str, str] | None = None) -> Done:
    """Call it in a folder, in this process. It never ends in a traceback or a warning of Python's."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    threshold, code = gc.get_threshold(), None
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        patch.setattr("crosscheck.cli.output._INTERVAL", math.inf)  # no progress, however slow the machine is
        for name in _OUTPUT:
            patch.delenv(name, raising=False)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            main([*map(str, given)])
        except SystemExit as end:
            code = end.code
    gc.set_threshold(*threshold)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    for stream in (out, err):
        stream.flush()
    said, told = (stream.buffer.getvalue() for stream in (out, err))
    text = told.decode("utf-8", "backslashreplace")
    assert "Traceback" not in text, text
    assert "Warning" not in text, text
    assert isinstance(code, int)
    return Done(code, said.decode("utf-8"), text)


def three_cases(folder: Path) -> Path:
    """``cases/``: one that agrees, one whose mismatch is declared, one whose mismatch is a surprise."""
    return Path(shutil.copytree(INPUTS / "cases", folder / "cases"))


def loose_files(folder: Path) -> list[str]:
    """File names of the runs of an example in which two systems flip, beside its qrels and topics."""
    for name in ("qrels", "run.fair", "run.best", "topics.csv"):
        shutil.copy(INPUTS / name, folder)
    return ["run.fair", "run.best"]


@contextmanager
def session() -> Iterator[Answer]:
    """A folder with a copy of ``inputs/``, in which lines are called one after the other."""
    with TemporaryDirectory() as made:
        folder = Path(shutil.copytree(INPUTS, Path(made) / "folder"))
        os.mkfifo(folder / "pipe")
        yield partial(_answer, folder)


def _answer(folder: Path, line: str) -> str:
    """What a line prints, that on stderr after ``2>``, and its exit code unless it is 0.

    Calls of crosscheck are made in this process, in another folder after ``cd FOLDER &&``; what it calls an
    error of the call has written nothing. Left out is what differs by machine and moment: the environment of
    a document, the folder, and durations.
    """
    line, before = line.removeprefix("$ "), _held(folder)
    variables, program, given = line.partition("crosscheck")
    if program and (before_it := re.fullmatch(r"(?:cd (\S+) && )?((?:\w+=\S* )*)", variables)):
        env = dict(word.split("=", 1) for word in before_it[2].split())
        done = crosscheck(folder / (before_it[1] or ""), *shlex.split(given), env=env)
        assert done.code != 2 or done.out or _held(folder) == before
    else:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ended = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env=environment(PATH=path, LC_ALL="C.UTF-8"),
            capture_output=True,
            timeout=60,
        )
        done = Done(ended.returncode, *(said.decode("utf-8") for said in (ended.stdout, ended.stderr)))
    out = done.out
    if out.startswith("{") and '"environment"' in out:
        out = json.dumps(json.loads(out) | {"environment": "..."}, indent=1, ensure_ascii=False)
    told = [*([out.removesuffix("\n")] if out else []), *(f"2> {one}" for one in done.err.splitlines())]
    text = "\n".join([*told, *[f"exit code {done.code}"] * bool(done.code)]).replace(str(folder), "FOLDER")
    assert "\x1b" not in text
    return re.sub(r"(?m), \d+\.\d s$", ", ... s", text)


def _held(folder: Path) -> dict[Path, bytes]:
    """What is in it: files with their content."""
    return {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}
