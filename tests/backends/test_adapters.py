"""One contract for all adapters, run for real; a tool that is not installed is skipped, row by row."""

import math
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from crosscheck.backends import default_candidates, factories, make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.recorded import RecordedValues
from crosscheck.backends.texts import as_texts, nested_qrels, topic_rows, trec_files
from crosscheck.conventions import conventions
from crosscheck.errors import BackendError, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.rankings.changed_inputs import only_topics
from tests.backends.inputs import qrels_of, run_of, run_of_rows

NAN, LOG3 = float("nan"), math.log2(3)
AP, P5, ALPHA = map(parse_measure, ("AP", "P@5", "alpha_nDCG(alpha=0.3)@3"))

Docs: TypeAlias = Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def asked() -> Iterator[Any]:
    """The guard of an id, one for all tests: some tools take seconds to start."""
    made: list[Guarded] = []

    @cache
    def guard(id: str) -> Guarded:
        made.append(Guarded(make(id)))
        return made[-1]

    yield guard
    for one in made:
        one.close()


def found(guard: Guarded, qrels: Qrels, run: Run, *names: str) -> dict[str, MeasureValues]:
    if not guard.describe().available:
        pytest.skip(str(guard.describe().reason))
    measures = {name: parse_measure(name) for name in names}
    assert all(guard.supports(measure) for measure in measures.values())
    answers = guard.evaluate(qrels, run, [*measures.values()])
    assert all(isinstance(outcome, MeasureValues) for outcome in answers.values()), answers
    return {name: answers[measure] for name, measure in measures.items()}  # type: ignore[misc]


#: Qrels and run by name, where tools differ.
INPUTS: dict[str, tuple[Docs, Docs]] = {
    # Query 4 has no results, 9 no judgements; c is not retrieved first.
    "plain": ({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 0}, "4": {"r": 1}},
        {"2": {"b": 1.0, "a": 0.5}, "1": {"a": 3, "b": 2, "c": 1, "d": 0.5}, "9": {"a": 1}}),
    "judged": ({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 0}, "3": {"z": 0}, "4": {"a": 1}},
        {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 1.0, "a": 0.5}, "3": {"z": 1.0}}),
    "ties": ({"1": {"z": 1, "y": 0}}, {"1": {"x": 1.0, "y": 1.0, "z": 1.0}}),
    "bytes": ({"\xff": {"\xe9": 1}}, {"\xff": {"\xe9": 1.0, "x": 2.0}}),
    "levels": ({"1": {"a": 1, "b": 2, "c": 3}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}),
    "tied bytes": ({"\xff": {"\xe9": 1, "z": 0}, "1": {"\xf0\x90\x80\x80": 1}},
        {"\xff": {"\xe9": 1.0, "z": 1.0}, "1": {"\xef\xbf\xbd": 1.0, "\xf0\x90\x80\x80": 1.0}}),
    "barren": (
        {"1": {"a": 0}, "2": {"a": 1, "b": 0}, "3": {"a": 1, "b": 0}}, {q: {"a": 2, "b": 1} for q in "123"}
    ),
    "no nonrelevant": ({"found": {"a": 1}, "not": {"z": 1}, "negative": {"a": 1, "b": -1}},
        {q: {"b": 2.0, "a": 1.0} for q in ("found", "not", "negative")}),
    "apart": ({"1": {"a": 1, "b": 0}, "2": {"a": 0}}, {"1": {"a": 2.0, "b": 1.0}, "9": {"a": 1.0}}),
    "nothing common": ({"1": {"a": 1}}, {"2": {"a": 1.0}}),
    "infinite": ({"1": {"c": 1}}, {"1": {"a": -math.inf, "b": 0.0, "c": math.inf}}),
    "text ids": ({"01": {"a": 1}, "1": {"b": 1}, "q\xe9": {"a": 1}},
        {q: {"a": 2.0, "b": 1.0} for q in ("01", "1", "q\xe9")}),
}  # fmt: skip
IM, MSMARCO, HF = "ir-measures", "ir-measures:msmarco", "hf-evaluate:bundled"


@pytest.mark.parametrize(
    ("id", "inputs", "name", "expected", "mean"),
    [
        # A judged query without results: nothing, 0 (ir_measures, ranx), or NaN (trectools there).
        ("pytrec_eval", "plain", "P@5", [0.4, 0.2], (0.4 + 0.2) / 2),
        ("pytrec_eval", "plain", "NumQ", [1, 1], 2), ("pytrec_eval", "nothing common", "AP", [], "none"),
        ("pytrec_eval", "infinite", "RR", [1.0], 1.0),
        (IM, "plain", "P@5", [0.4, 0.2, 0.0], (0.4 + 0.2 + 0.0) / 3),
        ("ranx", "apart", "nDCG@5", [1.0, 0.0], 0.5),
        ("ranx", "apart", "bpref", [1.0, 0.0], None),
        ("ir-measures:trectools", "plain", "AP", [(1 + 2 / 3) / 2, 0.5, NAN], NAN),
        # One without judgements: 0 or nothing. A mean over all judged ones; Rprec mixes them up.
        ("trectools", "plain", "P@5", [0.4, 0.2, 0.0], 0.2), ("trectools", "judged", "Rprec", [0.5], 2.5 / 3),
        ("sklearn", "judged", "nDCG", [0.7601875334318686, 1 / LOG3], "none"),
        ("sklearn", "judged", "DCG", [2, 1 / LOG3], "none"),
        ("sklearn", "judged", "AP(rel=2)", [1 / 3, 0, 0], "none"),
        # Names, levels and cutoffs reach the measure that is meant.
        (IM, "plain", "NumRet", [4, 2, 0], 6), (IM, "plain", "NumRelRet(rel=2)", [1, 0, 0], None),
        (IM, "plain", "bpref", [0.5, 0.0, 0.0], None), (IM, "plain", "SetF(rel=2)", [0.4, 0.0, 0.0], None),
        (IM, "plain", "AP@2", [0.5, 0.5, 0.0], None), (IM, "plain", "Success(rel=2)@1", [0, 0, 0], None),
        *(("pytrec_eval", "levels", name, [value], None) for name, value in
          (("P@1", 1.0), ("P@5", 0.6), ("P(rel=2)@5", 0.4), ("P(rel=3)@1", 0.0), ("P(rel=3)@10", 0.1))),
        # A huge level would make the binding read far outside its tables.
        *(("pytrec_eval", "levels", f"{family}(rel={2**31 - 1})", [0.0], 0.0)
          for family in ("bpref", "AP", "NumRel", "RR")),
        # Ties: the later docno first, the earlier first.
        (IM, "ties", "RR", [1.0], 1.0), (IM, "ties", "RR@10", [1 / 3], None),
        (MSMARCO, "ties", "RR", [1 / 3], None),
        ("pytrec_eval", "tied bytes", "RR", [1.0, 1.0], 1.0), (IM, "bytes", "RR", [0.5], 0.5),
        # ranx's bpref: a query without relevant documents makes that of those behind it 0, in its mean.
        ("ranx", "barren", "bpref", [0.0, 1.0, 1.0], 0.0), ("ranx", "barren", "AP", [0.0, 1.0, 1.0], 2 / 3),
        ("ranx", "no nonrelevant", "bpref", [NAN, 0.0, 0.0], NAN),
        # Hugging Face: counts are sums, num_rel over all qrels; ids that are not whole numbers are numbered.
        (HF, "judged", "NumRet", [3, 2, 1], 6), (HF, "judged", "NumRel", [2, 1, 0], 4),
        (HF, "judged", "NumRelRet", [2, 1, 0], 3), (HF, "judged", "NumQ", [1, 1, 1], 3),
        (HF, "judged", "AP", [(1 + 2 / 3) / 2, 0.5, 0.0], None), (HF, "judged", "RR", [1.0, 0.5, 0.0], None),
        (HF, "text ids", "RR", [1.0, 0.5, 1.0], None),
    ],
)  # fmt: skip
def test_a_tool_has_its_own_values_and_mean(asked, id, inputs, name, expected, mean):
    """By query in byte order, as floats of Python."""
    (values,) = found(asked(id), *map_inputs(inputs), name).values()
    by_topic = [value for _, value in sorted(values.values.items())]
    assert by_topic == pytest.approx(expected, nan_ok=True, abs=1e-15)
    assert all(type(value) is float for value in values.values.values())
    if mean == "none":
        assert values.mean is None
    elif mean is not None:
        assert values.mean == pytest.approx(mean, nan_ok=True, abs=1e-15)


@pytest.mark.parametrize(
    ("id", "has", "lacks"),
    [
        (IM, "RR nDCG@10", "nDCG(gains={1:0.5})@5 nDCG(gains={1:-1})@5 nDCG(gains={-1:1})@5"),
        (MSMARCO, "RR", "AP nDCG"),
        ("pytrec_eval", "nDCG@10 infAP NumRel gm_map", "ERR@10 RR@10 yaap rbp"),
        ("trec_eval", "nDCG@10 NumQ gm_map SetF yaap", "ERR@10 RR@10"),
        (HF, "AP NumQ NumRel NumRelRet NumRet RR Rprec bpref", "P@7 nDCG R@10 AP@10 RR@10 P(rel=2)@5 SetF"),
        ("ranx", "nDCG nDCG@10 RR@10 AP(rel=2)@10 Rprec(rel=2) nDCG(dcg='exp-log2')@10",
         "P(judged_only=True)@5 ERR@20 infAP AP(rel=0) NumRel"),
        ("sklearn", "nDCG DCG@5 AP AP(rel=2)", "AP@5 P@5 nDCG(dcg='exp-log2')"),
        ("trectools", "AP@5 RR bpref Rprec", "RR@5 AP(rel=2) nDCG(dcg='exp-log2') ERR@5"),
    ],
)  # fmt: skip
def test_a_tool_is_asked_for_what_it_has_only(id, has, lacks):
    """Unknown names, parameters and levels are refused, not computed as something else."""
    backend = make(id)
    assert [name for name in has.split() if not backend.supports(parse_measure(name))] == []
    assert [name for name in lacks.split() if backend.supports(parse_measure(name))] == []
    assert not backend.supports(Measure("Nonsense", 3))
    assert not backend.supports(Measure("nDCG", 10, rel=2))  # trec_eval's ignores the level
    assert not backend.supports(Measure("P", 5, params=(("beta", 1.0),)))


def test_the_software_that_computed_a_number_is_recorded(asked):
    """RR and RR@10 come from different providers of one package; conventions are known where pytrec_eval
    computes."""
    engines = [values.engine for values in found(asked(IM), *map_inputs("plain"), "RR", "RR@10").values()]
    assert all(engine.startswith("ir_measures ") for engine in engines)
    assert [engine.rpartition(" via ")[2] for engine in engines] == ["pytrec_eval", "msmarco"]
    assert default_candidates() == (HF.partition(":")[0], IM, "native", "pytrec_eval")
    assert [name for name, kind in factories().items() if kind.in_cases] == [IM, "native", "pytrec_eval"]
    ids = [IM, MSMARCO, HF, "hf-evaluate", "ranx", "native", "native:gain=binary"]
    assert [make(id).id for id in ids] == ids
    known = {id: make(id).conventions for id in (IM, "ir-measures:pytrec_eval", MSMARCO, HF, "ranx")}
    assert known == {IM: IM, "ir-measures:pytrec_eval": IM, MSMARCO: None, HF: None, "ranx": "ranx"}
    for id, measures in (("pytrec_eval", "AP"), (HF, "AP"), ("sklearn", "AP"), ("trectools", "AP")):
        (values,) = found(asked(id), *map_inputs("levels"), measures).values()
        assert values.engine == asked(id).describe().engine
    (values,) = found(asked("sklearn"), *map_inputs("judged"), "DCG@5").values()
    assert values.notes == ("dcg_score refuses a list of one document (1 here)",)


def map_inputs(name: str) -> tuple[Qrels, Run]:
    qrels, run = INPUTS[name]
    return qrels_of(qrels), run_of(run)


@pytest.mark.parametrize(
    ("id", "qrels", "run", "names", "message", "kept"),
    [
        # Where pytrec_eval would hang or repeat other numbers its measures are errors; others are not.
        (IM, {"1": {"a": -1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"a": 1}}, "RR RR@10", "negative",
         "RR@10"),
        (IM, {"no_query": {"a": 1}}, {"no_query": {"a": 1}}, "RR RR@10", "'no_query'", "RR@10"),
        ("pytrec_eval", {"7\x1b": {"a": -2, "b": -1}}, {"7\x1b": {"a": 1}}, "AP",
         r"query '7\x1b' is negative", ""),
        ("ir-measures:trectools", *INPUTS["plain"], "Rprec P@5", "KeyError: '9'", "P@5"),
        (HF, {"1": {"a": 1}}, {"1": {"a": 1}, "77": {"a": 1}}, "P@5",
         "not have (1 here, the first is '77')", ""),
        (HF, {"1": {"a": 1}}, {"1": {"a": 1}, "77": {"a": 1}}, "Rprec", "KeyError: 77", ""),
    ],
)  # fmt: skip
def test_what_a_tool_cannot_do_is_an_error_of_that_measure(asked, id, qrels, run, names, message, kept):
    """In words that name the query; the other measures are computed."""
    if not asked(id).describe().available:
        pytest.skip(str(asked(id).describe().reason))
    measures = [parse_measure(name) for name in names.split()]
    answers = asked(id).evaluate(qrels_of(qrels), run_of(run), measures)
    assert isinstance(answers[measures[0]], BackendError)
    assert message in str(answers[measures[0]])
    assert [str(m) for m, a in answers.items() if isinstance(a, MeasureValues)] == kept.split()


@pytest.mark.parametrize("name", ["nDCG(gains={0:1,1:3})@2", "nDCG(gains={1:9,2:4})", "ndcg.2=7"])
def test_custom_gains_are_ir_measures_own(asked, name):
    """Levels and gains reach ir_measures as its dict, and native values are the same."""
    (values,) = found(asked(IM), *map_inputs("plain"), name).values()
    qrels, run = map_inputs("plain")
    ours = native_values(Rankings(run, qrels), parse_measure(name), conventions(IM), "native")
    assert values.values == ours.values
    assert len(set(values.values.values())) > 1


def test_a_measure_of_judged_documents_changes_no_measure_beside_it(asked):
    """ir_measures counts only judged documents for NumRet if such a measure comes first."""
    names = ("nDCG(judged_only=True)@5", "NumRet")
    alone, beside = (
        found(asked("ir-measures:pytrec_eval"), *map_inputs("plain"), *some)["NumRet"].values
        for some in (names[1:], names)
    )
    assert beside == alone == {b"1": 4.0, b"2": 2.0, b"4": 0.0}


def test_measures_over_subtopics_get_the_subtopics(asked):
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
def test_values_and_means_of_a_run_in_parts_are_those_of_the_whole(asked, id, names):
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


@pytest.mark.parametrize(
    ("id", "message"),
    [
        *(("pytrec-eval", "did you mean pytrec_eval?"), ("hf_evaluate", "did you mean hf-evaluate?")),
        *(("ir-measures:msmrco", "did you mean msmarco?"), ("ir-measures:nothing", "gdeval")),
        *(("qwxyz", "there is no backend 'qwxyz'\n"), ("native:", "ends after the colon")),
        *(("ranx:x", "takes no argument"), ("trec_eval:x", "--trec-eval-bin"), ("recorded", "recorded:FILE")),
        *(("exec", "exec:COMMAND"), ("exec:  ", "needs a command")),
        ("exec:'unbalanced", "command of exec:'unbalanced cannot be split"),
        ("python:f", "path/to/file.py:function"),
    ],
)
def test_an_id_that_cannot_be_made_is_a_usage_error(id, message):
    """The error says what is wrong and how it is written."""
    with pytest.raises(UsageError) as caught:
        make(id)
    assert message in f"{caught.value}\n"


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


@pytest.mark.parametrize(
    ("needs", "judged", "format", "lines", "nested"),
    [
        ("levels", {"1": {"b": 1, "a": 0}}, "qrels_jg", ["1 0 b 1", "1 0 a 0"], {"0": {"b": 1, "a": 0}}),
        ("levels", {"1": {"b": 1}}, "prefs", ["1 0 0 b 1"], {"": {"0": {"b": 1}}}),
        ("subtopics", {"1": {"s": {"a": 1}, "t": {"a": 2, "b": 1}}}, "qrels_jg",
         ["1 s a 1", "1 t a 2", "1 t b 1"], {"s": {"a": 1}, "t": {"a": 2, "b": 1}}),
        ("preferences", {"1": {"g": {"s": {"b": 2, "a": 0.5}}}}, "prefs",
         ["1 g s b 2.0", "1 g s a 0.5"], {"g": {"s": {"b": 2.0, "a": 0.5}}}),
    ],
)  # fmt: skip
def test_judgements_are_handed_over_with_their_groups(needs, judged, format, lines, nested):
    """In files as trec_eval reads them, and in dicts; where there are none, all are in one group."""
    qrels, run = qrels_from_dict(judged, needs=needs), run_of({"1": {"a": 1.0}}, tag=b"a b")
    with trec_files(qrels, run, format) as (qrels_file, run_file):
        assert sorted(qrels_file.read_text().splitlines()) == sorted(lines)
        assert run_file.read_text() == "1 Q0 a 0 1.0 run\n"
    assert nested_qrels(qrels, run, "preferences" if format == "prefs" else "subtopics") == {"1": nested}


# ---- saved values --------------------------------------------------------------------------------------

SAVED = (
    "map \t1\t0.2500\nP_5 \t1\t0.4000\nnum_ret \t1\t7\nfoo \t1\t0.1000\nmap \tall\t0.3000\nrunid \tall\tx\n"
)
ANY = qrels_of({"1": {"a": 1}}), run_of_rows([("1", "a", 1.0)])


def saved(tmp_path: Path, text: str) -> RecordedValues:
    path = tmp_path / "saved"
    path.write_text(text)
    backend = make(f"recorded:{path}")
    assert isinstance(backend, RecordedValues)
    return backend


def test_saved_values_are_given_back_under_canonical_names(tmp_path):
    """Values, mean and decimals are those of the file, whatever spelling it uses, and nothing else is
    offered. A query without a value stays without one, NaN stays NaN; one name twice is an error."""
    backend = saved(tmp_path, SAVED)
    average, precision, count = backend.evaluate(*ANY, [AP, P5, Measure("NumRet")]).values()
    assert (average.values, average.mean, average.decimals) == ({b"1": 0.25}, 0.3, 4)
    assert (precision.mean, count.values, count.decimals) == (None, {b"1": 7.0}, None)
    assert average.engine == "recorded in saved"
    assert not any(map(backend.supports, (Measure("P", 10), Measure("AP", rel=2), Measure("foo"))))
    assert RecordedValues("a/b.txt", "recorded:b.txt").id == "recorded:b.txt"
    backend = saved(tmp_path, '{"1": {"ndcg_cut_10": "NaN"}, "2": {"ndcg_cut_10": 0.123456789, "P_5": 1}}')
    gains, precision = backend.evaluate(*ANY, [Measure("nDCG", 10), P5]).values()
    assert math.isnan(gains.values.pop(b"1"))
    assert (gains.values, precision.values, precision.decimals) == ({b"2": 0.123456789}, {b"2": 1.0}, None)
    backend = saved(tmp_path, '{"1": {"ndcg_cut_10": "NaN"}, "2": {"nDCG@10": 0.123456789, "P_5": 1}}')
    with pytest.raises(BackendError, match=r"nDCG@10 twice, as ndcg_cut_10 and as nDCG@10"):
        backend.evaluate(*ANY, [P5])


@pytest.mark.parametrize("text", [None, "map 1\n", "foo \t1\t0.1\n"])
def test_a_file_of_saved_values_that_cannot_be_used_is_not_available(tmp_path, text):
    """describe says what is wrong with it and raises nothing."""
    assert saved(tmp_path, SAVED).describe().available
    (tmp_path / "saved").unlink() if text is None else (tmp_path / "saved").write_text(text)
    about = make(f"recorded:{tmp_path / 'saved'}").describe()
    assert not about.available
    assert ("no measure that crosscheck knows" if text and "foo" in text else "saved") in str(about.reason)
