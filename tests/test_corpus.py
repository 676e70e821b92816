"""Real TREC data: the reference engine bit for bit, published numbers, and labels on real mismatches."""

import gzip

import pytest

from crosscheck.formats.recorded import read_recorded
from crosscheck.harness import Settings, run_with
from crosscheck.model import Case
from crosscheck.names import DEFAULT_MEASURES, is_measure, parse_measure

CUTOFFS = (1, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = (
    *DEFAULT_MEASURES,
    *(f"{family}@{k}" for family in ("R", "P", "nDCG", "AP", "Success") for k in CUTOFFS),
    *("SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet"),
)


def collection(corpus, name, run=None):
    """A collection with all of its runs that are here, or with one."""
    folder = corpus / name
    if not folder.is_dir() or (run is not None and not (folder / run).is_file()):
        pytest.skip(f"{name}/{run or ''} is not among the TREC collections here")
    runs = sorted(folder.glob("run.*")) if run is None else [folder / run]
    return Case(name=name, qrels=str(folder / "qrels"), runs=tuple(map(str, runs)))


def compared(case, *measures, candidate, reference, tolerance=None):
    return run_with(
        [case], Settings(measures=measures, backends=(candidate,), reference=reference, tolerance=tolerance)
    )


def test_native_is_bit_for_bit_pytrec_eval(corpus):
    """Every measure of every query of every run has the very same 64 bits, and so has no mismatch."""
    cases = [collection(corpus, folder.name) for folder in sorted(corpus.iterdir()) if folder.is_dir()]
    document = run_with(
        cases, Settings(measures=MEASURES, backends=("native",), reference="pytrec_eval", tolerance=0.0)
    )
    assert {i.case for i in document.inputs} == {case.name for case in cases}
    assert len(document.comparisons) == len(set(MEASURES)) * sum(len(case.runs) for case in cases)
    off = [c for c in document.comparisons if c.outcome != "match" or c.max_ulp != 0]
    assert [(c.case, c.run, c.measure, c.outcome, c.max_ulp) for c in off] == []


def saved_outputs(corpus):
    """Outputs of the C programs that lie beside the runs, with the conventions they were made under."""
    for path in sorted(corpus.glob("*/out.te*")):
        version, _, rest = path.name.removeprefix("out.te").partition(".")
        profile = {"908": "trec_eval-9.0.8", "10": "trec_eval-10"}[version]
        counted = rest.startswith("c.")
        run = f"run.{rest.removeprefix('c.').removesuffix('.gz')}.txt"
        # trec_eval 10 stops at a query without judgements; its output is then not a whole one.
        data = path.read_bytes()
        whole = b"\tall\t" in (gzip.decompress(data) if path.suffix == ".gz" else data)
        if whole and (path.parent / run).is_file():
            # -c prints no line for a judged query without results; it only counts in the mean.
            yield collection(corpus, path.parent.name, run), path, profile + ",query_set=qrels" * counted


def test_native_prints_what_the_c_programs_printed(corpus):
    """Every value and mean of trec_eval 9.0.8 and 10, with and without -c, to its four decimals."""
    outputs = list(saved_outputs(corpus))
    assert outputs
    for case, path, profile in outputs:
        # The summary of num_rel under -c is no sum over values: it counts queries without results, too.
        measures = [m for m in MEASURES if m != "NumRel" or "query_set" not in profile]
        document = compared(case, *measures, candidate=f"recorded:{path}", reference=f"native:{profile}")
        compared_ones = [c for c in document.comparisons if c.outcome != "unsupported"]
        assert len(compared_ones) > 40
        assert [(c.measure, c.cells) for c in compared_ones if c.outcome != "match"] == [], path


def test_an_official_trec_8_evaluation_is_reproduced(corpus):
    """All measures of NIST's evaluation of READWARE that have a name here, every query and every mean."""
    case = collection(corpus, "trec8-adhoc", "run.READWARE.txt")
    path = corpus / "trec8-adhoc" / "expected.nist-eval.READWARE"
    saved = read_recorded(str(path))
    assert set(saved.decimals.values()) == {4, None}
    known = [name for name in {**saved.values, **saved.means} if is_measure(name)]
    assert {"map", "ndcg_cut_10", "P_10", "recall_100", "bpref", "Rprec", "recip_rank"} <= set(known)
    document = compared(case, *known, candidate=f"recorded:{path}", reference="native:trec_eval-10")
    assert len(document.comparisons) == len({str(parse_measure(name)) for name in known})
    assert [(c.measure, c.message, c.cells) for c in document.comparisons if c.outcome != "match"] == []
    assert {c.queries for c in document.comparisons if c.measure in MEASURES} == {50}
