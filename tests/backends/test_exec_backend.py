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

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from crosscheck import backends
from crosscheck.backends.base import Options
from crosscheck.backends.exec_backend import START, STOP
from crosscheck.backends.guarded import Guarded
from crosscheck.errors import BackendError
from crosscheck.model import MeasureValues, Run
from crosscheck.names import parse_measure
from tests.backends.inputs import qrels_of, run_of, run_of_rows
from tests.support.kept import REMEDY, Kept

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


def told(reply: str, run: Run = RUN, greeting: str = "") -> Any:
    """The message of the error that a program gives, without a child process in between."""
    with pytest.raises(BackendError) as caught:
        harness(reply, greeting).evaluate(QRELS, run, [P5])
    return json.loads(str(caught.value).removeprefix("the program reported an error: "))


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


def test_what_is_handed_over():
    """Files hold what trec_eval reads, ranks included, and are gone afterwards; above 100,000 lines a program
    that takes both gets files, one that takes no files never does."""
    both, files = ('{"name": "x", "inputs": ["paths"' + more for more in (', "inline"]}', "]}"))
    said = told("files", RANKED, files)
    assert said["qrels_path"] == ["q1 0 a 1", "q1 0 b 0", "q2 0 a 1"]
    assert said["run_path"] == ["q1 Q0 b 2 inf test", "q1 Q0 a 1 -inf test"]
    assert not any(Path(path).exists() for path in said["paths"])
    assert told("files", SHORT, both) == {"inline": 99_997}
    assert told("files", LONG, both)["run_path"][0] == "q1 Q0 d0 0 0.0 test"
    assert told("files", LONG) == {"inline": 99_998}
    request = told("echo", RANKED)
    schema("measure").validate(request)
    assert request["run"] == {"q1": {"b": "Infinity", "a": "-Infinity"}}
    assert request["ranks"] == {"q1": {"b": 2, "a": 1}}


def schema(name: str) -> Draft202012Validator:
    text = resources.files("crosscheck.backends").joinpath("exec_protocol.json").read_text("utf-8")
    whole: dict[str, Any] = json.loads(text)
    Draft202012Validator.check_schema(whole)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


def valid(name: str, *messages: object) -> list[bool]:
    return [schema(name).is_valid(message) for message in messages]


USED = (child, mistake, supports, valid, of_queries, harness, lost)
EXAMPLES = Kept(__file__, **{one.__name__: one for one in USED}, math=math, START=START, STOP=STOP)


def test_examples():
    """Values that a program gives, each mistake with its own message, and valid messages."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_standard_error_that_cannot_be_read_is_no_error(tmp_path):
    """As where a shell sends that of this process to a file (2>), which is open for writing alone."""
    code = (
        "import tests.backends.test_exec_backend as t; t.harness('values').evaluate(t.QRELS, t.RUN, [t.P5])"
    )
    with (tmp_path / "log").open("w") as log:
        assert subprocess.run([sys.executable, "-c", code], stderr=log).returncode == 0


@pytest.mark.parametrize(
    ("command", "program", "measure", "expected"),
    [
        (sys.executable, "python_harness.py", "nDCG@2", 1 / np.log2(3)),
        ("perl", "perl_harness.pl", "P@5", 0.5),
        ("perl", "perl_harness.pl", "RR", 0.5),
    ],
)
def test_example_harnesses(command, program, measure, expected):
    """The examples in two languages compute what they say, from inline data and from files."""
    if shutil.which(command) is None:
        pytest.skip(f"there is no {command} here")
    backend = backends.make(f"exec:{quote(command)} {quote(str(HARNESSES / program))}")
    rest = {f"x{i}": -1.0 - i for i in range(100_000)}
    for more in ({}, rest):
        run = run_of({"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0, **more}})
        (answer,) = backend.evaluate(QRELS, run, [parse_measure(measure)]).values()
        assert answer.values == pytest.approx({b"q1": expected}, abs=1e-12)
