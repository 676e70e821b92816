"""The backend ``exec:COMMAND``: a metric in any language, as a program that reads and writes JSON lines.

Each request and each reply is one JSON object on a line. Every request but the last has a reply.
``exec_protocol.json`` beside this file is the JSON Schema of requests and replies.

    {"cmd": "start", "protocol": 1}       -> {"name": "...", "version": "...", "measures": ["nDCG@10", ...]}
    {"cmd": "measure", "seq": 1, "measures": ["nDCG@10"], "qrels": {...}, "run": {...}, "ranks": {...}}
    or, to a program that takes files, {..., "qrels_path": "...", "run_path": "..."}
                                          -> {"seq": 1, "values": {"nDCG@10": {"query": 0.63}}}
                                          or {"seq": 1, "unsupported": ["nDCG@10"]}
                                          or {"seq": 1, "error": {"message": "..."}}
    {"cmd": "stop"}

NaN and infinities are sent as the strings "NaN", "Infinity" and "-Infinity". A query without a value is left
out; null is an error. The command is split by shell rules, but no shell is started.
"""

import atexit
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import IO, Annotated, Any, Literal, TypeVar, cast

import msgspec
from msgspec import Meta, Struct

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.backends.outcomes import as_float, kind, printable, refusal
from crosscheck.backends.texts import as_texts, topic_rows, trec_files
from crosscheck.errors import BackendError, UsageError, quoted
from crosscheck.formats.dicts import text_encoding
from crosscheck.measures import needs_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import is_measure, parse_measure
from crosscheck.processes.supervised import how_it_ended
from crosscheck.processes.supervisor import printed
from crosscheck.results import number

PROTOCOL = 1
START: dict[str, object] = {"cmd": "start", "protocol": PROTOCOL}
STOP: dict[str, object] = {"cmd": "stop"}


class _Reported(Struct, frozen=True):
    message: str


class Greeting(Struct, frozen=True, kw_only=True):
    """A program's reply to ``start``, in which it describes itself.

    Attributes:
        measures: names of the measures that the program lists; empty if it lists none.
        inputs: the forms of qrels and run that the program accepts: ``inline``, ``paths`` or both.
        error: the error that the program reports instead, or None.
    """

    name: str = ""
    version: str = ""
    measures: tuple[str, ...] = ()
    inputs: Annotated[frozenset[Literal["inline", "paths"]], Meta(min_length=1)] = frozenset({"inline"})
    protocol: int = PROTOCOL
    error: _Reported | str | None = None


class HarnessReply(Struct, frozen=True, kw_only=True):
    """A program's reply to a request: values by measure and query, or the reason why there are none.

    Attributes:
        seq: the number of the request.
        means: means by measure, if the program computes any.
        unsupported: names of measures that the program does not have.
        error: the error that the program reports instead, or None.
    """

    seq: int | None = None
    values: dict[str, dict[str, Any]] | None = None
    means: dict[str, Any] = {}
    unsupported: tuple[str, ...] = ()
    error: _Reported | str | None = None


_Reply = TypeVar("_Reply", Greeting, HarnessReply)


def parsed(line: bytes, reply: type[_Reply]) -> _Reply:
    """The reply in a line of the program's output.

    Raises:
        BackendError: the line is not a JSON object or has a field of the wrong type, or the program reports
            an error.
    """
    shown = quoted(line.rstrip(b"\r\n"), 80)
    try:
        message = msgspec.json.decode(line, type=reply)
    except msgspec.ValidationError as error:
        breaks = f"breaks the protocol: {printable(str(error))}: {shown}"
        raise BackendError(f"the program wrote a reply that {breaks}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        hint = "write only replies to standard output, and anything else to standard error"
        if re.search(rb"NaN|Infinity", line):
            hint = 'write numbers that JSON does not have as text: "NaN", "Infinity", "-Infinity"'
        raise BackendError(f"the program wrote a line that is not JSON: {shown}", hint=hint) from None
    if message.error is not None:
        reason = message.error if isinstance(message.error, str) else message.error.message
        raise BackendError(f"the program reported an error: {printable(reason, 500)}")
    return message


def _number(value: object, what: str) -> float:
    if value is None:
        raise BackendError(f"the program returned null as {what}", hint="leave out queries without a value")
    read = float(str(value)) if value in ("NaN", "Infinity", "-Infinity") else as_float(value)
    if read is None:
        why = f"{refusal(value)}: {printable(repr(value), 60)}"
        raise BackendError(f"the program returned {kind(value)} as {what}, {why}")
    return read


_STDERR_TAIL = 1000
#: Maximum length of a reply in bytes.
_LONGEST_LINE = 64 << 20


class HarnessProcess:
    """A running program of the user.

    The program shares the standard error of this process. The supervisor of this process limits the time of
    the program, and ends the processes that the program starts.

    Attributes:
        greeting: the program's reply to ``start``.

    Args:
        arguments: program and arguments; no shell is involved.

    Raises:
        BackendError: the program does not start, or its greeting is invalid.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._numbers = count(1)
        try:
            self._process = subprocess.Popen(list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise BackendError(f"{quoted(arguments[0])} could not be started: {error.strerror}") from None
        self._requests = cast(IO[bytes], self._process.stdin)
        self._replies = cast(IO[bytes], self._process.stdout)
        try:
            self.greeting = self._exchange(START, Greeting)
            if self.greeting.protocol != PROTOCOL:
                raise BackendError(f"the program speaks protocol {self.greeting.protocol}, not {PROTOCOL}")
            if not self.greeting.name:
                raise BackendError('the reply to "start" has no "name"')
        except BaseException:
            self.stop()
            raise

    def ask(self, measures: Sequence[str], inputs: Mapping[str, object]) -> HarnessReply:
        """The reply to a ``measure`` request.

        Args:
            inputs: the fields with qrels and run or their paths.

        Raises:
            BackendError: the program died, broke the protocol, or answered another request.
        """
        seq = next(self._numbers)
        request = {"cmd": "measure", "seq": seq, "measures": list(measures), **inputs}
        reply = self._exchange(request, HarnessReply)
        if reply.seq != seq:
            raise BackendError(f"the program answered request {reply.seq}, not request {seq}")
        return reply

    def _exchange(self, message: Mapping[str, object], reply: type[_Reply]) -> _Reply:
        line = b""
        with contextlib.suppress(OSError):
            self._requests.write(json.dumps(message, allow_nan=False).encode() + b"\n")
            self._requests.flush()
            line = self._line()
        if not line.endswith(b"\n"):
            where = f" in the middle of a line: {quoted(line, 80)}" if line else " without an answer"
            stderr = self.noise()
            last = f"; its standard error ends with: {stderr}" if stderr else ""
            raise BackendError(f"the program {how_it_ended(self._end(5))}{where}{last}")
        return parsed(line, reply)

    def _line(self) -> bytes:
        """The bytes up to the next newline or the end of the output."""
        line = self._replies.readline(1 << 20)
        if line and not line.endswith(b"\n"):
            if b"\0" in line or line.lstrip()[:1] != b"{":
                raise BackendError(f"the program wrote a line that is not JSON: {quoted(line, 80)}")
            line += self._replies.readline(_LONGEST_LINE)
        if len(line) > _LONGEST_LINE:
            size = f"{_LONGEST_LINE >> 20} MB"
            raise BackendError(f"the program wrote a line of more than {size}: {quoted(line[:400], 80)}")
        return line

    def _end(self, seconds: float) -> int:
        """The exit code of the program, which is killed if it does not end within some seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        self._process.kill()
        return self._process.wait()

    def noise(self) -> str:
        """The end of the text written to standard error during the current request. Empty if standard error
        is not a file that can be read, as outside of a supervised process."""
        size = printed()
        if size is None or not hasattr(os, "pread"):
            return ""
        with contextlib.suppress(OSError):  # open for writing alone
            written = os.pread(2, _STDERR_TAIL, max(0, size - _STDERR_TAIL))
            return printable(written.decode("utf-8", "backslashreplace"))
        return ""

    def stop(self) -> None:
        """End the program (kill it if it does not end on request), and close its pipes."""
        seconds = 0
        with contextlib.suppress(OSError, ValueError):  # a program that reads nothing more is not waited for
            self._requests.write(json.dumps(STOP).encode() + b"\n")
            self._requests.close()
            seconds = 1
        self._end(seconds)
        for stream in (self._requests, self._replies):
            with contextlib.suppress(OSError):
                stream.close()


#: Number of lines of qrels and run together, above which a program that accepts files gets files.
_LONG = 100_000


class ExecHarness(Backend, Struct, frozen=True, dict=True):
    """A program that speaks the protocol, started once and used for all requests. A supervised process runs
    the program, and ends it with all its children if an answer takes too long.

    Attributes:
        command: the command line.
    """

    command: str

    #: The program itself reports the measures that it supports.
    greets = True

    @cached_property
    def _program(self) -> HarnessProcess:
        """The running program. It is not pickled: a child process starts its own program."""
        program = HarnessProcess(shlex.split(self.command))
        atexit.register(program.stop)
        return program

    @property
    def id(self) -> str:
        return f"exec:{self.command}"

    def describe(self) -> Description:
        """The description, which says whether the program exists. The program is not started."""
        program = shlex.split(self.command)[0]
        exists = shutil.which(program) is not None
        return self.description(None if exists else f"there is no program {quoted(program)} on PATH")

    def supports(self, measure: Measure) -> bool:
        """Whether the program lists the measure, or its family for all cutoffs, when it is started.

        True for a program that does not start, because :meth:`evaluate` then gives the reason.
        """
        try:
            offered = self._program.greeting.measures
        except BackendError:
            return True
        if not offered or measure.family in offered:
            return True
        return any(parse_measure(name) == measure for name in offered if is_measure(name))

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """The values of all measures, from one request to the program.

        Raises:
            BackendError: the program could not be started, died, broke the protocol, does not have a measure,
                or reported an error; or a measure needs judgements per subtopic or preferences, which the
                protocol cannot express.
        """
        if qrels.detailed and needs_of(measures) != "levels":
            judged = "per subtopic" if qrels.preferences is None else "preferences"
            raise BackendError(f"the judgements are {judged}, which the protocol of exec cannot express")
        program = self._program
        names = {str(measure): measure for measure in measures}
        try:
            with _given(program.greeting, qrels, run) as inputs:
                reply = program.ask(list(names), inputs)
        except BaseException:
            del self.__dict__["_program"]
            program.stop()
            raise
        if reply.unsupported:
            raise BackendError(f"the program does not have {printable(', '.join(reply.unsupported), 200)}")
        if reply.values is None:
            raise BackendError('the reply has neither "values" nor "unsupported" nor "error"')
        said = (program.greeting.name, program.greeting.version)
        engine = f"{' '.join(printable(word, 100) for word in said if word)} ({self.id})"
        notes = tuple(f"wrote to standard error: {text}" for text in filter(None, [program.noise()]))
        encoding = text_encoding(qrels, run)
        topics = {topic.decode(encoding): topic for topic in (*qrels.topics, *run.topics)}
        answers: dict[Measure, MeasureValues] = {}
        for name, measure in names.items():
            if name not in reply.values:
                raise BackendError(f"the program returned no values of {name}")
            values: dict[bytes, float] = {}
            for query, value in reply.values[name].items():
                if query not in topics:
                    of = f"{name} of {quoted(query)}"
                    raise BackendError(f"the program returned {of}, a query of neither run nor qrels")
                values[topics[query]] = _number(value, f"{name} of query {quoted(query)}")
            mean = reply.means.get(name)
            mean = None if mean is None else _number(mean, f"the mean of {name}")
            answers[measure] = MeasureValues(values, mean, engine, notes=notes)
        return answers


@contextlib.contextmanager
def _given(greeting: Greeting, qrels: Qrels, run: Run) -> Iterator[dict[str, object]]:
    """The fields of a request with qrels and run, in a form that the program accepts: paths of files if it
    accepts only these, or if it accepts both forms and the input is long; else the data, with documents in
    input order, and with ``ranks`` if the run has a rank column."""
    long = len(qrels.docnos) + len(run.docnos) > _LONG
    if "paths" in greeting.inputs and (long or "inline" not in greeting.inputs):
        with trec_files(qrels, run) as (qrels_file, run_file):
            yield {"qrels_path": str(qrels_file), "run_path": str(run_file)}
        return
    texts = as_texts(qrels, run)
    scores = {q: {d: number(s) for d, s in docs.items()} for q, docs in texts.run.items()}
    fields: dict[str, object] = {"qrels": texts.qrels, "run": scores}
    if run.ranks is not None:
        by_topic = {topic: run.ranks[rows].tolist() for topic, rows in topic_rows(run)}
        ranked = {q: zip(docs, by_topic[texts.topics[q]], strict=True) for q, docs in scores.items()}
        fields["ranks"] = {q: dict(ranks) for q, ranks in ranked.items()}
    yield fields


def _make(argument: str | None, options: Options) -> Backend:
    try:
        arguments = shlex.split(argument or "")
    except ValueError as error:
        raise UsageError(f"the command of exec:{argument} cannot be split: {error}") from None
    if not arguments:
        raise UsageError("backend exec needs a command", hint='write "exec:perl my_harness.pl"')
    return ExecHarness(argument or "")


FACTORY = BackendFactory(
    usage="exec:COMMAND",
    summary="a program in any language that reads and writes JSON lines (fixtures/harness/README.md)",
    make=_make,
)
