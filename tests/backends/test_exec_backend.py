"""The harness protocol: good programs are backends like any other, and every mistake has its own message."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from crosscheck import backends
from crosscheck.backends import exec_backend
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import Guarded
from crosscheck.errors import BackendError
from crosscheck.model import MeasureValues, Run
from crosscheck.names import parse_measure
from tests.backends.inputs import qrels_of, run_of, run_of_rows, told
from tests.support.kept import Absent, examples

PROGRAM = Path(__file__).with_name("harnesses.py")
HARNESSES = Path(__file__).parents[2] / "fixtures" / "harness"
P5 = parse_measure("P@5")
QRELS = qrels_of({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}})
RUN = run_of({"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": math.inf, "a": -math.inf}})
RANKED = run_of_rows([("q1", "b", math.inf), ("q1", "a", -math.inf)], ranks=[2, 1])
#: With the qrels, as many rows as are handed over inline, and one more.
SHORT, LONG = (run_of({"q1": {f"d{i}": float(i) for i in range(rows)}}) for rows in (99_997, 99_998))


def harness(reply: str, greeting: str = "", more: str = "") -> backends.Backend:
    command = (quote(word) for word in (sys.executable, str(PROGRAM), greeting, reply))
    return backends.make(f"exec:{' '.join(command)}{more}")


def handed(reply: str, run: Run = RUN, greeting: str = "") -> str:
    """What a program is handed, which it says as an error; files are gone afterwards."""
    with pytest.raises(BackendError) as caught:
        harness(reply, greeting).evaluate(QRELS, run, [P5])
    said = json.loads(str(caught.value).removeprefix("the program reported an error: "))
    if reply == "echo":
        schema("measure").validate(said)
    assert not any(Path(path).exists() for path in said.pop("paths", []))
    return "\n".join(f"{name}: {value}" for name, value in said.items())


def of_queries(value: object, more: str = "") -> str:
    """A reply with one value for both queries."""
    return f'{{"seq": 1, "values": {json.dumps({"P@5": {"q1": value, "q2": value}})}{more}}}'


def child(reply: str, *words: str) -> str:
    """What the measure is in a child process: values, mean and notes."""
    with Guarded(harness(reply, more="".join(f" {quote(word)}" for word in words))) as backend:
        answer = backend.evaluate(QRELS, RUN, [P5])[P5]
    assert isinstance(answer, MeasureValues)
    assert answer.engine.startswith("test 1.2 (exec:")
    return f"{answer.values}, mean {answer.mean}, {answer.notes}, files made: {os.listdir()}"


def mistake(reply: str, greeting: str = "") -> str:
    """The error of a program that breaks the protocol: never a number, and never our crash."""
    backend = harness(reply, greeting)
    said = set()
    for _ in range(2):
        with pytest.raises(BackendError) as caught:
            backend.evaluate(QRELS, RUN, [P5])
        text = str(caught.value).partition("; its standard error ends")[0]
        said.add(re.sub(r"request [12]$|\d+ bytes", "…", text))
    (one,) = said
    return one


def supports(greeting: str, names: str) -> list[str]:
    backend = harness("", greeting)
    return [name for name in names.split() if backend.supports(parse_measure(name))]


def lost(id: str, timeout: float = 60) -> str:
    """The error of a program that is lost, or does not exist, and why it is not available."""
    with Guarded(backends.make(id), Options(timeout=timeout)) as backend:
        said = str(backend.evaluate(QRELS, RUN, [P5])[P5])
        reason = backend.describe().reason
    return f"{re.sub(rf'exec:.*{PROGRAM.name}', 'exec:PROGRAM', said)}; {reason}"


def schema(name: str) -> Draft202012Validator:
    text = resources.files("crosscheck.backends").joinpath("exec_protocol.json").read_text("utf-8")
    whole: dict[str, Any] = json.loads(text)
    Draft202012Validator.check_schema(whole)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


def valid(name: str, *messages: object) -> list[bool]:
    return [schema(name).is_valid(message) for message in messages]


def example(command: str, program: str, names: str, rows: int = 0) -> str:
    """Values of an example harness, of a run with more rows than these."""
    if shutil.which(command) is None:
        raise Absent
    backend = backends.make(f"exec:{quote(command)} {quote(str(HARNESSES / program))}")
    run = run_of({"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0, **{f"x{i}": -1.0 - i for i in range(rows)}}})
    with Guarded(backend) as guarded:
        return told(guarded.evaluate(QRELS, run, [parse_measure(name) for name in names.split()]))


#: What a program is handed, values that it gives, each mistake with its own message, and valid messages.
test_examples = examples(globals(), str, exec_backend)


def test_standard_error_that_cannot_be_read_is_no_error(tmp_path):
    """As where a shell sends that of this process to a file (2>), which is open for writing alone."""
    code = (
        "import tests.backends.test_exec_backend as t; t.harness('values').evaluate(t.QRELS, t.RUN, [t.P5])"
    )
    with (tmp_path / "log").open("w") as log:
        assert subprocess.run([sys.executable, "-c", code], stderr=log).returncode == 0
