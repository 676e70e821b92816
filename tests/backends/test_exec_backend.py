"""The harness protocol: good programs are backends like any other, and every mistake has its own message."""

from __future__ import annotations

import json
import math
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
from crosscheck.backends.guarded import guarded
from crosscheck.errors import BackendError
from crosscheck.model import MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from tests.backends.inputs import qrels_of, run_of, run_of_rows

PROGRAM = Path(__file__).with_name("harnesses.py")
EXAMPLES = Path(__file__).parents[2] / "fixtures" / "harness"
P5 = parse_measure("P@5")
QRELS = qrels_of({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}})
RUN = run_of({"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": math.inf, "a": -math.inf}})


def harness(behaviour: str, timeout: float = 20.0) -> backends.Backend:
    return backends.make(
        f"exec:{quote(sys.executable)} {quote(str(PROGRAM))} {behaviour}", Options(timeout=timeout)
    )


def asked(behaviour: str, timeout: float = 20.0) -> MeasureValues | BackendError:
    with guarded(harness(behaviour, timeout), Options(timeout=timeout)) as backend:
        return backend.evaluate(QRELS, RUN, [P5])[P5]


def test_values_engine_and_version() -> None:
    """Values arrive by query; the engine is what the program says of itself."""
    answer = asked("good")
    assert isinstance(answer, MeasureValues)
    assert answer.values == {b"q1": 2.0, b"q2": 1.0}
    assert answer.mean is None
    assert answer.engine.startswith("test 1.2 (exec:")
    assert answer.notes == ()


def test_nan_travels_as_text_and_means_are_taken() -> None:
    """NaN is a value, not an absence; a mean of its own is kept."""
    special, means = asked("special"), asked("means")
    assert isinstance(special, MeasureValues)
    assert all(math.isnan(value) for value in special.values.values())
    assert isinstance(means, MeasureValues)
    assert means.mean == 0.25


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("wrong-seq", "answered request 5 when request 1 was asked"),
        ("no-seq", "answered request None when request 1 was asked"),
        ("not-json", "not JSON: 'nonsense {'"),
        ("no-object", "breaks the protocol: Expected `object`, got `array`: '[1, 2]'"),
        ("bare-nan", 'are text: "NaN", "Infinity"'),
        ("null", "null as P@5 of query 'q1'"),
        ("text", "a str as P@5 of query 'q1', not a number"),
        ("huge", "an int as P@5 of query 'q1', too large for a float: 1000000000"),
        ("no-values", 'without "values", "unsupported" or "error"'),
        ("other-measure", "no values of P@5"),
        ("other-query", "P@5 of 'zz', a query of neither run nor qrels"),
        ("unsupported", "does not have P@5"),
        ("error", "reported an error: no such index"),
        ("dies", "exited with code 3 without an answer; the last it wrote to standard error: out of luck"),
        ("cut-off", "exited with code 0 in the middle of a line"),
        ("other-protocol", "speaks protocol 2; this is protocol 1"),
        ("no-name", 'answered start without a "name"'),
        ("bad-measures", "got `str` - at `$.measures`: "),
        ("bad-inputs", "Invalid enum value 'stdin' - at `$.inputs[0]`: "),
    ],
)
def test_each_mistake_has_its_own_message(behaviour: str, said: str) -> None:
    """A program that breaks the protocol is an error with a message, never a number and never our crash."""
    answer = asked(behaviour)
    assert isinstance(answer, BackendError)
    assert said in f"{answer} {answer.hint}"


def test_silence_ends_with_the_time() -> None:
    """A program that says nothing is ended, and the message says for how long it was waited."""
    answer = asked("silent", timeout=3.0)
    assert isinstance(answer, BackendError)
    assert "did not answer within 3 s" in str(answer)


def test_noise_on_standard_error_is_a_note() -> None:
    """Output beside a good answer is kept, made printable."""
    answer = asked("noisy")
    assert isinstance(answer, MeasureValues)
    assert answer.notes == ("wrote to standard error: a warning \\x1b[31m",)


def test_a_program_that_died_is_started_again() -> None:
    """After a failure the next request goes to a new process."""
    with guarded(harness("dies")) as backend:
        for _ in range(2):
            assert isinstance(backend.evaluate(QRELS, RUN, [P5])[P5], BackendError)


def test_program_that_does_not_exist() -> None:
    """It is not available, and asking it all the same is an error."""
    missing = backends.make("exec:no-such-program-anywhere --flag")
    assert missing.describe().reason == "there is no program 'no-such-program-anywhere' on PATH"
    with guarded(missing) as backend:
        answer = backend.evaluate(QRELS, RUN, [P5])[P5]
    assert isinstance(answer, BackendError)
    assert "could not be started" in str(answer)


def test_the_command_reaches_no_shell(tmp_path: Path) -> None:
    """Shell syntax in a command is an argument like any other."""
    target = tmp_path / "made"
    assert isinstance(asked(f"good '; touch {target}' $(touch {target})"), MeasureValues)
    assert not target.exists()


def test_measures_that_it_names_are_those_it_supports() -> None:
    """A family includes every cutoff; unknown names are skipped."""
    backend = harness("some-measures")
    assert [backend.supports(parse_measure(m)) for m in ("P@5", "P@99", "nDCG@10", "nDCG@5", "AP")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert harness("good").supports(parse_measure("AP"))


def schema(name: str) -> Draft202012Validator:
    text = resources.files("crosscheck.backends").joinpath("exec_protocol.json").read_text("utf-8")
    whole: dict[str, Any] = json.loads(text)
    Draft202012Validator.check_schema(whole)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


def test_requests_are_what_the_schema_says() -> None:
    """Every request is valid; infinite scores travel as text and the rank column beside the scores."""
    schema("start").validate(START)
    schema("stop").validate(STOP)
    run = run_of_rows([("q1", "b", math.inf), ("q1", "a", -math.inf)], ranks=[2, 1])
    with guarded(harness("echo")) as backend:
        answer = backend.evaluate(QRELS, run, [P5])[P5]
    assert isinstance(answer, BackendError)
    request = json.loads(answer.message.removeprefix("reported an error: "))
    schema("measure").validate(request)
    assert request["run"] == {"q1": {"b": "Infinity", "a": "-Infinity"}}
    assert request["ranks"] == {"q1": {"b": 2, "a": 1}}


def handed_over(behaviour: str, run: Run, qrels: Qrels = QRELS) -> dict[str, Any]:
    """The input that the program of :func:`tests.backends.harnesses.files` reports."""
    with guarded(harness(behaviour)) as backend:
        answer = backend.evaluate(qrels, run, [P5])[P5]
    assert isinstance(answer, BackendError)
    return dict(json.loads(answer.message.removeprefix("reported an error: ")))


def test_a_program_can_ask_for_files() -> None:
    """They hold what trec_eval reads, ranks included, and are gone afterwards."""
    run = run_of_rows([("q1", "b", math.inf), ("q1", "a", 0.1)], ranks=[2, 1])
    said = handed_over("files-only", run)
    assert said["qrels_path"] == ["q1 0 a 1", "q1 0 b 0", "q2 0 a 1"]
    assert said["run_path"] == ["q1 Q0 b 2 inf test", "q1 Q0 a 1 0.1 test"]
    assert not any(Path(path).exists() for path in said["paths"])


def test_long_inputs_come_as_files_where_the_program_takes_them() -> None:
    """Above 100,000 lines a program that takes both gets files; one that takes no files never does."""
    long = run_of({"q1": {f"d{i}": float(i) for i in range(100_000)}})
    assert handed_over("files-too", RUN) == {"inline": 4}
    assert handed_over("files-too", long)["run_path"][0] == "q1 Q0 d0 0 0.0 test"
    assert handed_over("files-not", long) == {"inline": 100_000}


def test_both_ways_to_hand_over_are_what_the_schema_says() -> None:
    """Inline data or two paths; not both, not half of one. Replies are as documented, without null."""
    measure = {"cmd": "measure", "seq": 1, "measures": ["P@5"]}
    inline, paths = {"qrels": {}, "run": {}}, {"qrels_path": "/q", "run_path": "/r"}
    for inputs in (inline, inline | {"ranks": {}}, paths):
        schema("measure").validate(measure | inputs)
    for inputs in ({}, inline | paths, {"qrels": {}, "run_path": "/r"}, paths | {"ranks": {}}):
        assert not schema("measure").is_valid(measure | inputs)
    for name, reply in (
        ("greeting", {"name": "x", "inputs": ["inline", "paths"]}),
        ("values", {"seq": 1, "values": {"P@5": {"q": 0.5, "r": "NaN"}}}),
        ("unsupported", {"seq": 1, "unsupported": ["P@5"]}),
        ("error", {"seq": 1, "error": {"message": "x"}}),
    ):
        schema(name).validate(reply)
    assert not schema("values").is_valid({"seq": 1, "values": {"P@5": {"q": None}}})
    assert not schema("greeting").is_valid({"name": "x", "inputs": []})


@pytest.mark.parametrize(
    ("command", "program", "measure", "expected"),
    [
        (sys.executable, "python_harness.py", "nDCG@2", [1 / np.log2(3)]),
        ("perl", "perl_harness.pl", "P@5", [0.5]),
        ("perl", "perl_harness.pl", "RR", [0.5]),
    ],
)
def test_example_harnesses(command: str, program: str, measure: str, expected: list[float]) -> None:
    """The examples in two languages compute what they say, from inline data and from files."""
    import shutil

    if shutil.which(command) is None:
        pytest.skip(f"there is no {command} here")
    parsed = parse_measure(measure)
    id = f"exec:{quote(command)} {quote(str(EXAMPLES / program))}"
    rest = {f"x{i}": -1.0 - i for i in range(100_000)}
    with guarded(backends.make(id)) as backend:
        for more in ({}, rest):
            run = run_of({"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0, **more}})
            answer = backend.evaluate(QRELS, run, [parsed])[parsed]
            assert isinstance(answer, MeasureValues)
            assert list(answer.values) == [b"q1"]
            assert list(answer.values.values()) == pytest.approx(expected, abs=1e-12)
