"""Native measures that ir_measures has and trec_eval lacks, each against the provider that computes it.

The providers order ties in their own ways, so the rankings have none.
"""

import random
from pathlib import Path
from typing import Any

import ir_measures
import pytest

import crosscheck
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
    found: dict[str, float] = {}
    for topic, results in run.items():
        try:
            found |= {one.query_id: one.value for one in engine.iter_calc([asked], qrels, {topic: results})}
        except ZeroDivisionError:  # nothing nonrelevant: every pair is in the right order
            found[topic] = 1.0
    return found


#: Measure, the provider that computes it, and how exactly.
TABLE = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("name", "provider", "tolerance"),
    [line.split() for line in TABLE if not line.startswith("#") and " pyndeval " not in line],
)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_provider(name, provider, tolerance, seed):
    """Each topic's value, as exactly as the provider computes."""
    qrels, run = data = inputs(seed, [0, 0, 1, 2, 3])
    mine, expected = crosscheck.evaluate(qrels, run, [name]), theirs(provider, parse_measure(name), data)
    assert mine.keys() == expected.keys()
    for topic, value in expected.items():
        assert abs(mine[topic][name] - value) <= float(tolerance), (topic, mine[topic], value)
