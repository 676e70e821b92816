"""The records that all parts of crosscheck share: runs, qrels, measures, values, cases.

Topic ids and docnos are bytes everywhere, because trec_eval compares them as unsigned bytes. They are
converted to text only where a backend or a report needs text.

A record is a frozen :class:`msgspec.Struct`, whose definition takes a sixtieth of the time of a dataclass. A
record with arrays is equal only to itself (``eq=False``). A NamedTuple is used where callers need a tuple.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from crosscheck.errors import ResourceError

if int(np.__version__.partition(".")[0]) < 2:  # without this check, a later error would not name numpy
    raise ResourceError(f"numpy {np.__version__} is too old", hint="pip install --upgrade 'numpy>=2'")

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
#: One id per element: fixed-width bytes (dtype ``S``), or Python bytes objects (dtype ``O``) where one
#: very long id would make the fixed width wasteful. Both compare as unsigned bytes.
IdArray: TypeAlias = npt.NDArray[Any]

#: How a measure is summarised over topics: mean of the values, sum of the values, or (``geometric``, for
#: values that are logarithms) exponential of the mean.
Aggregate: TypeAlias = Literal["mean", "sum", "geometric"]

#: Kinds of judgements: a relevance level per document; a level per document and subtopic (or per document and
#: group of judges); preferences between documents.
Needs: TypeAlias = Literal["levels", "subtopics", "preferences"]

#: A measure's parameter: a number, a word, a list of numbers, or (relevance level, gain) pairs.
ParamValue: TypeAlias = float | bool | str | tuple[float, ...] | tuple[tuple[int, float], ...]


def display(identifier: bytes) -> str:
    """A topic id or docno as text: UTF-8, with ``\\xNN`` for bytes that are not UTF-8."""
    return identifier.decode("utf-8", "backslashreplace")


class Subtopics(Struct, frozen=True, kw_only=True, eq=False):
    """Relevance judgements per subtopic of a topic, as the diversity tasks of TREC's Web tracks made them.

    Attributes:
        document: row of the judged document in the :class:`Qrels`, ascending.
        subtopic: number of the subtopic, ascending for each document. The subtopics of all topics are
            numbered from 0 in the order of their first appearance in the input.
        rels: relevance level of the document for the subtopic.
        names: name of each subtopic in the input.
    """

    document: IntArray
    subtopic: IntArray
    rels: IntArray
    names: tuple[bytes, ...]


class Preferences(Struct, frozen=True, kw_only=True, eq=False):
    """Preferences between documents, given as levels: of two documents in one subgroup, the judges prefer the
    document with the higher level.

    Attributes:
        document: row of the document in the :class:`Qrels`, ascending; one entry per line of the input.
        group: name of the group of judges; subgroup: name of the set of documents that the group compared.
        level: any number.
    """

    document: IntArray
    group: IdArray
    subgroup: IdArray
    level: FloatArray


class DocumentRows(Struct, frozen=True, eq=False):
    """One row per (topic, docno) pair, grouped by topic.

    Attributes:
        topics: topic ids in byte order.
        offsets: the rows of topic ``i`` are ``offsets[i]:offsets[i + 1]``.
        docnos: docno of each row; the rows of a topic are in input order.
    """

    topics: tuple[bytes, ...]
    offsets: IntArray
    docnos: IdArray

    @property
    def topic_numbers(self) -> IntArray:
        """The index in ``topics`` of the topic of each row."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    def rows_of_topics(self) -> Iterator[tuple[bytes, slice]]:
        """Each topic, with its rows."""
        bounds = self.offsets.tolist()
        return zip(self.topics, map(slice, bounds, bounds[1:]), strict=True)


class Qrels(DocumentRows, frozen=True, kw_only=True, eq=False):
    """Relevance judgements; no docno occurs twice in a topic.

    Attributes:
        rels: relevance level of each row. A negative level means "pooled but not judged". With judgements per
            subtopic, the highest level of the document for any subtopic.
        source: name of the input, for messages.
        notes: sentences about the input for readers of the results, such as one about a byte order mark.
        subtopics: the judgements per subtopic; None if no topic has two subtopics, or if subtopics were not
            requested.
        preferences: the preferences, if the input is a file of preferences; None otherwise. The rows are then
            the documents in this file, by docno.
        lines: position of each row in the input (see :class:`Run`); None if the positions are unknown, or
            equal to the order of the rows.
    """

    rels: IntArray
    source: str
    notes: tuple[str, ...] = ()
    subtopics: Subtopics | None = None
    preferences: Preferences | None = None
    lines: IntArray | None = None

    @property
    def detailed(self) -> bool:
        """Whether the judgements have more than one relevance level per document: subtopics or
        preferences."""
        return self.subtopics is not None or self.preferences is not None


class Run(DocumentRows, frozen=True, kw_only=True, eq=False):
    """A system's ranking.

    Attributes:
        scores: score of each row, in double precision. (trec_eval 9 rounds scores to float32 later.)
        ranks: the rank column; None if the input has no rank column or a rank is not an integer. trec_eval
            ignores ranks; several other tools order documents by rank.
        lines: position of each row in the input, counted from 0 over all topics.
        tag: run id (the sixth column of the last line, as in trec_eval).
        source: name of the input, for messages.
        notes: sentences about the input for readers of the results, such as one about a byte order mark.
        unique: whether no docno occurs twice in a topic. False only if a lenient reader accepted repeated
            docnos.
    """

    scores: FloatArray
    ranks: IntArray | None
    lines: IntArray
    tag: bytes
    source: str
    notes: tuple[str, ...] = ()
    unique: bool = True


class Measure(Struct, frozen=True):
    """One measure with its parameters; ``str(measure)`` is the canonical (ir_measures) spelling.

    Attributes:
        family: canonical family name, such as ``nDCG`` or ``P``.
        cutoff: rank cutoff, or None for the whole ranking.
        rel: lowest relevant level; None for the level of the conventions.
        params: further parameters as (name, value) pairs sorted by name, such as ``(("beta", 2.0),)``. In the
            spelling, ``recall`` (a recall point) and ``multiple`` (of R) are like a cutoff: ``IPrec@0.1``.
    """

    family: str
    cutoff: int | None = None
    rel: int | None = None
    params: tuple[tuple[str, ParamValue], ...] = ()

    def __str__(self) -> str:
        inside = [f"rel={self.rel}"] if self.rel is not None else []
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        for name, value in self.params:
            if name in ("recall", "multiple"):
                at = f"@{written(value)}"
            else:
                inside.append(f"{name}={written(value)}")
        return self.family + (f"({','.join(inside)})" if inside else "") + at


def written(value: ParamValue | int) -> str:
    """The text of a parameter as in ir_measures: ``0.5``, ``'exp-log2'``, ``True``, ``{1:3,2:9}``,
    ``[1,2]``."""
    if isinstance(value, bool | str):
        return repr(value)
    if isinstance(value, int | float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    entries = [e if isinstance(e, tuple) else (None, e) for e in value]
    texts = [written(number) if level is None else f"{level}:{written(number)}" for level, number in entries]
    return ("{%s}" if value and isinstance(value[0], tuple) else "[%s]") % ",".join(texts)


class MeasureValues(Struct, frozen=True):
    """The values of one measure on one run from one backend.

    Attributes:
        values: topic id -> value. A topic that is absent has no value, which is neither NaN nor 0.0.
        mean: the backend's own mean over topics, or None if it computes none.
        engine: the software that computed the values: package, version, and the package that it calls, if
            any.
        decimals: number of decimals of the values if they were printed; None for full precision.
        notes: sentences about these values for readers, such as "query ids were numbered".
        one_by_one: whether each value was computed from the data of this query alone and the mean from all
            data. A mean that differs from the mean of the values then shows that queries affect each other.
        name: name of the measure in the source of the values; None if the source has no name of its own.
        refusal: why some queries have no value, if the backend knows it.
    """

    values: dict[bytes, float]
    mean: float | None
    engine: str
    decimals: int | None = None
    notes: tuple[str, ...] = ()
    one_by_one: bool = False
    name: str | None = None
    refusal: str = ""


class Scores(Struct, frozen=True, eq=False):
    """Values of one measure over a list of topics, computed by crosscheck or by a backend.

    Attributes:
        values: one value per topic; NaN if ``present`` is False or the value is NaN.
        present: for each topic, whether it has a value.
        mean: the mean that the backend reported, None if it reported no mean; or, for values of crosscheck,
            the summary of the measure (see :data:`Aggregate`), None if no topic has a value.
        decimals: number of decimals of the values if they were printed; None for full precision.
        mean_of_rounded: under ``rounding``, the unrounded mean of the rounded values.
    """

    values: FloatArray
    present: BoolArray
    mean: float | None = None
    decimals: int | None = None
    mean_of_rounded: float | None = None


class Expectation(Struct, frozen=True, kw_only=True):
    """A known mismatch, declared in ``case.toml``.

    Attributes:
        candidate: backend id; measure: canonical name of the measure; run: name of the run file, None for all
            runs.
        causes: the labels that the diagnosis must have, in any order.
        reason: why this mismatch is accepted.
        outcome: ``mismatch``, or ``error`` for a backend that is known to fail on this case.
        strength: the strength that the diagnosis must have, None for any strength.
    """

    candidate: str
    measure: str
    causes: tuple[str, ...]
    reason: str
    run: str | None = None
    outcome: str = "mismatch"
    strength: str | None = None


class Printed(float):
    """A number as it was printed.

    Attributes:
        decimals: digits after the point, 0 for a whole number; None for full precision.
    """

    __slots__ = ("decimals",)

    decimals: int | None

    def __new__(cls, value: float, decimals: int | None = None) -> Self:
        number = super().__new__(cls, value)
        number.decimals = decimals
        return number


class Published(Struct, frozen=True, kw_only=True):
    """Published numbers for a case, which are means over topics.

    Attributes:
        values: name of a measure -> number. A float that is not a :class:`Printed` has full precision.
        decimals: number of decimals of all numbers; None if each :class:`Printed` number has its own.
        run: the run file to which the numbers belong, None for all runs of the case.
        source: the publication.
    """

    values: dict[str, float]
    decimals: int | None = None
    run: str | None = None
    source: str = ""


class Case(Struct, frozen=True, kw_only=True, eq=False):
    """A case: a folder with qrels and runs, whose files are not read yet.

    Attributes:
        name: name of the folder, unique in one call.
        qrels: path of the judgements; runs: paths of the runs, sorted by name.
        recorded: paths of saved values per query (``recorded*``), which are candidates.
        config: path of ``case.toml`` or None.
        topics: path of a table of queries, such as ``topics.csv``, or None.
        measures: canonical names of measures, empty for the default measures.
        reference: id of the reference on this case, None for the reference of the call.
        tolerance: absolute tolerance on this case, None for the tolerance of the call.
        strict: False to read qrels and runs as leniently as trec_eval, which accepts repeated documents and
            NaN scores.
        certain: file name of saved values -> conventions, as text, that the values certainly follow, because
            the tool that defines these conventions computed them.
        given: path in ``qrels`` or ``runs`` -> judgements or run, for data that is already in memory.
    """

    name: str
    qrels: str
    runs: tuple[str, ...]
    recorded: tuple[str, ...] = ()
    config: str | None = None
    description: str = ""
    measures: tuple[str, ...] = ()
    reference: str | None = None
    tolerance: float | None = None
    expectations: tuple[Expectation, ...] = ()
    published: tuple[Published, ...] = ()
    strict: bool = True
    topics: str | None = None
    certain: Mapping[str, str] = MappingProxyType({})
    given: Mapping[str, Any] = MappingProxyType({})
