"""The page of ``crosscheck compare``: means with letters of significance, then every pair and test."""

from __future__ import annotations

from crosscheck.report._figures import short
from crosscheck.report.page import Block, Bullets, Figure, Id, Page, Paragraph, Section, Table, TableCell
from crosscheck.report.pages import Kind
from crosscheck.report.pages._studies import columns, page
from crosscheck.study_records import CompareDocument, MeasureComparison, Pair

__all__ = ["KIND", "compare_page", "letter", "p_value"]

_NONE = "–"
#: Measures that stand side by side on 80 columns.
_ABREAST = 3
_ZEROS = {
    "sign": "Queries without a difference are dropped.",
    "wilcoxon": "Queries without a difference are dropped, equal sizes share their mean rank.",
    "t": "All queries count.",
    "randomisation": "All queries count; those without a difference change nothing.",
}
_SHORT = {"sign": "sign", "wilcoxon": "Wilcoxon", "t": "t", "randomisation": "random."}


def compare_page(document: CompareDocument) -> Page:
    """Everything a reader of a comparison needs, the means first."""
    letters = {run: letter(place) for place, run in enumerate(document.runs)}
    return page(
        document,
        (f"{len(document.runs)} runs on ", Id(document.qrels), ", measured by ", Id(document.backend)),
        Section("Means", _means(document, letters)),
        *(Section(Id(measure.measure), _pairs(document, measure, letters)) for measure in document.measures),
        Section("How to read it", _explanations(document)),
        Bullets("Notes", document.notes),
    )


def letter(place: int) -> str:
    """a, b, ..., z, aa, ab, ...: what a run is called inside the tables."""
    first, last = divmod(place, 26)
    return (letter(first - 1) if first else "") + chr(ord("a") + last)


def p_value(p: float | None) -> str:
    """Four decimals, ``<.0001``, or a dash where there is no p-value."""
    if p is None:
        return _NONE
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


def _means(document: CompareDocument, letters: dict[str, str]) -> list[Block]:
    if not document.measures:
        return []
    explained = "Letters after a mean: runs that this one is significantly better than."
    blocks: list[Block] = [Paragraph(explained)]
    for start in range(0, len(document.measures), _ABREAST):
        some = document.measures[start : start + _ABREAST]
        scores = [{score.run: score for score in measure.systems} for measure in some]
        rows: list[list[TableCell]] = []
        for run in document.runs:
            cells: list[TableCell] = [letters[run], Id(run)]
            for held in scores:
                if run not in held:
                    cells.append("no value")
                    continue
                better = "".join(sorted(letters[other] for other in held[run].better_than))
                cells.append(f"{short(held[run].mean)} {better}".rstrip())
            rows.append(cells)
        head = columns("", "@run", *(measure.measure for measure in some))
        blocks.append(Table("", head, rows, limit=100, noun="run"))
    return blocks


def _pairs(document: CompareDocument, measure: MeasureComparison, letters: dict[str, str]) -> list[Block]:
    interval = f"#{100 * document.confidence:g}% interval"
    head = columns("@pair", "#difference", interval, "#d", *(f"#{name}" for name in _SHORT.values()))
    rows = [_row(document, pair, letters) for pair in measure.pairs]
    queries = {pair.queries for pair in measure.pairs}
    on = f"{queries.pop():,} queries" if len(queries) == 1 else f"{min(queries)} to {max(queries)} queries"
    title = f"Differences and corrected p-values on {on}; * is significant"
    return [Table(title, head, rows, limit=30, noun="pair"), Bullets("Notes", measure.notes)]


def _row(document: CompareDocument, pair: Pair, letters: dict[str, str]) -> list[TableCell]:
    interval = _NONE
    if pair.interval is not None:
        interval = f"{pair.interval[0]:+.3f} {pair.interval[1]:+.3f}"
    cells: list[TableCell] = [
        f"{letters[pair.b]} - {letters[pair.a]}",
        Figure(_NONE if pair.difference is None else f"{pair.difference:+.4f}", pair.difference),
        interval,
        _NONE if pair.effect_size is None else f"{pair.effect_size:+.2f}",
    ]
    for test in pair.tests:
        mark = "*" if test.name == document.test and pair.significant else ""
        cells.append(Figure(f"{p_value(test.p_holm)}{mark}", test.p_holm))
    return cells


def _explanations(document: CompareDocument) -> list[Block]:
    level = f"at {100 * document.confidence:g}%"
    said = [
        f"Difference: b minus a, averaged over the queries of both; interval: Student's, {level}.",
        "d: Cohen's d of the paired differences; 0.2 is small, 0.5 medium, 0.8 large (Cohen 1988).",
        f"p-values are corrected by {document.correction} over the pairs of one measure.",
    ]
    assumed: dict[str, str] = {}
    for measure in document.measures:
        for pair in measure.pairs:
            for test in pair.tests:
                assumed.setdefault(test.name, f"{_SHORT[test.name]}: assumes that {test.assumption}.")
    said += [f"{text} {_ZEROS[name]}" for name, text in assumed.items()]
    return [Bullets("", said)]


KIND = Kind("compare", CompareDocument, compare_page, "compare")
