"""Fresh inputs: a candidate that can be asked must meet the prediction there before anything is proved."""

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck.axes.ids import Ids
from crosscheck.backends.native import native_values
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.fresh import predicted, similar_inputs
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from crosscheck.results import FreshInputs
from tests.harness.data import fields, run, write_case
from tests.support.kept import examples

Rule = Callable[[str, str, float], tuple[str, float] | None]


def write_runs(tied: bool, rules: Mapping[str, Rule]) -> None:
    """A case of 24 queries with a document of level 3 at the top; a rule makes another run of it."""
    rng, qrels, rows = random.Random(1), {}, []
    for query in range(24):
        docnos = [f"d{i:02}" for i in rng.sample(range(60), 16)]
        qrels[f"q{query:02}"] = {d: rng.choice([0, 0, 1, 2, 3]) for d in docnos} | {docnos[0]: 3}
        rows += [(f"q{query:02}", d, 30.0 - i) for i, d in enumerate([docnos[0], *docnos[4:], "x"][:12])]
    if tied:  # in the order of docnos, with ranks the other way
        rows = sorted(((q, d, score // 5) for q, d, score in rows), key=lambda row: (row[0], row[2], row[1]))
        rules = {"run": lambda q, d, score: (d, score)}
    write_case(Path("case"), qrels, rows)
    for name, rule in rules.items():
        made = [(q, *row) for q, d, score in rows if (row := rule(q, d, score)) is not None]
        lines = [f"{q} Q0 {d} {-i} {score} t\n" for i, (q, d, score) in enumerate(made)]
        Path("case", name).write_text("".join(lines))


class InAPackage(PythonCallable, frozen=True, dict=True):
    repeatable = True


def explained(
    code: str,
    function: str,
    measure: str = "nDCG@10",
    *,
    tied: bool = False,
    package: bool = False,
    **more: Any,
) -> str:
    """What is said of a metric of this file on each run: causes, fresh inputs and how it was called."""
    rules = {name: more.pop(name) for name in [*more] if name.startswith("run")}
    write_runs(tied, rules)
    Path("metrics.py").write_text(code)
    Path("calls").write_text("")
    id = function if ":" in function else f"python:metrics.py:{function}"
    if package:
        made = InAPackage("metrics.py", function)
        id, more["given"] = made.id, {made.id: made}
    lines = []
    for c in run(Path("case"), measure, **{"backends": (id,), "reference": "native"} | more).comparisons:
        found = c.diagnosis
        assert found is not None
        fresh = found.fresh
        lines.append(re.sub(r" \(metrics.py:\d+ in \w+\)", "", fields(found, "fresh")))
        lines.append("  " + ("not asked" if fresh is None else fields(fresh, "qrels", "run", "failure")))
        if fresh is not None and fresh.query is not None:
            ids = (id, "native:" + ",".join(f"{axis}={value}" for axis, value in found.conventions.items()))
            lines.append(f"  as asked again: {again(measure, ids, fresh)}")
    calls = sorted(map(int, Path("calls").read_text().split()))
    return "\n".join([*lines, f"called on {calls} queries" if calls else "not called"])


def again(measure: str, ids: tuple[str, ...], fresh: FreshInputs) -> list[Any]:
    """The values of a metric and of what was expected of it, on the input that shows the difference."""
    Path("again").mkdir()
    for name, lines in (("qrels", fresh.qrels), ("run", fresh.run)):
        Path("again", name).write_text("\n".join([*lines, ""]))
    document = run(Path("again"), measure, backends=ids, reference="native")
    return [c.mean.candidate_value for c in document.comparisons]


def respelt(gain: str = "exponential", **more: float) -> FreshInputs:
    """What is found where a candidate of exponential gain writes 1 for 2010-1, and perhaps another mean."""
    rng, exponential = random.Random(0), Conventions(gain="exponential")
    retrieved = {f"2010-{i}": {f"d{d}": rng.random() for d in range(6)} for i in range(1, 9)}
    judged = {query: {"d1": 1, "d3": 2, "d4": 0, "d9": 3} for query in retrieved}
    fresh = similar_inputs(run_from_dict(retrieved), qrels_from_dict(judged), (), ids=Ids.QUERY_SUFFIX)
    rankings, ndcg = Rankings(fresh.run, fresh.qrels), parse_measure("nDCG@10")
    answer = native_values(rankings, ndcg, exponential, "tool")
    values = {topic.rpartition(b"-")[2]: value for topic, value in answer.values.items()}
    view = Recomputer(rankings, ndcg, exponential.with_changes(gain=gain, ids="query-suffix"))
    return predicted(view, fresh.inputs, replace(answer, values=values, **more))


#: A candidate that can be asked must meet the prediction on fresh inputs before anything is proved.
test_examples = examples(globals(), str)
