"""Evidence: the documents listed are those whose place or gain makes the value another one."""

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import evaluate
from crosscheck.explain.shown import culprits, query_rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import families
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.results import TiedDocument, as_float
from tests.measures.every_order import measures_of
from tests.programs.real.runs import parts
from tests.support.kept import Kept, shown

BASE = Conventions()
#: Preferences compare two documents, so that no document adds anything alone.
ABSOLUTE = {name: about for name, about in families().items() if about.needs != "preferences"}
EACH = pytest.mark.parametrize("about", ABSOLUTE.values(), ids=ABSOLUTE)
#: Changes under which a document keeps its place when another, unjudged one stands in for it.
CHANGES = ("order=input", "depth=4", "relevance_level=2", "gain=exponential", "negatives=nonrelevant")


def rank(place: int | None) -> float:
    return np.inf if place is None else place


def listed(rankings: Rankings, measure: Measure, changed: str) -> list[list[TiedDocument]]:
    """All documents of each query that has a value under both conventions."""
    situation = Recomputer(rankings, measure, BASE)
    return [
        culprits(situation, query, conventions(changed), limit=10**6)
        for query in np.flatnonzero(rankings.pairing.measured).tolist()
    ]


def part_of(document: TiedDocument) -> float:
    return as_float(document.candidate_adds or 0.0) - as_float(document.reference_adds or 0.0)


@EACH
def test_a_document_adds_what_is_lost_without_its_judgement(about):
    """Of every family: the value less that of a list in which another, unjudged document has its place; no
    value counts as 0."""
    rng, found = random.Random(about.name), 0
    for _ in range(2):
        if found:
            break
        names = [f"d{i}" for i in range(12)]
        judged = {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(names, 10)} | {"d0": 3, "d1": 0}
        run = dict(zip(rng.sample(names, 8), map(float, rng.sample(range(20), 8)), strict=True))

        def joined(run: dict[str, float], judged: dict[str, int] = judged) -> Rankings:
            return Rankings(run_from_dict({"q": run}), qrels_from_dict({"q": judged}))

        # With judged_only, another unjudged document would have no place.
        measures = [measure for measure in measures_of(about) if "judged_only" not in dict(measure.params)]
        for measure, changed in product(measures, CHANGES):
            (documents,) = listed(joined(run), measure, changed)
            for document in documents:
                without = {"unknown" if d == document.docno else d: score for d, score in run.items()}
                for c, adds in (
                    (BASE, document.reference_adds),
                    (conventions(changed), document.candidate_adds),
                ):
                    values = [evaluate(joined(of), measure, c).values[0] for of in (run, without)]
                    before, after = np.nan_to_num(values)
                    assert adds == pytest.approx(before - after, abs=1e-9), (document, c)
            found += len(documents)
    assert found or not about.ranked


@pytest.mark.parametrize("name", ["P@10", "nDCG@10", "R@20", "nDCG", "NumRelRet"])
@pytest.mark.parametrize("changed", ["ties=input", "ties=average", "unjudged=removed", "depth=15"])
def test_parts_add_up_to_the_difference(name, changed):
    """Where a value is a sum over documents and its divisor stays; the largest part in the direction of the
    difference is first, and no document beyond the cutoff is listed."""
    measure, different = parse_measure(name), 0
    for _, rankings in parts("made-quantised"):
        situation = Recomputer(rankings, measure, BASE)
        ours, theirs = (situation.evaluated(c).values for c in (BASE, conventions(changed)))
        queries = np.flatnonzero(rankings.pairing.measured).tolist()
        for query, documents in zip(queries, listed(rankings, measure, changed), strict=True):
            sizes, difference = [*map(part_of, documents)], theirs[query] - ours[query]
            assert sum(sizes) == pytest.approx(difference, abs=1e-9)
            assert sizes == sorted(sizes, key=lambda size: (size * difference < 0, -abs(size)))
            assert all(sizes)
            different += bool(documents)
            if measure.cutoff:
                places = [min(rank(d.reference_rank), rank(d.candidate_rank)) for d in documents]
                # Of a group of tied documents that begins above the cutoff, any one may stand there.
                assert changed == "ties=average" or max(places, default=0) <= measure.cutoff
    assert different or name == "NumRelRet" or (changed == "depth=15" and measure.cutoff == 10)


def listed_of(name: str, changed: str) -> str:
    """How many documents are listed of queries, of which some have other values."""
    measure, numbers, differing = parse_measure(name), [0, 0], 0
    for _, rankings in parts("made-shallow", "made-quantised"):
        situation = Recomputer(rankings, measure, BASE)
        ours, theirs = (situation.evaluated(c).values for c in (BASE, conventions(changed)))
        every = listed(rankings, measure, changed)
        assert len(every) == len(rankings.pairing.topics)
        numbers = [sum(map(len, every)) + numbers[0], len(every) + numbers[1]]
        differing += int((ours != theirs).sum())
    return f"{numbers[0]} documents of {numbers[1]} queries, {differing} with other values"


def told(scores: dict[str, float], judged: dict[str, Any], name: str, changed: str) -> list[str]:
    """The documents of one query: level, both ranks and what they add."""
    rankings = Rankings(run_from_dict({"q": scores}), qrels_from_dict({"q": judged}, needs="subtopics"))
    (documents,) = listed(rankings, parse_measure(name), changed)
    return [
        f"{d.docno} at level {d.rel}: rank {d.reference_rank} to {d.candidate_rank}, "
        f"adds {d.reference_adds} to {d.candidate_adds}"
        for d in documents
    ]


def beside(name: str, changed: str) -> tuple[int, int]:
    """Numbers of documents, and of ranks of the ideal list, that are shown of 60 tied, relevant documents."""
    tied = dict.fromkeys(map(str, range(60)), 1)
    rankings = Rankings(run_from_dict({"q": tied}), qrels_from_dict({"q": tied}))
    both = query_rankings(Recomputer(rankings, parse_measure(name), BASE), 0, conventions(changed))
    assert both is not None
    return len(both.reference_ranking), len(both.ideal)


KEPT = Kept(__file__, told=told, listed_of=listed_of, beside=beside, show=shown)
test_documents_whose_place_or_gain_is_another = KEPT.test()
