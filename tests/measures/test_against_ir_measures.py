"""Native measures that ir_measures has and trec_eval lacks, each against the provider that computes it.

The providers order ties in their own ways, so the rankings have none.
"""

import random
from typing import Any

import ir_measures
import pytest

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Measure
from crosscheck.names import parse_measure

Dicts = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]


def inputs(seed: int, levels: list[int]) -> Dicts:
    """Rankings without ties; scores and topic ids are positive numbers, as some providers need them."""
    rnd = random.Random(seed)
    docnos = [f"d{i}" for i in range(rnd.choice([4, 30, 200]))]
    qrels = {
        str(t): {d: rnd.choice(levels) for d in rnd.sample(docnos, len(docnos) // 2)} for t in range(1, 5)
    }
    run = {}
    for topic in qrels:
        some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
        scores = rnd.sample(range(1, 10_000), len(some))
        run[topic] = {d: float(score) for d, score in zip(some, scores, strict=True)}
    return qrels, run


def provided(provider: str, measure: Measure) -> tuple[Any, Any]:
    """The provider, and the measure as ir_measures spells it."""
    params: dict[str, Any] = dict(measure.params)
    if "gains" in params:
        params["gains"] = {level: int(gain) for level, gain in params["gains"]}
    for name, value in (("cutoff", measure.cutoff), ("rel", measure.rel)):
        params |= {} if value is None else {name: value}
    engine = ir_measures.providers.registry[provider]
    if not engine.is_available():
        pytest.skip(f"{provider}: {engine.install_instructions()}")
    return engine, ir_measures.measures.registry[measure.family](**params)


def theirs(provider: str, measure: Measure, data: Dicts) -> dict[str, float]:
    engine, asked = provided(provider, measure)
    qrels, run = data
    if provider != "accuracy":
        return {found.query_id: found.value for found in engine.evaluator([asked], qrels).iter_calc(run)}
    found = {}
    for topic, results in run.items():
        try:
            found |= {one.query_id: one.value for one in engine.iter_calc([asked], qrels, {topic: results})}
        except ZeroDivisionError:  # nothing nonrelevant: every pair is in the right order
            found[topic] = 1.0
    return found


def ours(measure: Measure, data: Dicts) -> dict[str, float]:
    qrels, run = data
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    found = evaluate(rankings, measure, Conventions())
    columns = rankings.pairing.all_topics, found.values.tolist(), found.present
    return {topic.decode(): value for topic, value, present in zip(*columns, strict=True) if present}


@pytest.mark.parametrize(
    ("name", "provider", "tolerance"),
    [
        ("Judged@10", "judged", 0.0),
        ("Judged", "judged", 0.0),
        ("RR@10", "msmarco", 0.0),
        ("RR(rel=2)@5", "msmarco", 0.0),
        ("Compat", "compat", 1e-14),
        ("Compat(p=0.8)", "compat", 1e-14),
        ("Compat(normalize=False,p=0.9)", "compat", 1e-14),
        # gdeval prints 5 decimals, and 0 for a topic without anything relevant.
        ("ERR@5", "gdeval", 5.1e-6),
        ("ERR@20", "gdeval", 5.1e-6),
        ("nDCG(dcg='exp-log2')@5", "gdeval", 5.1e-6),
        ("nDCG(dcg='exp-log2')@20", "gdeval", 5.1e-6),
        # cwl_eval adds pairwise and normalises over 1,000 ranks.
        ("RBP(p=0.8,rel=2)", "cwl_eval", 1e-13),
        ("RBP(p=0.9,rel=3)", "cwl_eval", 1e-13),
        ("INST(T=2.5,max_rel=3)", "cwl_eval", 1e-13),
        ("INST(max_rel=2)", "cwl_eval", 1e-13),
        ("INSQ(T=1.5,max_rel=3)", "cwl_eval", 1e-13),
        ("BPM(T=2.0,max_rel=3)@10", "cwl_eval", 1e-13),
        ("BPM(T=0.5,max_rel=3)@1", "cwl_eval", 1e-13),
        ("NERR8(max_rel=3)@10", "cwl_eval", 1e-13),
        ("NERR9(max_rel=3,min_rel=1)@5", "cwl_eval", 1e-13),
        ("NERR10(max_rel=4,p=0.7)", "cwl_eval", 1e-13),
        ("NERR11(T=2.0,max_rel=3)", "cwl_eval", 1e-13),
        ("SDCG(max_rel=3)@10", "cwl_eval", 1e-13),
        ("IPrec(rel=2)@0.3", "pytrec_eval", 0.0),
        ("nDCG(gains={0:1,1:2,2:5})@10", "pytrec_eval", 0.0),
        ("nDCG(gains={3:7,2:0})", "pytrec_eval", 0.0),
        ("P(judged_only=True)@5", "pytrec_eval", 0.0),
        ("AP(judged_only=True,rel=2)@7", "pytrec_eval", 0.0),
        ("nDCG(judged_only=True)@10", "pytrec_eval", 0.0),
        ("SetF(beta=0.3)", "pytrec_eval", 0.0),
        ("SetAP(rel=2)", "pytrec_eval", 0.0),
        ("infAP", "pytrec_eval", 0.0),
        *((f"Accuracy{at}", "accuracy", 0.0) for at in ("", "@1", "@3", "@10", "(rel=2)", "(rel=2)@3")),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_provider(name, provider, tolerance, seed):
    """Each topic's value, as exactly as the provider computes."""
    measure = parse_measure(name)
    data = inputs(seed, [0, 0, 1, 2, 3])
    mine, expected = ours(measure, data), theirs(provider, measure, data)
    assert mine.keys() == expected.keys()
    for topic, value in expected.items():
        assert abs(mine[topic] - value) <= tolerance, (topic, mine[topic], value)
