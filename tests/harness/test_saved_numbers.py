"""Numbers that come with a case, published or recorded: candidates like any other."""

import json
import random
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

import crosscheck as api
from crosscheck.compare import differ
from crosscheck.formats.cases import read_config
from crosscheck.harness import Settings, run_with
from crosscheck.model import Case, MeasureValues, Printed
from tests.harness import data
from tests.harness.data import comparison, document_of
from tests.support.kept import examples


def rounded(published: str) -> str:
    """The outcome of a number that is published of RR, and of another beside it."""
    rows = [("1", "a", 1.0), *(("2", doc, 9.0 - rank) for rank, doc in enumerate("vwxyzb"))]
    config = f'[published]\n"RR" = {published}\n"P@1" = 0.50\n'
    found = document_of(config, qrels={"1": {"a": 1}, "2": {"b": 1}}, rows=rows).comparisons
    return ", ".join(f"{c.measure} {c.outcome} {c.decimals}" for c in found if c.candidate == "published")


def together(*names: str) -> str:
    """What explains each of these means of a tool for which only retrieved documents exist."""
    rng = random.Random(3)
    qrels = {str(q): {f"d{i}": rng.choice((0, 0, 1, 2)) for i in range(20)} for q in range(20)}
    lines = [(q, f"d{i}", rng.random()) for q in qrels for i in range(4, 24)]
    by_query = {q: {docno: score for topic, docno, score in lines if topic == q} for q in qrels}
    values = api.evaluate(qrels, by_query, names, conventions="universe=retrieved")
    means = {name: fmean(of[name] for of in values.values()) for name in names}
    config = "[published]\n" + "".join(f'"{name}" = {mean:.6f}\n' for name, mean in means.items())
    document = document_of(config, qrels=qrels, rows=lines)
    found = {name: comparison(document, name, "published").diagnosis for name in names}
    return "\n".join(f"{name}: {one and one.conventions}" for name, one in found.items())


VERSIONS = ("map", "P_5", "P_10", "ndcg_cut_10", "recip_rank", "iprec_at_recall_0.60", "11pt_avg")


def versions(form: str) -> str:
    """What differs between the numbers of trec_eval 9.0.8 and those of 10.0, which are kept in this form.

    The run is in order of its scores; some of these are equal only in single precision.
    """
    rng, qrels, rows = random.Random(4), list[str](), list[str]()
    for query in range(1, 26):
        score = 30.0
        for rank in range(1, 21):
            docno = f"d{rng.randrange(10**6)}"
            score -= rng.choice((0.5, 1e-7, 1e-8))
            qrels.append(f"{query} 0 {docno} {rng.choice((0, 0, 1, 2))}\n")
            rows.append(f"{query} Q0 {docno} {rank} {score!r} t\n")
    Path("qrels").write_text("".join(qrels))
    Path("run").write_text("".join(rows))
    for version in ("9.0.8", "10"):
        values = api.evaluate("qrels", "run", VERSIONS, conventions=f"trec_eval-{version}")
        values["all"] = {name: fmean(of[name] for of in values.values()) for name in VERSIONS}
        kept = {"all": values["all"]} if (form, version) == ("summary", "10") else values
        lines = [f"{name}\t{query}\t{of[name]:.4f}\n" for query, of in kept.items() for name in VERSIONS]
        exact = {query: {name: float(f"{of[name]:.4f}") for name in VERSIONS} for query, of in kept.items()}
        Path(version).write_text(json.dumps(exact) if (form, version) == ("JSON", "10") else "".join(lines))
    case = Case(name="versions", qrels="qrels", runs=("run",))
    settings = Settings(measures=VERSIONS, backends=("recorded:10",), reference="recorded:9.0.8")
    document = run_with([case], settings)
    apart = ((c, c.diagnosis) for c in document.comparisons if c.diagnosis)
    means = [f"{c.measure}: {data.fields(c.mean)}; {data.fields(found)}" for c, found in apart]
    return "\n".join([*means, *map(data.fields, document.tools)])


#: Numbers that come with a case are candidates, with their run, measure, outcome, decimals and source.
test_examples = examples(globals(), str, data)


def midpoint(scaled: int, decimals: int) -> float:
    return float(Decimal(2 * scaled + 1).scaleb(-decimals) / 2)


@given(
    st.integers(0, 8).flatmap(
        lambda decimals: st.tuples(
            st.just(decimals),
            st.floats(-10, 10) | st.builds(midpoint, st.integers(-(10**6), 10**6), st.just(decimals)),
        )
    ),
    st.booleans(),
)
def test_a_value_agrees_with_what_is_printed_of_it(tmp_path_factory, drawn, quoted):
    """Rounded as printf does, half up from the bits, or half up from the shortest digits; as text or as a
    literal. One unit of the last digit further away does not agree."""
    decimals, value = drawn
    unit = Decimal(1).scaleb(-decimals)
    halves = [number.quantize(unit, ROUND_HALF_UP) for number in (Decimal(value), Decimal(repr(value)))]
    near = {f"{value:.{decimals}f}", *(f"{half:f}" for half in halves)}
    far = {f"{Decimal(text) + (unit if Decimal(text) >= value else -unit):f}" for text in near}
    path = tmp_path_factory.mktemp("case") / "case.toml"
    for text in near | far:
        path.write_text("[published]\n" + (f'"RR" = "{text}"\n' if quoted else f'"RR" = {text}\n'))
        (published,) = read_config(str(path), []).published
        printed = published.values["RR"]
        assert isinstance(printed, Printed)
        assert printed.decimals == decimals
        exact = MeasureValues({}, value, "exact")
        shown = MeasureValues({}, float(printed), "printed", printed.decimals)
        assert differ(exact, shown).agree == (text in near), text
