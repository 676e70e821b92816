"""Compare systems, query by query, with paired tests.

Sign test, Wilcoxon signed-rank test, paired t-test and randomisation test, effect sizes and
confidence intervals, with Holm's correction over all pairs of runs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Annotated, Literal

from msgspec import Meta, Struct

from crosscheck.backends.base import Options
from crosscheck.engine.conversion import QrelsLike
from crosscheck.errors import count, joined, no_such, quoted
from crosscheck.evaluation.sentence import sentences
from crosscheck.evaluation.summarise import mean_of
from crosscheck.harness.document import made_by
from crosscheck.harness.systems import measure_systems
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.report.page import Block, Bullets, Chart, Figure, Id, Mark, Page, Paragraph, Section
from crosscheck.report.tables import NONE, Field, grouped, p_value, short, table
from crosscheck.report.words import file
from crosscheck.results import Number, TestName, check_listed, finite, optional
from crosscheck.shown import tell
from crosscheck.statistics.impact import TEST_NAMES, check_significance
from crosscheck.statistics.paired import Pair, compare_all
from crosscheck.studies.base import OnQrels, RunsLike, geometric, judged_by, named_runs, study, study_page
from crosscheck.studies.options import MEASURES, QRELS, option, run_files, significance


class SystemScore(Struct, frozen=True):
    """The mean of one system over its queries (``queries``: their number), and the systems that are
    significantly worse."""

    run: str
    mean: Number | None
    queries: int
    better_than: list[str]


class MeasureComparison(Struct, frozen=True):
    """The comparison of all systems in one measure. ``notes``: omissions, and the reasons for null values."""

    measure: str
    systems: list[SystemScore]
    pairs: Annotated[list[Pair], Meta(min_length=1)]
    notes: list[str]


class CompareDocument(OnQrels, frozen=True, kw_only=True):
    """The result of ``crosscheck compare``, as written to JSON.

    Attributes:
        backend, engine: the backend and the software that computed the values.
        baseline: the run with which all other runs are compared; null if every pair is compared.
        test, correction, alpha: the test, correction and level that decide ``significant``.
        confidence: level of the confidence intervals.
        summary: the findings in one paragraph.
    """

    study: Literal["compare"] = "compare"
    backend: str
    engine: str
    runs: list[str]
    baseline: str | None
    test: TestName
    alpha: float
    confidence: float
    measures: list[MeasureComparison]
    correction: str = "Holm"

    def __post_init__(self) -> None:
        for measure in self.measures:
            paired = (name for pair in measure.pairs for name in (pair.a, pair.b))
            worse = (name for system in measure.systems for name in system.better_than)
            check_listed(chain(paired, worse), self.runs, "runs")


def compare(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    measures: Sequence[str] = (),
    backend: str = "native",
    baseline: str | None = None,
    test: TestName = "t",
    alpha: float = 0.05,
    confidence: float = 0.95,
    options: Options | None = None,
    progress: Callable[[str], None] = tell,
) -> CompareDocument:
    """Paired tests between all runs, or between a baseline and the others, per measure.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: two or more, by name or as paths (named after their files).
        measures: names in either spelling; empty for the default measures.
        backend: id of the backend that computes the values.
        baseline: name of the run that the others are compared with; None compares every pair.
        test: the test that decides significance; the results of all four tests are in the document.
        alpha: level of significance, after Holm's correction over the pairs of one measure.
        confidence: confidence level of the intervals around the mean differences, such as 0.95.

    Returns:
        The document. A pair without a test (fewer than two common queries, equal values) has no p-value and a
            note with the reason.

    Raises:
        InputError: an input cannot be used, or a run has results for no judged query.
        UsageError: fewer than two runs, an unknown name, level or backend, or scipy is not installed.
    """
    check_significance(test, alpha)
    judged, wanted = judged_by(qrels, measures)
    systems = named_runs(runs, at_least=2, what="a comparison of systems")
    if baseline is not None and baseline not in systems:
        raise no_such("run", baseline, systems)
    measured = measure_systems(backend, judged, systems, wanted, options=options, progress=progress)
    compared = []
    for measure, values in measured.values.items():
        progress(f"tests: {measure}")
        if len(values) > 1 and baseline in (None, *values):
            valued = {name: of.values for name, of in values.items()}
            pairs = compare_all(valued, baseline=baseline, confidence=confidence, test=test, alpha=alpha)
            compared.append(_measure(measure, values, list(pairs)))
    return CompareDocument(
        **made_by(),
        qrels=judged.source,
        backend=backend,
        engine=measured.engine,
        runs=list(systems),
        baseline=baseline,
        test=test,
        alpha=alpha,
        confidence=confidence,
        measures=compared,
        notes=[*measured.inputs, *measured.notes],
        summary=_summary(compared, test, alpha),
        sentences=sentences(measured.counted(), backend, measured.engine),
    )


def _measure(measure: Measure, values: Mapping[str, MeasureValues], pairs: list[Pair]) -> MeasureComparison:
    better = [_ordered(pair) for pair in pairs if pair.significant]
    aggregate = family(measure.family).aggregate
    scores = []
    for name, of in values.items():
        worse = [loser for winner, loser in better if winner == name]
        scores.append(SystemScore(name, optional(mean_of(of, aggregate)), len(of.values), worse))
    return MeasureComparison(str(measure), scores, pairs, _common_notes(pairs))


def _ordered(pair: Pair) -> tuple[str, str]:
    """The better and the worse system."""
    return (pair.b, pair.a) if (pair.difference or 0.0) > 0 else (pair.a, pair.b)


def _common_notes(pairs: Sequence[Pair]) -> list[str]:
    """The notes of all pairs; if there are several pairs, each note begins with the pairs that have it."""
    if len(pairs) == 1:
        return pairs[0].notes
    having = grouped(((note, pair) for pair in pairs for note in pair.notes), itemgetter(0))
    notes = []
    for note, of in having.items():
        who = [f"{quoted(pair.a)} and {quoted(pair.b)}" for _, pair in of]
        more = [f"{len(who) - 3:,} more pairs"] if len(who) > 3 else []
        notes.append(f"{'; '.join([*who[:3], *more])}: {note}")
    return notes


def _summary(measures: Sequence[MeasureComparison], test: TestName, alpha: float) -> str:
    if not measures:
        return "Nothing was compared: no measure has values of two runs."
    significant = [(_ordered(pair), _on(m, pair)) for m in measures for pair in m.pairs if pair.significant]
    better = grouped(significant, itemgetter(0))
    decided = {m.measure: {pair.significant for pair in m.pairs} for m in measures}
    none = [measure for measure, known in decided.items() if False in known and True not in known]
    untested = [measure for measure, known in decided.items() if known == {None}]
    parts = [
        f"{quoted(one)} is significantly better than {quoted(other)} on {joined([m for _, m in of])}"
        for (one, other), of in list(better.items())[:2]
    ]
    parts += [count(len(better) - 2, "more such pair")] * (len(better) > 2)
    parts += [f"no difference is significant on {joined(none)}"] if none else []
    parts += [f"no pair could be tested on {joined(untested)}"] if untested else []
    tests = (t for m in measures if m.measure in untested for pair in m.pairs for t in pair.tests)
    why = dict.fromkeys(t.note for t in tests if t.name == test and t.note)
    text, pairs = joined(parts), count(len(measures[0].pairs), "pair")
    how = f"By the {TEST_NAMES[test]}, Holm's correction over {pairs} of runs, level {alpha:g}."
    return " ".join((f"{text[0].upper()}{text[1:]}.", how, *[*why][:2]))


def _on(measure: MeasureComparison, pair: Pair) -> str:
    """The measure, and the queries of the pair if they are not all that one of the two runs has."""
    most = max(one.queries for one in measure.systems if one.run in (pair.a, pair.b))
    few = f" over the {pair.queries:,} of {count(most, 'query')} that both have" * (pair.queries < most)
    return measure.measure + few


#: The largest number of measures side by side in a table of 80 columns.
_ABREAST = 3
_TESTS = {
    "sign": ("sign", "Queries without a difference are dropped."),
    "wilcoxon": ("Wilcoxon", "Queries without a difference are dropped, equal sizes share their mean rank."),
    "t": ("t", "All queries count."),
    "randomisation": ("random.", "All queries count; those without a difference change nothing."),
}


def _page(document: CompareDocument) -> Page:
    """The means of all runs, the pairs and tests of each measure, then explanations."""
    letters = {run: letter(place) for place, run in enumerate(document.runs)}
    named: list[Field] = [("@", letters.__getitem__), ("@run", str)]
    fields = [_mean(measure, letters) for measure in document.measures]
    letters_say = "Letters after a mean: runs that this one is significantly better than."
    means: list[Block] = [Paragraph(letters_say if fields else "")]
    for start in range(0, len(fields), _ABREAST):
        some = fields[start : start + _ABREAST]
        means.append(table("", document.runs, *named, *some, limit=100, noun="run"))
    means += [_means(document, measure, place) for place, measure in enumerate(document.measures, 1)]
    return study_page(
        document,
        (f"{len(document.runs)} runs on ", file(document.qrels), ", measured by ", Id(document.backend)),
        Section("Means", means),
        *(Section(Id(measure.measure), _pairs(document, measure, letters)) for measure in document.measures),
        Section("How to read it", [Bullets("", _explanations(document))]),
    )


def letter(place: int) -> str:
    """The short name in tables of the run with this index: a, b, ..., z, aa, ab, ..."""
    first, last = divmod(place, 26)
    return (letter(first - 1) if first else "") + chr(ord("a") + last)


def _mean(measure: MeasureComparison, letters: dict[str, str]) -> Field:
    scores = {score.run: score for score in measure.systems}

    def shown(run: str) -> str:
        if run not in scores:
            return "no value"
        better = "".join(sorted(letters[other] for other in scores[run].better_than))
        return f"{short(scores[run].mean)} {better}".rstrip()

    return f"@{measure.measure}", shown


def _pairs(document: CompareDocument, measure: MeasureComparison, letters: dict[str, str]) -> list[Block]:
    queries = {pair.queries for pair in measure.pairs}
    on = f"{queries.pop():,} queries" if len(queries) == 1 else f"{min(queries)} to {max(queries)} queries"
    fields: list[Field] = [
        ("pair", lambda pair: f"{letters[pair.b]} - {letters[pair.a]}"),
        "+difference",
        (f"#{100 * document.confidence:g}% interval", lambda pair: _signed(3, *(pair.interval or ()))),
        ("#d", lambda pair: _signed(2, *([] if pair.effect_size is None else [pair.effect_size]))),
        *(_test(name, document.test) for name in _TESTS),
    ]
    title = f"Differences and corrected p-values on {on}; * is significant"
    return [table(title, measure.pairs, *fields, limit=30, noun="pair"), Bullets("Notes", measure.notes)]


def _means(document: CompareDocument, measure: MeasureComparison, place: int) -> Chart:
    """The means, the highest first, with the interval of their difference to the baseline or the best run."""
    means = {one.run: mean for one in measure.systems if (mean := finite(one.mean)) is not None}
    ordered = sorted(means, key=lambda run: -means[run])
    base = document.baseline if document.baseline in means else next(iter(ordered), "")
    marks: list[Mark] = []
    for run in ordered if len(means) > 1 else ():
        low = high = None
        for pair in measure.pairs:
            if {pair.a, pair.b} == {base, run} and pair.interval and pair.difference is not None:
                sign = 1 if pair.b == run else -1
                # The mean difference does not apply to a geometric mean, or to a mean over different queries.
                if math.isclose(means[run] - means[base], sign * pair.difference, abs_tol=1e-9):
                    low, high = sorted(means[base] + sign * end for end in pair.interval)
        marks.append(Mark(Id(run), means[base], means[run], "", low, high))
    interval = f"{100 * document.confidence:g}% interval of the difference to {base}"
    caption = f"Whiskers: {interval}, not corrected for the number of pairs."
    sides = f"{base}, the {'baseline' if document.baseline else 'best run'}", "mean"
    return Chart(f"means-{place}", "means", measure.measure, caption, sides, marks, "run")


def _test(name: str, decides: str) -> Field:
    def shown(pair: Pair) -> Figure:
        p = next((test.p_holm for test in pair.tests if test.name == name), None)
        mark = "*" if name == decides and pair.significant else ""
        return Figure(f"{p_value(p)}{mark}", p)

    return f"#{_TESTS[name][0]}", shown


def _signed(decimals: int, *numbers: float) -> str:
    return " to ".join(f"{number:+.{decimals}f}" for number in numbers) or NONE


def _explanations(document: CompareDocument) -> list[str]:
    level = f"{100 * document.confidence:g}%"
    tests = [test for measure in document.measures for pair in measure.pairs for test in pair.tests]
    assumed = {test.name: test.assumption for test in tests}
    return [
        f"Difference: first run minus second, over the queries of both; interval: Student's, at {level}.",
        *(f"Differences of {m} are those of logarithms." for m in geometric(document.measures)),
        "d: Cohen's d of the paired differences; 0.2 is small, 0.5 medium, 0.8 large (Cohen 1988).",
        f"p-values are corrected by {document.correction} over the pairs of one measure.",
        *(f"{_TESTS[name][0]}: assumes that {why}. {_TESTS[name][1]}" for name, why in assumed.items()),
    ]


STUDY = study(
    CompareDocument,
    compare,
    _page,
    *(QRELS, run_files("RUN RUN..."), MEASURES),
    option("--backend", "Computes the values.", "ID", "native"),
    option("--baseline", "Compare the others with this run; by its file name.", "RUN"),
    *significance(),
    option("--confidence", "Of the intervals.", float, 0.95),
    code=lambda document: 0 if any(pair.queries for of in document.measures for pair in of.pairs) else 3,
)
