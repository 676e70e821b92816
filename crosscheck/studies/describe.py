"""Print the sentence that describes a measure in a paper.

SPEC is a profile, AXIS=VALUE,... or both, as `crosscheck profiles` takes them.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from crosscheck.axes.base import Stage
from crosscheck.conventions import profiles
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.engine.runs import evaluated
from crosscheck.errors import UsageError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.sentence import sentence
from crosscheck.harness.document import made_by
from crosscheck.measures import needs_of
from crosscheck.names import conventions_for, is_measure
from crosscheck.rankings.pairing import notes_of
from crosscheck.report.page import Bullets, Id, Page
from crosscheck.studies.base import StudyDocument, parsed_measures, study, study_page
from crosscheck.studies.options import MEASURES, argument, option


class DescribeDocument(StudyDocument, frozen=True, kw_only=True):
    """The result of ``crosscheck describe``, as written to JSON.

    Attributes:
        conventions: the conventions as the user gave them.
        sentences: one sentence for each measure.
        qrels, run: the files whose queries were counted; null if no queries were counted.
    """

    _rows: ClassVar[str] = "sentences"

    study: Literal["describe"] = "describe"
    conventions: str
    sentences: list[str]
    summary: str
    qrels: str | None = None
    run: str | None = None


def describe(
    conventions: str = "trec_eval-9.0.8",
    measures: Sequence[str] = (),
    *,
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
) -> DescribeDocument:
    """One sentence per measure for a paper: the tool, the conventions in words, and the number of queries.

    Args:
        conventions: a profile, axis settings or both.
        measures: their names; empty for the default measures.
        qrels, run: as for :func:`crosscheck.evaluate`, to count the queries.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown measure, profile, axis or value, a profile of a tool without the measure, or
            only one of qrels and run.
    """
    if (qrels is None) is not (run is None):
        problem = "counting queries needs a run and its qrels, but only one of them was given"
        raise UsageError(problem, hint="give both, or neither")
    if conventions not in profiles() and is_measure(conventions):
        problem = f"{quoted(conventions)} is a measure, and neither a profile nor settings"
        raise UsageError(problem, hint=f"call crosscheck describe -m {conventions}")
    wanted = parsed_measures(measures)
    rankings = None
    if qrels is not None and run is not None:
        rankings = Rankings(as_run(run), as_qrels(qrels, needs=needs_of(wanted)))
        notes_of(rankings.pairing)
    texts: list[str] = []
    for measure in wanted:
        spec = conventions_for(conventions, measure)
        if spec.unknown:  # which queries have a value does not depend on the others
            spec = spec.of(Stage.READ, Stage.SUMMARISE)
        present = None if rankings is None else evaluated(rankings, measure, spec).present
        texts.append(sentence(measure, conventions, None if present is None else int(present.sum())))
    return DescribeDocument(
        **made_by(),
        conventions=conventions,
        sentences=texts,
        summary=texts[0] if len(texts) == 1 else f"{len(texts)} measures, a sentence each.",
        qrels=None if rankings is None else rankings.pairing.qrels.source,
        run=None if rankings is None else rankings.pairing.run.source,
    )


def _page(document: DescribeDocument) -> Page:
    """The page: a single sentence is its headline; several sentences are a list."""
    several = document.sentences if len(document.sentences) > 1 else []
    title = ("Measures under ", Id(document.conventions))
    return study_page(document, title, Bullets("", several, limit=100))


STUDY = study(
    DescribeDocument,
    describe,
    _page,
    argument("conventions", "[SPEC]", default="trec_eval-9.0.8"),
    MEASURES,
    option("--qrels", "With --run: count the queries that the mean is over.", "FILE"),
    option("--run", "See --qrels.", "FILE"),
)
