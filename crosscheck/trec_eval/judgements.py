"""The input of the command trec_eval, read as a version of trec_eval reads it, and the values of topics."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.forms import RecallPoints
from crosscheck.axes.judging import Unjudged
from crosscheck.axes.ties import SCORE_PRECISION, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.engine.streaming import Reading, streamed
from crosscheck.errors import InputError, first_few, quoted, safe_text
from crosscheck.evaluation.formula import score_as_read, with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.grouping import find_duplicate, identifiers
from crosscheck.formats.numerals import INT64
from crosscheck.formats.reference_reader import Rules, preferences
from crosscheck.formats.source import open_input, read_input, text_of
from crosscheck.formats.trec import RepeatedError, qrels_from_text, run_from_text
from crosscheck.model import FloatArray, IdArray, IntArray, Measure, Qrels, Run, display
from crosscheck.rankings.changed_inputs import only_rows, only_topics
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import JudgedPool, Pairing
from crosscheck.rankings.sorts import merge_sorted, single
from crosscheck.trec_eval.options import OutputColumn, TrecEvalError, TrecEvalOptions, Version, double
from crosscheck.trec_eval.printing import Filled, joined, without_placeholder

_RUN = "a run: lines of topic Q0 docno rank score tag"
_JUDGEMENTS = "judgements"


def read_results(
    path: str, version: Version, pool: JudgedPool | None, conventions: Conventions
) -> Run | Rankings:
    """The run, which may have no topics, repeated documents and NaN scores; or, if a pool is given and the
    file can be read in one pass, the judged documents of the run.

    In 10.0 a file name that begins with ``-`` is standard input.

    Raises:
        TrecEvalError: with code 2, the run cannot be read.
    """
    rules = Rules(strict=False, comments=version == "10.0")
    try:
        if version == "10.0" and path.startswith("-"):
            if not (text := sys.stdin.buffer.read()):
                raise InputError("the file is empty", path="standard input", expected=_RUN)
            run = run_from_text(_stream(text), "standard input", rules)
        elif pool is not None and (found := streamed(Reading(path, rules), pool, conventions)) is not None:
            return found
        else:
            with open_input(path, _RUN, only_gzip=True) as stream:
                run = run_from_text(stream, path, rules)
        return run or placeholders((), b"", path)
    except InputError as error:
        line = None if error.line is None else _counted(path, error.line, version)
        raise _file_error(_unread("get_results", "results", path, line), path, error) from None


def read_judgements(path: str, version: Version, name: str) -> Qrels:
    """Read the judgements, without the comments that this version skips. Repeated documents in qrels are
    kept.

    Args:
        name: name of the format, ``qrels``, ``qrels_jg``, ``prefs`` or ``qrels_prefs``.

    Raises:
        TrecEvalError: with code 2, the file cannot be read, or a group judges a document twice.
    """
    skipped: Sequence[int] = ()
    try:
        with open_input(path, _JUDGEMENTS, only_gzip=True) as stream:
            if version == "9.0.8":
                return _judgements(stream, path, name)
            text, skipped = without_comments(text_of(stream, path, _JUDGEMENTS))
            return _judgements(_stream(text), path, name)
    except RepeatedError as error:
        c_message = f"trec_eval.get_qrels: duplicate docs {safe_text(error.docno)}"
        raise _file_error(c_message, path, _renumbered(error, skipped)) from None
    except InputError as error:
        c_message = _unread(f"get_{name}", "prefs" if "prefs" in name else "qrels", path, error.line)
        raise _file_error(c_message, path, _renumbered(error, skipped)) from None


def _judgements(stream: io.BufferedReader, path: str, name: str) -> Qrels:
    if "prefs" in name:
        return preferences(text_of(stream, path, _JUDGEMENTS), path, subgroups=name == "prefs")
    qrels = qrels_from_text(stream, path, Rules(strict=False, subtopics=name == "qrels_jg", clamped=True))
    if qrels is None:
        raise InputError("the file has nothing but comments", path=path, expected=_JUDGEMENTS)
    return qrels


def without_comments(text: bytes) -> tuple[bytes, list[int]]:
    """The text of judgements without the comment lines that trec_eval 10 skips, and the numbers of these
    lines.

    trec_eval 10 skips at most one line that begins with ``#`` before each record, so the second of two
    comment lines in a row is read as a record. A comment at the end of the file crashes trec_eval; here it is
    skipped.
    """
    if not text.startswith(b"#") and b"\n#" not in text:
        return text, []
    kept: list[bytes] = []
    skipped: list[int] = []
    behind_comment = False
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
        behind_comment = line.startswith(b"#") and not behind_comment
        if behind_comment:
            skipped.append(number)
        else:
            kept.append(line)
    return b"".join(line + b"\n" for line in kept), skipped


def _stream(text: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(text))


def _unread(reader: str, kind: str, path: str, line: int | None) -> str:
    """The message of the C function ``reader`` about a file that it cannot read, or about a line of it."""
    problem = f"Cannot read {kind} file {quoted(path, 4096)}" if line is None else f"Malformed line {line}"
    return f"trec_eval.{reader}: {problem}"


def _file_error(c_message: str, path: str, error: InputError) -> TrecEvalError:
    if error.hint and "--format" in error.hint:  # which trec_eval does not have
        error.hint = "convert the file to TREC's format: crosscheck convert IN OUT"
    return TrecEvalError(2, c_message, f"trec_eval: Quit in file {quoted(path, 4096)}", problem=error)


def _counted(path: str, line: int, version: Version) -> int:
    """The number of a line as trec_eval counts lines of a run: without blank lines and comments."""
    try:
        with open_input(path, _RUN, only_gzip=True) as stream:
            first_words = [stream.readline().split(maxsplit=1)[:1] for _ in range(line - 1)]
    except InputError:
        return line  # standard input
    comment = b"#" if version == "10.0" else b" "
    return 1 + sum(bool(word) and not word[0].startswith(comment) for word in first_words)


def _renumbered(error: InputError, skipped: Sequence[int]) -> InputError:
    """The error with the line number in the whole file, including the ``skipped`` lines."""
    for number in skipped:
        if error.line is not None:
            error.line += number <= error.line
    return error


#: The document that trec_eval 10 inserts for a judged topic without results, under ``-c``.
_PLACEHOLDER = b"ceci_nest_pas_un_docno"


class EvaluatedTopics(Struct, frozen=True, eq=False):
    """Topics in the order of evaluation, which is the byte order of their ids.

    Attributes:
        evaluated: topics that get values.
        missing: topics of ``evaluated`` without results (10.0 under ``-c``).
        failure: the error that stops trec_eval after the last of these topics, or None.
    """

    evaluated: tuple[bytes, ...]
    missing: frozenset[bytes] = frozenset()
    failure: TrecEvalError | None = None

    def up_to(self, topic: bytes, failure: TrecEvalError) -> EvaluatedTopics:
        """The topics before ``topic``, with the error ``failure`` that occurs at ``topic``."""
        before = self.evaluated[: self.evaluated.index(topic)]
        return EvaluatedTopics(before, self.missing & set(before), failure)


def topics_of(
    options: TrecEvalOptions, judged: Sequence[bytes], retrieved: Sequence[bytes]
) -> EvaluatedTopics:
    """The topics to evaluate. ``judged`` and ``retrieved`` are topic ids in byte order.

    9.0.8 evaluates the topics of the run that are judged. 10.0 evaluates all judged topics: under ``-c`` a
    topic without results gets a ranking of one placeholder document, and otherwise it ends trec_eval.
    """

    def wanted(topic: bytes) -> bool:
        return options.only_topic is None or topic == options.only_topic

    if options.version == "9.0.8":
        in_qrels = set(judged)
        return EvaluatedTopics(tuple(t for t in retrieved if t in in_qrels and wanted(t)))
    topics = tuple(filter(wanted, judged))
    missing = frozenset(topics) - set(retrieved)
    if not missing or options.complete:
        return EvaluatedTopics(topics, missing)
    first, *_ = some = sorted(missing)
    named = first_few(quoted(display(topic)) for topic in some)
    counted = f"{len(some)} judged topic{'s' * (len(some) > 1)}"
    hint = "add -c (these topics get 0) or --compat 9.0.8 (these topics are left out)"
    problem = f"{counted} without results in {quoted(options.run, 4096)}: {named}\n  to do:    {hint}"
    c_message = f"trec_eval: result qid {quoted(first)} not found in qrels"
    return EvaluatedTopics(topics).up_to(first, TrecEvalError(4, c_message, problem=problem))


def placeholders(topics: Sequence[bytes], tag: bytes, source: str = "placeholders") -> Run:
    """A run with one unjudged document for each of these topics, which are in byte order. Without topics, the
    result stands for a file of blank lines."""
    ids, offsets = tuple(topics), np.arange(len(topics) + 1)
    docnos, scores = identifiers([_PLACEHOLDER] * len(ids)), np.ones(len(ids))
    return Run(ids, offsets, docnos, scores=scores, ranks=None, lines=offsets[:-1], tag=tag, source=source)


def duplicates(docnos: IdArray, offsets: IntArray) -> dict[int, bytes]:
    """Number of a topic with a document that occurs twice -> the lowest docno that occurs twice."""
    repeated_docno: dict[int, bytes] = {}
    if find_duplicate(docnos, offsets) is not None:
        for topic, (start, end) in enumerate(pairwise(offsets.tolist())):
            ordered = pairwise(sorted(docnos[start:end].tolist()))
            if (repeated := next((one for one, other in ordered if one == other), None)) is not None:
                repeated_docno[topic] = repeated
    return repeated_docno


def rankable(run: Run, precision: ScorePrecision, depth: int | None, *, ascending: bool) -> Run:
    """The run, changed so that topics with NaN scores or repeated documents are ranked as in trec_eval.

    In trec_eval's comparison a NaN is neither above nor below any score, so that docnos decide (descending,
    or ascending if ``ascending``). This comparison is not transitive, so the order depends on the algorithm:
    merge sort of the C library, which starts from ascending docnos. Numbers that give this order replace the
    scores. trec_eval cuts rankings at the depth before it looks for repeated documents, so repeated documents
    below it are no error: they are left out.
    """
    broken = set(run.topic_numbers[np.isnan(run.scores)].tolist())
    repeated = set() if depth is None else set(duplicates(run.docnos, run.offsets))
    if not broken | repeated:
        return run
    scores, kept = run.scores.copy(), np.ones(len(run.docnos), np.bool_)
    compared = (single(scores) if precision is ScorePrecision.FLOAT32 else scores).tolist()
    docnos, sign = run.docnos.tolist(), 1 if ascending else -1

    def order(one: int, other: int) -> int:
        by_score: int = (compared[one] < compared[other]) - (compared[one] > compared[other])
        return by_score or sign * ((docnos[one] > docnos[other]) - (docnos[one] < docnos[other]))

    for topic in broken | repeated:
        rows = range(int(run.offsets[topic]), int(run.offsets[topic + 1]))
        ranking = merge_sorted(sorted(rows, key=docnos.__getitem__), order)
        if topic in broken:
            scores[ranking] = np.arange(len(ranking), 0, -1)
        if topic in repeated:
            kept[ranking[depth:]] = False
    changed = replace(run, scores=scores)
    return only_rows(changed, kept) if repeated else changed


#: The first topic that cannot be evaluated, and the error.
Refusal: TypeAlias = tuple[bytes, TrecEvalError]

#: Kind of judgements -> the function of the C program that finds repeated documents in the run.
_READERS = {"qrels": "form_res_qrels", "qrels_jg": "form_res_qrels", "prefs": "form_prefs_counts"}


def conventions_of(options: TrecEvalOptions) -> Conventions:
    """The conventions of the version, with the options ``-l``, ``-M`` and ``-J`` applied."""
    ten = options.version == "10.0"
    return Conventions(
        score_precision=ScorePrecision.FLOAT64 if ten else ScorePrecision.FLOAT32,
        recall_points=RecallPoints.ROUND if ten else RecallPoints.FLOOR,
        relevance_level=options.level,
        depth=options.depth,
        unjudged=Unjudged.REMOVED if options.judged_only else Unjudged.NONRELEVANT,
    )


class Judgements:
    """Judgements in one of the formats of ``-R``, with methods that evaluate a run.

    Attributes:
        qrels: the judgements.
        needs: the kind of these judgements: ``qrels``, ``qrels_jg`` or ``prefs``. Measures that need a
            different kind cannot be computed.

    Raises:
        TrecEvalError: with code 2, there is no such format, or the file cannot be read.
    """

    def __init__(self, options: TrecEvalOptions) -> None:
        name = options.qrels_format
        if name not in ("qrels", "qrels_jg", "prefs", "qrels_prefs"):
            problem = "-R must be qrels, qrels_jg, prefs or qrels_prefs"
            raise TrecEvalError(2, f"trec_eval: Illegal rel_format '{name}'", problem=problem)
        self.qrels = read_judgements(options.qrels, options.version, name)
        self.needs = "prefs" if "prefs" in name else name
        self._options, self._conventions = options, conventions_of(options)
        self._pool = JudgedPool(self.qrels)
        self._ranked: tuple[tuple[bytes, ...], Rankings] | None = None
        self._streamed: Rankings | None = None

    def read_run(self) -> Run:
        """The run. If the file can be streamed, the result has no rows, and the judged documents are kept in
        this object.

        Raises:
            TrecEvalError: with code 2, there is no such format, or the file cannot be read.
        """
        options, precision = self._options, self._conventions[SCORE_PRECISION]
        if options.run_format != "trec_results":
            c_message = f"trec_eval: Illegal retrieval results format '{options.run_format}'"
            raise TrecEvalError(2, c_message, problem="-T must be trec_results")
        pool = self._pool if self.needs == "qrels" else None
        run = read_results(options.run, options.version, pool, self._conventions)
        if isinstance(run, Rankings):
            self._streamed = run
            return run.pairing.run
        return rankable(run, precision, options.depth, ascending=self.needs == "prefs")

    def spelling(self, run: Run) -> tuple[str, ...]:
        """Sentences about ids of the run that differ from judged ids only in spelling."""
        return (Pairing.of(run, self._pool) if self._streamed is None else self._streamed.pairing).spelling

    def refused(self, run: Run, topics: Sequence[bytes]) -> Refusal | None:
        """The first topic on which trec_eval ends with an error, and the error; None if there is no such
        topic.

        trec_eval ends at a topic with a repeated document in the run or in the judgements, with a level
        beyond 64 bits, or with contradicting preferences. It also ends at the very first topic if all
        judgements of this topic are negative.
        """
        refusals: dict[bytes, TrecEvalError] = {}
        wanted = set(topics)
        if self.needs == "qrels":
            refusals |= _all_negative(self.qrels, topics[0])
            refusals |= _too_high(self.qrels, wanted)
            refusals |= _repeated(self.qrels, wanted, "form_res_rels")
        if self._streamed is None:  # runs with duplicates are not streamed
            refusals |= _repeated(run, wanted, _READERS[self.needs])
        if self.needs == "prefs":
            from crosscheck.measures.preferences import ContradictionError

            before = [topic for topic in topics if topic < min(refusals, default=topic + b"\0")]
            there = set(run.topics)
            missing = [topic for topic in before if topic not in there]
            parts = (run, [t for t in before if t in there]), (placeholders(missing, run.tag), missing)
            for part, of in parts:
                try:
                    self._scores(part, of, Measure("prefs_simp"))  # any measure of preferences
                except ContradictionError as error:
                    refusals[error.topic] = TrecEvalError(4, problem=error)
        return min(refusals.items(), key=lambda item: item[0], default=None)

    def computed(self, run: Run, topics: EvaluatedTopics, columns: Sequence[OutputColumn]) -> list[Filled]:
        """The columns with their values. A topic without results gets the values of a ranking of one
        placeholder document, with the exceptions that trec_eval 10 makes (see :func:`without_placeholder`).
        """
        there = [topic for topic in topics.evaluated if topic not in topics.missing]
        filled = self._filled(run, there, columns)
        if not topics.missing:
            return filled
        missing = sorted(topics.missing)
        added = self._filled(placeholders(missing, run.tag), missing, columns)
        place = {topic: i for i, topic in enumerate([*there, *missing])}
        order, pairs = [place[topic] for topic in topics.evaluated], zip(filled, added, strict=True)
        return [joined(one, without_placeholder(other), order) for one, other in pairs]

    def _filled(self, run: Run, topics: Sequence[bytes], columns: Sequence[OutputColumn]) -> list[Filled]:
        """The columns with their values for these topics, which must be in the run and judged.

        NaN gets a negative sign, because in C the result of 0 / 0 has a negative sign on x86.
        """

        def values(column: OutputColumn) -> FloatArray | list[bytes]:
            if column.about.name == "relstring":
                rankings = self._rankings(run, topics)
                texts = relstrings(rankings.judged(self._conventions), column.length)
                return [texts[i] for i in _places(rankings, topics)]
            if column.measure is None:
                return [run.tag] * len(topics)
            result = self._scores(run, topics, column.measure)
            return np.where(np.isnan(result), -np.nan, result)

        with np.errstate(all="ignore"):
            return [Filled(column, values(column)) for column in columns]

    def _scores(self, run: Run, topics: Sequence[bytes], measure: Measure) -> FloatArray:
        rankings = self._rankings(run, topics)
        conventions = with_measure_parameters(self._conventions, measure)
        return score_as_read(rankings, measure, conventions).scores[_places(rankings, topics)]

    def _rankings(self, run: Run, topics: Sequence[bytes]) -> Rankings:
        if self._streamed is not None and run is self._streamed.pairing.run:
            return self._streamed
        if self._ranked is None or self._ranked[0] != tuple(topics):
            few = len(topics) < len(set(run.topics) & self._pool.number.keys())
            self._ranked = tuple(topics), Rankings(only_topics(run, set(topics)) if few else run, self._pool)
        return self._ranked[1]


def _places(rankings: Rankings, topics: Sequence[bytes]) -> list[int]:
    place = {topic: i for i, topic in enumerate(rankings.pairing.topics)}
    return [place[topic] for topic in topics]


def _repeated(table: Run | Qrels, wanted: Collection[bytes], reader: str) -> Iterator[Refusal]:
    """The wanted topics with a repeated document, and their errors."""
    for i, docno in duplicates(table.docnos, table.offsets).items():
        topic, c_message = table.topics[i], f"trec_eval.{reader}: duplicate docs {safe_text(docno)}"
        if topic in wanted:
            twice = f"document {quoted(display(docno))} occurs twice under topic {quoted(display(topic))}"
            problem = f"{safe_text(table.source, 4096)}: {twice}\n  to do:    remove one of the two lines"
            yield topic, TrecEvalError(4, c_message, problem=problem)


def _too_high(qrels: Qrels, wanted: Collection[bytes]) -> Iterator[Refusal]:
    """The wanted topics with a level that is too high, and their errors. trec_eval allocates a number for
    every level."""
    for row in np.flatnonzero(qrels.rels >= INT64.stop - 2).tolist():
        topic = qrels.topics[int(np.searchsorted(qrels.offsets, row, "right")) - 1]
        if topic in wanted:
            problem = f"the relevance level {qrels.rels[row]} of topic {quoted(display(topic))} is too high"
            yield topic, TrecEvalError(4, problem=f"{problem}\n  to do:    correct the level")


def _all_negative(qrels: Qrels, topic: bytes) -> Iterator[Refusal]:
    i = qrels.topics.index(topic)
    if qrels.rels[qrels.offsets[i] : qrels.offsets[i + 1]].max() < 0:
        problem = f"every judgement of topic {quoted(display(topic))}, the first topic evaluated, is negative"
        hint = f"remove the topic from {quoted(qrels.source, 4096)}, or judge a document"
        yield topic, TrecEvalError(4, problem=f"{problem}\n  to do:    {hint}")


def relstrings(judged: JudgedRankings, length: int) -> list[bytes]:
    """For each topic, a text with one character for each of the first ``length`` ranks.

    The character is the level from 0 to 9, ``>`` for higher levels, ``-`` for an unjudged document, and ``.``
    for a negative level.
    """
    lengths = np.minimum(judged.num_ret, length)
    ends = np.cumsum(lengths)
    text = np.full(int(lengths.sum()), ord("-"), np.uint8)
    seen = judged.rank <= length
    shown = np.where(judged.rel > 9, ord(">"), ord("0") + judged.rel)
    shown = np.where(judged.rel < 0, ord("."), shown)
    starts = ends - lengths
    text[starts[judged.topic[seen]] + judged.rank[seen] - 1] = shown[seen]
    return [text[a:b].tobytes() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


#: (topic, name as printed) -> mean and standard deviation.
ZScores: TypeAlias = dict[tuple[bytes, bytes], tuple[float, float]]

#: The z-score if the file has no mean, or if the deviation is 0 and the value differs from the mean.
MISSING = -1_000_000.0
_EXPECTED = "lines of topic measure mean deviation"


def read_zscores(path: str, version: Version) -> ZScores:
    """Read means and standard deviations. Of lines with the same topic and measure, the first is used.

    Raises:
        TrecEvalError: with code 255, the file cannot be read.
    """
    zscores: ZScores = {}
    try:
        text = read_input(path, _EXPECTED, only_gzip=True)
        for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
            words = line.split()
            if len(words) != 4 or b"\0" in line:
                problem, expected = f"a line has {len(words)} columns", "topic measure mean deviation"
                raise InputError(problem, path=path, line=number, found=line, expected=expected)
            topic, name, mean, deviation = words
            zscores.setdefault((topic, name), (double(mean), double(deviation)))
        return zscores
    except InputError as error:
        reader = "get_zscores" if version == "10.0" or error.line is not None else "get_prefs"
        raise TrecEvalError(255, _unread(reader, "zscores", path, error.line), problem=error) from None


def standardised(filled: Filled, topics: EvaluatedTopics, zscores: ZScores) -> Filled:
    """The column with the value of each topic replaced by its z-score: (value - mean) / deviation."""
    if isinstance(filled.values, list):
        return filled
    # A topic without an entry has a deviation of 0, and a mean that equals no value, so it is missing.
    found = [zscores.get((topic, filled.column.name), (np.nan, 0.0)) for topic in topics.evaluated]
    mean, deviation = np.array(found).T
    with np.errstate(all="ignore"):
        distance = (filled.values - mean) / deviation
    without = np.where(filled.values == mean, 0.0, MISSING)
    return replace(filled, values=np.where(deviation != 0, distance, without))
