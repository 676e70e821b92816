"""Compare two assessors: Cohen's kappa, overlap and confusion, over all topics and per topic."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import Struct

from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.errors import UsageError, count, quoted
from crosscheck.formats.dicts import run_from_dict
from crosscheck.harness.document import made_by
from crosscheck.model import Qrels, display
from crosscheck.rankings.pairing import Pairing, notes_of
from crosscheck.report.page import Page, Paragraph, Section, Table
from crosscheck.report.tables import Field, columns, table
from crosscheck.report.words import file
from crosscheck.statistics.agreement import Kappa, confusion, kappa_of
from crosscheck.studies.base import StudyDocument, by_document, study, study_page
from crosscheck.studies.options import InputFile, argument, option


class TopicAgreement(Struct, frozen=True):
    """The agreement of two assessors on one topic, or on all topics together.

    Attributes:
        topic: id of the topic; empty for all topics together.
        documents: number of documents that both assessors judged.
        only_first, only_second: number of documents that only this assessor judged. They are not included in
            any other number.
        overlap: number of documents relevant to both assessors, divided by the number of documents relevant
            to at least one of them; None if no document is relevant.
        unweighted, linear, quadratic: the three kappas over the documents judged by both.
    """

    topic: str
    documents: int
    only_first: int
    only_second: int
    overlap: float | None
    unweighted: Kappa
    linear: Kappa
    quadratic: Kappa


class AgreementDocument(StudyDocument, frozen=True, kw_only=True):
    """The result of ``crosscheck agreement``, as written to JSON: the judgements of two assessors, compared.

    Attributes:
        first, second: the sources of the two qrels.
        relevance_level: lowest level that is relevant, for the overlap.
        levels: all relevance levels that either assessor uses, ascending.
        confusion: number of documents per pair of levels: a row per level of the first assessor, a column per
            level of the second, in the order of ``levels``.
        total: the agreement on all topics together.
        topics: the agreement on each topic that an assessor judged, in byte order.
        topics_first, topics_second: topics that only this assessor judged, in byte order.
        notes: sentences about omissions and undefined values.
    """

    _rows: ClassVar[str] = "topics"

    study: Literal["agreement"] = "agreement"
    first: str
    second: str
    relevance_level: int
    levels: list[int]
    confusion: list[list[int]]
    total: TopicAgreement
    topics: list[TopicAgreement]
    topics_first: list[str]
    topics_second: list[str]
    notes: list[str]
    summary: str

    def __post_init__(self) -> None:
        if {len(self.confusion), *map(len, self.confusion)} - {len(self.levels)}:
            raise ValueError("`confusion` has not one row and one column for each of the `levels`")


def agreement(first: QrelsLike, second: QrelsLike, *, relevance_level: int = 1) -> AgreementDocument:
    """Compare two assessors on the documents that both judged.

    A negative level means "pooled but not judged" and is not a judgement. Documents and topics judged by only
    one assessor are reported, but are not part of any kappa. The weighted kappas use one scale for all
    topics: all levels that occur in the two qrels. The overlap is that of Voorhees, Inf. Process. Manag.
    36(5), 2000.

    Args:
        first, second: the qrels of the two assessors, as for :func:`crosscheck.evaluate`.
        relevance_level: lowest level that is relevant, for the overlap.

    Raises:
        InputError: an input cannot be used.
        UsageError: first and second are the same file.
    """
    if isinstance(first, str) and first == second:
        problem = f"both judgements are {quoted(first)}"
        raise UsageError(problem, hint="name the qrels of two assessors, one file each")
    qrels = as_qrels(first), as_qrels(second)
    one, two = map(_judgements, qrels)
    # Over all topics, a document is known by its topic and its docno.
    first_all, second_all = ({(t, d): of[d] for t, of in side.items() for d in of} for side in (one, two))
    levels = sorted({*first_all.values(), *second_all.values()})
    total = _compared(b"", first_all, second_all, levels, relevance_level)
    judged = sorted(one.keys() | two.keys())
    topics = [_compared(t, one.get(t, {}), two.get(t, {}), levels, relevance_level) for t in judged]
    alone = [[display(t) for t in sorted(a.keys() - b.keys())] for a, b in ((one, two), (two, one))]
    documents = total.only_first, total.only_second
    spelling = notes_of(Pairing.of(run_from_dict(two, qrels[1].source), qrels[0])) if two else []
    sources = [note for side in zip(qrels, documents, alone, strict=True) for note in _of_source(*side)]
    counts = [list(row) for row in confusion(*_paired(first_all, second_all), levels)]
    return AgreementDocument(
        **made_by(),
        first=qrels[0].source,
        second=qrels[1].source,
        relevance_level=relevance_level,
        levels=levels,
        confusion=counts,
        total=total,
        topics=topics,
        topics_first=alone[0],
        topics_second=alone[1],
        notes=[*spelling, *sources, *_of_values(total, topics, one == two)],
        summary=_summary(total, sum(row[place] for place, row in enumerate(counts))),
    )


Judged: TypeAlias = Mapping[Any, int]


def _judgements(qrels: Qrels) -> dict[bytes, dict[bytes, int]]:
    """Topic -> docno -> level, for all judged documents."""
    levels = by_document(qrels, qrels.rels)
    judged = {t: {docno: level for docno, level in levels(t).items() if level >= 0} for t in qrels.topics}
    return {topic: of for topic, of in judged.items() if of}


def _paired(one: Judged, two: Judged) -> tuple[list[int], list[int]]:
    """The levels of the documents that both judged."""
    both = [docno for docno in one if docno in two]
    return [one[docno] for docno in both], [two[docno] for docno in both]


def _compared(topic: bytes, one: Judged, two: Judged, levels: Sequence[int], least: int) -> TopicAgreement:
    """The agreement on a topic; ``least``: the lowest relevant level."""
    first, second = _paired(one, two)
    counts = confusion(first, second, levels)
    relevant = [(x >= least, y >= least) for x, y in zip(first, second, strict=True)]
    either = sum(x or y for x, y in relevant)
    overlap = sum(x and y for x, y in relevant) / either if either else None
    kappas = [kappa_of(counts, weights) for weights in ("none", "linear", "quadratic")]
    both = len(first)
    return TopicAgreement(display(topic), both, len(one) - both, len(two) - both, overlap, *kappas)


def _of_source(qrels: Qrels, documents: int, topics: Sequence[str]) -> Iterator[str]:
    """Notes on one assessor. ``documents``: the number of documents, and ``topics``: the topics, that only
    this assessor judged."""
    name = quoted(qrels.source)
    if not (qrels.rels >= 0).any():
        yield f"{name} holds no judgements: kappa needs two assessors."
    if unjudged := int((qrels.rels < 0).sum()):
        yield f"{name} holds negative levels ({unjudged}): they count as not judged."
    if documents:
        whole = f", among them {count(len(topics), 'whole topic')}" if topics else ""
        yield f"Only {name} judges {count(documents, 'document')}{whole}: left out."


def _of_values(total: TopicAgreement, topics: Sequence[TopicAgreement], same: bool) -> Iterator[str]:
    """Notes on undefined values, and on judgements that are the same on both sides."""
    if same and total.documents:
        yield "Both sides hold the same judgements: is this one assessor twice?"
    if total.unweighted.note is not None:
        yield total.unweighted.note
    judged = [topic for topic in topics if topic.documents]
    of = count(len(judged), "topic")
    if undefined := sum(topic.unweighted.value is None for topic in judged):
        yield f"Kappa is undefined where both used a single level: {undefined} of {of}."


def _summary(total: TopicAgreement, same: int) -> str:
    """The agreement in one paragraph; ``same``: number of documents with the same level on both sides."""
    if not total.documents:
        return "Nothing was compared: no document was judged by both assessors."
    kappa = total.unweighted
    documents = count(total.documents, "document")
    text = f"Both assessors judged {documents}, and gave {same:,} of them the same level."
    if kappa.value is None:
        text += f" Cohen's kappa is undefined: {kappa.note}"
    else:
        text += f" Cohen's kappa is {kappa.value:.4f}: {kappa.reading}. Weighted for near misses it is"
        text += f" {total.linear.value:.4f} (linear) and {total.quadratic.value:.4f} (quadratic)."
    if total.overlap is None:
        text += " Neither calls a document relevant, so there is no overlap."
    else:
        share = f"{100 * total.overlap:.1f}%"
        text += f" Of the documents that either calls relevant, both do for {share} (overlap)."
    if alone := total.only_first + total.only_second:
        text += f" {count(alone, 'document')} judged by one alone {'is' if alone == 1 else 'are'} left out."
    return text


_READING = (
    "Kappa is 1 where two assessors always agree, 0 where they agree as often as chance would, and negative"
    " where less often. Landis and Koch (1977) call it slight up to 0.2, fair to 0.4, moderate to 0.6,"
    " substantial to 0.8 and almost perfect above; the limits are arbitrary, as they say themselves."
)
_KAPPA: tuple[Field, ...] = (
    ("kappa", lambda k: "unweighted" if k.weights == "none" else k.weights),
    *("#value", "#observed", "#by chance=expected"),
    ("reading", lambda k: k.reading or k.note or ""),
)
_TOPIC = (
    *("@topic", "#both=documents", "#1st only=only_first", "#2nd only=only_second"),
    *("#kappa=unweighted.value", "#linear=linear.value", "#quadratic=quadratic.value", "#overlap"),
)


def _page(document: AgreementDocument) -> Page:
    """Kappas over all topics, the confusion matrix, then every topic."""
    total, levels = document.total, [str(level) for level in document.levels]
    about = "Documents per level of the first (rows) and of the second assessor (columns)"
    rows = zip(levels, document.confusion, strict=True)
    counts = [[level, *(f"{cell:,}" for cell in row)] for level, row in rows]
    matrix = Table(about, columns("level", *(f"#{level}" for level in levels)), counts, limit=100)
    kappas = table("", (total.unweighted, total.linear, total.quadratic), *_KAPPA)
    judged = [t for t in document.topics if t.documents]
    dashes = {
        "No kappa: no document judged by both": len(document.topics) - len(judged),
        "No overlap: neither assessor calls a document relevant": sum(t.overlap is None for t in judged),
    }
    return study_page(
        document,
        ("Agreement of ", file(document.first), " and ", file(document.second)),
        Section("All topics", [kappas, Paragraph(_READING)]),
        Section("Levels", [matrix]),
        Section("Topics", [table("", document.topics, *_TOPIC, limit=60, noun="topic")]),
        notes=[f"{meaning} ({count(number, 'topic')})." for meaning, number in dashes.items() if number],
    )


STUDY = study(
    AgreementDocument,
    agreement,
    _page,
    argument("first", "QRELS_A", type=InputFile("qrels")),
    argument("second", "QRELS_B", type=InputFile("qrels")),
    option("-l --level relevance_level", "Lowest relevant level.", int, 1),
    code=lambda document: 0 if document.total.documents else 3,
)
