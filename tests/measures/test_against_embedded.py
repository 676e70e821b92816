"""Native measures against trec_eval 9.0.8's own C code: flags and parameters that pytrec_eval lacks."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Measure
from crosscheck.names import expand_group, parse_measure, parse_measures, trec_eval_name
from tests.measures import embedded
from tests.support.cases import Case, saved_values

pytestmark = pytest.mark.skipif(embedded.why_not() is not None, reason=embedded.why_not() or "")

_PLAIN = [
    name for m in expand_group("all_trec") if not m.cutoff and not m.params and (name := trec_eval_name(m))
]
_CUTS = ["P.1,5,10", "recall.1,7", "success.1,3", "map_cut.2,9", "ndcg_cut.1,4,100", "relative_P.3,8"]


def random_request(rnd: random.Random, number: int) -> dict[str, Any]:
    """Qrels, a run, flags and measures. Topic ids are unique, because the C code caches by topic id."""
    docnos = [f"d{i}" for i in range(rnd.choice([3, 8, 20, 60, 200]))]
    levels = rnd.choice(
        [[0, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 0, 1, 3], [0, 5], [1], [0], [2, 3, 4]]
    )
    qrels, run = [], []
    for topic in range(rnd.randint(1, 5)):
        some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
        judged = {docno: rnd.choice(levels) for docno in some}
        judged[some[0]] = max(judged[some[0]], 0)
        qrels += [f"q{number}x{topic} 0 {docno} {rel}\n" for docno, rel in judged.items()]
        scores = rnd.choice(
            [[1.0, 2.0, 0.5, 0.5 + 1e-9], [0.0, 1.0, 2.0, 3.0], [rnd.random() for _ in range(99)]]
        )
        some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
        run += [f"q{number}x{topic} Q0 {docno} 1 {rnd.choice(scores)!r} tag\n" for docno in some]
    request: dict[str, Any] = {"qrels": "".join(qrels), "run": "".join(run)}
    # Level 0 and below, and what lies above all judgements: bpref would read foreign memory there.
    request["l"] = rnd.choice([1, 1, 1, 2, 0, -1, -2])
    if rnd.random() < 0.3:
        request["M"] = rnd.choice([0, 1, 2, 3, 7, 20])
    if rnd.random() < 0.3:
        request["J"] = 1
    request["N"] = rnd.choice([0, 100, 1000])
    request["measures"] = [*_with_parameters(rnd), *_CUTS, "iprec_at_recall", "Rprec_mult", "yaap"]
    return request


def _with_parameters(rnd: random.Random) -> list[str]:
    scales = [[3.0, 7.0, 0.0, 9.0], [0.5, 0.9, 0.25, 1.5, 2.7], [-1.0, 0.0, 1.0, 2.0], [0.1, 1e-3, 3.999]]
    gains = rnd.choice(scales)
    pairs = [f"{rnd.randint(-2, 5)}={rnd.choice(gains)}" for _ in range(rnd.randint(1, 4))]
    points = [rnd.choice([0, 0.1, 0.25, 0.5, 0.8, 1, 1.2, -0.3, 0.7]) for _ in range(rnd.randint(1, 5))]
    given = {
        **dict.fromkeys(("ndcg", "ndcg_rel", "Rndcg", "G"), ",".join(pairs)),
        "11pt_avg": ",".join(map(str, points)),
        "set_F": str(rnd.choice([0, 0.5, 2, 0.3])),
        "utility": ",".join(str(rnd.choice([1, -1, 0, 0.5, 2.25])) for _ in range(4)),
    }
    return [f"{name}.{given[name]}" if name in given and rnd.random() < 0.6 else name for name in _PLAIN]


def measures_of(request: dict[str, Any]) -> list[Measure]:
    found = []
    for measure in parse_measures(request["measures"]):
        params = dict(measure.params)
        if measure.family == "utility":
            params["N"] = float(request["N"])
        found.append(Measure(measure.family, measure.cutoff, params=tuple(sorted(params.items()))))
    return found


def differing(request: dict[str, Any], theirs: dict[str, dict[str, float]], folder: Path) -> list[str]:
    """The differing values, per topic and in the summary."""
    (folder / "qrels").write_text(request["qrels"], "utf-8")
    (folder / "run").write_text(request["run"], "utf-8")
    rankings = Rankings(read_run(str(folder / "run")), read_qrels(str(folder / "qrels")))
    conventions = Conventions().with_changes(
        relevance_level=request["l"],
        depth=request.get("M"),
        unjudged="removed" if "J" in request else "nonrelevant",
    )
    names = list(theirs["all"])
    measures = measures_of(request)
    assert len(names) == len(measures)
    order = sorted(measures, key=lambda m: names.index(_printed(m, request, names)))
    found = []
    for name, measure in zip(names, order, strict=True):
        with np.errstate(all="raise"):
            ours = evaluate(rankings, measure, conventions)
        pairs = [
            (theirs[t.decode()][name], v)
            for t, v in zip(rankings.pairing.all_topics, ours.values, strict=True)
        ]
        for expected, value in [*pairs, (theirs["all"][name], ours.mean)]:
            if not (value == expected or (math.isnan(value) and math.isnan(expected))):
                found.append(f"{measure}: {value!r} instead of {expected!r} with {request}")
    return found


def _printed(measure: Measure, request: dict[str, Any], names: list[str]) -> str:
    """The name that trec_eval prints: parameters as they were given, defaults too."""
    name = trec_eval_name(measure)
    assert name is not None
    if name in names:
        return name
    (given,) = [
        m
        for m in request["measures"]
        if m.partition(".")[0] == name.rpartition("_")[0] or m.startswith(f"{name}.")
    ]
    return str(given.replace(".", "_", 1))


def test_values_and_means_are_those_of_the_c_code(tmp_path: Path) -> None:
    """200 random inputs under random flags and parameters: every bit of every measure."""
    rnd = random.Random(20261121)
    requests = [random_request(rnd, number) for number in range(200)]
    answers = embedded.ask(requests)
    for request, answer in zip(requests, answers, strict=True):
        assert differing(request, answer, tmp_path) == []


@pytest.mark.parametrize(
    ("kind", "format"), [("levels", "qrels"), ("subtopics", "qrels_jg"), ("preferences", "qrels_prefs")]
)
def test_the_values_in_fixtures_are_those_of_the_c_code(kind: str, format: str) -> None:
    """What the cases of all families hold as trec_eval's own, bit for bit."""
    case = Case(f"families-{kind}")
    saved, _ = saved_values(case.folder / "recorded.trec_eval.json")
    names = {name: trec_eval_name(parse_measure(name)) for name in saved["1"]}
    (answer,) = embedded.ask(
        [
            {
                "qrels": case.qrels.read_text("utf-8"),
                "run": case.runs[0].read_text("utf-8"),
                "measures": [name.replace("@", ".") for name in names],
                "format": format,
            }
        ]
    )
    assert saved == {topic: {name: answer[topic][names[name]] for name in names} for topic in saved}
