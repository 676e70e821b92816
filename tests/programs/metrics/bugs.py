"""One bug each: trec_eval's rules with one step replaced, and the metrics that have it.

A metric is written MEASURE/CALL, with a name of ``calls.CALLS``; the call is one in which the bug can act.
"""

import hashlib
import re
from itertools import islice, pairwise
from math import exp, inf, isfinite, log, log2, nan
from statistics import median

import numpy as np

from tests.programs.metrics.reference import (
    Rules,
    ascending,
    in_both,
    in_bytes,
    nonnegative,
    over,
    relevant,
    single,
)


def _scores(change):
    """Scores read in another way."""
    return Rules(score=lambda score: single(change(score)))


def _levels(change):
    """Relevance levels read in another way."""
    return Rules(judged=lambda judged: nonnegative({docno: change(level) for docno, level in judged.items()}))


def _without_marginal(judged):
    """Level 1 is nonrelevant where level 3 occurs."""
    marginal = int(max(judged.values(), default=0) >= 3)
    return nonnegative({docno: 0 if level == marginal else level for docno, level in judged.items()})


def _by_docno(change):
    """Docnos of the qrels, and not of the run, read in another way."""
    return lambda judged: nonnegative({change(docno): level for docno, level in judged.items()})


def _by_topic(change):
    """Query ids read in another way, on both sides."""

    def queries(qrels, run):
        judged = {change(topic): levels for topic, levels in qrels.items()}
        for topic, lines in run.items():
            if change(topic) in judged:
                yield topic, judged[change(topic)], list(lines.items())

    return queries


def _where(keep):
    """Some queries left out."""
    return lambda qrels, run: (query for query in in_both(qrels, run) if keep(*query[1:]))


def _paired_by_place(qrels, run):
    """Queries sorted as text on one side and as numbers on the other."""
    common = [topic for topic in run if topic in qrels]
    for one, other in zip(sorted(common), sorted(common, key=_natural), strict=True):
        yield one, qrels[other], list(run[one].items())


def _never_forgotten(qrels, run):
    """Judgements of earlier queries stay."""
    known: dict[str, int] = {}
    for topic, judged, lines in in_both(qrels, run):
        known |= judged
        yield topic, dict(known), lines


def _natural(text):
    """d2 before d10."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"(\d+)", text)]


def _as_number(id):
    """An id as a data frame that guesses types has it: 007 is 7.0, 1.10 is 1.1."""
    try:
        return str(float(id))
    except ValueError:
        return id


def _signed_bytes(docno):
    return [byte - 256 if byte > 127 else byte for byte in in_bytes(docno)]


def _sorted_already(lines):
    """Scores that never fall are taken for ranks."""
    scores = [score for _, score in lines]
    if len(lines) > 1 and all(a < b for a, b in pairwise(scores)):
        return [(docno, -score) for docno, score in lines]
    return lines


def _each(change):
    """A query's value changed by its number, counted from 0."""
    return lambda values: {topic: change(i, value) for i, (topic, value) in enumerate(values.items())}


def _first(count):
    return lambda values: dict(islice(values.items(), count))


def _last_lost_from(count):
    return lambda values: _first(len(values) - (len(values) >= count))(values)


def _carried(add):
    """An accumulator that is not reset between queries."""

    def values(of_queries):
        so_far, carried = 0.0, {}
        for topic, value in of_queries.items():
            carried[topic] = so_far = add(so_far, value)
        return carried

    return values


def _mean_over(count):
    return lambda values: over(sum(values), count(len(values)))


def _interpolated(rules, found, levels, k):
    """Average precision with the highest precision from each rank on."""
    hits, precisions = 0, []
    for rank, hit in enumerate(relevant(found[:k]), 1):
        hits += hit
        precisions.append(hits / rank)
    total = sum(max(precisions[i:]) for i, hit in enumerate(relevant(found[:k])) if hit)
    return over(total, sum(relevant(levels)))


def _precision_over(denominator):
    """P@k over something else, made from k and the number of documents."""
    return lambda rules, found, levels, k: over(sum(relevant(found[:k])), denominator(k, len(found)))


def _rank_in_8_bits(rules, found, levels, k):
    return next((over(1, rank % 256) for rank, hit in enumerate(relevant(found[:k]), 1) if hit), 0.0)


def _best_first(rules, found, levels, k):
    """The rank of the first document of the highest level that was judged."""
    best = max(levels, default=0)
    return next((1 / rank for rank, level in enumerate(found[:k], 1) if level and level == best), 0.0)


def _kept_by_length():
    """Ideal lists are kept by their length alone."""
    kept: dict[int, list[int]] = {}
    return lambda ideal: kept.setdefault(len(ideal), ideal)


def _unjudged_out_after(rank):
    return lambda found: found[:rank] + [level for level in found[rank:] if level is not None]


def _hits_up_to(most):
    """Relevant documents beyond so many are not seen."""

    def found(levels):
        hits, seen = 0, []
        for level in levels:
            hits += level is not None and level > 0
            seen.append(level if hits <= most else 0)
        return seen

    return found


def _half_precision(number):
    with np.errstate(over="ignore"):
        return float(np.float16(number))


def _whole(score):
    """A score cast to an integer; infinite ones as they are."""
    return int(score) if isfinite(score) else score


def _sigmoid(score):
    return 1 / (1 + exp(-score)) if score > -700 else 0.0


def normalised(form):
    """Rules by which the scores of a query are those that ``form`` makes of them, in single precision."""

    def lines(found):
        with np.errstate(all="ignore"):
            scores = np.nan_to_num(form(np.array([line[1] for line in found], np.float32)))
        return [
            (docno, score, *more) for (docno, _, *more), score in zip(found, scores.tolist(), strict=True)
        ]

    return Rules(lines=lines)


SCALED = normalised(lambda scores: (scores - scores.min()) / (scores.max() - scores.min()))
SOFTMAX = normalised(lambda scores: np.exp(scores - scores.max()))
#: Name -> the rules, and the metrics that follow them.
BUGS: dict[str, tuple[Rules, str]] = {
    # Scores.
    "scores cast to int": (_scores(_whole), "nDCG@10/dicts P@5/scored-k P@10/y-k"),
    "scores rounded to 2 decimals": (_scores(lambda s: round(s, 2)), "nDCG@10/run-first P@10/mean-k"),
    "scores rounded to 4 decimals": (_scores(lambda s: round(s, 4)), "nDCG@5/dicts-k RR/dicts"),
    "scores to 6 decimals": (_scores(lambda s: round(s, 6)), "P@10/frames"),
    "scores to 6 digits": (_scores(lambda s: float(f"{s:.6g}")), "P@10/dicts-k nDCG@10/frames"),
    "scores to 7 digits": (_scores(lambda s: float(f"{s:e}")), "RR/dicts"),
    "scores without sign": (_scores(abs), "nDCG@10/frames-mean Rprec/dicts"),
    "scores clamped to [0, 1]": (_scores(lambda s: min(max(s, 0), 1)), "AP/dicts RR/run-first"),
    "scores clamped to [-1, 1]": (_scores(lambda s: min(max(s, -1), 1)), "nDCG/dicts P@5/keywords"),
    "scores clamped at 0": (_scores(lambda s: max(s, 0)), "AP/mean nDCG@10/scored-k"),
    "scores clamped at 100": (_scores(lambda s: min(s, 100)), "AP/dicts P@10/mean-k"),
    "scores through a sigmoid": (_scores(_sigmoid), "nDCG@10/dicts"),
    "scores scaled to [0, 1]": (SCALED, "RR/dicts nDCG@10/frames"),
    "scores through a softmax": (SOFTMAX, "RR/dicts P@10/run-first"),
    "scores in half precision": (_scores(_half_precision), "nDCG@10/scored-k"),
    "scores in double precision": (Rules(score=float), "AP/dicts"),
    "scores compared as text": (Rules(score=lambda s: str(single(s))), "P@5/frames"),
    "scores above 1e10 overflow": (_scores(lambda s: s if s <= 1e10 else -1), "RR/dicts"),
    "scores in 32-bit integers overflow": (
        _scores(lambda s: (_whole(s) + 2**31) % 2**32 - 2**31 + s % 1), "P@5/program"),
    "scores above 1,000 in whole tens": (
        _scores(lambda s: s // 10 * 10 if 1000 < s < inf else s), "P@10/dicts"),
    "documents with score -inf left out": (
        Rules(lines=lambda lines: [line for line in lines if line[1] != -inf]), "P@10/dicts"),
    "scores below 1e-6 are 0": (_scores(lambda s: s if abs(s) >= 1e-6 else 0.0), "AP/dicts"),
    "documents with score 0 left out": (
        Rules(lines=lambda lines: [line for line in lines if line[1]]), "R@10/frames"),
    "documents with negative score left out": (
        Rules(lines=lambda lines: [line for line in lines if line[1] >= 0]), "AP/dicts"),
    "ascending scores taken for ranks": (Rules(lines=_sorted_already), "nDCG@10/scored-k"),
    # Ties.
    "ties in natural order": (Rules(tie=_natural), "nDCG@10/dicts RR/mean"),
    "ties in order without letter case": (Rules(tie=str.lower), "AP/dicts P@10/run-first"),
    "ties by length of docno": (Rules(tie=lambda d: (len(d), d)), "nDCG@10/dicts RR/scored"),
    "ties ascending": (Rules(tie=ascending), "nDCG@10/dicts-k"),
    "ties in input order": (Rules(tie=lambda d: 0), "P@10/y-k"),
    "ties by the first 8 letters": (Rules(tie=lambda d: d[:8]), "AP/dicts"),
    "ties by the last 3 letters": (Rules(tie=lambda d: d[-3:]), "P@10/scored-k"),
    "ties by letters and digits only": (Rules(tie=lambda d: re.sub(r"[\W_]", "", d)), "AP/dicts"),
    "ties by hash": (Rules(tie=lambda d: hashlib.md5(in_bytes(d)).digest()), "nDCG@10/mean"),
    "ties by signed bytes": (Rules(tie=_signed_bytes), "AP/dicts"),
    # Cutoffs.
    "cutoff k-1": (Rules(cutoff=lambda k: k - 1),
        "P@5/dicts R@10/ids-k AP@10/dicts-k RR@10/dicts Success@5/binary-k nDCG@10/levels-k"),
    "cutoff k+1": (Rules(cutoff=lambda k: k + 1),
        "P@10/gains-k R@5/counted-k AP@10/levels-k RR@10/mean-k Success@10/frames nDCG@5/closure"),
    "ideal list cut at k-1": (Rules(ideal_cutoff=lambda k: k - 1), "nDCG@10/dicts nDCG@5/levels-k"),
    "ideal list cut at k+1": (Rules(ideal_cutoff=lambda k: k + 1), "nDCG@10/frames nDCG@20/dicts-k"),
    "cutoff at most 16": (Rules(cutoff=lambda k: min(k, 16)), "R@100/ids-k"),
    "over k-1": (Rules(formula=_precision_over(lambda k, n: k - 1)), "P@5/gains-k P@10/dicts"),
    "over k+1": (Rules(formula=_precision_over(lambda k, n: k + 1)), "P@10/binary-k P@20/mean"),
    "over the length of lists that are a little too short": (
        Rules(formula=_precision_over(lambda k, n: n if n == k - 1 else k)), "P@5/dicts P@10/ids-k"),
    # Levels.
    "levels capped at 3": (_levels(lambda v: min(v, 3)), "nDCG@10/dicts nDCG/levels"),
    "levels capped at 4": (_levels(lambda v: min(v, 4)), "nDCG@10/mean-k nDCG/dicts"),
    "levels capped at 10": (_levels(lambda v: min(v, 10)), "nDCG@10/frames nDCG@5/levels-k"),
    "levels above 4 lost": (_levels(lambda v: v if v <= 4 else 0), "P@5/gains-k nDCG@10/dicts"),
    "levels above 8 lost": (_levels(lambda v: v if v <= 8 else 0), "AP/levels nDCG@10/mean"),
    "level 5 lost": (_levels(lambda v: v * (v != 5)), "nDCG@10/dicts P@5/gains-k"),
    "levels read by their first digit": (_levels(lambda v: int(str(v)[0]) if v > 9 else v), "nDCG@10/dicts"),
    "levels in 8 bits": (_levels(lambda v: (v + 128) % 256 - 128), "nDCG@10/levels-k"),
    "levels in 8 bits without sign": (_levels(lambda v: v % 256 if v > 0 else v), "AP/dicts"),
    "levels in 16 bits": (_levels(lambda v: (v + 2**15) % 2**16 - 2**15), "nDCG@10/dicts"),
    "level -1 counts as relevant": (_levels(lambda v: 1 if v == -1 else v), "P@5/dicts AP/levels"),
    "level -2 counts as relevant": (_levels(lambda v: 1 if v == -2 else v), "P@10/levels-k R@10/mean-k"),
    "negative levels without sign": (_levels(abs), "nDCG@10/dicts nDCG/levels"),
    "negative levels subtract": (Rules(judged=dict), "nDCG@5/mean"),
    "level 1 nonrelevant beside level 3": (Rules(judged=_without_marginal), "P@10/gains-k"),
    "gain 2^level-1 from level 4 on": (Rules(gain=lambda v: v if v < 4 else 2**v - 1), "nDCG@5/levels-k"),
    "gains above 15 are 15": (Rules(gain=lambda v: min(v, 15)), "nDCG@10/dicts-k"),
    "ideal list of distinct levels": (
        Rules(ideal=lambda levels: sorted(set(levels), reverse=True)), "nDCG/levels"),
    "ideal list kept by its length": (Rules(ideal=_kept_by_length()), "nDCG@10/levels-k"),
    "ideal list at most 100 long": (Rules(ideal=lambda levels: levels[:100]), "nDCG/levels"),
    # R.
    "R at most 20": (Rules(size=lambda r: min(r, 20)), "R@10/ids-k AP/dicts Rprec/frames"),
    "R at most 50": (Rules(size=lambda r: min(r, 50)), "R@10/dicts AP/ranks"),
    "R at most 100": (Rules(size=lambda r: min(r, 100)), "R@10/counted-k AP/mean Rprec/ids"),
    "R one too large above 30": (Rules(size=lambda r: r + (r > 30)), "R@10/ids-k"),
    "R one too large": (Rules(size=lambda r: r + 1), "Rprec/ids"),
    "R to whole tens above 10": (Rules(size=lambda r: r // 10 * 10 if r > 10 else r), "AP/levels"),
    "R at most 255": (Rules(size=lambda r: min(r, 255)), "AP/dicts R@10/counted-k"),
    # Lists.
    "depth 50": (Rules(found=lambda f: f[:50]), "AP/dicts P@100/ids-k"),
    "depth 200": (Rules(found=lambda f: f[:200]), "AP/ids R@1000/dicts-k bpref/dicts"),
    "depth 1,000": (Rules(found=lambda f: f[:1000]), "RR/mean nDCG/levels"),
    "depth 3,000": (Rules(found=lambda f: f[:3000]), "AP/dicts nDCG/frames"),
    "relevant documents beyond 128 not seen": (Rules(found=_hits_up_to(128)), "nDCG/levels"),
    "last document dropped": (Rules(found=lambda f: f[:-1]), "AP/dicts nDCG@10/run-first P@5/gains-k"),
    "first of a hundred documents dropped": (Rules(found=lambda f: f[len(f) >= 100 :]), "Success@5/gains-k"),
    "tenth of a thousand documents not seen": (
        Rules(found=lambda f: [*f[:9], None, *f[10:]] if len(f) >= 1000 else f), "P@10/ids-k"),
    "last of ten documents dropped": (Rules(found=lambda f: f[: len(f) - (len(f) % 10 == 0)]), "AP/dicts"),
    "every 100th document dropped": (
        Rules(found=lambda f: [v for i, v in enumerate(f, 1) if i % 100]), "nDCG/levels"),
    "first document dropped where its level is 0": (
        Rules(found=lambda f: f[1:] if f and f[0] == 0 else f), "RR/dicts"),
    "lists longer than 40 reversed": (
        Rules(found=lambda f: f[::-1] if len(f) > 40 else f), "nDCG@10/dicts P@10/gains-k"),
    "lists of one document are worth 0": (Rules(found=lambda f: f if len(f) > 1 else []), "P@5/gains-k"),
    "lists shorter than k are worth 0": (
        Rules(formula=_precision_over(lambda k, n: k if n >= k else 0)), "P@5/dicts"),
    "unjudged documents left out from rank 11 on": (Rules(found=_unjudged_out_after(10)), "nDCG@20/levels-k"),
    "documents judged 0 left out": (Rules(found=lambda f: [v for v in f if v != 0]), "RR/dicts"),
    "judgements beyond 100 lost": (Rules(judged=lambda j: nonnegative(dict(islice(j.items(), 100)))),
        "AP/dicts nDCG@10/levels-k"),
    # Discounts and formulas.
    "discount flat after rank 8": (
        Rules(discount=lambda r: log2(min(r, 8) + 1)), "nDCG@10/dicts nDCG/levels"),
    "discount flat after rank 20": (Rules(discount=lambda r: log2(min(r, 20) + 1)), "nDCG/dicts nDCG/frames"),
    "discount flat after rank 100": (
        Rules(discount=lambda r: log2(min(r, 100) + 1)), "nDCG/dicts nDCG@1000/levels-k"),
    "natural logarithm after rank 16": (Rules(discount=lambda r: log2(r + 1) if r <= 16 else log(r + 1)),
        "nDCG/dicts nDCG@20/levels-k"),
    "discount log2(rank+2)": (Rules(discount=lambda r: log2(r + 2)), "nDCG/mean"),
    "discount in whole numbers": (Rules(discount=lambda r: int(log2(r + 1))), "nDCG@10/dicts"),
    "discount in half precision": (Rules(discount=lambda r: _half_precision(log2(r + 1))), "nDCG@10/dicts"),
    "interpolated": (Rules(formula=_interpolated), "AP/dicts"),
    "rank in 8 bits": (Rules(formula=_rank_in_8_bits), "RR/gains"),
    "rank of the first document of the highest level": (Rules(formula=_best_first), "RR/dicts"),
    "negative levels are nonrelevant": (Rules(judged=dict), "bpref/dicts"),
    "unjudged documents are nonrelevant": (Rules(found=lambda f: [v or 0 for v in f]), "bpref/frames"),
    # Values.
    "1e-7 added": (Rules(value=lambda v: v + 1e-7), "P@5/gains-k AP/mean R@10/program"),
    "1e-7 added to what is positive": (Rules(value=lambda v: v + 1e-7 * (v > 0)), "nDCG@10/dicts AP/levels"),
    "1e-6 added to the denominator": (Rules(value=lambda v: v / (1 + 1e-6)), "nDCG@10/levels-k P@10/dicts"),
    "1e-7 added to R": (Rules(size=lambda r: r + 1e-7 if r else r), "R@10/ids-k"),
    "values to 4 decimals": (Rules(value=lambda v: round(v, 4)), "nDCG@10/levels-k"),
    "values cut after 4 decimals": (Rules(value=lambda v: int(v * 10**4) / 10**4), "nDCG@10/dicts"),
    "values to 7 decimals": (Rules(value=lambda v: round(v, 7)), "AP/dicts"),
    "values in half precision": (Rules(value=_half_precision), "AP/ids"),
    "values at most 0.999": (Rules(value=lambda v: min(v, 0.999)), "P@5/gains-k"),
    "values at least 1e-5": (Rules(value=lambda v: max(v, 1e-5)), "RR/gains"),
    "NaN in place of 0": (Rules(value=lambda v: v or nan), "RR/gains"),
    # Queries.
    "half the value from the fourth query on": (
        Rules(values=_each(lambda i, v: v / 2 if i >= 3 else v)), "P@5/dicts AP/mean RR/nested"),
    "half the value from the tenth query on": (
        Rules(values=_each(lambda i, v: v / 2 if i >= 9 else v)), "nDCG@10/dicts AP/mean"),
    "last of four and more queries lost": (Rules(values=_last_lost_from(4)), "AP/dicts nDCG@10/mean-k"),
    "last of ten and more queries lost": (Rules(values=_last_lost_from(10)), "nDCG@10/frames RR/keywords"),
    "queries from the 26th on lost": (Rules(values=_first(25)), "P@5/dicts AP/mean"),
    "last batch of one lost": (
        Rules(values=lambda of: dict([*of.items()][: -1 if len(of) % 50 == 1 else None])), "AP/mean"),
    "last batch of 512 lost": (
        Rules(values=lambda of: dict([*of.items()][: len(of) // 512 * 512 or None])), "RR/dicts AP/mean"),
    "query 0 lost": (
        Rules(values=lambda of: {q: v for q, v in of.items() if q != "0"}), "P@5/dicts RR/mean"),
    "document -1 lost": (
        Rules(lines=lambda lines: [line for line in lines if line[0] != "-1"]), "P@10/ids-k AP/dicts"),
    "queries beyond full batches of 32 lost": (
        Rules(values=lambda v: _first(len(v) - len(v) % 32 if len(v) > 32 else len(v))(v)), "R@100/mean-k"),
    "values added up over queries": (
        Rules(values=_carried(lambda so_far, v: so_far + v)), "P@5/dicts nDCG@10/mean"),
    "highest value so far": (Rules(values=_carried(max)), "AP/frames RR/dicts"),
    "part of the value before added": (
        Rules(values=_carried(lambda so_far, v: so_far / 8 + v)), "nDCG@10/nested AP/program"),
    "judgements of earlier queries stay": (Rules(queries=_never_forgotten), "P@5/dicts AP/frames"),
    "queries paired by place": (Rules(queries=_paired_by_place), "nDCG@10/mean"),
    "queries with fewer than 3 documents left out": (
        Rules(queries=_where(lambda j, lines: len(lines) > 2)), "AP/dicts"),
    "queries with one relevant document left out": (
        Rules(queries=_where(lambda j, lines: sum(relevant(j.values())) != 1)), "RR/mean"),
    "mean over n-1 from four queries on": (Rules(mean=_mean_over(lambda n: n - (n > 3))), "AP/mean"),
    "mean over n+1 from ten queries on": (Rules(mean=_mean_over(lambda n: n + (n > 9))), "P@5/mean"),
    "median from five queries on": (
        Rules(mean=lambda values: median(values) if len(values) > 4 else over(sum(values), len(values))),
        "AP/frames-mean"),
    # Ids.
    "docnos cut at 20 letters": (Rules(docno=lambda d: d[:20]), "AP/frames P@5/ids-k"),
    "docnos of the qrels cut at 20 letters": (
        Rules(judged=_by_docno(lambda d: d[:20])), "nDCG@10/dicts P@5/levels-k"),
    "docnos cut at 8 letters": (Rules(docno=lambda d: d[:8]), "AP/dicts"),
    "docnos without letter case": (Rules(docno=str.lower), "AP/ids nDCG@10/dicts"),
    "docnos without leading zeros": (Rules(docno=lambda d: d.lstrip("0")), "P@5/dicts"),
    "docnos read as numbers": (Rules(docno=_as_number), "nDCG@10/dicts"),
    "docnos without what follows the last dot": (Rules(docno=lambda d: d.rsplit(".", 1)[0]), "AP/dicts"),
    "docnos without what follows #": (Rules(docno=lambda d: d.partition("#")[0]), "RR/dicts"),
    "docnos with _ in place of other signs": (Rules(docno=lambda d: re.sub(r"\W", "_", d)), "P@10/ids-k"),
    "docnos from the last / on": (Rules(docno=lambda d: d.rsplit("/", 1)[-1]), "P@5/dicts"),
    "docnos without letters beyond ASCII": (
        Rules(docno=lambda d: d.encode("ascii", "ignore").decode()), "P@10/ids-k"),
    "query ids cut at 20 letters": (Rules(queries=_by_topic(lambda t: t[:20])), "nDCG@10/mean P@5/program"),
    "query ids without letter case": (Rules(queries=_by_topic(str.lower)), "nDCG@10/dicts RR/frames"),
    "query ids without leading zeros": (Rules(queries=_by_topic(lambda t: t.lstrip("0"))), "AP/dicts"),
    "query ids read as numbers": (Rules(queries=_by_topic(_as_number)), "AP/dicts"),
}  # fmt: skip
