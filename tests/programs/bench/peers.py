"""The tools that are compared: each computes the same measures from the same two files.

``python -m tests.programs.bench.peers NAME QRELS RUN...`` runs one of them and prints the seconds it took
after its imports, and a mean as a check that the same thing was computed.
"""

import importlib
import importlib.util
import math
import sys
import time
from collections.abc import Callable

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_OF_CUTOFFS = ("P", "recall", "map_cut", "ndcg_cut")
#: trec_eval's official measures, ndcg, and four families at nine cutoffs: 57 values per query.
MEASURES = ["official", "ndcg", *(f"{name}.{','.join(map(str, CUTOFFS))}" for name in _OF_CUTOFFS)]
_PYTREC_EVAL = {"official", "ndcg", *_OF_CUTOFFS}
_TREC_EVAL = ["-q", *(part for name in ("official", "ndcg", *_OF_CUTOFFS) for part in ("-m", name))]


def crosscheck(qrels: str, runs: list[str], workers: int = 1) -> list[float]:
    from crosscheck.engine.runs import evaluate_runs

    results = evaluate_runs(qrels, runs, MEASURES, workers=workers)
    found = [result.evaluated["map"] for result in results]
    return [math.fsum(of.values[of.present]) / int(of.present.sum()) for of in found]


def pytrec_eval(qrels: str, runs: list[str]) -> list[float]:
    import pytrec_eval as package

    with open(qrels) as file:
        evaluator = package.RelevanceEvaluator(package.parse_qrel(file), _PYTREC_EVAL)
    means = []
    for run in runs:
        with open(run) as file:
            values = evaluator.evaluate(package.parse_run(file)).values()
        means.append(math.fsum(of["map"] for of in values) / len(values))
    return means


def ir_measures(qrels: str, runs: list[str]) -> list[float]:
    import ir_measures as package
    from ir_measures import AP, RR, Bpref, IPrec, NumRelRet, P, R, Rprec, nDCG

    measures = [AP, RR, Bpref, Rprec, NumRelRet, nDCG, *(IPrec @ (i / 10) for i in range(11))]
    measures += [family @ k for family in (P, R, AP, nDCG) for k in CUTOFFS]
    evaluator = package.evaluator(measures, list(package.read_trec_qrels(qrels)))
    means = []
    for run in runs:
        values = [m.value for m in evaluator.iter_calc(package.read_trec_run(run)) if m.measure == AP]
        means.append(math.fsum(values) / len(values))
    return means


def ranx(qrels: str, runs: list[str]) -> list[float]:
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_file(qrels, kind="trec")
    names = ["map", "mrr", "bpref", "r-precision", "ndcg"]
    names += [f"{name}@{k}" for name in ("precision", "recall", "map", "ndcg") for k in CUTOFFS]
    results = [evaluate(judged, Run.from_file(run, kind="trec"), names, make_comparable=True) for run in runs]
    return [float(result["map"]) for result in results]


PEERS: dict[str, Callable[[str, list[str]], list[float]]] = {
    "crosscheck": crosscheck,
    "crosscheck, 2 workers": lambda qrels, runs: crosscheck(qrels, runs, workers=2),
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}
PROGRAMS = {"trec_eval": ["trec_eval"]}
PROGRAMS["crosscheck trec_eval"] = [sys.executable, "-m", "crosscheck", "trec_eval"]


def available(name: str) -> bool:
    """Whether the tool is installed here."""
    import shutil  # no tool's time shall hold what only starts it

    if name in PROGRAMS:
        return shutil.which(PROGRAMS[name][0]) is not None
    return importlib.util.find_spec(name.split(",")[0]) is not None


def command(name: str, qrels: str, runs: list[str]) -> list[str]:
    """The commands for one tool; a program that takes one run is called for each."""
    if name not in PROGRAMS:
        return [sys.executable, "-m", "tests.programs.bench.peers", name, qrels, *runs]
    import shlex

    once = shlex.join([*PROGRAMS[name], *_TREC_EVAL, qrels])
    return ["sh", "-c", f'for run; do {once} "$run" > /dev/null || exit; done', "sh", *runs]


def main(name: str, qrels: str, runs: list[str]) -> None:
    package = name.split(",")[0]
    importlib.import_module("crosscheck.engine.runs" if package == "crosscheck" else package)
    start = time.perf_counter()
    means = PEERS[name](qrels, runs)
    seconds = time.perf_counter() - start
    import json

    print(json.dumps({"inside": seconds, "check": means}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
