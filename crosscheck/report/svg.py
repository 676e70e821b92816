"""SVG: the drawing of each kind of chart, and of two rankings side by side.

A drawing is a pure function of a block of a page. Its elements have classes but no colours. In an HTML page,
the style sheet of the page colours them; a drawing in a file of its own, for Markdown, contains its style.
"""

import html
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct

from crosscheck.errors import count
from crosscheck.report.page import Chart, Mark, RankingPair, Side, flat
from crosscheck.report.tables import contrast, exact, short
from crosscheck.report.words import clip
from crosscheck.results import RankedDocument, as_float


def asset(name: str) -> str:
    """The text of a file in ``assets/``."""
    return resources.files("crosscheck.report").joinpath("assets", name).read_text("utf-8")


_COLORS = tomllib.loads(asset("colors.toml"))
LIGHT, DARK = ({token: colors[place] for token, colors in _COLORS.items()} for place in (0, 1))
#: The style of a drawing, for all that is inside an element of the class ``chart``.
CHART_STYLE = "".join(asset("chart.css").splitlines())
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


def variables(tokens: dict[str, str]) -> str:
    """Colour tokens as CSS custom properties."""
    return "".join(f"--{name}:{color};" for name, color in tokens.items())


def _resolved(tokens: dict[str, str]) -> list[str]:
    """The rules of a drawing with its colours in the place of CSS variables, which not every viewer knows."""
    style = CHART_STYLE.replace(".chart ", "").replace("var(--font)", FONT)
    for name in sorted(tokens, key=len, reverse=True):
        style = style.replace(f"var(--{name})", tokens[name])
    return [f"{rule}}}" for rule in style.split("}") if rule]


class Drawing(Struct, frozen=True):
    """SVG elements with their size in pixels, and a title and a caption that describe them."""

    title: str
    caption: str
    width: float
    height: float
    parts: Sequence[str]

    def file(self) -> str:
        """The drawing as a complete SVG file, with its title above and its caption below."""
        light = _resolved(LIGHT)
        # Only rules that differ from the light colours are repeated for the dark colours.
        dark = "".join(rule for rule in _resolved(DARK) if rule not in light)
        return asset("drawing.svg").format(
            width=num(self.width),
            height=num(self.height + 64),
            title=escaped(self.title),
            caption=escaped(self.caption, 2000),
            style=f"{''.join(light)}@media (prefers-color-scheme:dark){{{dark}}}",
            head=_label(16, 24, self.title, "head", int(self.width / 7.5)),
            body="\n".join(self.parts),
            foot=_label(16, self.height + 54, self.caption, "muted", int(self.width / 6.2)),
        )


def draw(block: Chart | RankingPair) -> Drawing:
    """The drawing of a chart, or of two rankings."""
    if isinstance(block, RankingPair):
        title, caption, made = flat(block.title), _caption(block), _rankings(block)
    else:
        kinds = {"waterfall": _waterfall, "dots": _dots, "ranking": _systems}  # else a line per mark
        title, caption, made = block.title, block.caption, kinds.get(block.kind, _lines)(block)
    return Drawing(title, caption, *made)


def escaped(text: str, limit: int = 200) -> str:
    """Text from outside as XML character data: nothing invisible, no markup."""
    return html.escape(clip(text, limit))


def num(value: float) -> str:
    """A coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _cut(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters; names often differ at their ends, so the middle is left out."""
    shown, half = clip(text, 10_000), limit // 2
    return shown if len(shown) <= limit else f"{shown[: limit - half - 1]}…{shown[-half:]}"


def _tip(text: str) -> str:
    """An SVG ``title`` element, which viewers show as a tooltip."""
    return f"<title>{escaped(text, 400)}</title>"


def _label(x: float, y: float, text: str, classes: str = "ink", limit: int = 26, whole: str = "") -> str:
    """One line of text, cut to ``limit`` characters; a cut line has the whole text as its tooltip."""
    shown = _cut(text, limit)
    whole = _tip(whole or text) if "…" in shown else ""
    return f'<text x="{num(x)}" y="{num(y)}" class="{classes}">{whole}{html.escape(shown)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, classes: str) -> str:
    return f'<path class="{classes}" d="M{num(x)} {num(y)}L{num(to_x)} {num(to_y)}"/>'


def _rect(x: float, y: float, width: float, height: float, classes: str, tip: str) -> str:
    at = f'x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}"'
    return f'<rect class="{classes}" {at} rx="1.5">{_tip(tip)}</rect>'


def _circle(side: str, x: float, y: float) -> str:
    """The mark of the reference (``ref``, a ring) or of the candidate (``cand``, a disc)."""
    return f'<circle class="{side}" cx="{num(x)}" cy="{num(y)}" r="5"/>'


#: Outlines of the marks around (0, 0), about ten wide: causes differ in shape as well as in colour.
_SHAPES = asset("shapes.txt").split("\n")[:-1]


def _dot(x: float, y: float, kind: int, tip: str = "") -> str:
    """A dot at (x, y) in the colour and shape of cause number ``kind``; ``tip`` is its tooltip."""
    at = f'class="dot k{kind}" transform="translate({num(x)} {num(y)})" d="{_SHAPES[kind]}"'
    return f"<path {at}>{_tip(tip)}</path>" if tip else f"<path {at}/>"


def _kinds(causes: Iterable[str]) -> dict[str, int]:
    """Cause -> its number, which decides its colour and shape. The empty cause is a small grey dot."""
    named = sorted(set(causes) - {""})
    return {"": len(_SHAPES) - 1} | {cause: place % (len(_SHAPES) - 1) for place, cause in enumerate(named)}


#: Larger numbers are drawn at the edge, because their differences could overflow.
_LARGEST = 1e300


class _Scale:
    """A map from numbers to pixels; ``ticks``: a few round numbers as (value, text).

    It spans the values, and 0 if that is near enough to be shown.
    """

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = max(min(values), -_LARGEST), min(max(values), _LARGEST)
        low = 0.0 if 0 <= low <= high - low else low
        size = max(abs(low), abs(high))
        if high - low <= max(1e-9 * size, 1e-290):  # all at one place
            pad = size / 2 if size > 1e-290 else 1.0
            low, high = low - pad, high + pad
        power = 10.0 ** math.floor(math.log10((high - low) / 4))
        step = power * next((f for f in (1, 2, 5) if (high - low) / (power * f) <= 6), 10)
        self.low, self.high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        self._start, self._per_unit = start, (end - start) / (self.high - self.low)
        values = [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]
        # As many decimals as the step has: 0.2580 and 0.2585 for the step 0.0005.
        form = f".{max(0, min(12, -math.floor(math.log10(step))))}f" if step < 1 else "g"
        self.ticks = [(value, "0" if abs(value) < step / 2 else f"{value:{form}}") for value in values]

    def __call__(self, value: float) -> float:
        return self._start + (min(max(value, self.low), self.high) - self.low) * self._per_unit

    def across(self, top: float, bottom: float) -> Iterator[str]:
        """Upright lines at the ticks, with as many numbers below as there is room for."""
        apart = abs(self(self.ticks[1][0]) - self(self.ticks[0][0]))
        every = math.ceil((6.6 * max(len(text) for _, text in self.ticks) + 6) / apart)
        for place, (value, text) in enumerate(self.ticks):
            x = self(value)
            yield _line(x, top, x, bottom, "grid")
            if place % every == 0:
                yield _label(x, bottom + 17, text, "muted middle")


#: Width, height and elements of a drawing.
_Made: TypeAlias = tuple[float, float, Sequence[str]]


def _not_drawn(number: int, x: float, y: float) -> list[str]:
    return [_label(x, y, f"{number:,} more not drawn", "muted end")] if number > 0 else []


def _waterfall(chart: Chart) -> _Made:
    """One bar per mark: the steps from the reference's mean to the candidate's mean. Each bar begins where
    the bar before ended.

    The bars are differences, so the scale need not begin at 0.
    """
    width, row, left, right = 460, 46, 24, 372
    marks = chart.marks
    scale = _Scale(_values(marks), left, right)

    def named(y: float, name: str, value: str) -> list[str]:
        return [_label(left - 12, y + 17, name, "ink", 44), _label(width - 12, y + 32, value, "strong end")]

    bottom = row * (len(marks) + 2)
    first, last = marks[0].reference, marks[-1].candidate
    ends = contrast(first, last)
    parts = [*scale.across(6, bottom), *named(0, f"reference: {chart.sides[0]}", ends.reference)]
    parts.append(_circle("ref", scale(first), 32))
    colors = _kinds(flat(mark.label) for mark in marks)
    for place, mark in enumerate(marks, 1):
        y, cause = row * place, flat(mark.label)
        start, end = scale(mark.reference), scale(mark.candidate)
        step = contrast(mark.reference, mark.candidate)
        tip = f"{cause}: {step.reference} to {step.candidate} ({step.delta})"
        size = max(abs(end - start), 1.5)
        parts.append(_line(start, y - (8 if place == 1 else 7), start, y + 39, "axis"))
        parts += named(y, cause, step.delta)
        parts.append(_rect(min(start, end), y + 25, size, 14, f"k{colors[cause]}", tip))
    y = row * (len(marks) + 1)
    parts.append(_line(scale(last), y - 7, scale(last), y + 26, "axis"))
    parts += [*named(y, f"candidate: {chart.sides[1]}", ends.candidate), _circle("cand", scale(last), y + 32)]
    return width, bottom + 26, parts


#: The largest number of marks that are drawn, and most lines of the legend of dots.
_DOTS, _LEGEND, _QUERIES, _SYSTEMS = 1500, 8, 25, 40


def _dots(chart: Chart) -> _Made:
    """A dot per mark, with the same scale on both axes. Whiskers span the values over all orders of tied
    documents."""
    left, right, top, bottom = 56, 446, 12, 402
    shown = _largest(chart, _DOTS)
    values = _values(shown)
    across, up = _Scale(values, left, right), _Scale(values, bottom, top)
    parts = [*across.across(top, bottom)]
    for value, text in up.ticks:
        y = up(value)
        parts += [_line(left, y, right, y, "grid"), _label(left - 8, y + 4, text, "muted end")]
    parts += [
        _line(left, bottom, right, top, "diagonal"),
        _label((left + right) / 2, bottom + 37, f"{chart.sides[0]} (reference)", "middle", 48),
        f'<g transform="translate(12 {(top + bottom) / 2:.0f}) rotate(-90)">',
        _label(0, 0, f"{chart.sides[1]} (candidate)", "middle", 48),
        "</g>",
    ]
    for mark in shown:
        if mark.low is not None and mark.high is not None:
            x, ends = across(mark.reference), (up(mark.low), up(mark.high))
            caps = "".join(f"M{num(x - 3)} {num(y)}h6" for y in ends)
            parts.append(f'<path class="whisker" d="M{num(x)} {num(ends[0])}V{num(ends[1])}{caps}"/>')
    colors = _kinds(mark.cause for mark in chart.marks)
    for mark in reversed(shown):  # the largest differences on top
        step = contrast(mark.reference, mark.candidate)
        tip = f"{chart.noun} {flat(mark.label)}: {step.reference} to {step.candidate} ({step.delta})"
        tip += f", {mark.cause}" if mark.cause else ""
        parts.append(_dot(across(mark.reference), up(mark.candidate), colors[mark.cause], tip))
    causes = Counter(mark.cause for mark in chart.marks).most_common(_LEGEND)
    y = bottom + 64
    for cause, number in causes if any(cause for cause, _ in causes) else []:
        meaning = f"{cause or 'no difference'}: {count(number, chart.noun)}"
        parts += [_dot(left + 6, y - 4, colors[cause]), _label(left + 20, y, meaning, "ink", 58)]
        y += 20
    rest = _not_drawn(len(chart.marks) - len(shown) + chart.omitted, right, y)
    return 460, y - 10 + 20 * len(rest), [*parts, *rest]


def _values(marks: Iterable[Mark]) -> list[float]:
    every = (value for m in marks for value in (m.reference, m.candidate, m.low, m.high))
    return [value for value in every if value is not None]


def _largest(chart: Chart, limit: int) -> list[Mark]:
    return sorted(chart.marks, key=lambda mark: -abs(mark.candidate - mark.reference))[:limit]


#: Size of the charts with a row per mark.
_WIDTH, _ROW = 720, 24


def _lines(chart: Chart) -> _Made:
    """One line per mark. For queries: from the reference's value (ring) to the candidate's value (disc), the
    largest difference first. For means: the mean with its interval, and an upright line at the reference."""
    means = chart.kind == "means"
    shown = chart.marks[:_QUERIES] if means else _largest(chart, _QUERIES)
    width, left, right = (460, 138, 396) if means else (_WIDTH, 230, _WIDTH - 90)
    scale = _Scale(_values(shown), left, right)
    top, bottom, half = 34, 38 + _ROW * len(shown), width / 2
    reference = _line(14, 12, 30, 12, "ref") if means else _circle("ref", 22, 12)
    parts = [reference, _circle("cand", half + 12, 12)]
    for x, side, name in zip((34, half + 24), chart.sides, ("reference: ", "candidate: "), strict=True):
        parts.append(_label(x, 16, f"{'' if means else name}{side}", "ink", int(half / 6.6) - 5))
    parts += scale.across(top, bottom)
    if means:
        parts.append(_line(scale(shown[0].reference), top, scale(shown[0].reference), bottom, "ref"))
    for place, mark in enumerate(shown):
        y = top + _ROW * place + 14
        x, to = scale(mark.reference), scale(mark.candidate)
        value = short(mark.candidate) if means else contrast(mark.reference, mark.candidate).delta
        parts.append(_label(left - 8, y + 4, flat(mark.label), "ink end", int(left / 7.5)))
        parts += [] if means else [_line(x, y, to, y, "drift"), _circle("ref", x, y)]
        if mark.low is not None and mark.high is not None:
            low, high = scale(mark.low), scale(mark.high)
            caps = "".join(f"M{num(end)} {num(y - 4)}v8" for end in (low, high))
            parts.append(f'<path class="whisker" d="M{num(low)} {num(y)}H{num(high)}{caps}"/>')
        parts += [_circle("cand", to, y), _label(width - 16, y + 4, value, "muted end")]
    rest = _not_drawn(len(chart.marks) - len(shown), width - 16, bottom + 36)
    return width, bottom + (44 if rest else 26), [*parts, *rest]


def _systems(chart: Chart) -> _Made:
    """Two rankings of the systems by their means, in the reference and in the candidate. A line joins the two
    places of a system; it is thicker if the rank changes."""
    shown = sorted(chart.marks, key=lambda mark: -mark.reference)[:_SYSTEMS]
    left, right, top = 250, _WIDTH - 250, 52
    # The y coordinate is the rank, not the mean: the chart shows the order, and names never overlap.
    after = {id(mark): at for at, mark in enumerate(sorted(shown, key=lambda mark: -mark.candidate))}
    parts = [_label(left + 6, 20, f"{chart.sides[0]} (reference)", "strong end", 30)]
    parts.append(_label(right - 6, 20, f"{chart.sides[1]} (candidate)", "strong", 30))
    lines = []
    for place, mark in enumerate(shown):
        y, to = top + _ROW * place, top + _ROW * after[id(mark)]
        # Equal means share a rank: the number of means above them.
        before = sum(m.reference > mark.reference for m in shown)
        moved = before != sum(m.candidate > mark.candidate for m in shown)
        lines.append(_line(left, y, right, to, "moved" if moved else "drift"))
        whole = flat(mark.label)
        name = _cut(whole, 22)
        parts += [_circle("ref", left, y), _circle("cand", right, to)]
        parts.append(_label(left - 14, y + 4, f"{name}  {mark.reference:.4f}", "ink end", 34, whole))
        text = f"{mark.candidate:.4f}  {name}{' *' * moved}"
        parts.append(_label(right + 14, to + 4, text, "ink", 36, whole))
    bottom = top + _ROW * len(shown)
    rest = len(chart.marks) - len(shown) + chart.omitted
    moves = any('"moved"' in line for line in lines)
    notes = ["* another rank than before"] * moves + [f"{rest:,} more not drawn"] * bool(rest)
    parts.append(_label(_WIDTH / 2, bottom + 10, "; ".join(notes), "muted middle", 60))
    return _WIDTH, bottom + 20, [*sorted(lines, key=lambda part: '"moved"' in part), *parts]


#: Width between the two rankings, where the lines are drawn, and the y coordinate above the first row.
_MIDDLE, _TOP = 176, 44


class _Half:
    """The drawing of one ranking, from the middle of the picture outwards. The ranking of the candidate is
    mirrored.

    Attributes:
        rows: docno -> y coordinate of its baseline; a gap in the ranks takes up one row.
        gaps: the y coordinate of each gap, and how many ranks it leaves out.
    """

    def __init__(self, side: Side, edge: float, mirrored: bool) -> None:
        self.side, self.edge, self.mirrored = side, edge, mirrored
        self.rows: dict[str, float] = {}
        self.gaps: list[tuple[float, int]] = []
        y, last = float(_TOP), 0
        for place in side.places:
            if (left_out := place.rank - last - 1) > 0:
                y += _ROW
                self.gaps.append((y, left_out))
            y += _ROW
            last, self.rows[place.docno] = place.rank, y

    def x(self, outwards: float) -> float:
        """The x coordinate at the distance ``outwards`` from the inner edge."""
        return self.edge + _MIDDLE + outwards if self.mirrored else self.edge - outwards

    def text(self, outwards: float, y: float, text: str, classes: str, limit: int = 26) -> str:
        return _label(self.x(outwards), y, text, classes if self.mirrored else f"{classes} end", limit)

    def outer(self, y: float, text: str, classes: str) -> str:
        """A number at the outer edge."""
        return _label(self.x(self.edge - 4), y, text, f"{classes} end" if self.mirrored else classes, 10)


def _rankings(block: RankingPair) -> _Made:
    """Two rankings, with a line between the two ranks of each document. Relevant documents have a background,
    and tied documents a bracket."""
    sides = (block.reference, block.candidate)
    sums = any(place.running is not None for side in sides for place in side.places)
    edge = 384.0 if sums else 246.0
    left, right = (_Half(side, edge, side is block.candidate) for side in sides)
    grounds: list[str] = []
    texts: list[str] = []
    for half in (left, right):
        texts += _heading(half, sums)
        for place in half.side.places:
            y = half.rows[place.docno]
            if _relevant(place):
                x = min(half.x(-8), half.x(edge))
                grounds.append(_rect(x, y - 16, edge + 8, _ROW - 2, "row", place.docno))
            texts += _row(half, place, y)
        texts += [half.text(36, y, f"⋮ {count(number, 'place')}", "muted") for y, number in half.gaps]
        texts += _brackets(half)
    ranks = _ranks(block.candidate)
    both = [place for place in left.side.places if place.docno in ranks]
    lines = [_joined(place, ranks[place.docno], left, right) for place in both]
    lines.sort(key=lambda part: '"moved"' in part)  # on top of the others
    bottom = max([*left.rows.values(), *right.rows.values(), _TOP]) + 14
    if block.omitted:
        text = f"{count(block.omitted, 'document')} on neither side not shown"
        texts.append(_label(edge + _MIDDLE / 2, bottom + 8, text, "muted middle", 60))
        bottom += 16
    return 2 * edge + _MIDDLE, bottom, [*grounds, *lines, *texts]


def _relevant(place: RankedDocument) -> bool:
    return place.rel is not None and place.rel > 0


def _joined(place: RankedDocument, rank: int, left: _Half, right: _Half) -> str:
    style = "link" if rank == place.rank else "moved" if _relevant(place) else "drift"
    start, end = left.rows[place.docno] - 4, right.rows[place.docno] - 4
    a, b = left.x(-22), right.x(-22)
    curve = f"M{num(a)} {num(start)}C{num(a + 60)} {num(start)} {num(b - 60)} {num(end)} {num(b)} {num(end)}"
    return f'<path class="{style}" d="{curve}">{_tip(f"{place.docno}: {place.rank:,} to {rank:,}")}</path>'


def _heading(half: _Half, sums: bool) -> Iterator[str]:
    role = "candidate" if half.mirrored else "reference"
    name = _cut(flat(half.side.title), int(half.edge / 7) - 22)
    yield half.text(0, 16, f"{name} ({role}): {half.side.value.text}", "strong", 60)
    for x, text in ((0, "rank"), (36, "document"), (204, "level"), (250, "gain / discount"))[: 3 + sums]:
        yield half.text(x, 38, text, "muted")
    if sums:
        yield half.outer(38, "sum", "muted")


def _row(half: _Half, place: RankedDocument, y: float) -> Iterator[str]:
    level = "–" if place.rel is None else str(place.rel)
    strong, weak = ("strong", "strong") if _relevant(place) else ("ink", "muted")
    yield half.text(0, y, f"{place.rank:,}", "muted")
    yield half.text(36, y, place.docno, strong, 22)
    yield half.text(204, y, level, weak)
    if place.gain:
        text = f"{as_float(place.gain):.4g}"
        text += f" / {as_float(place.discount):.3f}" if place.discount else ""
        yield half.text(250, y, text, weak, 18)
    if place.running is not None:
        yield half.outer(y, short(place.running), weak)


def _brackets(half: _Half) -> Iterator[str]:
    for group, members in groupby(half.side.places, key=lambda place: place.tied):
        tied = list(members)
        if group is None or len(tied) < 2:
            continue
        top, bottom = half.rows[tied[0].docno] - 13, half.rows[tied[-1].docno] + 4
        x, inner = half.x(-14), half.x(-9)
        shape = f"M{num(inner)} {num(top)}H{num(x)}V{num(bottom)}H{num(inner)}"
        tip = f"score {exact(tied[0].score)}: {count(len(tied), 'document')} here with the same score"
        yield f'<path class="tied" d="{shape}">{_tip(tip)}</path>'


def _ranks(side: Side) -> dict[str, int]:
    return {place.docno: place.rank for place in side.places}


def _caption(block: RankingPair) -> str:
    ranks = _ranks(block.candidate)
    moves = [(p, ranks[p.docno]) for p in block.reference.places if ranks.get(p.docno, p.rank) != p.rank]
    if not moves:
        return "No document that is shown moves."
    relevant = [move for move in moves if _relevant(move[0])]
    place, to = max(relevant or moves, key=lambda move: abs(1 / move[1] - 1 / move[0].rank))
    kind = "Relevant document" if relevant else "Document"
    text = f"{kind} {place.docno} moves from rank {place.rank:,} to {to:,}"
    text += f"; {count(len(moves), 'move')} here, {len(relevant):,} of relevant documents."
    tied = any(p.tied is not None for p in (*block.reference.places, *block.candidate.places))
    return text + (" Brackets join documents with the same score." if tied else "")
