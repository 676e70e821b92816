"""Ways in which metrics are called: what each is handed and what it returns, made from the same measures."""

import json
import shlex
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.programs.metrics.bugs import BUGS, HARMLESS
from tests.programs.metrics.reference import Judged, Qrels, Rules, Run, mean_of, value_of, values_of

#: Rules by name: those with a bug, and those without.
RULES: dict[str, Rules] = {name: rules for name, (rules, _) in (BUGS | HARMLESS).items()}


@dataclass(frozen=True, slots=True)
class Computed:
    """A measure under some rules, called in some way. It can be sent to another process: its rules are looked
    up by name there."""

    rules: str
    measure: str
    way: str = "dicts"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return _WAYS[self.way][1](self, *arguments, **keywords)

    def _asked(self, k: int | None) -> tuple[Rules, str, int | None]:
        """Rules, family, and the cutoff that was handed over where the measure has one, else its own."""
        family, _, own = self.measure.partition("@")
        return RULES[self.rules], family, None if not own else int(own) if k is None else k

    def values(self, qrels: Qrels, run: Run, k: int | None = None) -> dict[str, float]:
        return values_of(*self._asked(k), qrels, run)

    def mean(self, qrels: Qrels, run: Run, k: int | None = None) -> float:
        return mean_of(*self._asked(k), qrels, run)

    def of_scored(
        self, docs: Sequence[str], scores: Sequence[float], judged: Judged, k: int | None = None
    ) -> float:
        return value_of(*self._asked(k), judged, list(zip(docs, scores, strict=True)))

    def of_ranking(self, docs: Sequence[str], judged: Judged, k: int | None = None) -> float:
        return self.of_scored(docs, [-float(rank) for rank in range(len(docs))], judged, k)

    def of_levels(self, levels: Sequence[int], k: int | None = None, num_rel: int = 0) -> float:
        """Of levels in rank order, and the number of relevant documents where it matters."""
        judged = {str(rank): level for rank, level in enumerate(levels)}
        missed = num_rel - sum(level > 0 for level in levels)
        judged |= {f"missed {i}": 1 for i in range(missed)}
        return self.of_ranking([str(rank) for rank in range(len(levels))], judged, k)

    def of_ranks(self, ranks: Sequence[int], num_rel: int) -> float:
        return self.of_levels([int(i in ranks) for i in range(1, max(ranks, default=0) + 1)], num_rel=num_rel)


def _tables(results_df: Any, qrels_df: Any) -> tuple[Qrels, Run]:
    qrels, run = defaultdict[str, Any](dict), defaultdict[str, Any](dict)
    for topic, docno, level in qrels_df[["query", "docid", "rel"]].itertuples(index=False):
        qrels[topic][docno] = level
    for topic, docno, score in results_df[["query", "docid", "score"]].itertuples(index=False):
        run[topic][docno] = score
    return dict(qrels), dict(run)


def _levels_in_input_order(m: Computed, y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    docs = [str(i) for i in range(len(y_true))]
    return m.of_scored(docs, y_score, dict(zip(docs, y_true, strict=True)), k)


#: Name -> the text of a call, and what the metric does when it is called so: the lines of the text file.
_WAYS: dict[str, tuple[str, Callable[..., Any]]] = {
    name: (text, eval(code))
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    for name, text, code in [line.split(" => ")]
}
#: The way that a closure is called in, which no child process could import.
_CLOSURE = "dicts-k"

#: Name -> the text of the call, as an audit is told; None for a program, whose call is known.
CALLS: dict[str, str | None] = {
    **{name: text for name, (text, _) in _WAYS.items()},
    "closure": _WAYS[_CLOSURE][0],
    "program": None,
}


def target_of(rules: str, measure: str, way: str) -> Callable[..., Any] | str:
    """The target of an audit: a callable, or the command of a program."""
    if way == "program":
        return "exec:" + shlex.join([sys.executable, "-m", "tests.programs.metrics.calls", rules, measure])
    metric = Computed(rules, measure, _CLOSURE if way == "closure" else way)
    return (lambda *arguments: metric(*arguments)) if way == "closure" else metric


def main(rules: str, measure: str) -> None:
    """A metric as a program for ``exec:``: ``python -m tests.programs.metrics.calls RULES MEASURE``."""
    metric = Computed(rules, measure)
    for request in map(json.loads, sys.stdin):
        if request["cmd"] == "start":
            reply: dict[str, Any] = {"name": rules, "measures": [measure]}
        elif request["cmd"] == "measure":
            run = {
                topic: dict(zip(of, map(float, of.values()), strict=True))
                for topic, of in request["run"].items()
            }
            reply = {"seq": request["seq"], "values": {measure: metric.values(request["qrels"], run)}}
        else:
            return
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
