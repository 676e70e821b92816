"""The backend ``trec_eval``: the C program on PATH or at ``--trec-eval-bin``; and its names for measures.

The program prints four decimals, so its values are compared as rounded values. The version that the program
reports is shown but not trusted: the release tagged 9.0.8 reports 9.0.7.
"""

import re
import shutil
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby

from msgspec import Struct

from crosscheck.backends.base import Backend, BackendFactory, Description
from crosscheck.backends.outcomes import OverdueError, printable
from crosscheck.backends.texts import trec_files
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, quoted
from crosscheck.measures import families
from crosscheck.model import Measure, MeasureValues, ParamValue, Qrels, Run, written
from crosscheck.names import trec_eval_name
from crosscheck.processes.supervised import run_program


class TrecEvalBinary(Backend, Struct, frozen=True, dict=True):
    """The program, called with ``-q`` and without ``-c``.

    For a judged query without results version 9 prints no value; version 10 ends with an error, which is a
    BackendError here.

    Attributes:
        program: name of the program on PATH, or its path.
        timeout: seconds allowed for one call.
        memory: limit of the resident memory of a call in bytes, None for no limit.
    """

    program: str
    timeout: float
    memory: int | None = None

    id = "trec_eval"
    # The program is a separate process anyway.
    isolated = False

    @cached_property
    def _path(self) -> str | None:
        return shutil.which(self.program)

    @cached_property
    def _version(self) -> str:
        """The version that the program reports, empty if it reports none."""
        if self._path is None:
            return ""
        try:
            done = run_program([self._path, "-v"], min(10, self.timeout), memory=self.memory)
        except OSError:
            return ""
        version = re.search(r"\d+(\.\w+)+([-.]\w+)*", done.err + done.out[:4000].decode("ascii", "replace"))
        return version[0] if version else ""

    @property
    def conventions(self) -> str | Conventions | None:
        return "trec_eval-10" if self._version.startswith("10.") else "trec_eval-9.0.8"

    def describe(self) -> Description:
        if self._path is None:
            build = "build https://github.com/usnistgov/trec_eval and put it on PATH"
            how = f"{build}, or name it with --trec-eval-bin"
            return self.description(f"there is no program {quoted(self.program)}: {how}")
        return self.description(version=self._version, engine=self._engine)

    @property
    def _engine(self) -> str:
        return f"trec_eval that reports version {self._version or 'unknown'}"

    def supports(self, measure: Measure) -> bool:
        """Whether trec_eval has the measure. For some measures (``num_q``, geometric means) it prints only a
        summary."""
        return printed_name(measure) is not None

    def certain(self, measure: Measure) -> bool:
        """Whether the version of the program is known. False for rbp, whose values depend on uninitialised
        memory."""
        return self._version.partition(".")[0] in ("9", "10") and measure.family != "rbp"

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values from one call per format (``-R``) and level (``-l``), means from the lines ``all``.

        Raises:
            BackendError: the program is missing, an id cannot be written in its file format, or the exit code
                is not 0.
        """
        if self._path is None:
            raise BackendError(self.describe().reason or "")
        answers: dict[Measure, MeasureValues] = {}
        for (format, level), some in together(measures):
            selected = [f for name in parameters(some) for f in ("-m", name)]
            options = ("-q", "-l", str(level), *(() if format == "qrels" else ("-R", format)))
            with trec_files(qrels, run, format) as files:
                lines = self._printed([self._path, *options, *selected, *map(str, files)])
            answers |= {measure: self._values(measure, lines) for measure in some}
        return answers

    def _printed(self, command: list[str]) -> list[bytes]:
        try:
            done = run_program(command, self.timeout, memory=self.memory)
        except TimeoutError:
            raise OverdueError(f"trec_eval did not answer within {self.timeout:g} s") from None
        except OSError as error:
            raise BackendError(f"trec_eval could not be started: {error.strerror}") from None
        if done.code != 0:
            stderr = printable(done.err)
            raise BackendError(f"trec_eval {done.ending}" + (f": {stderr}" if stderr else ""))
        return done.out.split(b"\n")

    def _values(self, measure: Measure, lines: list[bytes]) -> MeasureValues:
        name = str(printed_name(measure))
        rows: list[tuple[bytes, float]] = []
        for line in lines:
            fields = line.split()
            if len(fields) == 3 and fields[0] == name.encode():
                try:
                    rows.append((fields[1], float(fields[2])))
                except ValueError:
                    raise BackendError(f"trec_eval printed {quoted(line)}, which holds no number") from None
        # The summary comes last. An earlier line with its id belongs to a query called "all".
        topic, summary = rows.pop() if rows else (b"", 0.0)
        if topic != b"all":
            raise BackendError(f"trec_eval printed no summary line of {name}")
        # Counts are printed as whole numbers, everything else with four decimals.
        decimals = None if families()[measure.family].is_sum else 4
        return MeasureValues(dict(rows), summary, self._engine, decimals)


FACTORY = BackendFactory(
    usage="trec_eval",
    summary="the C program trec_eval (on PATH or --trec-eval-bin), which prints 4 decimals",
    make=lambda argument, options: TrecEvalBinary(options.trec_eval_bin, options.timeout, options.memory),
)


#: Families whose measure in trec_eval ignores the relevance level, unlike crosscheck's measure.
_WITHOUT_LEVEL = frozenset({"NumRet", "NumQ"})


def format_of(measure: Measure) -> str:
    """The format of judgements (trec_eval's ``-R``) that a measure needs."""
    return {"groups": "qrels_jg", "preferences": "prefs"}.get(families()[measure.family].needs, "qrels")


def printed_name(measure: Measure) -> str | None:
    """The name that trec_eval 9 prints, such as ``ndcg_cut_10``; None if it does not have the measure.

    The relevance level is an option (``-l``) and not part of the name. Parameters are supported only if they
    are written like a cutoff (``IPrec@0.1``) and have at most two decimals, because trec_eval prints two
    decimals. For all further parameters pytrec_eval uses a different name or ends the process.
    """
    about = families().get(measure.family)
    if about is None or about.trec_eval_since != "9.0.8" or about.needs == "subtopics":
        return None
    if measure.cutoff is not None and measure.cutoff < 1:
        return None
    if measure.rel is not None and (measure.rel < 1 or not about.rel or measure.family in _WITHOUT_LEVEL):
        return None
    if any(name != about.at_parameter or not _short(value) for name, value in measure.params):
        return None
    return trec_eval_name(measure)


def _short(value: ParamValue) -> bool:
    return isinstance(value, int | float) and float(f"{value:.2f}") == value


def parameters(measures: Iterable[Measure]) -> list[str]:
    """The measure arguments for trec_eval: ``["P.5,10", "map"]``.

    All cutoffs of a family are in one list, because trec_eval uses only the first list of a measure. Each
    cutoff is listed once, because trec_eval fails on a repeated cutoff.
    """
    cutoffs: dict[str, set[float]] = {}
    for measure in measures:
        about = families()[measure.family]
        at = about.at_parameter
        cutoff = measure.cutoff if at == "cutoff" else dict(measure.params)[at]
        name = about.trec_eval if cutoff is None else about.trec_eval_cut
        assert name is not None, f"trec_eval does not have {measure}"
        cuts = cutoffs.setdefault(name, set())
        if isinstance(cutoff, int | float):
            cuts.add(cutoff)
    listed = {name: ",".join(map(written, sorted(cuts))) for name, cuts in sorted(cutoffs.items())}
    return [f"{name}.{cuts}" if cuts else name for name, cuts in listed.items()]


def together(measures: Sequence[Measure]) -> list[tuple[tuple[str, int], list[Measure]]]:
    """Group the measures by the call of trec_eval that can compute them. A group is ((format of judgements,
    relevance level), measures)."""

    def key(measure: Measure) -> tuple[str, int]:
        return format_of(measure), measure.rel or 1

    return [(shared, list(some)) for shared, some in groupby(sorted(measures, key=key), key=key)]
