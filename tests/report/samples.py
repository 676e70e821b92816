"""Small result documents for the report tests: real numbers, every outcome, and hostile ids."""

import gzip
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck import results
from crosscheck.harness.document import summarise
from crosscheck.report.json_report import load
from crosscheck.results import Cell, Comparison, Diagnosis, Document, Inputs


def saved(name: str) -> Any:
    """A document that is kept: packed those of real inputs, others made up."""
    path = Path(__file__).parent / "saved" / f"{name}.json"
    return load(path.read_bytes() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes()))


#: One document with every outcome, every strength of evidence and every kind of number.
everything = partial(saved, "everything")
#: The audit of a metric that could not be called, though its kind of call was found.
uncallable = partial(saved, "uncallable")
#: P@10 of hf-evaluate, different on query 14 of 50; the same where both sides agree everywhere.
_USUAL: Document = saved("usual")
_COMPARISON, _AGREEMENT = _USUAL.comparisons
GONE = _USUAL.backends[-1]
assert _COMPARISON.diagnosis
_DIAGNOSIS: Diagnosis = _COMPARISON.diagnosis

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


def comparison(**changes: Any) -> Comparison:
    """P@10 of hf-evaluate, different on query 14 of 50 and declared by nobody, with some fields changed."""
    return replace(_COMPARISON, **changes)


def agreement(**changes: Any) -> Comparison:
    """A comparison on which both sides agree everywhere, with some fields changed."""
    return replace(_AGREEMENT, **changes)


def without_values(**changes: Any) -> Comparison:
    """A comparison that yielded no number, with some fields changed."""
    fields = {"outcome": "error", "expected": False, "mean": results.Mean(None, None, False), "queries": 0}
    fields |= {"matches": 0, "max_abs_diff": None, "max_ulp": None}
    return replace(_AGREEMENT, **(fields | changes))


def inputs(**changes: Any) -> Inputs:
    """The input record of one case and run, with some fields changed."""
    return replace(_USUAL.inputs[0], **changes)


def document(comparisons: list[Comparison], **changes: Any) -> Document:
    """A document around some comparisons, with its other fields changed at will."""
    return replace(_USUAL, **({"comparisons": comparisons, "summary": summarise(comparisons)} | changes))


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
        backends=[
            *_USUAL.backends[:-1],
            *(replace(GONE, id=id, available=True, engine="", reason=None) for id in functions),
        ],
    )


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
