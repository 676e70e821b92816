"""The records that travel through crosscheck: frozen, named in the field's words, without behaviour.

Topic ids and docnos are bytes everywhere, because trec_eval compares them as unsigned bytes. They
become text only where a backend or a report needs text.

Here and elsewhere a record is a frozen :class:`msgspec.Struct`, which takes a sixtieth of the time of a
dataclass to define; if it holds arrays, it is equal only to itself (``eq=False``). A NamedTuple is meant as a
tuple.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from crosscheck.errors import ResourceError

if int(np.__version__.partition(".")[0]) < 2:  # others fail later, and not by name
    raise ResourceError(f"numpy {np.__version__} is too old", hint="pip install --upgrade 'numpy>=2'")

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
#: One id per element: fixed-width bytes (dtype ``S``), or Python bytes objects (dtype ``O``) where one
#: very long id would make the fixed width wasteful. Both compare as unsigned bytes.
IdArray: TypeAlias = npt.NDArray[Any]

#: trec_eval's summary over topics: their mean, their sum, or, if the value of a topic is a logarithm, the
#: exponential of the mean.
Aggregate: TypeAlias = Literal["mean", "sum", "geometric"]

#: The kind of judgements: a relevance level per document, a level per document and subtopic (or group of
#: judges), or preferences between documents.
Needs: TypeAlias = Literal["levels", "subtopics", "preferences"]

#: A measure's parameter: a number, a word, a list of numbers, or (relevance level, gain) pairs.
ParamValue: TypeAlias = float | bool | str | tuple[float, ...] | tuple[tuple[int, float], ...]


def display(identifier: bytes) -> str:
    """A topic id or docno as text: UTF-8, with ``\\xNN`` for bytes that are not UTF-8."""
    return identifier.decode("utf-8", "backslashreplace")


class Subtopics(Struct, frozen=True, kw_only=True, eq=False):
    """Relevance judgements per subtopic of a topic, as the diversity tasks of TREC's Web tracks made them.

    Attributes:
        document: row of the judged document in its :class:`Qrels`, ascending.
        subtopic: number of the subtopic, ascending inside a document. Subtopics are numbered from 0 in the
            order in which the input first names them, over all topics.
        rels: relevance level of the document for the subtopic.
        names: name of each subtopic in the input.
    """

    document: IntArray
    subtopic: IntArray
    rels: IntArray
    names: tuple[bytes, ...]


class Preferences(Struct, frozen=True, kw_only=True, eq=False):
    """Levels by which judges prefer documents to each other: of two documents in one subgroup, the judges
    prefer the one with the higher level.

    Attributes:
        document: row of the document in its :class:`Qrels`, ascending; one entry per line of the input.
        group: name of the group of judges; subgroup: name of the set of documents that they compared.
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
        offsets: shape (topics + 1,); the rows of topic ``i`` are ``offsets[i]:offsets[i + 1]``.
        docnos: documents, in input order inside a topic.
    """

    topics: tuple[bytes, ...]
    offsets: IntArray
    docnos: IdArray

    @property
    def topic_numbers(self) -> IntArray:
        """The index in ``topics`` of the topic of each row."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))


class Qrels(DocumentRows, frozen=True, kw_only=True, eq=False):
    """Relevance judgements; no docno occurs twice in a topic.

    Attributes:
        rels: relevance level of each row; any negative level means "pooled but not judged". With judgements
            per subtopic, the highest level that the document has for any subtopic.
        source: name of the input, for messages.
        notes: facts about the input that readers of the results must know (a byte order mark, ...).
        subtopics: the judgements per subtopic, None if no topic has two subtopics, or if they were not
            requested.
        preferences: the lines of a file of preferences, None for other files; the rows of the table are then
            the documents that these lines mention, by docno.
        lines: position of each row in the input, as in :class:`Run`; None if that is unknown or the order of
            the rows.
    """

    rels: IntArray
    source: str
    notes: tuple[str, ...] = ()
    subtopics: Subtopics | None = None
    preferences: Preferences | None = None
    lines: IntArray | None = None

    @property
    def detailed(self) -> bool:
        """Whether the judgements hold more about a document than one relevance level."""
        return self.subtopics is not None or self.preferences is not None


class Run(DocumentRows, frozen=True, kw_only=True, eq=False):
    """A system's ranking.

    Attributes:
        scores: similarity, double precision as parsed (trec_eval 9 rounds it to float32 later).
        ranks: the rank column, or None if the input has none or it has non-integers. trec_eval ignores it;
            several other tools order by it.
        lines: position of each row in the input, counted from 0 over all topics.
        tag: run id (the sixth column of the last line, as in trec_eval).
        source: name of the input, for messages.
        notes: facts about the input that readers of the results must know (a byte order mark, ...).
        unique: whether no docno occurs twice in a topic; False only if a lenient reader accepted that.
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
        rel: minimum relevance level that counts as relevant, or None for the conventions' own.
        params: further parameters as (name, value) pairs sorted by name, such as ``(("beta", 2.0),)``.
            ``recall`` (a recall point) and ``multiple`` (of R) are written like a cutoff: ``IPrec@0.1``.
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
    """A parameter as ir_measures writes it: ``0.5``, ``'exp-log2'``, ``True``, ``{1:3,2:9}``; lists in []."""
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
        engine: the software that computed the numbers: package, version and the package it delegates to, if
            any.
        decimals: number of decimals the values were printed with, or None for full precision.
        notes: facts that readers must know about these numbers (ids mapped to integers, ...).
        one_by_one: whether each value was computed from that query's data alone and the mean from all data.
            If so, a mean that differs from the mean of the values shows that queries influence each other.
        name: name of the measure in the source of the numbers; None if the source has no spelling of its own.
    """

    values: dict[bytes, float]
    mean: float | None
    engine: str
    decimals: int | None = None
    notes: tuple[str, ...] = ()
    one_by_one: bool = False
    name: str | None = None


class Scores(Struct, frozen=True, eq=False):
    """Values of one measure over a list of topics, recomputed or given by a backend.

    Attributes:
        values: one per topic; NaN if ``present`` is False or the value is NaN.
        present: whether the topic has a value at all.
        mean: the backend's own mean, None if it computes none; or trec_eval's summary (a sum for counts, the
            exponential of the mean for the logarithms of ``gm_map``), None if no topic has a value.
        decimals: number of decimals the values were printed with, None for full precision.
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
        candidate: backend id; measure: canonical measure name; run: run file name or None for every run.
        causes: the labels that must be found, in any order.
        reason: the reason why this mismatch is accepted.
        outcome: ``mismatch``, or ``error`` for a backend that is known to fail on this case.
        strength: the strength of evidence that must be found, or None for any.
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

    def __new__(cls, value: float, decimals: int | None = None) -> Printed:
        number = super().__new__(cls, value)
        number.decimals = decimals
        return number


class Published(Struct, frozen=True, kw_only=True):
    """Published numbers for this case: means over topics.

    Attributes:
        values: measure name, in any spelling -> printed number; a float that is not a :class:`Printed` has
            full precision.
        decimals: digits after the point of all numbers, or None if each :class:`Printed` number has its own.
        run: the run file to which the numbers belong, or None for every run of the case.
        source: the publication.
    """

    values: dict[str, float]
    decimals: int | None = None
    run: str | None = None
    source: str = ""


class Case(Struct, frozen=True, kw_only=True, eq=False):
    """One folder with qrels and runs, not yet read.

    Attributes:
        name: folder name, unique in one call.
        qrels: path of the judgements; runs: paths of the runs, sorted by name.
        recorded: paths of saved per-query values (``recorded*``), compared like any candidate.
        config: path of ``case.toml`` or None.
        topics: path of a table of queries (``topics.csv`` and the like) or None.
        measures: canonical names to compute, empty for the default measures.
        reference: backend to compare against on this case, or None for the call's own.
        tolerance: absolute tolerance on this case, or None for the call's own.
        strict: False to read qrels and runs as leniently as trec_eval does, which accepts documents that
            occur twice and NaN scores.
        certain: file name of saved values -> the conventions that they certainly follow, as text, because the
            tool that defines these conventions computed them.
        given: judgements and runs that are already in memory, by their entries in ``qrels`` and ``runs``.
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
