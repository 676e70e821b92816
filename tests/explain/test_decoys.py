"""A set of conventions is proved only without a rival; formulas that no axis expresses are never proved."""

import math
import random
from collections.abc import Callable, Sequence

import numpy as np

from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import FORMULA
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import evaluate
from crosscheck.explain.decoys import decoys
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import parse_measure
from crosscheck.studies.base import by_document
from tests.explain.test_diagnose import BASE, told
from tests.support.kept import Kept

Levels = Sequence[int]
#: From the levels in rank order and those of all judged documents to the value of a query.
Formula = Callable[[Levels, Levels], float]


def hits(levels: Levels) -> int:
    return sum(level > 0 for level in levels)


def first(levels: Levels) -> float:
    return next((rank for rank, level in enumerate(levels, 1) if level > 0), math.inf)


def f1(levels: Levels, judged: Levels) -> float:
    return 2 * hits(levels[:10]) / (10 + hits(judged)) if hits(judged) else 0.0


def average_precision(levels: Levels) -> float:
    return sum(hits(levels[:i]) / i for i, level in enumerate(levels, 1) if level > 0)


def ndcg(gain: Callable[[int], float], discount: Callable[[int], float], k: int = 10) -> Formula:
    def dcg(levels: Levels) -> float:
        return sum(gain(level) / discount(i) for i, level in enumerate(levels[:k], 1) if level > 0)

    def value(levels: Levels, judged: Levels) -> float:
        best = dcg(sorted(judged, reverse=True))
        return dcg(levels) / best if best else 0.0

    return value


def log(rank: int) -> float:
    return math.log2(rank + 1)


#: Seed, levels, share judged, length of the lists, different scores.
COLLECTIONS = ((1, (0, 0, 1), 0.9, 12, 400), (2, (0, 1, 2), 1.0, 40, 12), (3, (0, 0, 1, 2, 3), 0.5, 9, 400))


def collection(
    seed: int, levels: Levels, judged: float, length: int, scores: int, queries: int = 24
) -> Rankings:
    rng = random.Random(seed)
    run = {
        f"q{q:02}": {f"d{d:03}": float(rng.randrange(scores)) for d in rng.sample(range(200), length)}
        for q in range(queries)
    }
    qrels = {
        q: {
            **{d: rng.choice(levels) for d in found if rng.random() < judged},
            **{f"m{i}": rng.choice(levels) for i in range(rng.randrange(6))},
            "must": max(levels),
        }
        for q, found in run.items()
    }
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def values(rankings: Rankings, formula: Formula, *, by_docno: bool) -> dict[bytes, float]:
    """The formula on every query; tied documents by descending docno or in input order."""
    run, qrels, found = rankings.pairing.run, rankings.pairing.qrels, {}
    scores, levels = by_document(run, np.float32(run.scores)), by_document(qrels, qrels.rels)
    for topic in rankings.pairing.topics:
        score, level = scores(topic), levels(topic)
        docnos = sorted(score, reverse=True) if by_docno else list(score)
        docnos.sort(key=lambda docno, score=score: -score[docno])  # type: ignore[misc]
        found[topic] = formula([level.get(docno, 0) for docno in docnos], list(level.values()))
    return found


def holds_on_fresh_inputs(measure: Measure, found: Conventions, formula: Formula, *, by_docno: bool) -> bool:
    for probe in fresh_probes(0, measure.cutoff, few=True):
        if not all(query.lines and query.judged for _, query in probe.queries):
            continue
        rankings = Rankings(probe.run, probe.qrels)
        ours, theirs = evaluate(rankings, measure, found), values(rankings, formula, by_docno=by_docno)
        expected = np.array([theirs.get(topic, math.nan) for topic in rankings.pairing.all_topics])
        if not np.allclose(ours.values, expected, atol=1e-9, equal_nan=True):
            return False
    return True


def said_of(claimed: str, formula: Formula) -> str:
    """What is said of a formula's values on each collection; what is proved is the formula on fresh inputs as
    well."""
    measure, lines = parse_measure(claimed), []
    for shape, by_docno in zip(COLLECTIONS, (True, False, True), strict=True):
        rankings = collection(*shape)
        found = values(rankings, formula, by_docno=by_docno)
        mean = sum(found.values()) / len(found)
        diagnosed = told(rankings, measure, MeasureValues(found, mean, "tool"))
        if diagnosed is None:
            lines.append("no difference")
            continue
        of = diagnosed.diagnosis
        if of.strength == "proved":
            conventions = Conventions(**of.conventions)
            assert holds_on_fresh_inputs(measure, conventions, formula, by_docno=by_docno), diagnosed
        lines.append(f"{of.strength}: {', '.join(of.causes)} {of.conventions}, {of.reproduced} of {of.of}")
    return "\n".join(lines)


KEPT = Kept(__file__, within=(globals(),))


test_what_no_axis_expresses_is_not_proved = KEPT.test(one_in=5)


#: Levels in rank order: -1, 2, none, 1, none, and 3 and 1 were missed; none, 0 and 1; 0, where none is 1.
RANKED = {"1": "abcde", "2": "abc", "3": "a"}
SMALL = Rankings(
    run_from_dict({q: {d: -float(i) for i, d in enumerate(of)} for q, of in RANKED.items()}),
    qrels_from_dict({"1": {"a": -1, "b": 2, "d": 1, "m": 3, "n": 1}, "2": {"b": 0, "c": 1}, "3": {"a": 0}}),
)


def computed(claimed: str, word: str = "", **changes: str) -> str:
    """The formulas that are no measures, with their values of the three queries."""
    measure, base, lines = parse_measure(claimed), BASE.with_changes(**changes), []
    every = decoys(measure, fixed=("best_score",))
    for decoy in (one for one in every if one.measure is None and word in one.name):
        found = Recomputer(SMALL, measure, BASE).evaluated(base.having(FORMULA, decoy)).values
        lines.append(f"{decoy.name}: {', '.join(f'{value:.4g}' for value in found)}")
    return "\n".join(lines)


FORMULAS = Kept(__file__, part=".formulas", within=(globals(),))
test_a_formula_computes_what_its_name_says = FORMULAS.test()


def test_every_decoy_computes_and_has_a_name_of_its_own():
    """For each measure, the formulas are many, different in name, and none is the measure itself."""
    for claimed in ("P@10", "AP", "nDCG@10", "nDCG", "RR", "R@10", "Rprec", "bpref", "ERR@10"):
        measure = parse_measure(claimed)
        names = [decoy.name for decoy in decoys(measure)]
        assert len(names) == len(set(names)) > 40
        assert claimed not in names


def test_a_decoy_follows_the_parameters_of_the_measure():
    """F2 given out as P(rel=2) counts documents from level 2 on, as F2 beside relevance_level=2 does."""
    rankings, values = collection(*COLLECTIONS[2]), []
    for name, changes in (("P(rel=2)@10", {}), ("P@10", {"relevance_level": 2}), ("P@10", {})):
        measure = parse_measure(name)
        (decoy,) = (decoy for decoy in decoys(measure) if decoy.name == "F2@10")
        conventions = BASE.with_changes(**changes).having(FORMULA, decoy)
        values.append(Recomputer(rankings, measure, BASE).evaluated(conventions).values.tolist())
    assert values[0] == values[1] != values[2]
