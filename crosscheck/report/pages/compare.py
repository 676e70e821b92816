"""The page of ``crosscheck compare``: means with letters of significance, then every pair and test."""

from __future__ import annotations

from crosscheck.report.page import Block, Bullets, Figure, Id, Page, Paragraph, Section
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import NONE, Field, short, table
from crosscheck.report.words import file
from crosscheck.study_records.compare import CompareDocument, MeasureComparison, Pair

#: Most measures side by side in a table of 80 columns.
_ABREAST = 3
_TESTS = {
    "sign": ("sign", "Queries without a difference are dropped."),
    "wilcoxon": ("Wilcoxon", "Queries without a difference are dropped, equal sizes share their mean rank."),
    "t": ("t", "All queries count."),
    "randomisation": ("random.", "All queries count; those without a difference change nothing."),
}


def compare_page(document: CompareDocument) -> Page:
    """The means of all runs, the pairs and tests of each measure, then explanations."""
    letters = {run: letter(place) for place, run in enumerate(document.runs)}
    return study_page(
        document,
        (f"{len(document.runs)} runs on ", file(document.qrels), ", measured by ", Id(document.backend)),
        Section("Means", _means(document, letters)),
        *(Section(Id(measure.measure), _pairs(document, measure, letters)) for measure in document.measures),
        Section("How to read it", [Bullets("", _explanations(document))]),
    )


def letter(place: int) -> str:
    """The name of the run with a 0-based index inside the tables: a, b, ..., z, aa, ab, ..."""
    first, last = divmod(place, 26)
    return (letter(first - 1) if first else "") + chr(ord("a") + last)


def p_value(p: float | None) -> str:
    """A p-value as text: four decimals, ``<.0001``, or a dash for None."""
    return NONE if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"


def _means(document: CompareDocument, letters: dict[str, str]) -> list[Block]:
    blocks: list[Block] = []
    for start in range(0, len(document.measures), _ABREAST):
        some = [_mean(measure, letters) for measure in document.measures[start : start + _ABREAST]]
        named: list[Field] = [("", letters.__getitem__), ("@run", str)]
        blocks.append(table("", document.runs, *named, *some, limit=100, noun="run"))
    explained = Paragraph("Letters after a mean: runs that this one is significantly better than.")
    return [explained, *blocks] if blocks else []


def _mean(measure: MeasureComparison, letters: dict[str, str]) -> Field:
    scores = {score.run: score for score in measure.systems}

    def told(run: str) -> str:
        if run not in scores:
            return "no value"
        better = "".join(sorted(letters[other] for other in scores[run].better_than))
        return f"{short(scores[run].mean)} {better}".rstrip()

    return measure.measure, told


def _pairs(document: CompareDocument, measure: MeasureComparison, letters: dict[str, str]) -> list[Block]:
    queries = {pair.queries for pair in measure.pairs}
    on = f"{queries.pop():,} queries" if len(queries) == 1 else f"{min(queries)} to {max(queries)} queries"
    fields: list[Field] = [
        ("pair", lambda pair: f"{letters[pair.b]} - {letters[pair.a]}"),
        "+difference",
        (f"#{100 * document.confidence:g}% interval", lambda pair: _signed(3, *(pair.interval or ()))),
        ("#d", lambda pair: _signed(2, *([] if pair.effect_size is None else [pair.effect_size]))),
    ]
    fields += [_test(place, document.test) for place in range(len(_TESTS))]
    title = f"Differences and corrected p-values on {on}; * is significant"
    return [table(title, measure.pairs, *fields, limit=30, noun="pair"), Bullets("Notes", measure.notes)]


def _test(place: int, decides: str) -> Field:
    def told(pair: Pair) -> Figure:
        test = pair.tests[place]
        mark = "*" if test.name == decides and pair.significant else ""
        return Figure(f"{p_value(test.p_holm)}{mark}", test.p_holm)

    return f"#{[*_TESTS.values()][place][0]}", told


def _signed(decimals: int, *numbers: float) -> str:
    return " ".join(f"{number:+.{decimals}f}" for number in numbers) or NONE


def _explanations(document: CompareDocument) -> list[str]:
    level = f"{100 * document.confidence:g}%"
    tests = [test for measure in document.measures for pair in measure.pairs for test in pair.tests]
    assumed = {test.name: test.assumption for test in tests}
    return [
        f"Difference: b minus a, averaged over the queries of both; interval: Student's, at {level}.",
        "d: Cohen's d of the paired differences; 0.2 is small, 0.5 medium, 0.8 large (Cohen 1988).",
        f"p-values are corrected by {document.correction} over the pairs of one measure.",
        *(f"{_TESTS[name][0]}: assumes that {why}. {_TESTS[name][1]}" for name, why in assumed.items()),
    ]


KIND = Kind("compare", CompareDocument, compare_page, "compare")
