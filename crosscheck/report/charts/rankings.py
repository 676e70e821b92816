"""Two rankings of one query side by side, with lines between the places of documents that move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from crosscheck.report._figures import count
from crosscheck.report.charts.drawing import Drawing
from crosscheck.report.charts.svg import flat, label, num, rect, titled
from crosscheck.report.page import Column, Figure, Place, Rankings, Side, Table, TableCell

__all__ = ["rankings", "rankings_table"]

_WIDTH, _ROW, _TOP = 720, 24, 44
#: Where the columns of the left side end; those of the right side are mirrored around the middle.
_EDGE, _BRACKET = 272, 284


def rankings(block: Rankings) -> Drawing:
    """Both sides, joined in the middle; relevant documents stand on a ground, tied ones have a bracket."""
    before, after = block.reference.places, block.candidate.places
    where, to = _rows(before), _rows(after)
    ranks: dict[str, int] = {place.docno: place.rank for place in after}
    grounds, texts = [], [_title(block.reference, mirrored=False), _title(block.candidate, mirrored=True)]
    for places, rows, mirrored in ((before, where, False), (after, to, True)):
        texts += _heading(mirrored)
        for place in places:
            if _relevant(place):
                x = _WIDTH - _EDGE - 8 if mirrored else 0
                grounds.append(rect(x, rows[place.docno] - 16, _EDGE + 8, _ROW - 2, "row", place.docno))
            texts += _row(place, rows[place.docno], mirrored)
        texts += _gaps(places, rows, mirrored) + _brackets(places, rows, mirrored)
    lines = [
        _joined(place, ranks[place.docno], where[place.docno] - 4, to[place.docno] - 4)
        for place in before
        if place.docno in to
    ]
    lines.sort(key=lambda part: '"moved"' in part)  # on top of the others
    bottom = max([*where.values(), *to.values(), _TOP]) + 14
    if block.omitted:
        text = f"{count(block.omitted, 'document')} on neither side not shown"
        texts.append(label(_WIDTH / 2, bottom + 8, text, "muted middle", 60))
        bottom += 16
    return Drawing(flat(block.title), _caption(block, ranks), _WIDTH, bottom, [*grounds, *lines, *texts])


def _relevant(place: Place) -> bool:
    return place.level is not None and place.level > 0


def _joined(place: Place, rank: int, start: float, end: float) -> str:
    style = "link" if rank == place.rank else "moved" if _relevant(place) else "drift"
    a, b = _BRACKET + 10, _WIDTH - _BRACKET - 10
    curve = f"M{a} {num(start)}C{a + 60} {num(start)} {b - 60} {num(end)} {b} {num(end)}"
    return f'<path class="{style}" d="{curve}">{titled(f"{place.docno}: {place.rank:,} to {rank:,}")}</path>'


def _rows(places: Sequence[Place]) -> dict[str, float]:
    """The baseline of each document; a gap in the ranks takes a row."""
    found: dict[str, float] = {}
    y, last = float(_TOP), 0
    for place in places:
        y += _ROW * (1 + (place.rank > last + 1))
        last, found[place.docno] = place.rank, y
    return found


def _x(x: float, mirrored: bool) -> float:
    return _WIDTH - x if mirrored else x


def _side(mirrored: bool) -> str:
    """The class that anchors text at its inner end."""
    return "" if mirrored else " end"


def _title(side: Side, *, mirrored: bool) -> str:
    role = "candidate" if mirrored else "reference"
    text = f"{flat(side.title)} ({role}): {side.value.text}"
    return label(_x(_EDGE, mirrored), 16, text, f"strong{_side(mirrored)}", 40)


def _heading(mirrored: bool) -> list[str]:
    columns = ((_EDGE, "rank"), (_EDGE - 36, "document"), (76, "level"), (40, "sum"))
    return [label(_x(x, mirrored), 38, text, f"muted{_side(mirrored)}") for x, text in columns]


def _row(place: Place, y: float, mirrored: bool) -> list[str]:
    side = _side(mirrored)
    level = "–" if place.level is None else str(place.level)
    strong, weak = ("strong", "strong") if _relevant(place) else ("ink", "muted")
    return [
        label(_x(_EDGE, mirrored), y, f"{place.rank:,}", f"muted{side}"),
        label(_x(_EDGE - 36, mirrored), y, place.docno, f"{strong}{side}", 22),
        label(_x(76, mirrored), y, level, f"{weak}{side}"),
        label(_x(40, mirrored), y, _text(place.running), f"{weak}{side}", 8),
    ]


def _text(figure: Figure | None) -> str:
    return "" if figure is None else figure.text


def _gaps(places: Sequence[Place], rows: dict[str, float], mirrored: bool) -> list[str]:
    parts, last = [], 0
    for place in places:
        if place.rank > last + 1:
            text, y = f"⋮ {count(place.rank - last - 1, 'place')}", rows[place.docno] - _ROW
            parts.append(label(_x(_EDGE - 36, mirrored), y, text, f"muted{_side(mirrored)}"))
        last = place.rank
    return parts


def _brackets(places: Sequence[Place], rows: dict[str, float], mirrored: bool) -> list[str]:
    parts = []
    for group, members in groupby(places, key=lambda place: place.tied):
        tied = list(members)
        if group is None:
            continue
        top, bottom = rows[tied[0].docno] - 13, rows[tied[-1].docno] + 4
        x, inner = _x(_BRACKET, mirrored), _x(_BRACKET - 5, mirrored)
        shape = f"M{num(inner)} {num(top)}H{num(x)}V{num(bottom)}H{num(inner)}"
        what = f"score {tied[0].score.text}: {count(len(tied), 'document')} here with the same score"
        parts.append(f'<path class="tied" d="{shape}">{titled(what)}</path>')
    return parts


def _caption(block: Rankings, ranks: dict[str, int]) -> str:
    moves = [(p, ranks[p.docno]) for p in block.reference.places if ranks.get(p.docno, p.rank) != p.rank]
    if not moves:
        return "No document that is shown moves."
    relevant = [move for move in moves if _relevant(move[0])]
    place, to = max(relevant or moves, key=lambda move: (abs(move[1] - move[0].rank), -move[0].rank))
    kind = "Relevant document" if relevant else "Document"
    text = f"{kind} {place.docno} moves from rank {place.rank:,} to {to:,}"
    text += f"; {count(len(moves), 'document')} here {'moves' if len(moves) == 1 else 'move'}"
    text += f", {len(relevant):,} of them relevant." if relevant else ", none of them relevant."
    tied = any(p.tied is not None for p in (*block.reference.places, *block.candidate.places))
    return text + (" Brackets join documents with the same score." if tied else "")


def rankings_table(block: Rankings) -> Table:
    """The numbers that it draws, and those behind the running sums."""
    rows: list[list[TableCell]] = []
    for side, places in (("reference", block.reference.places), ("candidate", block.candidate.places)):
        for place in places:
            level = "not judged" if place.level is None else str(place.level)
            row: list[TableCell] = [
                side,
                Figure(str(place.rank), place.rank),
                place.docno,
                level,
                place.score,
            ]
            rows.append([*row, *(f or "" for f in (place.gain, place.discount, place.running))])
    columns = [Column("side"), Column("rank", "number"), Column("document", "id"), Column("level", "number")]
    columns += [Column(title, "number") for title in ("score", "gain", "discount", "running sum")]
    held = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    return Table("", [columns[i] for i in held], [[row[i] for i in held] for row in rows], 200, "place")
