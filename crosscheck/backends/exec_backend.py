"""A metric in any language: ``exec:COMMAND`` starts a program that speaks JSON lines.

One JSON object per line, a reply for every request but the last; ``exec_protocol.json`` beside this file is
the JSON Schema of requests and replies.

    {"cmd": "start", "protocol": 1}       -> {"name": "...", "version": "...", "measures": ["nDCG@10", ...]}
    {"cmd": "measure", "seq": 1, "measures": ["nDCG@10"], "qrels": {...}, "run": {...}, "ranks": {...}}
    or, to a program that takes files, {..., "qrels_path": "...", "run_path": "..."}
                                          -> {"seq": 1, "values": {"nDCG@10": {"query": 0.63}}}
                                          or {"seq": 1, "unsupported": ["nDCG@10"]}
                                          or {"seq": 1, "error": {"message": "..."}}
    {"cmd": "stop"}

NaN and infinities are sent as the strings "NaN", "Infinity" and "-Infinity". A query without a value is left
out; null is refused. The command is split by shell rules, but no shell is started.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import IO, Any, cast

from msgspec import Struct

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.backends.outcomes import as_float, kind, printable, refusal
from crosscheck.backends.texts import Texts, as_texts, topic_rows, trec_files
from crosscheck.errors import BackendError, UnknownMeasure, UsageError, quoted
from crosscheck.formats.dicts import text_encoding
from crosscheck.measures import needs_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.processes.supervised import how_it_ended

PROTOCOL = 1
START: dict[str, object] = {"cmd": "start", "protocol": PROTOCOL}
STOP: dict[str, object] = {"cmd": "stop"}

_INPUTS = ("inline", "paths")
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Greeting(Struct, frozen=True, kw_only=True):
    """A program's description of itself.

    Attributes:
        measures: names of the measures that the program lists; empty if it lists none.
        inputs: the forms of qrels and run that the program accepts: ``inline``, ``paths`` or both.
    """

    name: str
    version: str
    measures: tuple[str, ...]
    inputs: frozenset[str] = frozenset({"inline"})


def parsed(line: bytes) -> dict[str, Any]:
    """The JSON object of a line.

    Raises:
        BackendError: the line is not JSON, holds a number that JSON does not have, or is not an object.
    """

    def refuse(constant: str) -> float:
        raise BackendError(
            f"wrote {constant} as a number, which JSON does not have", hint=f'write it as "{constant}"'
        )

    try:
        message = json.loads(line.decode("utf-8"), parse_constant=refuse)
    except UnicodeDecodeError:
        raise BackendError(f"wrote a line that is not UTF-8: {_shown(line)}") from None
    except (ValueError, RecursionError):
        raise BackendError(f"wrote a line that is not JSON: {_shown(line)}") from None
    if not isinstance(message, dict):
        raise BackendError(f"wrote {kind(message)} where a JSON object belongs: {_shown(line)}")
    return message


def _shown(line: bytes) -> str:
    return quoted(line.rstrip(b"\r\n"), 80)


def greeting_of(message: Mapping[str, Any]) -> Greeting:
    """The greeting in a program's reply to ``start``.

    Raises:
        BackendError: a field of the wrong type, another protocol version, or an error instead of a greeting.
    """
    _raise_reported(message)
    protocol = message.get("protocol", PROTOCOL)
    if protocol != PROTOCOL:
        raise BackendError(f"speaks protocol {printable(str(protocol), 20)}; this is protocol {PROTOCOL}")
    name, version, measures = message.get("name"), message.get("version", ""), message.get("measures", [])
    if not isinstance(name, str) or not isinstance(version, str):
        raise BackendError('answered start without "name" and "version" as strings')
    if not isinstance(measures, list) or not all(isinstance(m, str) for m in measures):
        raise BackendError('answered start with "measures" that is not a list of names')
    inputs = message.get("inputs", ["inline"])
    if not isinstance(inputs, list) or not inputs or not all(kind in _INPUTS for kind in inputs):
        raise BackendError('answered start with "inputs" other than "inline" and "paths"')
    return Greeting(
        name=printable(name, 100),
        version=printable(version, 100),
        measures=tuple(measures),
        inputs=frozenset(inputs),
    )


def inline(texts: Texts, run: Run) -> dict[str, object]:
    """The fields of a request that holds qrels and run, documents in input order; ``ranks`` only if the run
    has a rank column."""
    scores = {q: {d: _written(s) for d, s in docs.items()} for q, docs in texts.run.items()}
    given: dict[str, object] = {"qrels": texts.qrels, "run": scores}
    if run.ranks is not None:
        by_topic = {topic: run.ranks[rows].tolist() for topic, rows in topic_rows(run)}
        given["ranks"] = {
            q: dict(zip(docs, by_topic[texts.topics[q]], strict=True)) for q, docs in texts.run.items()
        }
    return given


def _written(number: float) -> float | str:
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")


def measured(
    reply: Mapping[str, Any], names: Mapping[str, Measure], topics: Mapping[str, bytes]
) -> dict[Measure, tuple[dict[bytes, float], float | None]]:
    """Values per topic, and the mean if there is one, of every requested measure.

    Raises:
        BackendError: an error that the program reports, a measure it does not have, or a malformed reply.
    """
    _raise_reported(reply)
    unsupported = reply.get("unsupported")
    if unsupported:
        listed = ", ".join(map(str, unsupported)) if isinstance(unsupported, list) else str(unsupported)
        raise BackendError(f"does not have {printable(listed, 200)}")
    values, means = reply.get("values"), reply.get("means", {})
    if not isinstance(values, dict):
        raise BackendError('answered without "values", "unsupported" or "error"')
    if not isinstance(means, dict):
        raise BackendError('gave "means" that are not an object')
    found: dict[Measure, tuple[dict[bytes, float], float | None]] = {}
    for name, measure in names.items():
        if not isinstance(values.get(name), dict):
            raise BackendError(f"gave no values of {name}")
        by_topic: dict[bytes, float] = {}
        for query, value in values[name].items():
            if query not in topics:
                raise BackendError(f"gave {name} of {quoted(query)}, a query of neither run nor qrels")
            by_topic[topics[query]] = _number(value, f"{name} of query {quoted(query)}")
        mean = means.get(name)
        found[measure] = by_topic, None if mean is None else _number(mean, f"the mean of {name}")
    return found


def _number(value: object, what: str) -> float:
    if value is None:
        raise BackendError(f"gave null as {what}", hint="a query without a value must be left out")
    number = _SPECIAL.get(value) if isinstance(value, str) else as_float(value)
    if number is None:
        raise BackendError(f"gave {kind(value)} as {what}, {refusal(value)}: {printable(repr(value), 60)}")
    return number


def _raise_reported(message: Mapping[str, Any]) -> None:
    if "error" in message:
        error = message["error"]
        said = error.get("message") if isinstance(error, dict) else error
        raise BackendError(f"reported an error: {printable(str(said), 500)}")


_STDERR, _STDERR_TAIL = 2, 1000
#: Maximum length of a reply in bytes.
_LONGEST_LINE = 64 << 20


class HarnessProcess:
    """A running program.

    The program writes to the standard error of this process. The supervisor of this process limits the time
    of the program and ends the processes that the program starts.

    Attributes:
        greeting: the program's description of itself.
        next_seq: the number of the next request.

    Args:
        arguments: program and arguments; no shell is involved.

    Raises:
        BackendError: the program does not start, or its greeting is invalid.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self.next_seq = 1
        try:
            self._process = subprocess.Popen(list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise BackendError(f"{quoted(arguments[0])} could not be started: {error.strerror}") from None
        self._requests = cast(IO[bytes], self._process.stdin)
        self._replies = cast(IO[bytes], self._process.stdout)
        try:
            self.greeting: Greeting = greeting_of(self._exchange(START))
        except BaseException:
            self.kill()
            raise

    def ask(self, measures: Sequence[str], inputs: Mapping[str, object]) -> dict[str, Any]:
        """The reply to a ``measure`` request.

        Args:
            inputs: the fields with qrels and run or their paths.

        Raises:
            BackendError: the program died, broke the protocol, or answered another request.
        """
        request = {"cmd": "measure", "seq": self.next_seq, "measures": list(measures), **inputs}
        reply = self._exchange(request)
        seq = reply.get("seq")
        if seq != self.next_seq or isinstance(seq, bool):
            raise BackendError(
                f"answered request {printable(repr(seq), 40)} when request {self.next_seq} was asked"
            )
        self.next_seq += 1
        return reply

    def _exchange(self, message: Mapping[str, object]) -> dict[str, Any]:
        line = b""
        with contextlib.suppress(OSError):
            self._requests.write(json.dumps(message, allow_nan=False).encode() + b"\n")
            self._requests.flush()
            line = self._line()
        if not line.endswith(b"\n"):
            cut = f" in the middle of a line: {quoted(line, 80)}" if line else " without an answer"
            said = self._tail()
            last = f"; the last it wrote to standard error: {said}" if said else ""
            raise BackendError(f"{how_it_ended(self._ended())}{cut}{last}")
        return parsed(line)

    def _line(self) -> bytes:
        """The bytes up to the next newline, or to the length limit or the end of the output."""
        line = bytearray()
        while piece := self._replies.readline(1 << 20):
            line += piece
            if line.endswith(b"\n"):
                break
            if b"\0" in piece or not line.lstrip()[:1] == b"{":
                raise BackendError(f"wrote a line that is not JSON: {quoted(bytes(line), 80)}")
            if len(line) > _LONGEST_LINE:
                raise BackendError(
                    f"wrote a line of more than {_LONGEST_LINE >> 20} MB: {quoted(bytes(line[:400]), 80)}"
                )
        return bytes(line)

    def _ended(self) -> int:
        """The exit code of a program that has closed its output."""
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def noise(self) -> tuple[str, ...]:
        """The end of standard error during the current request, as a note; empty if nothing was written."""
        said = self._tail()
        return (f"wrote to standard error: {said}",) if said else ()

    def _tail(self) -> str:
        """The end of standard error if that is a file, as in a supervised process; otherwise empty."""
        about = os.fstat(_STDERR)
        if not stat.S_ISREG(about.st_mode) or not hasattr(os, "pread"):
            return ""
        written = os.pread(_STDERR, _STDERR_TAIL, max(0, about.st_size - _STDERR_TAIL))
        return printable(written.decode("utf-8", "backslashreplace"))

    def stop(self) -> None:
        """Ask the program to end, and kill it if it does not."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._requests.write(json.dumps(STOP).encode() + b"\n")
            self._requests.close()
            self._process.wait(timeout=1)
        self.kill()

    def kill(self) -> None:
        """Kill the program and close its pipes."""
        self._process.kill()
        self._process.wait()
        for stream in (self._requests, self._replies):
            with contextlib.suppress(OSError):
                stream.close()


#: Number of lines of qrels and run together, above which a program that accepts files gets files.
_LONG = 100_000


class ExecHarness(Backend, Struct, frozen=True, dict=True):
    """A program that speaks the protocol. It is started once and used for all requests.

    It runs in a supervised process, which ends it and all its children if it is silent for too long.

    Attributes:
        command: the command line.
    """

    command: str

    #: The program itself reports the measures that it supports.
    greets = True

    @cached_property
    def _running(self) -> list[HarnessProcess]:
        """The running program, or nothing; it is not pickled, so that a child process starts its own."""
        return []

    @property
    def id(self) -> str:
        return f"exec:{self.command}"

    @property
    def _arguments(self) -> list[str]:
        return shlex.split(self.command)

    def describe(self) -> Description:
        """Whether the program exists; it is not started."""
        program = self._arguments[0]
        found = shutil.which(program) is not None
        return self.description(None if found else f"there is no program {quoted(program)} on PATH")

    def supports(self, measure: Measure) -> bool:
        """Whether the program lists the measure, or its family for all cutoffs, when it is started.

        True for a program that does not start, so that :meth:`evaluate` gives the reason.
        """
        try:
            offered = self._process().greeting.measures
        except BackendError:
            return True
        return not offered or any(_means(name, measure) for name in offered)

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """The values of all measures, from one request to the program.

        Raises:
            BackendError: the program could not be started, died, broke the protocol, does not have a measure,
                or reported an error of its own; or judgements per subtopic or preferences are needed, which
                the protocol does not have.
        """
        if qrels.detailed and needs_of(measures) != "levels":
            what = "per subtopic" if qrels.preferences is None else "preferences"
            raise BackendError(f"the judgements are {what}, which the protocol of harnesses does not have")
        process = self._process()
        names = {str(measure): measure for measure in measures}
        try:
            with _given(process.greeting, qrels, run) as inputs:
                reply = process.ask(list(names), inputs)
        except BaseException:
            self._running.clear()
            process.kill()
            raise
        engine = _engine(process.greeting, self.id)
        notes = process.noise()
        encoding = text_encoding(qrels, run)
        topics = {topic.decode(encoding): topic for topic in (*qrels.topics, *run.topics)}
        values = measured(reply, names, topics)
        return {
            measure: MeasureValues(by_topic, mean, engine, notes=notes)
            for measure, (by_topic, mean) in values.items()
        }

    def _process(self) -> HarnessProcess:
        if not self._running:
            process = HarnessProcess(self._arguments)
            atexit.register(process.stop)
            self._running.append(process)
        return self._running[0]


def _means(name: str, measure: Measure) -> bool:
    if name == measure.family:
        return True
    try:
        return parse_measure(name) == measure
    except UnknownMeasure:
        return False


@contextlib.contextmanager
def _given(greeting: Greeting, qrels: Qrels, run: Run) -> Iterator[dict[str, object]]:
    """The fields of a request for qrels and run in a form that the program accepts: paths of files if it
    accepts nothing else, or if it accepts files and the input is long."""
    long = len(qrels.docnos) + len(run.docnos) > _LONG
    if "paths" in greeting.inputs and (long or "inline" not in greeting.inputs):
        with trec_files(qrels, run) as (qrels_file, run_file):
            yield {"qrels_path": str(qrels_file), "run_path": str(run_file)}
    else:
        yield inline(as_texts(qrels, run), run)


def _engine(greeting: Greeting, id: str) -> str:
    named = " ".join(filter(None, (greeting.name, greeting.version)))
    return f"{named} ({id})" if named else id


def _make(argument: str | None, options: Options) -> Backend:
    try:
        words = shlex.split(argument or "")
    except ValueError as error:
        raise UsageError(f"the command of exec:{argument} cannot be split: {error}") from None
    if not words:
        raise UsageError("backend exec needs a command", hint='write "exec:perl my_harness.pl"')
    return ExecHarness(argument or "")


FACTORY = BackendFactory(
    name="exec",
    make=_make,
    usage="exec:COMMAND",
    summary="a program in any language that reads and writes JSON lines (fixtures/harness/README.md)",
)
