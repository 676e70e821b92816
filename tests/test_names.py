"""Measure names: both spellings in, one canonical spelling out, and back."""

import re
from itertools import combinations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck import names
from crosscheck.errors import UnknownMeasure
from crosscheck.measures import families
from crosscheck.model import Measure, ParamValue
from crosscheck.names import expand_group, parse_measure, parse_measures, trec_eval_name
from tests.support.rows import claims, is_true


@pytest.mark.parametrize(
    ("text", "canonical", "trec_eval"),
    [
        ("nDCG@10", "nDCG@10", "ndcg_cut_10"),
        ("ndcg_cut.10", "nDCG@10", "ndcg_cut_10"),
        ("NDCG", "nDCG", "ndcg"),
        ("map", "AP", "map"),
        ("MAP@5", "AP@5", "map_cut_5"),
        ("AP(rel=2)@100", "AP(rel=2)@100", "map_cut_100"),
        ("MRR@10", "RR@10", None),
        ("recip_rank", "RR", "recip_rank"),
        ("ndcg.1=3,2=9", "nDCG(gains={1:3,2:9})", "ndcg_1=3,2=9"),
        ("ndcg_1=0.5", "nDCG(gains={1:0.5})", "ndcg_1=0.5"),
        ("G.-1=0.5", "G(gains={-1:0.5})", "G_-1=0.5"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10", None),
        ('nDCG(dcg="log2")@10', "nDCG@10", "ndcg_cut_10"),
        ("nDCG(gains={0:1,1:3})@5", "nDCG(gains={0:1,1:3})@5", None),
        ("P(judged_only=True)@5", "P(judged_only=True)@5", None),
        ("set_F.0.5", "SetF(beta=0.5)", "set_F_0.5"),
        ("set_F_0.5", "SetF(beta=0.5)", "set_F_0.5"),
        ("SetF(beta=1)", "SetF", "set_F"),
        ("SetP(relative=True)", "SetRelP", "set_relative_P"),
        ("SetP(relative=False)", "SetP", "set_P"),
        ("NumRet(rel=1)", "NumRelRet", "num_rel_ret"),
        ("utility.1,-1,0,0", "utility", "utility"),
        ("utility_2,-0.5,-1,0.001", "utility(coefficients=[2,-0.5,-1,0.001])", "utility_2,-0.5,-1,0.001"),
        ("utility(N=1000)", "utility(N=1000)", "utility"),
        ("11pt_avg", "11pt_avg", "11pt_avg"),
        ("11pt_avg.0.2,0.5,0.8", "11pt_avg(points=[0.2,0.5,0.8])", "11pt_avg_0.2,0.5,0.8"),
        ("iprec_at_recall_0.10", "IPrec@0.1", "iprec_at_recall_0.10"),
        ("IPrec@0.123", "IPrec@0.123", "iprec_at_recall_0.12"),
        ("Rprec_mult.0.2", "Rprec_mult@0.2", "Rprec_mult_0.20"),
        ("relative_P.5", "relative_P@5", "relative_P_5"),
        ("rbp", "rbp", "rbp"),
        ("rbp.p=0.8", "rbp(p=0.8)", "rbp_p=0.8"),
        ("rbp.p=0.8,1=3", "rbp(gains={1:3},p=0.8)", "rbp_p=0.8,1=3"),
        ("rbp_resid.p=0.5", "rbp_resid(p=0.5)", "rbp_resid_p=0.5"),
        ("RBP(p=0.9,rel=2)@10", "RBP(rel=2,p=0.9)@10", None),
        ("unj_20", "unj@20", "unj_20"),
        ("ndcg_rel", "ndcg_rel", "ndcg_rel"),
        ("Bpref", "bpref", "bpref"),
        ("alpha-nDCG@20", "alpha_nDCG@20", None),
        ("α_nDCG@5", "alpha_nDCG@5", None),
        ("MAP-IA", "AP_IA", None),
        ("strec@5", "StRecall@5", None),
        ("AP(cutoff=5)", "AP@5", "map_cut_5"),
        ("P@" + 18 * "9", "P@" + 18 * "9", "P_" + 18 * "9"),
    ],
)
def test_spellings(text, canonical, trec_eval):
    """A given spelling, the canonical name, and trec_eval's printed name."""
    measure = parse_measure(text)
    assert str(measure) == canonical
    assert parse_measure(canonical) == measure
    assert trec_eval_name(measure) == trec_eval


_NO_CUTOFF = ": the cutoff must be a whole number of up to 18 digits, not '{}'\n  for example {}@10"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDGC@10", "; did you mean nDCG@10?"),
        ("R-precision", "; did you mean Rprec?"),
        ("average_precision", "; did you mean AP?"),
        ("HitRate_at_k", "; did you mean Success@10?"),
        ("mean average precision", "; did you mean AP?"),
        ("top-5 accuracy", "; did you mean Success@5?"),
        ("F-measure", "; did you mean SetF?"),
        ("gmap", "; did you mean gm_map?"),
        ("normalized discounted cumulative gain@3", "; did you mean nDCG@3?"),
        ("recall_cap@100", "; did you mean R@100 under the convention recall_denominator=min(R,k)?"),
        ("hitrat@5", "; did you mean Success@5?"),
        ("AUC", ""),
        ("ndcg@10@5", "; did you mean nDCG@5?"),
        ("P", ": P needs a cutoff\n  for example P@10"),
        ("P@0", ": the cutoff must be at least 1\n  for example P@10"),
        ("P@1.5", _NO_CUTOFF.format("1.5", "P")),
        ("R@1" + 18 * "9", _NO_CUTOFF.format("1" + 18 * "9", "R")),
        ("AP(rel=9999999999999999999)", ": rel must be a whole number, not '9999999999999999999'"),
        ("bpref@5", ": bpref takes no cutoff\n  write bpref"),
        ("IPrec", ": IPrec needs recall\n  for example IPrec@0.1"),
        ("IPrec@inf", ": recall must be a number, not 'inf'"),
        ("nDCG(rel=2)", ": nDCG has no parameter 'rel'\n  use one of: dcg, gains, judged_only"),
        ("AP(rel=a)", ": rel must be a whole number, not 'a'"),
        ("AP(rel=)", ": AP has no parameter 'rel'\n  use one of: rel, judged_only"),
        ("AP(2)", ": AP has no parameter '2'\n  use one of: rel, judged_only"),
        ("nDCG(dcg='ln')", ": dcg must be 'log2' or 'exp-log2', not \"'ln'\""),
        ("nDCG(gains={a:3})", ": gains must be gains of relevance levels like {1:3,2:9}, not '{a:3}'"),
        ("P(judged_only=yes)@5", ": judged_only must be True or False, not 'yes'"),
        ("utility(coefficients=[1,x])", ": coefficients must be a list of numbers like [1,0.5], not '[1,x]'"),
        ("alpha_nDCG(alpha=1.5)@5", ": alpha must be a number from 0 to 1, not '1.5'"),
        ("P.5,10", " stands for 2 measures\n  name one of them, such as P@5"),
        ("ndcg.1=3,2=x", ""),
        ("rbp.p=0.8,1", ""),
        ("set_F.p=2", ": SetF has no parameter 'p'\n  use one of: rel, beta, judged_only"),
        ("map_5", "; did you mean AP@5?"),
        ("", ""),
    ],
)
def test_what_is_wrong_is_said(text, said):
    """A name that means nothing is an error that says why, or what comes near."""
    with pytest.raises(UnknownMeasure) as raised:
        parse_measure(text)
    known = "\n  write a name such as nDCG@10, AP or map; crosscheck explain measures lists all"
    wrong = f"{text!r}{said}" if said[:1] in (":", " ") else f"unknown measure {text!r}{said}{known}"
    assert str(raised.value) == wrong


@claims("""
# Of functions the measure, and the cutoff, which not every measure has; of parameters how many names.
said_by("Metrics.recall_at_5") == (("R",), 5)
said_by("getMeanAveragePrecisionAt10") == said_by("map10") == (("AP",), 10)
said_by("compute_ndcg_score") == said_by("ndcg0") == (("nDCG",), None)
said_by("precision") == (("P", "SetP"), None)
said_by("precision_5") == said_by("P5") == (("P",), 5)
said_by("p") == said_by("get_scores") == said_by("xyz") == ((), None)
family_words(parse_measure("P@5")) == ("precision", "prec", "p@")
{measure_parameter(name) for name in ("metric", "eval_metric", "metricName", "Metrica")} == {"one"}
{measure_parameter(name) for name in ("metrics", "metric_names", "measure_list")} == {"several"}
{measure_parameter(name) for name in ("my_metric", "metric_metric", "name", "k")} == {None}
# Of spellings the first that a function knows with its cutoff, else all that differ, else one without it.
found({"ndcg_cut_{k}": "a", "ndcg_cut_1": "c", "ndcg@{k}": "b"}) == (["ndcg_cut_{k}"], True)
found({"nDCG_{k}": "a", "nDCG_1": "a", "ndcg_{k}": "b", "ndcg_1": "b"}) == (["nDCG_{k}", "ndcg_{k}"], True)
found({"ndcg": "a"}) == (["ndcg"], True) != accepted(parse_measure("P@5"), lambda name: "a") == ([""], False)
[described(profiles()["beir"], parse_measure(name)) is None for name in ("nDCG@5", "nDCG")] == [False, True]
""")
def test_measures_in_names_of_functions_and_parameters(claim):
    found = {"found": lambda answers: names.accepted(parse_measure("nDCG@5"), answers.get)}
    assert is_true(claim, vars(names) | found)


def test_lists_and_groups():
    """Commas separate measures, except in trec_eval's lists and in parentheses."""
    texts = ["P.5,10,map,ndcg.1=3,2=9,11pt_avg", "AP(rel=2)@10,SetF(beta=2),P@5", "utility.1,2,3,4"]
    wanted = ["P@5", "P@10", "AP", "nDCG(gains={1:3,2:9})", "11pt_avg", "AP(rel=2)@10", "SetF(beta=2)"]
    assert list(map(str, parse_measures(texts))) == [*wanted, "utility(coefficients=[1,2,3,4])"]
    assert parse_measures(["official"]) == expand_group("official")
    assert [m.cutoff for m in parse_measures(["ndcg_cut"])] == [5, 10, 15, 20, 30, 100, 200, 500, 1000]


def test_groups_are_those_of_the_version():
    """official and all_trec count as many values as trec_eval prints; version 10 has five more."""
    assert len(expand_group("official")) == 29
    assert len(expand_group("all_trec")) == 93
    newer = set(expand_group("all_trec", "10.0")) - set(expand_group("all_trec"))
    assert sorted(map(str, newer)) == ["rbp", "rbp_resid", "unj@10", "unj@20", "unj@5"]
    assert [str(m) for m in expand_group("success")] == ["Success@1", "Success@5", "Success@10"]
    for group in ("dcg", "no_such_measure"):
        with pytest.raises(UnknownMeasure):
            expand_group(group, "9.0.8")


_NUMBERS = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)
_GAINS = st.lists(st.tuples(st.integers(-3, 9), _NUMBERS), min_size=1, max_size=4).map(tuple)


@given(
    family=st.sampled_from(sorted(families())),
    cutoff=st.integers(1, 5000),
    rel=st.integers(2, 9),
    number=_NUMBERS,
    gains=_GAINS,
    numbers=st.lists(_NUMBERS, min_size=1, max_size=4).map(tuple),
)
def test_canonical_names_can_be_read_again(family, cutoff, rel, number, gains, numbers):
    """Reading the canonical name gives the measure back, whatever its parameters; so does trec_eval's."""
    about = families()[family]
    params: dict[str, ParamValue] = {}
    for one in about.params:
        fraction = abs(number) % 1.0 if one.share else number
        kinds: dict[type, ParamValue] = {bool: True, str: "exp-log2", int: 7, float: fraction}
        value = gains if one.name == "gains" else kinds.get(type(one.default), numbers)
        if one.name not in ("relative",) and (value != one.default or one.required):
            params[one.name] = value
    measure = Measure(
        family, cutoff if about.cutoff != "none" else None, rel if about.rel and family != "NumRet" else None,
        tuple(sorted(params.items())),
    )  # fmt: skip
    assert parse_measure(str(measure)) == measure
    printed = trec_eval_name(measure)
    if printed is not None and about.at_parameter == "cutoff" and "N" not in params:
        read = parse_measure(printed)
        assert (read.family, read.cutoff, read.params) == (family, measure.cutoff, measure.params)


#: Values of the parameters of ir_measures by their types; those without a choice.
_VALUES = {int: "0 1 3", float: "0.3 1", bool: "True False", dict: "{1:0.5,3:2}"}


def spelt(name, cls):
    """A measure of ir_measures with values of its parameters, two at a time beside those that it needs: the
    cutoff behind an @ or by its name, with and without blanks."""
    about = cls.SUPPORTED_PARAMS
    values = {
        key: [repr(choice) for choice in of.choices]
        if isinstance(of.choices, list)
        else _VALUES[of.dtype].split(" ")
        for key, of in about.items()
    }
    needed = {key: values[key][-1] for key, of in about.items() if of.required}
    one_more = [{key: value} for key, of in values.items() for value in of]
    pairs = [{**a, **b} for a, b in combinations(one_more, 2) if a.keys() != b.keys()]
    for chosen in ({}, *one_more, *pairs):
        params = {**needed, **chosen}
        yield f"{name}({', '.join(f'{key}={value}' for key, value in params.items())})"
        at = params.pop(cls.AT_PARAM, None)
        inside = ",".join(f"{key}={value}" for key, value in params.items())
        behind, called = ("" if at is None else f"@{at}"), f"({inside})" if inside else ""
        yield f"{name}{called}{behind}"
        yield f" {name} {called} {behind.replace('@', '@ ')} ".replace("'", '"')


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_every_measure_of_ir_measures_is_parsed_or_refused_by_name(name):
    """All that its parser takes, in whatever spelling: the measure with the same parameters, or an error that
    names it: a cutoff of 0, and one that is missing although the measure has no value without it."""
    cls, compared = ir_measures.measures.registry[name], 0
    for text in spelt(name, cls):
        try:
            theirs = ir_measures.parse_measure(text.strip())
            theirs.validate_params()
        except (ValueError, AssertionError):
            continue
        try:
            ours = parse_measure(text)
        except UnknownMeasure as error:
            said = str(error).replace("alpha", "α")
            assert name.replace("alpha", "α") in said
            assert re.search("cutoff must be at least 1|needs a cutoff|no parameter 'relative'", said)
            continue
        found = {"dcg": "log2", "cutoff": ours.cutoff, "rel": 1 if ours.rel is None else ours.rel} | {
            one.name: one.default for one in families()[ours.family].params
        }
        found |= {"relative": ours.family == "SetRelP"} | dict(ours.params)
        for key, value in theirs.params.items():
            assert found[key] == (tuple(value.items()) if key == "gains" else value), text
        compared += 1
    assert compared >= 3
