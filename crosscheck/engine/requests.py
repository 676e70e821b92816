"""The parts of a request for values: its measures, and judgements and runs that can be used for them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import numpy as np

from crosscheck.axes.gain import GAIN
from crosscheck.conventions import Conventions, profiles
from crosscheck.engine.conversion import RunLike, as_run, by_query, file_of
from crosscheck.engine.streaming import judge_file
from crosscheck.errors import InputError
from crosscheck.evaluation.dict_rankings import judge_dict
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import family
from crosscheck.measures.gain import gains
from crosscheck.model import Measure, Qrels, display
from crosscheck.names import parse_measures, software, texts_of, trec_eval_name
from crosscheck.rankings.pairing import JudgedPool

__all__ = ["check_gains", "check_missing", "named_measures", "rankings_of"]


def check_gains(qrels: Qrels, measures: Iterable[Measure], conventions: Conventions) -> None:
    """Refuse relevance levels whose gain is infinite.

    Raises:
        InputError: the gain 2^level of the highest level is too large for a double.
    """
    highest = int(qrels.rels.max(initial=0))
    for measure in measures if highest >= sys.float_info.max_exp else ():
        spec = with_measure_parameters(conventions, measure)
        if GAIN in family(measure.family).reads and np.isinf(gains(np.array([highest]), spec)).any():
            raise InputError(
                f"the gain of this relevance level is too large for {measure}",
                path=qrels.source,
                found=str(highest),
                expected=f"levels below {sys.float_info.max_exp} where the gain is {spec[GAIN]}",
            )


def check_missing(rankings: Rankings, conventions: Conventions) -> None:
    """Refuse judged queries without results where the tool of the conventions ends with an error on them.

    Raises:
        InputError: the conventions are of such a profile (``trec_eval-10``), and there is such a query.
    """
    pairing, profile = rankings.pairing, conventions.refused_by
    if not profile or not pairing.missing.any():
        return
    missing = [display(pairing.all_topics[i]) for i in np.flatnonzero(pairing.missing).tolist()]
    some = ", ".join(missing[:5]) + ", ..." * (len(missing) > 5)
    raise InputError(
        f"{software(profiles()[profile])} ends with an error on judged queries without results",
        path=pairing.run.source,
        found=f"{len(missing)} of {len(pairing.qrels.topics)}: {some}",
        hint=f"{profile},missing_queries=zero counts them as 0 (trec_eval's -c), =dropped leaves them out",
    )


def named_measures(
    names: Sequence[str], conventions: str | Conventions = "trec_eval-9.0.8"
) -> dict[str, Measure]:
    """Measures by requested name; the members of a group (``official``) by trec_eval's names.

    Args:
        conventions: where they begin with a profile of trec_eval 10, groups are those of that version.

    Raises:
        UnknownMeasure: a name is unknown.
    """
    is_10 = isinstance(conventions, str) and conventions.startswith("trec_eval-10")
    measures: dict[str, Measure] = {}
    for name in texts_of(names):
        found = parse_measures([name], "10.0" if is_10 else "9.0.8")
        several = len(found) > 1
        measures |= {(trec_eval_name(m) or str(m)) if several else name: m for m in found}
    return measures


def rankings_of(run: RunLike, pool: JudgedPool, conventions: Conventions) -> Rankings:
    """A run joined with prepared judgements; files are streamed, dicts are not copied.

    Against judgements that say more than levels every run is read as a whole.
    """
    if pool.qrels.detailed:
        return Rankings(as_run(run), pool)
    if by_query(run):
        return judge_dict(run, pool)
    path = file_of(run)
    return Rankings(as_run(run), pool) if path is None else judge_file(path, pool, conventions)
