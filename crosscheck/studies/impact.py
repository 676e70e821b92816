"""Does measuring by --candidate change any conclusion about the systems?

Whether their ranking changes, whether a significant difference appears or vanishes, how far the
means move, and which queries cause it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Literal

from crosscheck.backends.base import Options
from crosscheck.engine.conversion import QrelsLike
from crosscheck.errors import UsageError, joined, safe_text
from crosscheck.evaluation.sentence import sentences
from crosscheck.harness.document import made_by
from crosscheck.harness.systems import measure_systems
from crosscheck.measures import family
from crosscheck.rankings.pairing import JudgedPool, Pairing, check_judged
from crosscheck.report.page import Block, Bullets, Id, Page, Paragraph, Section, Status
from crosscheck.report.run_page import impact_charts
from crosscheck.report.tables import EXACT, NONE, Field, p_value, table, values
from crosscheck.report.words import file, listed
from crosscheck.results import Impact, SystemMove, TestName
from crosscheck.shown import tell
from crosscheck.statistics.impact import impact as impact_on
from crosscheck.studies.base import OnQrels, RunsLike, judged_by, named_runs, study, study_page
from crosscheck.studies.options import MEASURES, QRELS, option, run_files, significance


class ImpactDocument(OnQrels, frozen=True, kw_only=True):
    """The result of ``crosscheck impact``, as written to JSON, with an entry in ``impacts`` per measure."""

    _rows: ClassVar[str] = "impacts"

    study: Literal["impact"] = "impact"
    runs: list[str]
    reference: str
    candidate: str
    reference_engine: str
    candidate_engine: str
    impacts: list[Impact]


def impact(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    reference: str = "native",
    candidate: str,
    measures: Sequence[str] = (),
    test: TestName = "t",
    alpha: float = 0.05,
    options: Options | None = None,
    progress: Callable[[str], None] = tell,
) -> ImpactDocument:
    """Find the conclusions that change if ``candidate`` is used instead of ``reference``.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: two or more, by name or as paths.
        reference, candidate: backend ids; ``native:AXIS=VALUE`` computes under any convention.
        measures: names in either spelling; empty for the default measures.
        test: paired test that decides significance, with Holm's correction over all pairs of runs.
        alpha: level of significance.
        options: settings that some backends need.

    Returns:
        The document, with one :class:`~crosscheck.results.Impact` per measure that both backends have.
        Measures whose conclusions change come first. Notes name the measures that a backend does not have.

    Raises:
        InputError: an input cannot be used, or a run has results for no judged query.
        UsageError: fewer than two runs, one backend twice, or an unknown or unavailable backend, measure,
            test or level.
    """
    if reference == candidate:
        hint = "name two conventions or backends, such as native and native:gain=exponential"
        raise UsageError(f"reference and candidate are both {reference}", hint=hint)
    judgements, wanted = judged_by(qrels, measures)
    systems = named_runs(runs, at_least=2, what="a ranking of systems")
    pool = JudgedPool(judgements)
    check_judged(Pairing.of(run, pool) for run in systems.values())
    measured = partial(measure_systems, options=options, progress=progress)
    first, second = (measured(id, judgements, systems, wanted) for id in (reference, candidate))
    changed = partial(impact_on, names=(reference, candidate), test=test, alpha=alpha)
    impacts = [
        changed(first.values[m], second.values[m], measure=str(m), aggregate=family(m.family).aggregate)
        for m in wanted
        if m in first.values and m in second.values
    ]
    ordered = sorted(impacts, key=lambda impact: (not impact.affected, not impact.changed))
    return ImpactDocument(
        **made_by(),
        qrels=judgements.source,
        runs=list(systems),
        reference=reference,
        candidate=candidate,
        reference_engine=first.engine,
        candidate_engine=second.engine,
        impacts=ordered,
        summary=_summary(ordered),
        notes=[*first.inputs, *first.notes, *second.notes],
        sentences=sentences(first.counted(), reference, first.engine),
    )


def _summary(impacts: Sequence[Impact]) -> str:
    if not impacts:
        return "Nothing was compared: no measure has values on both sides."
    if len(impacts) == 1:
        return impacts[0].summary
    moved = [i.measure for i in impacts if i.changed and i.affected is False]
    said = {
        "conclusions change on {}": [i.measure for i in impacts if i.affected],
        "no conclusion changes on {}, though values do": moved,
        "nothing changes on {}": [i.measure for i in impacts if not i.changed],
        "it cannot be decided on {}": [i.measure for i in impacts if i.changed and i.affected is None],
    }
    text = "; ".join(text.format(joined(measures)) for text, measures in said.items() if measures)
    measured = f"{safe_text(impacts[0].candidate)} instead of {safe_text(impacts[0].reference)}"
    return f"Measured by {measured}, {text}."


def _page(document: ImpactDocument) -> Page:
    """A section per measure, with a paragraph, pictures and tables, in the order of the document."""
    alone = len(document.impacts) == 1
    sections: list[Block] = []
    for place, impact in enumerate(document.impacts, 1):
        blocks: list[Block] = [Paragraph("" if alone else impact.summary), *impact_charts(impact, str(place))]
        sections.append(Section(Id(impact.measure), [*blocks, *_tables(impact)]))
    tools = (Id(document.candidate), " instead of ", Id(document.reference))
    title = (*tools, f": {len(document.runs)} runs on ", file(document.qrels))
    known = [impact.affected for impact in document.impacts if impact.affected is not None]
    status = (Status.DIFFERS if any(known) else Status.AGREE) if known else None
    return study_page(document, title, *sections, status=status)


_VALUES: Field = values(lambda move: (move.reference_value, move.candidate_value, EXACT))
_QUERIES: Field = ("queries", lambda pair: listed(pair.queries, 20))
_SWAP: list[Field] = ["@was better=better", "@was worse=worse", "+lead", ("+now", lambda swap: -swap.trail)]
_TEST: list[Field] = [
    *("@a", "@b", "+b - a before=reference_difference", ("#p", lambda change: p_value(change.reference_p))),
    *("+now=candidate_difference", ("#p", lambda change: p_value(change.candidate_p))),
]


def _tables(impact: Impact) -> list[Block]:
    """The tables of one measure, if a value changes, and the notes."""
    runs: list[Field] = ["@run", ("#rank", _ranks), _VALUES, ("#values changed", _changed)]
    moves: list[Field] = ["@query", "#all runs=total", "@run that moves most=run", _VALUES]
    moved = f"The {len(impact.queries):,} queries that move most, of {impact.moved:,}"
    moved = moved if len(impact.queries) < impact.moved else "The queries that move most"
    swapped = "Pairs that change order, and the queries that move them most"
    appeared = "Differences whose significance changes"
    tables: list[Block] = [
        table("Systems, best first by the reference", impact.systems, *runs, limit=50, noun="run"),
        table(swapped, impact.swaps, *_SWAP, "change", _QUERIES, noun="pair"),
        table(appeared, impact.significance, *_TEST, "change", _QUERIES, noun="pair"),
        table(moved, impact.queries, *moves, limit=10, noun="query"),
    ]
    return [*(tables if impact.changed else []), Bullets("Notes", impact.notes)]


def _changed(system: SystemMove) -> str:
    return f"{system.changed:,} of {max(system.reference_queries, system.candidate_queries):,}"


def _ranks(system: SystemMove) -> str:
    before, after = system.reference_rank, system.candidate_rank
    if before is None or after is None:
        return NONE
    return str(before) if before == after else f"{before} → {after}"


STUDY = study(
    ImpactDocument,
    impact,
    _page,
    *(QRELS, run_files("RUN RUN...")),
    option("--reference", "Backend or conventions.", "ID", "native"),
    option("--candidate", "The alternative, such as native:gain=exponential.", "ID", required=True),
    MEASURES,
    *significance(),
    code=lambda document: 0 if document.impacts else 3,
)
