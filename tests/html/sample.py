"""A page with every kind of block, and with names of one's own choice in every place for text."""

import math
from collections.abc import Callable
from typing import Any

from crosscheck.report import page as block
from crosscheck.report.page import Block, Figure, Id, Status
from crosscheck.report.tables import columns
from crosscheck.results import RankedDocument

TOOLS = ("native", "ir-measures", "hf-evaluate")
STATUSES = (Status.UNEXPECTED, Status.KNOWN, Status.STALE)
CAUSES = ("rank-order", "tie-breaking", "gain")


def figure(value: float) -> Figure:
    return Figure(f"{value:.4f}", value)


def sample(queries: int = 45, name: Callable[[str], str] = str) -> block.Page:
    """Three findings with ``queries`` queries each; ``name`` makes every name that comes from outside."""
    findings = [_finding(n, queries, name) for n in range(3)]
    measures = [Id(name("P@10")), Id(name("nDCG@10"))]
    cells: list[list[block.Finding | Figure | None]] = [
        [block.Finding(Status.AGREE), block.Finding(status, f"{queries} q", f"finding-{n}")]
        for n, status in enumerate(STATUSES, 1)
    ]
    cells.append([None, block.Finding(Status.ERROR)])
    cells.append([block.Finding(Status.UNSUPPORTED), block.Finding(Status.DIFFERS)])
    tools = [Id(name(tool)) for tool in (*TOOLS, "ranx", "sklearn")]
    answers = [
        block.Finding(status, (Id(name(tool)), " differs on ", Id(name("nDCG@10"))), f"finding-{n}")
        for n, (status, tool) in enumerate(zip(STATUSES, TOOLS, strict=True), 1)
    ]
    said = ("2 of 27 comparisons differ: ", Id(name("verdict")))
    facts = block.Facts([(name("fact"), Id(name("value")))])
    blocks: list[Block] = [
        block.Matrix("Tools and measures", tools, measures, cells),
        *findings[:2],
        block.Details("1 more finding in full", findings[2:]),
        block.Paragraph(("A paragraph about ", Id(name("paragraph")))),
        block.Details(("What was compared", Id(name("details"))), [facts]),
    ]
    verdict = block.Verdict(Status.UNEXPECTED, said, name("about"), answers)
    return block.Page("run", (Id(name("title")),), verdict, blocks, ("crosscheck ", Id(name("0.1.0"))))


def _finding(n: int, queries: int, name: Callable[[str], str]) -> block.Section:
    sides = (name("pytrec_eval"), name(TOOLS[n]))
    marks, rows = [], []
    for q in range(queries):
        before = (q * 37 % 101) / 101
        after = (q * 53 % 97) / 97
        cause = name(CAUSES[(n + (q % 9 == 0)) % 3])
        band = (before / 2, (1 + after) / 2) if q % 9 == 0 else (None, None)
        marks.append(block.Mark(Id(name(f"{q}")), before, after, cause, *band))
        row: list[block.TableCell] = [Id(name(f"{q}")), Id(name(f"case-{q % 2}")), figure(before)]
        rows.append([*row, figure(after) if q else Figure("no value", None), cause])
    heads = columns("@query", "@case / run", "#reference", "#candidate", "cause")
    ends = zip((0.0758, 0.185, 0.215), (0.185, 0.215, 0.201), ("rank-order", "gain", "depth"), strict=True)
    steps = [block.Mark(name(cause), before, after) for before, after, cause in ends]
    caption = f"From 0.0758 to 0.2010, said {name('caption')}."
    blocks: list[Block] = [
        block.Facts([("evidence", "proved"), ("where", (Id(name("case-0")), " / ", Id(name("run.txt"))))]),
        block.Table("", heads, rows, 3, "query value"),
        block.Details(
            "The details",
            [
                block.Chart(f"w{n}", "waterfall", name("the mean"), caption, sides, steps, "cause"),
                block.Chart(f"d{n}", "dots", name("all queries"), caption, sides, marks),
                block.Chart(f"q{n}", "queries", name("largest"), caption, sides, marks),
                block.Chart(f"s{n}", "ranking", name("systems"), caption, sides, marks[:5], "system"),
                _rankings(sides, name),
                block.Command(f"crosscheck {name('command')} --query 38", "To see this alone"),
                block.Bullets(name("notes"), [name("a note"), (Id(name("an id")), " and words")]),
                block.Message(f"Traceback\n  {name('message')}"),
            ],
        ),
        block.Section(
            ("Inside ", Id(name("inside"))), [block.Paragraph(name("words inside"))], f"inside-{n}"
        ),
    ]
    tags = {"tool": [name(TOOLS[n])], "measure": [name("nDCG@10")], "cause": [name(CAUSES[n])]}
    tags |= {"case": [name("case-0"), name("case-1")], "status": [STATUSES[n].value]}
    return block.Section((Id(name(TOOLS[n])), ": ", Id(name(CAUSES[n]))), blocks, f"finding-{n + 1}", tags)


def _rankings(sides: tuple[str, str], name: Callable[[str], str]) -> block.RankingPair:
    before = ["d0", "d1", "d2", "d3", "d4", "d5"]
    after = ["far", "d0", "d3", "d2", "d1", "d4", "d5"]
    levels = {"d1": 1, "far": 2, "d4": None}

    def places(order: list[str], last: int | None) -> list[RankedDocument]:
        found, total = [], 0.0
        for rank, docno in enumerate(order, 1):
            rank = last if last and docno == "far" else rank
            gain, discount = float(levels.get(docno, 0) or 0), math.log2(rank + 1)
            total += gain / discount
            tied = 1 if docno in ("d1", "d2", "d3") else None
            numbers: dict[str, Any] = {"gain": gain, "discount": discount, "running": total, "tied": tied}
            numbers |= {"rank": rank, "rel": levels.get(docno, 0), "score": 1 / (rank + 1)}
            found.append(RankedDocument(docno=name(docno), **numbers))
        return found

    left = block.Side(Id(sides[0]), figure(0.0636), places([*before, "far"], 36))
    right = block.Side(Id(sides[1]), figure(0.7516), places(after, None))
    return block.RankingPair(("Query ", Id(name("38"))), left, right, 28)
