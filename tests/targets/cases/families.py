"""Cases of every family of measures, so that none can be wrong without being found out.

All are the same four queries: a first relevant document at ranks 2, 5, 6 and 1, fewer and more relevant ones
than five, four levels, unjudged documents and unretrieved ones. What pytrec_eval computes is compared with
it; everything else with saved values, of which ``TREC_EVAL`` are trec_eval 9.0.8's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log2

from tests.measures import plain
from tests.targets import families, rules
from tests.targets.cases.spec import CaseSpec, Recorded, rows
from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Judged, Table, ranking

__all__ = ["CASES", "TREC_EVAL"]

#: Topic -> levels in rank order, - for a document without a judgement, and levels that were not retrieved.
_LEVELS = {
    "1": ("0 2 - 1 0 3 1 - 0 2 0 1", "3 0 1"),
    "2": ("- 0 0 - 1 3 0 2", "2"),
    "3": ("0 - 0 0 - 2 1 0 - 1 0", "1 1 3 0"),
    "4": ("3 0 - 1 0 0", ""),
}


def _docs(topic: str, found: str, lost: str) -> list[tuple[str, str]]:
    """Documents with their levels, those that were retrieved first; docnos are in no order."""
    levels = [*found.split(), *lost.split()]
    return [(f"q{topic}-{7 * n % 16:02}", level) for n, level in enumerate(levels, 1)]


_DOCS = {topic: _docs(topic, *levels) for topic, levels in _LEVELS.items()}
QRELS = {topic: {doc: int(level) for doc, level in docs if level != "-"} for topic, docs in _DOCS.items()}
RUN = {topic: rows(doc for doc, _ in docs[: len(_LEVELS[topic][0].split())]) for topic, docs in _DOCS.items()}
#: The subtopics of the documents, or the groups of judges that saw them.
GROUPS = {doc: "aab"[int(doc[-2:]) % 3] for judged in QRELS.values() for doc in judged}

#: trec_eval 9.0.8's values of the four topics, by kind of judgements and measure.
TREC_EVAL: dict[str, dict[str, tuple[float, ...]]] = {
    "yaap": {
        "yaap": (-0.37578933996204794, -0.762722124240281, -1.2712250313351035, 0.5108256237659907),
    },
    "groups": {
        "map_avgjg": (0.2773809523809524, 0.1513888888888889, 0.09404761904761905, 0.375),
        "P_avgjg@5": (0.2, 0.1, 0.0, 0.2),
        "Rprec_mult_avgjg@0.6": (0.375, 0.0, 0.0, 0.25),
    },
    "preferences": {
        "prefs_num_prefs_poss": (36.0, 8.0, 24.0, 5.0),
        "prefs_num_prefs_ful": (15.0, 3.0, 9.0, 5.0),
        "prefs_num_prefs_ful_ret": (12.0, 2.0, 5.0, 5.0),
        "prefs_simp": (0.4166666666666667, 0.375, 0.375, 1.0),
        "prefs_pair": (0.4166666666666667, 0.375, 0.375, 1.0),
        "prefs_avgjg": (0.3787878787878788, 0.25, 0.23684210526315788, 0.5),
        "prefs_avgjg_Rnonrel": (0.4666666666666667, 0.2916666666666667, 0.23684210526315788, 0.0),
        "prefs_simp_ret": (0.4444444444444444, 0.4, 0.45454545454545453, 1.0),
        "prefs_pair_ret": (0.4444444444444444, 0.4, 0.45454545454545453, 1.0),
        "prefs_avgjg_ret": (0.2222222222222222, 0.3333333333333333, 0.22727272727272727, 0.5),
        "prefs_avgjg_Rnonrel_ret": (0.5075757575757576, 0.3333333333333333, 0.0, 0.0),
        "prefs_simp_imp": (0.42857142857142855, 0.375, 0.4090909090909091, 1.0),
        "prefs_pair_imp": (0.42857142857142855, 0.375, 0.4090909090909091, 1.0),
        "prefs_avgjg_imp": (0.46212121212121215, 0.25, 0.25, 0.5),
    },
}


def _trec_eval(kind: str) -> Recorded:
    table = {
        topic: {name: values[i] for name, values in TREC_EVAL[kind].items()} for i, topic in enumerate(QRELS)
    }
    return Recorded(lambda qrels, run: table, certain="trec_eval-9.0.8")


def _plainly(of: Callable[[Judged, list[Row]], dict[str, float]]) -> Recorded:
    """Values of plain functions, without ties in trec_eval's order."""

    def compute(qrels: Qrels, run: Run) -> Table:
        return {topic: of(qrels[topic], list(lines)) for topic, lines in run.items()}

    return Recorded(compute, certain="trec_eval-9.0.8")


def _of_levels(judged: Judged, lines: list[Row]) -> dict[str, float]:
    docs = ranking(lines)
    levels = [judged.get(doc) for doc in docs]
    topic = plain.Topic([-1 if level is None else level for level in levels], [*judged.values()])
    users = {
        name.replace("@", "(max_rel=3)@") if "@" in name else f"{name}(max_rel=3)": user
        for name, user in families.user_models(5).items()
    }
    return {
        "Accuracy": families.accuracy(levels),
        "Compat": families.compatibility(docs, dict(judged)),
        "DCG": plain.dcg(topic),
        "ERR": families.err(levels),
        "Judged@5": families.judged(levels, 5),
        "RBP": families.rbp(levels),
        "ideal_dcg": plain.ideal_dcg(topic),
        "rbp": plain.rbp(topic, 0.9),
        "rbp_resid": plain.rbp_resid(topic, 0.9),
        "unj@5": plain.unj(topic, 5),
    } | {name: families.expected_gain(levels, user) for name, user in users.items()}


def _of_subtopics(judged: Judged, lines: list[Row]) -> dict[str, float]:
    relevant = [GROUPS[doc] for doc, level in judged.items() if level > 0]
    found = [GROUPS[doc] if judged.get(doc, 0) > 0 else None for doc in ranking(lines)]
    best, number = families.best_order(relevant), len({*relevant})
    each = [{doc: level for doc, level in judged.items() if GROUPS[doc] == name} for name in {*relevant}]
    values = {
        "AP_IA": sum(rules.average_precision(own, lines) for own in each) / number,
        "P_IA@5": sum(rules.precision(own, lines) for own in each) / number,
        "StRecall@5": sum(rules.precision(own, lines) > 0 for own in each) / number,
        "NRBP": families.nrbp(found, number),
        "nNRBP": families.nrbp(found, number) / families.nrbp(best, number),
    }
    for names, discount in _DISCOUNTS.items():
        gain, ideal = (families.novelty_gain(one, 5, number, discount) for one in (found, best))
        values |= dict(zip(names, (gain, gain / ideal), strict=True))
    return values


_DISCOUNTS: dict[tuple[str, str], Callable[[int], float]] = {
    ("alpha_DCG@5", "alpha_nDCG@5"): lambda rank: 1 / log2(rank + 1),
    ("ERR_IA@5", "nERR_IA@5"): lambda rank: 1 / rank,
}


def _case(name: str, description: str, measures: Iterable[str], **recorded: Recorded) -> CaseSpec:
    saved = {f"recorded.{source}.json": values for source, values in recorded.items()}
    return CaseSpec(
        f"families-{name}",
        description,
        QRELS,
        {"run.txt": RUN},
        tuple(measures),
        recorded=saved,
        groups=GROUPS,
    )


def _names(of: Callable[[Judged, list[Row]], dict[str, float]]) -> list[str]:
    return list(of(QRELS["1"], RUN["1"]))


_WHOLE = (
    *("AP", "G", "11pt_avg", "binG", "bpref", "gm_bpref", "gm_map", "infAP", "nDCG", "ndcg_rel", "Rndcg"),
    *("NumQ", "NumRel", "NumRelRet", "NumRet", "num_nonrel_judged_ret", "RR", "Rprec"),
    *("SetAP", "SetF", "SetP", "SetR", "SetRelP", "utility"),
)
_AT = ("IPrec@0.5", "P@5", "R@5", "relative_P@5", "Rprec_mult@0.6", "Success@5", "nDCG@5", "AP@5")

CASES = (
    _case("pytrec_eval", "all that pytrec_eval computes", (*_WHOLE, *_AT)),
    _case(
        "levels",
        "other measures of relevance levels",
        ("yaap", *_names(_of_levels)),
        trec_eval=_trec_eval("yaap"),
        plain=_plainly(_of_levels),
    ),
    _case(
        "subtopics",
        "measures over subtopics, and over groups of judges",
        (*TREC_EVAL["groups"], *_names(_of_subtopics)),
        trec_eval=_trec_eval("groups"),
        plain=_plainly(_of_subtopics),
    ),
    _case(
        "preferences",
        "measures of preferences between documents",
        TREC_EVAL["preferences"],
        trec_eval=_trec_eval("preferences"),
    ),
)
