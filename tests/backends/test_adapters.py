"""One contract for all adapters, run for real; a tool that is not installed is skipped, row by row."""

import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from crosscheck.backends import default_candidates, factories, make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.texts import as_texts, nested_qrels, topic_rows, trec_files
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.model import Measure, MeasureValues, Needs, Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.rankings.changed_inputs import only_topics
from tests.backends.inputs import qrels_of, run_of, told
from tests.support.kept import REMEDY, Absent, Kept

P5, ALPHA = map(parse_measure, ("P@5", "alpha_nDCG(alpha=0.3)@3"))

Docs: TypeAlias = Mapping[str, Mapping[str, Any]]


@cache
def asked(id: str) -> Guarded:
    """The guard of an id, one for all tests: some tools take seconds to start."""
    guard = Guarded(make(id))
    if not guard.describe().available:
        pytest.skip(str(guard.describe().reason))
    _MADE.append(guard)
    return guard


_MADE: list[Guarded] = []


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    while _MADE:
        _MADE.pop().close()
    asked.cache_clear()


def found(guard: Guarded, qrels: Qrels, run: Run, *names: str) -> dict[str, MeasureValues]:
    measures = {name: parse_measure(name) for name in names}
    assert all(guard.supports(measure) for measure in measures.values())
    answers = guard.evaluate(qrels, run, [*measures.values()])
    assert all(isinstance(outcome, MeasureValues) for outcome in answers.values()), answers
    return {name: answers[measure] for name, measure in measures.items()}  # type: ignore[misc]


def values(id: str, inputs: tuple[Docs, Docs], names: str) -> str:
    if not make(id).describe().available:
        raise Absent
    measures = [parse_measure(name) for name in names.split()]
    assert all(map(asked(id).supports, measures))
    return told(asked(id).evaluate(qrels_of(inputs[0]), run_of(inputs[1]), measures))


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
    qrels, run = qrels_from_dict(judged, needs=needs), run_of({"1": {"a": 1.0}}, tag=b"a b")
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


#: Query 4 has no results, 9 no judgements; c is not retrieved first.
PLAIN = (
    qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 0}, "4": {"r": 1}}),
    run_of({"2": {"b": 1.0, "a": 0.5}, "1": {"a": 3, "b": 2, "c": 1, "d": 0.5}, "9": {"a": 1}}),
)
ONE = qrels_of({"1": {"a": 1, "b": 2}}), run_of({"1": {"a": 2.0, "b": 1.0}})
IM, MSMARCO, HF = "ir-measures", "ir-measures:msmarco", "hf-evaluate:bundled"
EXAMPLES = Kept(__file__, values=values, supports=supports, make=make, handed=handed, saved=saved)


def test_examples():
    """Each tool's own values and means, what it has, what it is not asked, and ids that name none."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_the_software_that_computed_a_number_is_recorded():
    """RR and RR@10 come from different providers of one package; conventions are known where pytrec_eval
    computes."""
    engines = [values.engine for values in found(asked(IM), *PLAIN, "RR", "RR@10").values()]
    assert all(engine.startswith("ir_measures ") for engine in engines)
    assert [engine.rpartition(" via ")[2] for engine in engines] == ["pytrec_eval", "msmarco"]
    assert default_candidates() == (HF.partition(":")[0], IM, "native", "pytrec_eval")
    assert [name for name, kind in factories().items() if kind.in_cases] == [IM, "native", "pytrec_eval"]
    ids = [IM, MSMARCO, HF, "hf-evaluate", "ranx", "native", "native:gain=binary"]
    assert [make(id).id for id in ids] == ids
    known = {id: make(id).conventions for id in (IM, "ir-measures:pytrec_eval", MSMARCO, HF, "ranx")}
    assert known == {IM: IM, "ir-measures:pytrec_eval": IM, MSMARCO: None, HF: None, "ranx": "ranx"}
    for id, measures in (("pytrec_eval", "AP"), (HF, "AP"), ("sklearn", "AP"), ("trectools", "AP")):
        (values,) = found(asked(id), *ONE, measures).values()
        assert values.engine == asked(id).describe().engine


@pytest.mark.parametrize("name", ["nDCG(gains={0:1,1:3})@2", "nDCG(gains={1:9,2:4})", "ndcg.2=7"])
def test_custom_gains_are_ir_measures_own(name):
    """Levels and gains reach ir_measures as its dict, and native values are the same."""
    (values,) = found(asked(IM), *PLAIN, name).values()
    qrels, run = PLAIN
    ours = native_values(Rankings(run, qrels), parse_measure(name), conventions(IM), "native")
    assert values.values == ours.values
    assert len(set(values.values.values())) > 1


def test_measures_over_subtopics_get_the_subtopics():
    """Several with different parameters in one call, beside an ordinary measure: each as if asked alone."""
    pytest.importorskip("pyndeval")
    judged = {"1": {"s": {"a": 1, "b": 1}, "t": {"b": 1, "c": 2}}, "2": {"t": {"a": 1}}}
    qrels = qrels_from_dict(judged, needs="subtopics")
    run = run_of({"1": {"a": 3.0, "c": 2.0, "b": 1.0}, "2": {"b": 1.0}})
    answers = found(asked(IM), qrels, run, "StRecall@1", "StRecall(rel=2)@1", "P@1", str(ALPHA))
    assert [a.values[b"1"] for a in answers.values()][:3] == [0.5, 0.0, 1.0]
    assert answers["StRecall@1"].mean == 0.25
    assert answers["StRecall@1"].engine.endswith(" via pyndeval")
    (native,) = found(asked("native"), qrels, run, str(ALPHA)).values()
    assert answers[str(ALPHA)].values == native.values | {b"2": 0.0}


@pytest.mark.parametrize(
    ("id", "names"),
    [
        ("pytrec_eval", "AP nDCG@10 gm_map bpref"),
        (IM, "AP nDCG@10 RR@10 Judged@10 Compat(p=0.8) NumRelRet Bpref"),
        ("ranx", "AP nDCG@10 P@5 RR"),
    ],
)
def test_values_and_means_of_a_run_in_parts_are_those_of_the_whole(id, names):
    """To the last bit, with ties, where run and qrels have the same queries and where they do not."""
    rng, docs = random.Random(5), [f"d{i}" for i in range(60)]
    judged = {str(q): {d: rng.choice((0, 0, 1, 2)) for d in rng.sample(docs, 20)} for q in range(20)}
    retrieved = {q: {d: float(rng.randrange(9)) for d in rng.sample(docs, 30)} for q in judged}
    for short in ("neither", "run", "qrels"):
        qrels = qrels_of({q: of for q, of in judged.items() if short != "qrels" or int(q) % 7})
        run = run_of({q: of for q, of in retrieved.items() if short != "run" or int(q) % 7})
        some = [set(run.topics[start : start + 3]) for start in range(0, len(run.topics), 3)]
        missing = set(qrels.topics) - set(run.topics)
        parts = [(only_topics(qrels, of | missing), only_topics(run, of)) for of in some]
        whole = found(asked(id), qrels, run, *names.split())
        measures = [parse_measure(name) for name in names.split()]
        answers = asked(id).evaluate_parts(parts, measures, same_queries=short == "neither")
        assert list(answers.values()) == list(whole.values())


# ---- ids, descriptions, and qrels and runs as text -----------------------------------------------------


def test_what_is_missing_is_said_with_the_way_to_get_it(tmp_path, monkeypatch):
    """A package, a provider's package, a script, an empty cache, a program."""
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path))
    absent = {"cwl", "ranx"}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in absent else object())
    for id, reason in {
        "ir-measures:cwl_eval": "pip install ir-measures[cwl_eval]",
        "ranx": "not installed: ranx; pip install ranx",
        f"hf-evaluate:{tmp_path / 'no.py'}": "there is no metric script",
        "hf-evaluate:cache": "hf-evaluate:hub",
        "exec:no-such-program-anywhere --flag": "there is no program 'no-such-program-anywhere' on PATH",
        f"python:{tmp_path / 'no.py'}:f": "there is no file",
    }.items():
        about = make(id).describe()
        assert not about.available
        assert reason in str(about.reason)
    assert not make("ir-measures:cwl_eval").supports(P5)
    absent |= {"evaluate", "trectools"}
    assert make(HF).describe().reason == "not installed: evaluate, trectools; pip install evaluate trectools"


def test_ids_become_text_in_one_encoding():
    """A docno that is not UTF-8 on one side changes how the other side's are read, so that they meet. Topics
    lead back to their bytes, those without rows are left out, and numbers are Python's."""
    qrels = qrels_of({"1": {"\xc3\xa9": 1}})
    assert list(as_texts(qrels, run_of({"1": {"\xc3\xa9": 1.0}})).qrels["1"]) == ["é"]
    texts = as_texts(qrels, run_of({"1": {"\xc3\xa9": 1.0, "\xff": 0.5}}))
    assert list(texts.qrels["1"]) == list(texts.run["1"])[:1] == ["\xc3\xa9"]
    assert (type(texts.qrels["1"]["\xc3\xa9"]), type(texts.run["1"]["\xff"])) == (int, float)
    qrels, run = qrels_of({"b": {"a": 1}, "\xff": {"a": 1}, "c": {}}), run_of({"a": {"a": 1.0}})
    texts = as_texts(qrels, run)
    assert texts.topics == {"a": b"a", "b": b"b", "c": b"c", "\xff": b"\xff"}
    assert list(texts.qrels) == ["b", "\xff"]
    assert list(topic_rows(qrels)) == [(b"b", slice(0, 1)), (b"\xff", slice(1, 2))]
