"""Native measures against trec_eval 9.0.8's own C code, under flags and parameters that pytrec_eval lacks."""

import random
from typing import Any, TypeAlias

import pytest

from crosscheck.measures.preferences import FAMILIES
from crosscheck.names import expand_group, parse_measure, trec_eval_name
from tests.measures import embedded
from tests.measures.test_trec_eval_vectors import Case
from tests.support import cases
from tests.support.sampling import WHOLE

pytestmark = pytest.mark.skipif(embedded.why_not() is not None, reason=embedded.why_not() or "")

Request: TypeAlias = dict[str, Any]

_PLAIN = [
    name for m in expand_group("all_trec") if not m.cutoff and not m.params and (name := trec_eval_name(m))
]
_CUTS = ["P.1,5,10", "recall.1,7", "success.1,3", "map_cut.2,9", "ndcg_cut.1,4,100", "relative_P.3,8"]
_SCORES = [1.0, 2.0, 0.5, 0.5 + 1e-9]


def of_levels(rnd: random.Random, number: int) -> Request:
    """Judgements of one level per document. Topic ids are unique, because the C code caches by topic id."""
    docnos = [f"d{i}" for i in range(rnd.choice([3, 8, 20, 60, 200, 600]))]
    levels = rnd.choice(
        [[0, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 0, 1, 3], [0, 5], [1], [0], [2, 3, 4]]
    )
    qrels, run = [], []
    for topic in (f"q{number}x{i}" for i in range(rnd.randint(1, 5))):
        some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
        judged = {docno: rnd.choice(levels) for docno in some}
        judged[some[0]] = max(judged[some[0]], 0)
        qrels += [f"{topic} 0 {docno} {rel}\n" for docno, rel in judged.items()]
        run += retrieved(rnd, topic, docnos, rnd.choice([_SCORES, [0.0, 1.0, 2.0, 3.0], []]))
    # Level 0 and below, and what lies above all judgements: bpref would read foreign memory there.
    measures = [*with_parameters(rnd), *_CUTS, "iprec_at_recall", "Rprec_mult", "yaap"]
    size, level = rnd.choice([0, 100, 1000]), rnd.choice([1, 1, 1, 2, 0, -1, -2])
    return request(rnd, "qrels", qrels, run, measures, N=size, l=level)


def with_parameters(rnd: random.Random) -> list[str]:
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


def of_groups(rnd: random.Random, number: int) -> Request:
    """Judgements of several groups of judges."""
    docnos = [f"d{i}" for i in range(rnd.choice([3, 8, 40]))]
    qrels, run = [], []
    for topic in (f"q{number}x{i}" for i in range(rnd.randint(1, 3))):
        for group in range(rnd.randint(1, 4)):
            levels = rnd.choice([[0, 1, 2], [-1, 0, 1], [0, 1]])
            some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
            qrels += [f"{topic} g{group} {some[0]} 1\n"]
            qrels += [f"{topic} g{group} {docno} {rnd.choice(levels)}\n" for docno in some[1:]]
        run += retrieved(rnd, topic, docnos, [])
    measures = ["map_avgjg", "P_avgjg.1,5,10", "Rprec_mult_avgjg"]
    return request(rnd, "qrels_jg", qrels, run, measures, l=rnd.choice([0, 1, 1, 2]))


def of_preferences(rnd: random.Random, number: int) -> Request:
    """Preferences that do not contradict each other: a document has one level per group. Lines repeat."""
    docnos = [f"d{i}" for i in range(rnd.choice([3, 6, 15, 40]))]
    scales = [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.5, 0.1, 0.1 + 1e-11], [1.0, 2.0], [0.0]]
    levels, with_subgroups = rnd.choice(scales), rnd.random() < 0.7
    qrels, run = [], []
    for topic in (f"q{number}x{i}" for i in range(rnd.randint(1, 3))):
        for group in range(rnd.randint(1, 3)):
            level = {docno: rnd.choice(levels) for docno in docnos}
            for subgroup in range(rnd.randint(1, 4) if with_subgroups else 1):
                column = f"s{subgroup} " if with_subgroups else ""
                for docno in rnd.sample(docnos, rnd.randint(1, len(docnos))):
                    line = f"{topic} g{group} {column}{docno} {level[docno]!r}\n"
                    qrels += [line] * rnd.choice([1, 1, 1, 2])
        run += retrieved(rnd, topic, [*docnos, "a", "zz"], rnd.choice([_SCORES, []]))
    names = [about.name for about in FAMILIES]
    return request(rnd, "prefs" if with_subgroups else "qrels_prefs", qrels, run, names)


def retrieved(rnd: random.Random, topic: str, docnos: list[str], scores: list[float]) -> list[str]:
    """Lines of a run with some of the documents; without ``scores`` these are mostly different."""
    scores = scores or [1.0, 2.0, *(rnd.random() for _ in range(99))]
    some = rnd.sample(docnos, rnd.randint(1, len(docnos)))
    return [f"{topic} Q0 {docno} 1 {rnd.choice(scores)!r} tag\n" for docno in some]


def request(
    rnd: random.Random, format: str, qrels: list[str], run: list[str], measures: list[str], **flags: int
) -> Request:
    if format != "qrels":
        rnd.shuffle(qrels)
    given: dict[str, Any] = {"-R": format, **{f"-{flag}": number for flag, number in flags.items()}}
    given |= {"-J": True} if rnd.random() < 0.3 and "prefs" not in format else {}
    given |= {"-M": rnd.choice([0, 1, 2, 3, 7, 20][format != "qrels" :])} if rnd.random() < 0.3 else {}
    return {"qrels": "".join(qrels), "run": "".join(run), "measures": measures, "flags": given}


def answers(requests: list[Request]) -> list[dict[str, dict[str, float]]]:
    """The values of the C code by topic and printed name, the summary under ``all``."""
    calls = []
    for asked in requests:
        options = [word for name in asked["measures"] for word in ("-m", name)]
        options += [
            w for f, value in asked["flags"].items() for w in ((f,) if value is True else (f, str(value)))
        ]
        calls.append((options, {name: asked[name].encode() for name in ("qrels", "run")}))
    found = embedded.ask(calls)
    assert {ended.code for ended in found} <= {0}
    return [ended.values for ended in found]


@pytest.mark.parametrize(
    ("made", "number"), [(of_levels, 120), (of_groups, 120), (of_preferences, 200)], ids=lambda x: str(x)[:24]
)
def test_values_and_means_are_those_of_the_c_code(made, number, tmp_path):
    """Random inputs under random flags and parameters: every bit of every measure."""
    rnd = random.Random(20261121)
    requests = [made(rnd, one) for one in range(number if WHOLE else number // 2)]
    for asked, answer in zip(requests, answers(requests), strict=True):
        for name in ("qrels", "run"):
            (tmp_path / name).write_text(asked[name], "utf-8")
        assert Case(tmp_path, "te908", asked["flags"], answer).different() == {}, asked


@pytest.mark.parametrize(
    ("kind", "format"), [("levels", "qrels"), ("subtopics", "qrels_jg"), ("preferences", "qrels_prefs")]
)
def test_the_values_in_fixtures_are_those_of_the_c_code(kind, format):
    """What the cases of all families hold as trec_eval's own, bit for bit."""
    case = cases.Case(f"families-{kind}")
    saved, _ = cases.saved_values(case.folder / "recorded.trec_eval.json")
    names = {name: str(trec_eval_name(parse_measure(name))) for name in saved["1"]}
    measures = [name.replace("@", ".") for name in names]
    files = {"qrels": case.qrels.read_text("utf-8"), "run": case.runs[0].read_text("utf-8")}
    (answer,) = answers([{**files, "measures": measures, "flags": {"-R": format}}])
    assert saved == {topic: {name: answer[topic][names[name]] for name in names} for topic in saved}
