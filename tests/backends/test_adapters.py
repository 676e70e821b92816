"""One contract for all adapters, run for real; a tool that is not installed is skipped, row by row."""

import random
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from msgspec.structs import replace

from crosscheck import backends
from crosscheck.backends import make, texts
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import Answer
from crosscheck.backends.texts import nested_qrels, trec_files
from crosscheck.model import Measure, MeasureValues, Needs
from crosscheck.names import parse_measure
from crosscheck.rankings.changed_inputs import only_topics
from tests.backends.inputs import qrels_of, run_of, told
from tests.support.kept import Absent, examples

Docs: TypeAlias = Mapping[str, Mapping[str, Any]]


GUARDS = ExitStack()


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    with GUARDS:
        yield


@cache
def asked(id: str) -> Guarded:
    """The guard of an id, one for all tests: some tools take seconds to start."""
    if not make(id).describe().available:
        raise Absent
    return GUARDS.enter_context(Guarded(make(id)))


def found(id: str, inputs: tuple[Docs, Docs], names: str, needs: Needs = "levels") -> dict[Measure, Answer]:
    measures = [parse_measure(name) for name in names.split()]
    assert all(map(asked(id).supports, measures))
    return asked(id).evaluate(qrels_of(inputs[0], needs), run_of(inputs[1]), measures)


def values(id: str, inputs: tuple[Docs, Docs], names: str, needs: Needs = "levels") -> str:
    return told(found(id, inputs, names, needs))


def engines(id: str, inputs: tuple[Docs, Docs], names: str, needs: Needs = "levels") -> str:
    """The software that computed the values of each measure, without its version."""
    described, lines = asked(id).describe().engine, []
    for measure, answer in found(id, inputs, names, needs).items():
        assert isinstance(answer, MeasureValues), answer
        usual = ", which describes itself so" * (answer.engine == described)
        lines.append(f"{measure}: {re.sub('[0-9.]+', 'VERSION', answer.engine)}{usual}")
    return "\n".join(lines)


def supports(id: str, names: str) -> str:
    """What an adapter has and what it lacks."""
    has: dict[bool, list[str]] = {True: [], False: []}
    for name in names.split():
        measure = _ODD.get(name) or parse_measure(name)
        has[make(id).supports(measure)].append(name)
    return f"has {' '.join(has[True])}\nlacks {' '.join(has[False])}"


#: No name says these.
_ODD = {
    "Nonsense@3": Measure("Nonsense", 3),
    "nDCG(rel=2)@10": Measure("nDCG", 10, rel=2),  # trec_eval's ignores the level
    "P(beta=1)@5": Measure("P", 5, params=(("beta", 1.0),)),
}


def handed(judged: Any, needs: Needs, format: str) -> str:
    """Judgements as lines of a file and as dicts."""
    qrels, run = qrels_of(judged, needs), replace(run_of({"1": {"a": 1.0}}), tag=b"a b")
    with trec_files(qrels, run, format) as (qrels_file, run_file):
        lines = [*sorted(qrels_file.read_text().splitlines()), run_file.read_text().strip()]
    nested = nested_qrels(qrels, run, "preferences" if format == "prefs" else "subtopics")
    return "\n".join([*lines, str(nested)])


def saved(text: str, names: str) -> str:
    """Saved values: those that are there, under canonical names, or why they cannot be used."""
    Path("saved").write_text(text)
    backend = make("recorded:saved")
    if not backend.describe().available:
        return str(backend.describe().reason)
    measures = [measure for measure in map(parse_measure, names.split()) if backend.supports(measure)]
    return told(backend.evaluate(qrels_of({"1": {"a": 1}}), run_of({"1": {"a": 1.0}}), measures))


def missing(id: str, *absent: str) -> str:
    """Why a backend is not available where these packages are absent, and all others are there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_MODULES_CACHE", "nowhere")
        patch.setattr("importlib.util.find_spec", lambda name: None if name in absent else object())
        about, has = make(id).describe(), make(id).supports(Measure("P", 5))
    return f"available: {about.available}, has P@5: {has}; {about.reason}"


#: Each tool's own values and means, what it has, what it is not asked, ids that name none, and text.
test_examples = examples(globals(), str, backends, texts)


@pytest.mark.parametrize(
    ("id", "names"),
    [
        ("pytrec_eval", "AP nDCG@10 gm_map bpref"),
        ("ir-measures", "AP nDCG@10 RR@10 Judged@10 Compat(p=0.8) NumRelRet Bpref"),
        ("ranx", "AP nDCG@10 P@5 RR"),
    ],
)
def test_values_and_means_of_a_run_in_parts_are_those_of_the_whole(id, names):
    """To the last bit, with ties, where run and qrels have the same queries and where they do not."""
    if not make(id).describe().available:
        pytest.skip(f"{id} is not installed")
    rng, docs = random.Random(5), [f"d{i}" for i in range(60)]
    judged = {str(q): {d: rng.choice((0, 0, 1, 2)) for d in rng.sample(docs, 20)} for q in range(20)}
    retrieved = {q: {d: float(rng.randrange(9)) for d in rng.sample(docs, 30)} for q in judged}
    for short in ("neither", "run", "qrels"):
        qrels = qrels_of({q: of for q, of in judged.items() if short != "qrels" or int(q) % 7})
        run = run_of({q: of for q, of in retrieved.items() if short != "run" or int(q) % 7})
        some = [set(run.topics[start : start + 3]) for start in range(0, len(run.topics), 3)]
        missing = set(qrels.topics) - set(run.topics)
        parts = [(only_topics(qrels, of | missing), only_topics(run, of)) for of in some]
        measures = [parse_measure(name) for name in names.split()]
        whole = asked(id).evaluate(qrels, run, measures)
        answers = asked(id).evaluate_parts(parts, measures, same_queries=short == "neither")
        assert answers == whole
