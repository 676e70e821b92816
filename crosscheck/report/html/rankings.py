"""Two rankings of one query side by side, with a line between the two ranks of each document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from crosscheck.errors import count
from crosscheck.report.charts.svg import Drawing, cut, label, num, rect, titled
from crosscheck.report.page import Column, Figure, Place, RankingPair, Side, Table, TableCell, flat

_ROW, _TOP = 24, 44
#: Width between the two sides, where the lines are drawn.
_MIDDLE = 176


@dataclass(frozen=True, slots=True)
class _Half:
    """The drawing of one ranking, from the middle outwards; the candidate's mirrors the reference's."""

    side: Side
    edge: float
    mirrored: bool
    rows: dict[str, float]

    def x(self, outwards: float) -> float:
        """The x coordinate at the distance ``outwards`` from the inner edge."""
        return self.edge + _MIDDLE + outwards if self.mirrored else self.edge - outwards

    def text(self, outwards: float, y: float, text: str, classes: str, limit: int = 26) -> str:
        return label(self.x(outwards), y, text, classes if self.mirrored else f"{classes} end", limit)


def rankings(block: RankingPair) -> Drawing:
    """The drawing of both sides; relevant documents have a background, tied ones a bracket."""
    sides = (block.reference, block.candidate)
    sums = any(place.running is not None for side in sides for place in side.places)
    edge = 384.0 if sums else 246.0
    left, right = (_Half(side, edge, side is block.candidate, _rows(side.places)) for side in sides)
    ranks: dict[str, int] = {place.docno: place.rank for place in right.side.places}
    grounds, texts = [], []
    for half in (left, right):
        texts += _heading(half, sums)
        for place in half.side.places:
            y = half.rows[place.docno]
            if _relevant(place):
                x = min(half.x(-8), half.x(edge))
                grounds.append(rect(x, y - 16, edge + 8, _ROW - 2, "row", place.docno))
            texts += _row(half, place, y)
        texts += _gaps(half) + _brackets(half)
    lines = [
        _joined(place, ranks[place.docno], left, right) for place in left.side.places if place.docno in ranks
    ]
    lines.sort(key=lambda part: '"moved"' in part)  # on top of the others
    bottom = max([*left.rows.values(), *right.rows.values(), _TOP]) + 14
    if block.omitted:
        text = f"{count(block.omitted, 'document')} on neither side not shown"
        texts.append(label(edge + _MIDDLE / 2, bottom + 8, text, "muted middle", 60))
        bottom += 16
    width = 2 * edge + _MIDDLE
    return Drawing(flat(block.title), _caption(block, ranks), width, bottom, [*grounds, *lines, *texts])


def _relevant(place: Place) -> bool:
    return place.level is not None and place.level > 0


def _joined(place: Place, rank: int, left: _Half, right: _Half) -> str:
    style = "link" if rank == place.rank else "moved" if _relevant(place) else "drift"
    start, end = left.rows[place.docno] - 4, right.rows[place.docno] - 4
    a, b = left.x(-22), right.x(-22)
    curve = f"M{num(a)} {num(start)}C{num(a + 60)} {num(start)} {num(b - 60)} {num(end)} {num(b)} {num(end)}"
    return f'<path class="{style}" d="{curve}">{titled(f"{place.docno}: {place.rank:,} to {rank:,}")}</path>'


def _rows(places: Sequence[Place]) -> dict[str, float]:
    """Docno -> y coordinate of its baseline; a gap in the ranks takes up one row."""
    found: dict[str, float] = {}
    y, last = float(_TOP), 0
    for place in places:
        y += _ROW * (1 + (place.rank > last + 1))
        last, found[place.docno] = place.rank, y
    return found


def _heading(half: _Half, sums: bool) -> list[str]:
    role = "candidate" if half.mirrored else "reference"
    name = cut(flat(half.side.title), int(half.edge / 7) - 22)
    title = half.text(0, 16, f"{name} ({role}): {half.side.value.text}", "strong", 60)
    columns = [(0, "rank"), (36, "document"), (204, "level"), *([(250, "gain / discount")] if sums else [])]
    names = [half.text(x, 38, text, "muted") for x, text in columns]
    return [title, *names, *([_outer(half, 38, "sum", "muted")] if sums else [])]


def _row(half: _Half, place: Place, y: float) -> list[str]:
    level = "–" if place.level is None else str(place.level)
    strong, weak = ("strong", "strong") if _relevant(place) else ("ink", "muted")
    parts = [
        half.text(0, y, f"{place.rank:,}", "muted"),
        half.text(36, y, place.docno, strong, 22),
        half.text(204, y, level, weak),
    ]
    if place.gain and place.gain.value:
        over = place.discount and place.discount.value
        text = f"{place.gain.value:.4g}" + (f" / {over:.3f}" if over else "")
        parts.append(half.text(250, y, text, weak, 18))
    return [*parts, *([_outer(half, y, place.running.text, weak)] if place.running else [])]


def _outer(half: _Half, y: float, text: str, classes: str) -> str:
    """A number at the outer edge."""
    return label(half.x(half.edge - 4), y, text, f"{classes} end" if half.mirrored else classes, 10)


def _gaps(half: _Half) -> list[str]:
    parts, last = [], 0
    for place in half.side.places:
        if place.rank > last + 1:
            text = f"⋮ {count(place.rank - last - 1, 'place')}"
            parts.append(half.text(36, half.rows[place.docno] - _ROW, text, "muted"))
        last = place.rank
    return parts


def _brackets(half: _Half) -> list[str]:
    parts = []
    for group, members in groupby(half.side.places, key=lambda place: place.tied):
        tied = list(members)
        if group is None or len(tied) < 2:
            continue
        top, bottom = half.rows[tied[0].docno] - 13, half.rows[tied[-1].docno] + 4
        x, inner = half.x(-14), half.x(-9)
        shape = f"M{num(inner)} {num(top)}H{num(x)}V{num(bottom)}H{num(inner)}"
        what = f"score {tied[0].score.text}: {count(len(tied), 'document')} here with the same score"
        parts.append(f'<path class="tied" d="{shape}">{titled(what)}</path>')
    return parts


def _caption(block: RankingPair, ranks: dict[str, int]) -> str:
    moves = [(p, ranks[p.docno]) for p in block.reference.places if ranks.get(p.docno, p.rank) != p.rank]
    if not moves:
        return "No document that is shown moves."
    relevant = [move for move in moves if _relevant(move[0])]
    place, to = max(relevant or moves, key=lambda move: abs(1 / move[1] - 1 / move[0].rank))
    kind = "Relevant document" if relevant else "Document"
    text = f"{kind} {place.docno} moves from rank {place.rank:,} to {to:,}"
    text += f"; {count(len(moves), 'document')} here {'moves' if len(moves) == 1 else 'move'}"
    text += f", {len(relevant):,} of them relevant." if relevant else ", none of them relevant."
    tied = any(p.tied is not None for p in (*block.reference.places, *block.candidate.places))
    return text + (" Brackets join documents with the same score." if tied else "")


def rankings_table(block: RankingPair) -> Table:
    """The numbers of the drawing as a table, with gain, discount and running sum if there are any."""
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
