"""The harness protocol: good programs are backends like any other, and every mistake has its own message."""

import json
import math
import shutil
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

PROGRAM = Path(__file__).with_name("harnesses.py")
EXAMPLES = Path(__file__).parents[2] / "fixtures" / "harness"
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


@pytest.mark.parametrize(
    ("reply", "more", "values", "mean", "notes"),
    [
        # Shell syntax is an argument like any other.
        ("values", " '; touch made' $(touch made)", [2.0, 1.0], None, ()),
        ("noisy", "", [2.0, 1.0], None, (f"wrote to standard error: {'x' * 984}a warning \\x1b[31m",)),
        (of_queries(2, ', "means": {"P@5": 0.25}'), "", [2.0, 2.0], 0.25, ()),
        (of_queries("NaN"), "", [math.nan, math.nan], None, ()),
        (of_queries(True), "", [1.0, 1.0], None, ()),
    ],
)
def test_values_are_taken_from_a_child(tmp_path, monkeypatch, reply, more, values, mean, notes):
    """By query, NaN as text; the engine is what the program says of itself, its noise is a note."""
    monkeypatch.chdir(tmp_path)
    with Guarded(harness(reply, more=more)) as backend:
        answer = backend.evaluate(QRELS, RUN, [P5])[P5]
    assert isinstance(answer, MeasureValues)
    assert answer.values == pytest.approx(dict(zip((b"q1", b"q2"), values, strict=True)), nan_ok=True)
    assert (answer.mean, answer.notes) == (mean, notes)
    assert answer.engine.startswith("test 1.2 (exec:")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("reply", "greeting", "said"),
    [
        ('{"seq": 5, "values": {}}', "", "the program answered request 5, not request 1"),
        ('{"values": {}}', "", "the program answered request None, not request 1"),
        ("nonsense {", "", "not JSON: 'nonsense {'"),
        ("[1, 2]", "", "breaks the protocol: Expected `object`, got `array`: '[1, 2]'"),
        (of_queries(math.nan), "", 'as text: "NaN", "Infinity"'),
        (of_queries(None), "", "null as P@5 of query 'q1'"),
        (of_queries("0.5"), "", "a str as P@5 of query 'q1', not a number"),
        (of_queries(10**400), "", f"too large for a float: 1{'0' * 59}… (401 characters)"),
        ('{"seq": 1}', "", 'neither "values" nor "unsupported" nor "error"'),
        ('{"seq": 1, "values": {"XY": {}}}', "", "no values of P@5"),
        ('{"seq": 1, "values": {"P@5": {"zz": 1}}}', "", "P@5 of 'zz', a query of neither run nor qrels"),
        (f'{{"seq": 1, "unsupported": ["{"x" * 201}"]}}', "", f"does not have {'x' * 200}… (201 characters)"),
        (f'{{"seq": 1, "error": "{"x" * 501}"}}', "", f"reported an error: {'x' * 500}… (501 characters)"),
        ('{"seq": 1, "error": {"message": "no such index"}}', "", "reported an error: no such index"),
        ("dies", "", "exited with code 3 without an answer"),
        ("cut_off", "", f"exited with code 0 in the middle of a line: '{{{'x' * 79}…' (81 characters)"),
        ("garbage", "", f"not JSON: '{'x' * 80}…' ("),
        ("y" * 81, "", f"not JSON: '{'y' * 80}…' (81 characters)"),
        ("", '{"name": "x", "protocol": 2}', "the program speaks protocol 2, not 1"),
        ("", '{"version": "1"}', 'the reply to "start" has no "name"'),
        ("", '{"name": "x", "measures": "P@5"}', "got `str` - at `$.measures`: "),
        ("", '{"name": "x", "inputs": ["stdin"]}', "Invalid enum value 'stdin' - at `$.inputs[0]`: "),
    ],
)
def test_each_mistake_has_its_own_message(reply, greeting, said):
    """A program that breaks the protocol is an error, never a number and never our crash; so it is again
    at the next request, to the same program or to a new one. What it said is cut."""
    backend = harness(reply, greeting)
    for _ in range(2):
        with pytest.raises(BackendError) as caught:
            backend.evaluate(QRELS, RUN, [P5])
        assert said in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("id", "timeout", "said"),
    [
        (harness("dies").id, 60, "without an answer; its standard error ends with: out of luck"),
        (harness("silent").id, 1, "did not answer within 1 s"),
        ("exec:no-such-program-anywhere --flag", 60, "'no-such-program-anywhere' could not be started"),
    ],
)
def test_a_program_that_is_lost_is_an_error(id, timeout, said):
    """With its last words; one that does not exist is not available."""
    with Guarded(backends.make(id), Options(timeout=timeout)) as backend:
        assert said in str(backend.evaluate(QRELS, RUN, [P5])[P5])
        reason = backend.describe().reason
    assert reason == ("there is no program 'no-such-program-anywhere' on PATH" if "no-such" in id else None)


def test_measures_that_it_names_are_those_it_supports():
    """A family includes every cutoff; unknown names are skipped. One that names none has all."""
    backend = harness("", '{"name": "x", "measures": ["P", "nDCG@10", "nonsense@"]}')
    supported = [m for m in ("P@5", "P@99", "nDCG@10", "nDCG@5", "AP") if backend.supports(parse_measure(m))]
    assert supported == ["P@5", "P@99", "nDCG@10"]
    assert harness("").supports(parse_measure("AP"))


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


ASKED = {"cmd": "measure", "seq": 1, "measures": ["P@5"]}
INLINE, PATHS = {"qrels": {}, "run": {}}, {"qrels_path": "/q", "run_path": "/r"}


@pytest.mark.parametrize(
    ("name", "message", "valid"),
    [
        ("start", START, True),
        ("stop", STOP, True),
        *(("measure", {**ASKED, **given}, True) for given in (INLINE, {**INLINE, "ranks": {}}, PATHS)),
        *(("measure", {**ASKED, **given}, False) for given in
          ({}, {**INLINE, **PATHS}, {"qrels": {}, "run_path": "/r"}, {**PATHS, "ranks": {}})),
        ("greeting", {"name": "x", "inputs": ["inline", "paths"]}, True),
        ("greeting", {"name": "x", "inputs": []}, False),
        ("values", {"seq": 1, "values": {"P@5": {"q": 0.5, "r": "NaN"}}}, True),
        ("values", {"seq": 1, "values": {"P@5": {"q": None}}}, False),
        ("unsupported", {"seq": 1, "unsupported": ["P@5"]}, True),
        ("error", {"seq": 1, "error": {"message": "x"}}, True),
    ],
)  # fmt: skip
def test_the_schema_says_what_a_message_is(name, message, valid):
    """Inline data or two paths; not both, not half of one."""
    assert schema(name).is_valid(message) == valid


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
    backend = backends.make(f"exec:{quote(command)} {quote(str(EXAMPLES / program))}")
    rest = {f"x{i}": -1.0 - i for i in range(100_000)}
    for more in ({}, rest):
        run = run_of({"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0, **more}})
        (answer,) = backend.evaluate(QRELS, run, [parse_measure(measure)]).values()
        assert answer.values == pytest.approx({b"q1": expected}, abs=1e-12)
