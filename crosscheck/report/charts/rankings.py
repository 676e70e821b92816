"""Two rankings of one query side by side, with lines between the places of documents that move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from crosscheck.report._figures import count, exact, short
from crosscheck.report.charts.chart import Chart
from crosscheck.report.charts.svg import label, num, titled
from crosscheck.results import Number

__all__ = ["Place", "rankings"]

_WIDTH, _ROW, _TOP = 720, 24, 44
#: Where the columns of the left side end; those of the right side are mirrored around the middle.
_EDGE, _BRACKET = 272, 284


@dataclass(frozen=True, slots=True)
class Place:
    """A document in one of the rankings.

    Attributes:
        level: None where it is not judged; relevant: whether it counts as relevant.
        group: number of the tied documents that it belongs to, None where no other has its score.
        gain, discount: what it brings, and what that is divided by; total: the running sum so far. None
            where the measure has no such thing.
    """

    rank: int
    docno: str
    level: int | None
    score: Number | None = None
    relevant: bool = False
    group: int | None = None
    gain: float | None = None
    discount: float | None = None
    total: float | None = None


def rankings(
    query: str, sides: tuple[str, str], left: Sequence[Place], right: Sequence[Place], *, limit: int = 30
) -> Chart:
    """The first places of both rankings, and those that relevant documents move from and to."""
    before, after = _shown(left, right, limit), _shown(right, left, limit)
    height = _TOP + _ROW * max(_height(before), _height(after)) + 6
    where, to = _rows(before), _rows(after)
    parts = [
        label(_EDGE, 18, f"{sides[0]} (reference)", "strong end", 38),
        label(_WIDTH - _EDGE, 18, f"{sides[1]} (candidate)", "strong", 38),
        *(_heading(mirrored) for mirrored in (False, True)),
    ]
    backs, lines, texts = [], [], []
    for mirrored, places, rows in ((False, before, where), (True, after, to)):
        for place in places:
            backs += _back(place, rows[place.docno], mirrored)
            texts += _row(place, rows[place.docno], mirrored)
        texts += _gaps(places, rows, mirrored)
        texts += _brackets(places, rows, mirrored)
    moved = 0
    ranks = {place.docno: place.rank for place in right}
    for place in before:
        if place.docno in to:
            changes = ranks[place.docno] != place.rank
            moved += changes
            style = ("moved" if place.relevant else "drift") if changes else "link"
            start, end = where[place.docno] - 4, to[place.docno] - 4
            a, b = _BRACKET + 10, _WIDTH - _BRACKET - 10
            lines.append(
                f'<path class="{style}" d="M{a} {num(start)}C{a + 60} {num(start)} {b - 60} {num(end)} {b}'
                f' {num(end)}">{titled(f"{place.docno}: {place.rank} to {ranks[place.docno]}")}</path>'
            )
    return Chart(
        "rankings",
        f"Query {query}: the ranking of {sides[0]} and of {sides[1]}",
        _caption(left, right, ranks),
        _HEAD,
        _table(before, after),
        _WIDTH,
        height,
        "\n".join([*backs, *sorted(lines, key=lambda part: "moved" in part), *parts, *texts]),
    )


_HEAD = [
    ("side", False), ("rank", True), ("document", False), ("level", True), ("score", True), ("gain", True),
    ("discount", True), ("running sum", True),
]  # fmt: skip


def _shown(places: Sequence[Place], other: Sequence[Place], limit: int) -> list[Place]:
    """The first places, and those of relevant documents that are elsewhere in the other ranking."""
    ranks = {place.docno: place.rank for place in other}
    ordered = sorted(places, key=lambda place: place.rank)
    head = ordered[: limit * 2 // 3]
    tail = [p for p in ordered[len(head) :] if p.relevant and ranks.get(p.docno, p.rank) != p.rank]
    if len(ordered) <= limit:
        return ordered
    return head + tail[: limit - len(head)]


def _rows(places: Sequence[Place]) -> dict[str, float]:
    """The baseline of each document; a gap in the ranks takes a row."""
    y, last, found = float(_TOP), 0, {}
    for place in places:
        y += _ROW * (1 + (place.rank > last + 1))
        last, found[place.docno] = place.rank, y
    return found


def _height(places: Sequence[Place]) -> float:
    rows = _rows(places)
    return (max(rows.values(), default=float(_TOP)) - _TOP) / _ROW


def _x(x: float, mirrored: bool) -> float:
    return _WIDTH - x if mirrored else x


def _side(mirrored: bool) -> str:
    """The class that anchors text at its outer end, as seen from the middle."""
    return "" if mirrored else " end"


def _heading(mirrored: bool) -> str:
    columns = ((_EDGE, "rank"), (_EDGE - 36, "document"), (64, "level"), (40, "sum"))
    return "".join(label(_x(x, mirrored), 38, text, f"muted{_side(mirrored)}") for x, text in columns)


def _back(place: Place, y: float, mirrored: bool) -> list[str]:
    if not place.relevant:
        return []
    x = _WIDTH - _EDGE - 8 if mirrored else 0
    return [f'<rect class="row" x="{x}" y="{num(y - 16)}" width="{_EDGE + 8}" height="{_ROW - 2}" rx="3"/>']


def _row(place: Place, y: float, mirrored: bool) -> list[str]:
    side = _side(mirrored)
    level = "–" if place.level is None else str(place.level)
    total = "" if place.total is None else f"{place.total:.3f}"
    weight = "strong" if place.relevant else "muted"
    return [
        label(_x(_EDGE, mirrored), y, f"{place.rank:,}", f"muted{side}"),
        label(_x(_EDGE - 36, mirrored), y, place.docno, f"{'strong' if place.relevant else 'ink'}{side}", 24),
        label(_x(64, mirrored), y, level, f"{weight}{side}"),
        label(_x(40, mirrored), y, total, f"{weight}{side}"),
    ]


def _gaps(places: Sequence[Place], rows: dict[str, float], mirrored: bool) -> list[str]:
    parts, last = [], 0
    for place in places:
        if place.rank > last + 1:
            text = f"⋮ {count(place.rank - last - 1, 'place')}"
            parts.append(
                label(_x(_EDGE - 36, mirrored), rows[place.docno] - _ROW, text, f"muted{_side(mirrored)}")
            )
        last = place.rank
    return parts


def _brackets(places: Sequence[Place], rows: dict[str, float], mirrored: bool) -> list[str]:
    parts = []
    for group, members in groupby(places, key=lambda place: place.group):
        tied = list(members)
        if group is None:
            continue
        top, bottom = rows[tied[0].docno] - 13, rows[tied[-1].docno] + 4
        x, inner = _x(_BRACKET, mirrored), _x(_BRACKET - 5, mirrored)
        shape = f"M{num(inner)} {num(top)}H{num(x)}V{num(bottom)}H{num(inner)}"
        what = f"score {exact(tied[0].score)}: {count(len(tied), 'document')} here with the same score"
        parts.append(f'<path class="tied" d="{shape}">{titled(what)}</path>')
    return parts


def _caption(left: Sequence[Place], right: Sequence[Place], ranks: dict[str, int]) -> str:
    moves = [(p, ranks[p.docno]) for p in left if p.docno in ranks and ranks[p.docno] != p.rank]
    if not moves:
        return "Both rank these documents alike."
    told = [move for move in moves if move[0].relevant] or moves
    place, to = max(told, key=lambda move: (abs(move[1] - move[0].rank), -move[0].rank))
    kind = "relevant document " if place.relevant else ""
    said = f"{kind}{place.docno} moves from rank {place.rank:,} to {to:,}"
    text = f"{said[0].upper()}{said[1:]}" if kind else said
    relevant = sum(move[0].relevant for move in moves)
    text += f"; {count(len(moves), 'document')} here {'moves' if len(moves) == 1 else 'move'}"
    text += f", {relevant:,} of them relevant." if kind else "."
    tied = any(p.group is not None for p in (*left, *right))
    return text + (" Brackets join documents with the same score." if tied else "")


def _table(before: Sequence[Place], after: Sequence[Place]) -> list[list[str]]:
    return [
        [
            side,
            str(place.rank),
            place.docno,
            "not judged" if place.level is None else str(place.level),
            "" if place.score is None else exact(place.score),
            *("" if value is None else short(value) for value in (place.gain, place.discount, place.total)),
        ]
        for side, places in (("reference", before), ("candidate", after))
        for place in places
    ]
