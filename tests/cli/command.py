"""Calling the command line in a folder; claims about its process start one with :func:`arguments`."""

import contextlib
import gc
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from crosscheck.cli import main
from crosscheck.report.json_report import schema
from tests.harness.data import write_case
from tests.studies.examples import gain_flips_two_systems

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
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
    said, told = (stream.buffer.getvalue() for stream in (out, err))  # type: ignore[attr-defined]
    text = told.decode("utf-8", "backslashreplace")
    assert "Traceback" not in text, text
    assert "Warning" not in text, text
    assert isinstance(code, int)
    return Done(code, said.decode("utf-8"), text)


def three_cases(folder: Path) -> Path:
    """``cases/``: one that agrees, one whose mismatch is declared, one whose mismatch is a surprise."""
    graded, run = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}}, [("1", "a", 2.0), ("1", "b", 1.0)]
    declared = (
        f'# known\n[[expect]]\ncandidate = "{EXPONENTIAL}"\nmeasure = "nDCG@10"\ncauses = ["gain"]\n'
        'reason = "this tool gains 2^level - 1"\n'
    )
    write_case(folder / "cases" / "agreeing", {"1": {"a": 1, "b": 0}}, run)
    write_case(folder / "cases" / "declared", graded, [*run, ("2", "c", 1.0)], declared)
    write_case(folder / "cases" / "surprising", graded, [*run, ("7", "x", 1.0)])
    return folder / "cases"


def loose_files(folder: Path) -> list[str]:
    """File names of the runs of an example in which two systems flip, beside its qrels and topics."""
    qrels, runs = gain_flips_two_systems()
    rows = {name: [(q, d, s) for q, row in run.items() for d, s in row.items()] for name, run in runs.items()}
    made = write_case(folder / "example", qrels, [], **rows)
    names = ["qrels", *(f"run.{name}" for name in runs)]
    for name in names:
        (made / name).rename(folder / name)
    shutil.rmtree(made)
    (folder / "topics.csv").write_text("query,difficulty\n1,hard\n2,hard\n3,easy\n4,easy\n6,easy\n")
    return names[1:]
