"""Small result documents for the report tests: real numbers, every outcome, and hostile ids."""

from typing import Any

from msgspec.structs import replace

from crosscheck import results
from crosscheck.audit_records import Audit, AuditDocument
from crosscheck.harness.document import summarise
from crosscheck.results import SCHEMA_VERSION, Cell, Comparison, Diagnosis, Document, Inputs

REFERENCE = "pytrec_eval"
REFERENCE_ENGINE = "trec_eval 9.0.8 (C), through pytrec_eval-terrier 0.5.11"
HF = "hf-evaluate"
HF_ENGINE = "trectools 0.0.50, through evaluate 0.4.6"

#: Ids that break careless writers: every control character, markup, mentions, half a surrogate pair.
HOSTILE_IDS = (
    "".join(map(chr, range(0x20))),
    "]]>",
    "<script>alert('x')</script>",
    "\"double\" & 'single'",
    "byte \udcff outside UTF-8",
    "half \ud83d a pair",
    "non\ufffecharacter\uffff",
    "right\u202eto left",
    "a|b`c\\d",
    "@everyone [link](https://example.com) www.example.com #1",
    "-->",
    "\x1b[31mred\x1b[0m",
    "[bold]markup[/bold]",
    "$x$ *y* _z_ ~w~",
    "",
)

TIED_14 = [
    results.TiedDocument(docno="FBIS3-10082", score=11.25, rel=1, reference_rank=11, candidate_rank=10),
    results.TiedDocument(docno="FBIS4-67701", score=11.25, rel=0, reference_rank=10, candidate_rank=11),
    results.TiedDocument(docno="FT911-2048", score=11.25, rel=None, reference_rank=9, candidate_rank=12),
]

_DIAGNOSIS = Diagnosis(
    strength="proved",
    causes=["tie-breaking"],
    conventions={"ties": "rank-column"},
    reproduced=50,
    of=50,
    alternatives=[results.Alternative(["rank-order"], {"order": "rank-column"})],
    explanation="ties are ordered by the rank column instead of by docno, highest first.",
    separate_by="an input with a rank column that contradicts the scores would tell them apart",
)


def diagnosis(**changes: Any) -> Diagnosis:
    """The proof that a candidate orders ties by the rank column, with some fields changed."""
    return replace(_DIAGNOSIS, **changes)


def cell(query: str = "14", reference: Any = 0.2, candidate: Any = 0.3, **changes: Any) -> Cell:
    """One differing query; outcome and difference follow from the two numbers."""
    both = isinstance(reference, float) and isinstance(candidate, float)
    outcome = "missing-in-reference" if reference is None else "mismatch"
    fields: dict[str, Any] = {
        "outcome": "missing-in-candidate" if candidate is None else outcome,
        "abs_diff": abs(candidate - reference) if both else None,
        "ulp": 1_801_439_850_948_199 if both else None,
        "causes": ["tie-breaking"],
    }
    return Cell(query=query, reference_value=reference, candidate_value=candidate, **{**fields, **changes})


_COMPARISON = Comparison(
    case="s2-tied-scores",
    run="run.txt",
    measure="P@10",
    candidate=HF,
    outcome="mismatch",
    expected=False,
    stale=False,
    queries=50,
    matches=49,
    mismatches=1,
    missing=0,
    mean=results.Mean(0.25800000000000006, 0.26, False),
    max_abs_diff=0.1,
    max_ulp=1_801_439_850_948_199,
    diagnosis=_DIAGNOSIS,
    cells=[cell(documents=TIED_14)],
    reference=REFERENCE,
    reference_engine=REFERENCE_ENGINE,
    candidate_engine=HF_ENGINE,
    tolerance=1e-9,
    decimals=None,
    message=None,
    reason=None,
    notes=[],
)
_AGREEMENT = replace(
    _COMPARISON,
    outcome="match",
    expected=True,
    matches=50,
    mismatches=0,
    mean=results.Mean(0.3125, 0.3125, True),
    max_abs_diff=0.0,
    max_ulp=0,
    diagnosis=None,
    cells=[],
)
_NOTHING = {"queries": 0, "matches": 0, "max_abs_diff": None, "max_ulp": None}
_INPUTS = Inputs(
    case="s2-tied-scores",
    run="run.txt",
    queries=50,
    missing=0,
    unjudged=0,
    missing_queries=[],
    unjudged_queries=[],
    notes=[],
)


def comparison(**changes: Any) -> Comparison:
    """P@10 of hf-evaluate, different on query 14 of 50 and declared by nobody, with some fields changed."""
    return replace(_COMPARISON, **changes)


def agreement(**changes: Any) -> Comparison:
    """A comparison on which both sides agree everywhere, with some fields changed."""
    return replace(_AGREEMENT, **changes)


def without_values(**changes: Any) -> Comparison:
    """A comparison that yielded no number, with some fields changed."""
    fields = {"outcome": "error", "expected": False, "mean": results.Mean(None, None, False), **_NOTHING}
    return replace(_AGREEMENT, **(fields | changes))


def inputs(**changes: Any) -> Inputs:
    """The input record of one case and run, with some fields changed."""
    return replace(_INPUTS, **changes)


_BACKENDS = [
    results.BackendRecord(id=id, version=version, available=True, engine=engine, reason=None)
    for id, version, engine in (
        (REFERENCE, "0.5.11", REFERENCE_ENGINE),
        ("native", "0.1.0", "crosscheck's own measures, as trec_eval-9.0.8"),
        (HF, "0.4.6", HF_ENGINE),
    )
]
GONE = results.BackendRecord(
    id="trec_eval",
    version="",
    available=False,
    engine="the trec_eval program",
    reason="no program named trec_eval on PATH; build it from github.com/usnistgov/trec_eval",
)


def made_by() -> dict[str, Any]:
    """What every document says of the program that made it."""
    packages = {"numpy": "2.4.6", "evaluate": "0.4.6"}
    environment = results.Environment(python="3.11.7", platform="Linux-x86_64", seed=0, packages=packages)
    tool = results.Tool("crosscheck", "0.1.0")
    return {"schema_version": SCHEMA_VERSION, "tool": tool, "environment": environment}


def document(comparisons: list[Comparison], **changes: Any) -> Document:
    """A document around some comparisons, with its other fields changed at will."""
    whole = Document(
        **made_by(),
        complete=True,
        reference=REFERENCE,
        backends=[*_BACKENDS, GONE],
        inputs=[_INPUTS],
        comparisons=comparisons,
        summary=summarise(comparisons),
    )
    return replace(whole, **changes)


def everything() -> Document:
    """One document with every outcome, every strength of evidence and every kind of number."""
    dropped: dict[str, Any] = {"case": "missing-queries", "run": "run.gz", "queries": 3}
    ordered = diagnosis(causes=["rank-order"], conventions={"order": "input"}, alternatives=[])
    in_part: dict[str, Any] = {"conventions": {}, "alternatives": [], "separate_by": None}
    in_part |= {"reproduced": 2, "of": 3}
    causes = ["missing-queries", "precision-denominator"]
    said = "judged queries without results count as 0; P@k is divided by R."
    of_two = diagnosis(**in_part, strength="per-query", causes=causes, explanation=said)
    said = "no convention that crosscheck knows gives these values."
    none = diagnosis(**in_part, strength="none", causes=["unexplained"], explanation=said)
    agreed = "declared as tie-breaking, but reference and candidate agree"
    reason = "trectools orders by the input file and ignores scores in nDCG"
    known = {"expected": True, "reason": reason, "diagnosis": ordered, "max_ulp": 1}
    lacking = {"outcome": "unsupported", "expected": True}
    missing = {"missing": 1, "missing_queries": ["2"]}
    unjudged = {"unjudged": 25, "unjudged_queries": [str(query) for query in range(100, 120)]}
    mean = results.Mean
    two = [cell("2", None, 0.0, causes=causes[:1]), cell("1", 0.2, 1.0, causes=causes[1:])]
    odd = [cell("1", 1.0, "NaN", causes=["unexplained"]), cell("0", 0.5, 3.0, causes=["unexplained"])]
    compared = [
        *(agreement(candidate="native", measure=m) for m in ("P@10", "nDCG@10", "AP")),
        agreement(candidate="native", measure="P@5", **dropped),
        comparison(),
        comparison(measure="RR", mean=mean(0.61234, 0.61236, False), cells=[cell("7", 0.5, 0.501)]),
        agreement(measure="AP", notes=["query ids were mapped to integers one to one"]),
        comparison(measure="nDCG@10", mean=mean(0.42010951172205624, 0.4201095117220563, False), **known),
        comparison(
            **dropped,
            measure="P@5",
            matches=1,
            missing=1,
            mean=mean(0.30000000000000004, 0.20000000000000004, False),
            diagnosis=of_two,
            cells=two,
        ),
        comparison(
            **dropped, measure="Rprec", matches=2, diagnosis=none, mean=mean(0.1095, "NaN", False), cells=odd
        ),
        agreement(measure="P@20", expected=False, stale=True, reason="ties at rank 20", message=agreed),
        without_values(**dropped, measure="nDCG", message="KeyError: '0'\n  in trectools/trec_eval.py"),
        without_values(
            measure="bpref", expected=True, reason="needs pandas 2", message="the child process was killed"
        ),
        *(without_values(**lacking, measure=m, message=f"it has no {m}") for m in ("SetF", "SetP")),
    ]
    noted = inputs(notes=["the qrels start with a byte order mark"])
    return document(
        compared,
        inputs=[noted, inputs(case="missing-queries", run="run.gz", **{**missing, **unjudged, "queries": 2})],
    )


def many() -> Document:
    """More tools, findings, saved numbers and declared differences than a page shows, and odd outcomes."""
    paths = {"qrels_path": "a/qrels", "run_path": "a/run.txt"}
    compared = [
        agreement(candidate="published"),
        *(agreement(candidate=f"recorded:{i}.json") for i in range(12)),
        agreement(candidate="python:f", reference="native"),
        *(comparison(case=f"c{i}", expected=True, reason=f"r{i % 2}") for i in range(5)),
        comparison(candidate="python:mean", cells=[], matches=50, mismatches=0),
        comparison(candidate="python:noise", max_ulp=2, diagnosis=None),
        comparison(candidate="python:informs", informs=True),
        agreement(candidate="python:surprise", expected=False),
        without_values(candidate="python:silent"),
        *(agreement(case=f"c{i}", candidate="python:f", expected=False, stale=True) for i in range(2)),
        *(comparison(candidate=f"python:m{i}") for i in range(7)),
        *(comparison(case=f"d{i}", measure=m) for i in range(6) for m in ("P@5", "nDCG@10")),
    ]
    functions = sorted({c.candidate for c in compared if c.candidate.startswith("python:")})
    return document(
        compared,
        inputs=[inputs(**paths), *(inputs(case=f"{of}{i}") for of in "cd" for i in range(5))],
        backends=[*_BACKENDS, *(replace(_BACKENDS[0], id=id, version="", engine="") for id in functions)],
    )


def mean_only() -> Document:
    """A printed mean that seven sets of conventions give, and a difference on two queries of fifty, which is
    too few for a proof."""
    ties = "ties are ordered by the rank column instead of by docno, highest first; "
    found = {
        f"{ties}7 of 212 sets of conventions give this mean, or it is another run.": (0, 7, 212),
        f"{ties}only 2 queries differ.": (50, 2, 96),
    }
    of_mean, of_two = (
        diagnosis(strength="consistent", reproduced=of, of=of, explanation=said, fits=fits, tried=tried)
        for said, (of, fits, tried) in found.items()
    )
    fields: dict[str, Any] = {"candidate": "published", "mismatches": 0, "cells": [], **_NOTHING}
    two = comparison(matches=48, mismatches=2, diagnosis=of_two)
    return document([comparison(diagnosis=of_mean, **fields), two])


def uncallable() -> AuditDocument:
    """The audit of a metric that could not be called, though its kind of call was found."""
    audit = Audit(
        target="my.py:ndcg",
        measure="nDCG@10",
        call="f(gains, k)",
        reference="trec_eval-9.0.8",
        verdict="uncallable",
        causes=[],
        conventions={},
        alternatives=[],
        experiments=0,
        nearest_profile=None,
        behaviour={},
        counterexamples=[],
        seed=0,
        message="TypeError: f() takes 1 positional argument but 2 were given",
    )
    return AuditDocument(**made_by(), audit=audit)


def hostile(*ids: str) -> Document:
    """A document in which every text that comes from outside holds hostile characters."""
    found, lacking = [], {"outcome": "unsupported", "expected": True}
    ids = ids or HOSTILE_IDS
    for position, text in enumerate(ids):
        tied = [results.TiedDocument(docno=text, score=1.0, rel=None, reference_rank=1, candidate_rank=2)]
        found += [
            comparison(
                case=text,
                run=text,
                candidate=f"python:{text}",
                message=text,
                diagnosis=diagnosis(explanation=text, separate_by=text, causes=["tie-breaking"]),
                cells=[cell(text, documents=tied)],
                notes=[text],
            ),
            comparison(case=f"{position}", run=text, expected=True, reason=text),
            without_values(case=f"{position}", run=text, message=f"first line\n{text}\n::error::x"),
            without_values(case=f"{position}", measure="SetF", run=text, message=text, **lacking),
        ]
    records = [inputs(case=t, run=t, missing=1, missing_queries=[t], notes=[t]) for t in ids]
    backends = [replace(GONE, id=f"python:{t}", version=t, engine=t, reason=t) for t in ids]
    return document(found, inputs=records, backends=backends)


def flood(cases: int = 12, queries: int = 40) -> Document:
    """Many comparisons that all tell the same story."""
    cells = [cell(f"q{i}", 0.2, 0.2 + i / 1000) for i in range(1, queries + 1)]
    return document(
        [
            comparison(
                case=f"case-{i:03}", measure=measure, cells=cells, mismatches=queries, matches=50 - queries
            )
            for i in range(cases)
            for measure in ("P@5", "P@10", "nDCG@10")
        ],
        inputs=[inputs(case=f"case-{i:03}") for i in range(cases)],
    )
