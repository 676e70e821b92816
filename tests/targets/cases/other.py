"""Cases in which everything agrees, ids made to break reports, and inputs that one backend refuses."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.targets import labels, rules
from tests.targets.cases.spec import CaseSpec, Expect, Published, Recorded, from_grades, rows
from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Judged, table


def _ranked(topic: int, depth: int, draw: random.Random, levels: int) -> tuple[dict[str, int], list[Row]]:
    """A ranking whose judged documents get likelier to be relevant towards the top; scores are untied."""
    docs = [f"q{topic}-{(7919 * i + topic) % 99991:05d}" for i in range(depth)]
    score, lines, judged = 40.0, [], {}
    for rank, doc in enumerate(docs, start=1):
        score -= 0.01 + draw.random() * 0.04
        lines.append(Row(doc, rank, f"{score:.6f}"))
        if draw.random() < 0.7:
            chance = 1 / (1 + rank / (depth / 4))
            judged[doc] = 1 + int(draw.random() * levels) if draw.random() < chance else 0
    unretrieved = {f"q{topic}-u{i}": i % (levels + 1) for i in range(4)}
    return judged | unretrieved, lines


def _collection(topics: int, depth: int, levels: int, seed: int) -> tuple[Qrels, Run]:
    # random() itself is the one part of the module that is promised never to change its sequence.
    draw = random.Random(seed)
    made = {str(topic): _ranked(topic, depth, draw, levels) for topic in range(1, topics + 1)}
    return {topic: judged for topic, (judged, _) in made.items()}, {
        topic: lines for topic, (_, lines) in made.items()
    }


def _healthy(name: str, description: str, topics: int, depth: int, levels: int, seed: int) -> CaseSpec:
    qrels, run = _collection(topics, depth, levels, seed)
    return CaseSpec(name, description, qrels, {"run.txt": run})


def _tied() -> CaseSpec:
    judged, lines = from_grades([0, 1, 0, 1, 0, 0], [1])
    return CaseSpec(
        "healthy-ties",
        "every score is tied, but the lines are in descending order of docno: no tool can differ",
        {"1": judged},
        {
            "run.txt": {
                "1": [Row(row.docno, rank, "1.0") for rank, row in enumerate(reversed(lines), start=1)]
            }
        },
    )


def _saved() -> CaseSpec:
    first, second = from_grades([0, 1, 0, 1, 1], [1, 1], prefix="a"), from_grades([0, 0, 2], [1], prefix="b")
    return CaseSpec(
        "healthy-saved-output",
        "values saved with four decimals, and printed means with three, agree within what was printed",
        {"1": first[0], "2": second[0]},
        {"run.txt": {"1": first[1], "2": second[1]}},
        ("P@5", "AP", "RR", "nDCG@5"),
        published=Published({"AP": 0.243, "RR": 0.417}, "rounded by hand", decimals=3),
        recorded={
            "recorded.tool.txt": Recorded(
                table(
                    P_5=rules.precision,
                    AP=rules.average_precision,
                    RR=rules.reciprocal_rank,
                    nDCG_5=rules.ndcg,
                ),
                decimals=4,
            )
        },
    )


#: Pairs of docnos that sort in this order, byte by byte; the second one of each pair is nonrelevant.
DOCNOS = (
    ("<b>d</b>", "<script>alert(1)</script>"),
    ("a&amp;b", "a&b"),
    ("a|b", "a||b"),
    ("`code`", "`code``"),
    ("]]>", "]]]]>"),
    ('"quoted"', "'quoted'"),
    ("=1+1", "@mention"),
    ("[red]d[/red]", "[x](http://example.org)"),
    ("%s{0}", "%s{1}"),
    ("../../d", "..\\..\\d"),
    ("\x01\x02", "\x1b[31mred"),
    ("\x1c", "\x1f"),
    ("caf\u00e9", "cafe\u0301"),
    ("\u6587\u66f8", "\u6587\u7ae0"),
    ("\u00a0", "\u2028"),
    ("\u202ed", "\ufffe"),
    ("\uffff", "\U0001f4c4"),
    ("\udcfe", "\udcff"),
    ("x" * 299 + "a", "x" * 300),
    ("1e-320", "nan"),
)
TOPICS = (
    "<script>alert(1)</script>",
    "a|b",
    "&amp;",
    "\u6587",
    "\u2028",
    "no_query",
    "]]>",
    "\x01",
    "\udcff",
    "x" * 300,
)


def _hostile() -> CaseSpec:
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, list[Row]] = {}
    ordered = [tuple(sorted(pair, key=lambda doc: doc.encode("utf-8", "surrogateescape"))) for pair in DOCNOS]
    for i, topic in enumerate(TOPICS):
        # The topic in front keeps the docnos of a topic its own, whatever else a tool mixes up.
        (low, high), (first, last) = (
            tuple(f"{i}{doc}" for doc in pair) for pair in ordered[2 * i : 2 * i + 2]
        )
        qrels[topic] = {low: 1, high: 0, first: 2, last: 0}
        run[topic] = [
            Row(high, 1, "1e-320"),
            Row(low, 2, "0"),
            Row(last, 3, "-0.5"),
            Row(first, 4, "-inf"),
        ]
    reason = "ties by ascending docno; the scores 1e-320 and 0 are one number in single precision"
    refused = "pytrec_eval returns the numbers of another evaluation for a query called no_query"
    return CaseSpec(
        "hostile-ids",
        "markup, control bytes, separators, bytes that are not UTF-8, long ids, all shown by a mismatch",
        qrels,
        {"run.txt": run},
        ("RR", "AP", "P@5"),
        recorded={"recorded.tool.txt": Recorded(table(RR=_single_precision_ascending), decimals=4)},
        expect=(
            Expect("recorded:recorded.tool.txt", "RR", ("tie-breaking",), reason),
            *(Expect("ir-measures", measure, (), refused, "error") for measure in ("RR", "AP", "P@5")),
        ),
    )


def _single_precision_ascending(judged: Judged, lines: Sequence[Row]) -> float:
    """Scores as float32, where 1e-320 is 0, and ties by ascending docno."""
    return labels.rr_ties_ascending(
        judged, [row._replace(score="0") if row.score == "1e-320" else row for row in lines]
    )


def _infinite() -> CaseSpec:
    lines = [Row("d1", 1, "inf"), Row("d2", 2, "1e39"), Row("d3", 3, "3.5"), Row("d4", 4, "-inf")]
    return CaseSpec(
        "hostile-scores",
        "infinite scores, and 1e39, which is infinite in single precision: tied with inf, docno decides",
        {"1": {"d1": 0, "d2": 1, "d3": 0, "d4": 2}},
        {"run.txt": {"1": lines}},
        ("RR", "AP", "P@5", "bpref"),
    )


def _unjudged_query() -> CaseSpec:
    reason = "trectools raises KeyError for a query of the run without judgements"
    return CaseSpec(
        "backend-error-unjudged-query",
        "a query of the run without judgements: HF evaluate cannot be called, everybody else leaves it out",
        {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1, "d4": 0}},
        {"run.txt": {"1": rows("d1 d2"), "2": rows("d4 d3"), "3": rows("d5")}},
        ("P@5", "AP"),
        expect=tuple(Expect("hf-evaluate", measure, (), reason, "error") for measure in ("P@5", "AP")),
    )


CASES = (
    _healthy("healthy-binary", "three queries, binary judgements", 3, 20, 1, seed=1),
    _healthy("healthy-graded", "three queries, grades 0 to 3", 3, 20, 3, seed=2),
    _healthy("healthy-deep-lists", "two queries with a thousand documents each", 2, 1000, 2, seed=3),
    _healthy("healthy-many-queries", "sixty queries with five documents each", 60, 5, 2, seed=4),
    _tied(),
    _saved(),
    _hostile(),
    _infinite(),
    _unjudged_query(),
)
