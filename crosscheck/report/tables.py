"""Numbers as text, the same in every report, and tables from records with a column per field."""

import math
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

from crosscheck.report.page import Figure, Heading, Id, Made, RankingPair, Table, TableCell, Text, parts
from crosscheck.results import Number, RankedDocument, as_float, number

NO_VALUE = "no value"
#: Decimals that are tried before all digits are shown.
_DECIMALS = (4, 6, 8, 10)


class Contrast(NamedTuple):
    """Two numbers and their difference, as text.

    ``delta`` is candidate minus reference with its sign; ``0`` if the two are equal, and empty if one of them
    is absent, NaN or infinite.
    """

    reference: str
    candidate: str
    delta: str


def exact(value: Number | None) -> str:
    """The shortest digits that give back the same double; ``no value`` for None."""
    if value is None:
        return NO_VALUE
    held = number(as_float(value))
    return held if isinstance(held, str) else repr(held)


def short(value: Number | None) -> str:
    """A number in short form: four decimals, or none for a whole number above 1; ``no value`` for None."""
    if value is None or isinstance(value, str) or not abs(value) < 1e9:
        return exact(value)
    return f"{value:.0f}" if value == round(value) and abs(value) > 1 else f"{value:.4f}"


def begun(value: Number | None) -> str:
    """A number without rounding. If it has more than six decimals, the first four and ``…`` (``0.4031…``)."""
    digits = exact(value)
    head, _, decimals = digits.partition(".")
    return digits if len(decimals) <= 6 or "e" in digits else f"{head}.{decimals[:4]}…"


#: The number of decimals that each side of a contrast was printed with; None for full precision.
Printed: TypeAlias = tuple[int | None, int | None]
EXACT: Printed = (None, None)
#: The numbers of a contrast, and their decimals.
Pair: TypeAlias = tuple[Number | None, Number | None, Printed]


def as_printed(value: Number | None, text: str, decimals: int | None) -> str:
    """The ``text`` of a number with no more decimals than the number was printed with."""
    if decimals is None or not isinstance(value, float) or not math.isfinite(value) or "e" in text:
        return text
    return f"{value:.{min(decimals, len(text.partition('.')[2]))}f}"


def contrast(reference: Number | None, candidate: Number | None, printed: Printed = EXACT) -> Contrast:
    """Both numbers with just enough digits to show their difference, but no more decimals than they were
    printed with."""
    ours, theirs = printed
    texts = _contrast(reference, candidate, None if ours is None or theirs is None else max(ours, theirs))
    before = as_printed(reference, texts.reference, ours)
    return Contrast(before, as_printed(candidate, texts.candidate, theirs), texts.delta)


def _contrast(reference: Number | None, candidate: Number | None, printed: int | None) -> Contrast:
    """Both numbers with the same number of decimals; ``printed``: the larger number of decimals that they
    were printed with, None if one has full precision."""
    a, b = (math.nan if value is None else as_float(value) for value in (reference, candidate))
    if not (math.isfinite(a) and math.isfinite(b)):
        return Contrast(short(reference), short(candidate), "")
    if a == b:
        return Contrast(short(a), short(b), "0")
    if a == round(a) and b == round(b) and 1 < max(abs(a), abs(b)) < 1e9:
        return Contrast(f"{a:.0f}", f"{b:.0f}", f"{b - a:+.0f}")
    for decimals in _DECIMALS:
        # Two digits of the difference must show, else rounding could make it look twice its size.
        if (abs(b - a) >= 10 ** (1 - decimals) or decimals == printed) and max(abs(a), abs(b)) < 1e9:
            return Contrast(f"{a:.{decimals}f}", f"{b:.{decimals}f}", f"{b - a:+.{decimals}f}")
    return Contrast(repr(a), repr(b), f"{b - a:+.2g}")


def contrasts(pairs: Sequence[Pair]) -> list[Contrast]:
    """The contrast of each pair, all with as many decimals as the pair that needs the most."""
    texts = [contrast(*pair) for pair in pairs]
    most = max((len(text.reference.partition(".")[2]) for text in texts), default=0)
    if most not in _DECIMALS[1:]:
        return texts

    def padded(value: Number | None, text: str, decimals: int | None) -> str:
        longer = isinstance(value, float) and "." in text and "e" not in text
        return as_printed(value, f"{value:.{most}f}" if longer else text, decimals)

    return [
        Contrast(padded(a, text.reference, ours), padded(b, text.candidate, theirs), text.delta)
        for (a, b, (ours, theirs)), text in zip(pairs, texts, strict=True)
    ]


def p_value(p: float | None) -> str:
    """A p-value as text: four decimals, ``<.0001``, or a dash for None."""
    return NONE if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"


def figure(value: Number | None, *, full: bool = False) -> Figure:
    """A number for a table; ``full``: with all its digits instead of four decimals."""
    return Figure(exact(value) if full else short(value), None if value is None else as_float(value))


def figures(reference: Number | None, candidate: Number | None, printed: Printed = EXACT) -> list[Figure]:
    """Both numbers and their difference, for a row of a table, as :func:`contrast` shows them."""
    texts = contrast(reference, candidate, printed)
    a, b = (None if value is None else as_float(value) for value in (reference, candidate))
    delta = b - a if a is not None and b is not None else None
    return [Figure(texts.reference, a), Figure(texts.candidate, b), Figure(texts.delta, delta)]


#: A column: its title with the path of a field, or with a function of the record. Several titles share a
#: function that returns as many values.
Field: TypeAlias = str | tuple[str | tuple[str, ...], Callable[[Any], Any]]
NONE = "–"
#: Title of a column -> the word by which a filter finds it.
_KEYS = {"tool": "tool", "measure": "measure", "cause": "cause", "case / run": "case"}


def columns(*titles: str) -> list[Heading]:
    """Columns from their titles. A title begins with ``#`` for numbers, with ``+`` for signed numbers, and
    with ``@`` for ids; the title ``!`` is the status column."""
    return [_column(title) for title in titles]


def _column(title: str) -> Heading:
    if title == "!":
        return Heading("", "status", "status")
    known = title[:1] in ("#", "+", "@")
    name = title[known:]
    return Heading(name, ("id" if title[0] == "@" else "number") if known else "text", _KEYS.get(name, ""))


Key = TypeVar("Key")
Row = TypeVar("Row")


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Key -> the rows with this key, in order."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def table(title: Text, records: Sequence[Any], *fields: Field, limit: int = 20, noun: str = "row") -> Table:
    """A table with a row per record; rows are made on access.

    Args:
        fields: each ``#title=path.of.field`` (or ``#field``, if the title is the name of the field), or a
            title and a function of the record, or several titles and a function that returns as many values.
            The sign before a title decides how values are shown, see :func:`columns`.
        limit, noun: see :class:`Table`.
    """
    heads: list[str] = []
    read: list[tuple[Callable[[Any], Any], tuple[str, ...]]] = []
    for field in fields:
        if isinstance(field, str):
            head, _, path = field.partition("=")
            field = head, attrgetter(path or head.lstrip("#+@"))
        titles, of = field
        read.append((of, () if isinstance(titles, str) else titles))
        heads += (titles,) if isinstance(titles, str) else titles

    def cells(record: Any) -> list[TableCell]:
        values: list[Any] = []
        for of, several in read:
            values += of(record) if several else (of(record),)
        return list(map(_cell, values, heads))

    return Table(title, columns(*heads), Made(records, cells), limit, noun)


def values(of: Callable[[Any], Pair], before: str = "reference", after: str = "candidate") -> Field:
    """A field of three columns: two values and their difference. ``of`` returns, for a record, the two values
    and the numbers of decimals that they were printed with."""
    return (f"#{before}", f"#{after}", "#delta"), lambda record: figures(*of(record))


def _cell(value: Any, head: str) -> TableCell:
    """The cell for a value: an id if its column holds ids, otherwise written by its type."""
    if value is None:
        return NONE
    if isinstance(value, int):
        return Figure(f"{value:,}", value)
    if isinstance(value, float):
        return Figure(f"{value:+.4f}" if value else "0", value) if head[:1] == "+" else figure(value)
    return Id(value) if head[:1] == "@" and isinstance(value, str) else value


def side_by_side(pair: RankingPair) -> Table:
    """Both rankings in one table, a row per rank; documents with the same score share a number."""
    sides = (pair.reference, pair.candidate)
    sums = any(place.running is not None for side in sides for place in side.places)
    headings = columns("#rank")
    for side in sides:
        headings += [Heading(side.title, "id"), *columns("#level", "tied", *["#sum"] * sums)]
    held = [{place.rank: place for place in side.places} for side in sides]

    def cells(place: RankedDocument | None) -> list[TableCell]:
        if place is None:
            return [""] * (3 + sums)
        tied = "" if place.tied is None else f"={place.tied}"
        running = [""] if place.running is None else [figure(place.running)]
        return [Id(place.docno), _level(place, NONE), tied, *running * sums]

    ranks = sorted({*held[0], *held[1]})
    rows = [[f"{rank:,}", *(c for places in held for c in cells(places.get(rank)))] for rank in ranks]
    rest = f"; {pair.omitted:,} more documents left out" if pair.omitted > 0 else ""
    values = f": {pair.reference.value.text} and {pair.candidate.value.text}{rest}"
    return Table((*parts(pair.title), values), headings, rows, limit=30, noun="place")


def below_each_other(pair: RankingPair) -> Table:
    """Both rankings in one table, the second below the first, with gain, discount and running sum if
    known."""
    rows: list[list[TableCell]] = []
    for side, places in (("reference", pair.reference.places), ("candidate", pair.candidate.places)):
        for d in places:
            sums = ("" if v is None else figure(v) for v in (d.gain, d.discount, d.running))
            rank = Figure(str(d.rank), d.rank)
            rows.append([side, rank, Id(d.docno), _level(d, "not judged"), figure(d.score, full=True), *sums])
    headings = columns("side", "#rank", "@document", "#level", "#score", "#gain", "#discount", "#running sum")
    held = [i for i in range(len(headings)) if any(row[i] for row in rows)]
    return Table("", [headings[i] for i in held], [[row[i] for i in held] for row in rows], 200, "place")


def _level(place: RankedDocument, unjudged: str) -> str:
    return unjudged if place.rel is None else str(place.rel)
