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
import shlex
import shutil
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from crosscheck.backends.base import Backend, BackendFactory, Description, Options
from crosscheck.backends.exec_messages import Greeting, inline, measured
from crosscheck.backends.exec_process import HarnessProcess
from crosscheck.backends.texts import as_texts
from crosscheck.backends.trec_files import trec_files
from crosscheck.errors import BackendError, UnknownMeasure, UsageError, quoted
from crosscheck.formats.dicts import text_encoding
from crosscheck.measures import needs_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure

__all__ = ["FACTORY", "ExecHarness"]

#: Number of lines of qrels and run together, above which a program that accepts files gets files.
_LONG = 100_000


class ExecHarness(Struct, frozen=True, dict=True):
    """A program that speaks the protocol. It is started once and used for all requests.

    It runs in a supervised process, which ends it and all its children if it is silent for too long.

    Attributes:
        command: the command line.
    """

    command: str

    isolated = True
    #: The program itself reports the measures that it supports.
    greets = True
    conventions = None

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
        known = shutil.which(program) is not None
        reason = None if known else f"there is no program {quoted(program)} on PATH"
        return Description(id=self.id, version="", engine=self.id, available=known, reason=reason)

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
