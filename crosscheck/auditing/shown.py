"""A counterexample as a reader can try it: dicts, a Python program, a trec_eval command, and files."""

from __future__ import annotations

import json
from collections.abc import Mapping

from crosscheck.auditing.arguments import Materials, made, queries_of
from crosscheck.auditing.calls import Call
from crosscheck.auditing.counterexamples import Found
from crosscheck.auditing.inputs import OWN_ID, Probe
from crosscheck.auditing.record import Counterexample
from crosscheck.backends.trec_eval_names import parameters, printed_name
from crosscheck.model import Measure
from crosscheck.results import number

__all__ = ["counterexample", "qrels_text", "run_text"]


def counterexample(
    found: Found, cause: str, explanation: str, target: str, call: Call | None, reference: str
) -> Counterexample:
    """The record of a counterexample.

    Args:
        target: what was audited; call: how it was called, None for a backend.
        reference: name of the reference's conventions.
    """
    probe = found.probe
    qrels = {
        id: {_docno(docno, id): level for docno, level in query.judged}
        for id, query in probe.queries
        if query.judged
    }
    lines = {id: query.lines for id, query in probe.queries if query.lines}
    run = {id: {_docno(line.docno, id): line.score for line in some} for id, some in lines.items()}
    ranks = {id: {_docno(line.docno, id): line.rank for line in some} for id, some in lines.items()}
    return Counterexample(
        cause=cause,
        measure=str(found.measure),
        qrels=qrels,
        run=run,
        ranks=ranks,
        query=probe.reads,
        reference=None if found.reference is None else number(found.reference),
        candidate=None if found.seen.value is None else number(found.seen.value),
        explanation=explanation,
        trec_eval=_trec_eval(found.measure),
        python=_python(probe, found.measure, qrels, run, target, call, reference),
    )


def _docno(docno: str, query: str) -> str:
    return query if docno == OWN_ID else docno


def _trec_eval(measure: Measure) -> str:
    """The command that prints the reference's value, empty where trec_eval 9 has no such measure."""
    if printed_name(measure) is None:
        return ""
    level = f" -l {measure.rel}" if measure.rel is not None else ""
    return f"trec_eval -q{level} -m {parameters([measure])[0]} qrels run.txt"


def _python(
    probe: Probe,
    measure: Measure,
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    target: str,
    call: Call | None,
    reference: str,
) -> str:
    lines = [
        "import crosscheck",
        f"qrels = {dict(qrels)!r}",
        f"run = {dict(run)!r}",
        f"print(crosscheck.evaluate(qrels, run, [{str(measure)!r}], conventions={reference!r}))",
    ]
    if call is not None:
        module, _, function = target.rpartition(":")
        head, _, rest = function.partition(".")
        if module.endswith(".py"):
            lines += ["import runpy", f"f = runpy.run_path({module!r})[{head!r}]{'.' * bool(rest)}{rest}"]
        else:
            lines += [f"from {module} import {head}", f"f = {function}"]
        lines += _calls(probe, measure, call)
    return "\n".join(lines) + "\n"


def _calls(probe: Probe, measure: Measure, call: Call) -> list[str]:
    materials = Materials(probe.qrels, probe.run, measure, 1 if measure.rel is None else measure.rel)
    if "results_df" in call.words or "qrels_df" in call.words:
        rows = [(id, _docno(x.docno, id), x.rank, x.score) for id, q in probe.queries for x in q.lines]
        judged = [(id, _docno(docno, id), level) for id, q in probe.queries for docno, level in q.judged]
        return [
            "import pandas as pd",
            f"results_df = pd.DataFrame({rows!r}, columns=['query', 'docid', 'rank', 'score'])",
            f"qrels_df = pd.DataFrame({judged!r}, columns=['query', 'docid', 'rel'])",
            *(["k = " + repr(materials.word("k"))] if "k" in call.words else []),
            f"print({call})",
        ]
    sources = list(queries_of(materials, call)) if call.by_query else [materials]
    printed: list[str] = []
    for source in sources:
        arguments = [repr(made(argument, source)) for argument in call.positional]
        arguments += [f"{name}={made(value, source)!r}" for name, value in call.keywords]
        printed.append(f"print(f({', '.join(arguments)}))")
    return printed


def qrels_text(found: Counterexample) -> str:
    """The judgements as trec_eval reads them."""
    return "".join(
        f"{query} 0 {docno} {level}\n" for query, docs in found.qrels.items() for docno, level in docs.items()
    )


def run_text(found: Counterexample) -> str:
    """The run as trec_eval reads it; lines stand in input order."""
    return "".join(
        f"{query} Q0 {docno} {found.ranks[query][docno]} {json.dumps(score)} audit\n"
        for query, docs in found.run.items()
        for docno, score in docs.items()
    )
