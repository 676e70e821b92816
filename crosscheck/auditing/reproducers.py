"""Counterexamples in forms that readers can run: Python programs, trec_eval commands, and folders of
cases."""

import json
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck.audit_records import Accepted, Audit, Counterexample
from crosscheck.auditing.calls import as_program, definitions
from crosscheck.auditing.checking import LEAK
from crosscheck.auditing.counterexamples import UNEXPLAINED
from crosscheck.auditing.metric import Asked, AuditedMetric
from crosscheck.auditing.words import Materials, topics_in_order
from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.backends.trec_eval_binary import parameters, printed_name
from crosscheck.conventions import plain
from crosscheck.errors import InputWarning, UsageError, quoted
from crosscheck.formats.source import write_whole
from crosscheck.inputs.queries import OWN_ID, Probe, Query, written
from crosscheck.model import Measure
from crosscheck.native import diagnose
from crosscheck.results import optional

#: The queries of a run are passed in another order than those of its qrels.
_ORDER = "the qrels have the queries in another order"


def counterexample(subject: AuditedMetric, asked: Asked, reference: str, **known: Any) -> Counterexample:
    """The record of a counterexample.

    Args:
        reference: the name of the reference's conventions.
        known: the other fields of the record: the cause, what it does, and the reference's value.
    """
    probe = _with_own_ids(asked.probe)
    queries = dict(probe.queries)
    of_qrels, of_run = (list(map(bytes.decode, topics_in_order(of))) for of in (probe.qrels, probe.run))
    qrels, lines = {id: dict(queries[id].judged) for id in of_qrels}, {id: queries[id].lines for id in of_run}
    docnos = (docno for query in queries.values() for docno in (*dict(query.judged), *query.docnos))
    both = [id for id in of_run if id in qrels]
    if known["cause"] in (LEAK, UNEXPLAINED) and both != [id for id in of_qrels if id in lines]:
        known["note"] = f"{known['note']}; {_ORDER}".removeprefix("; ")
    run = {id: {line.docno: line.score for line in some} for id, some in lines.items()}
    compared = [
        "import crosscheck",
        f"qrels = {qrels!r}",
        f"run = {run!r}",
        f"print(crosscheck.evaluate(qrels, run, [{str(asked.measure)!r}], conventions={reference!r}))\n",
    ]
    return Counterexample(
        measure=str(asked.measure),
        qrels=qrels,
        run=run,
        ranks={id: {line.docno: line.rank for line in some} for id, some in lines.items()},
        query=probe.reads,
        candidate_value=optional(asked.value),
        trec_eval=_trec_eval(asked.measure) if run and _fit_lines(docnos) else "",
        python="\n".join(compared) * bool(run) + own_program([probe], subject, asked.measure),
        **known,
    )


def _with_own_ids(probe: Probe) -> Probe:
    """The input with the id of the query in place of each :data:`OWN_ID`."""

    def named(id: str, query: Query) -> tuple[str, Query]:
        return id, query.renamed(lambda docno: id if docno == OWN_ID else docno)

    return replace(probe, queries=tuple(named(*entry) for entry in probe.queries))


def accepted(subject: AuditedMetric, asked: Asked, values: Sequence[Duplicates]) -> Accepted:
    """The record of an input that the metric accepts although the reference refuses it, because a document
    occurs twice.

    Args:
        values: values of the axis ``duplicates`` that predict the metric's values.
    """
    cause, probe = DUPLICATES, asked.probe
    qrels, run = lines_of(probe)
    meant = [cause.describe(plain(Duplicates.ERROR), plain(value)) for value in values]
    return Accepted(
        cause=cause.label,
        axis="duplicates",
        values=[plain(value) for value in values],
        measure=str(asked.measure),
        qrels=qrels,
        run=run,
        query=probe.reads,
        candidate_value=optional(asked.value),
        explanation=" or ".join(meant)
        or "neither the first line, nor the last, nor each line of the document counts",
        python=own_program([probe], subject),
    )


def lines_of(probe: Probe) -> tuple[str, str]:
    """The text of qrels and run of an input as files for trec_eval; a document may occur twice."""
    judged = ((id, docno, level) for id, query in probe.queries for docno, level in query.judged)
    ranked = ((id, x.docno, x.rank, x.score) for id, query in probe.queries for x in query.lines)
    return written(judged, ranked)


def _fit_lines(docnos: Iterable[str]) -> bool:
    """Whether all docnos can be written in trec_eval's format, which separates fields by blanks."""
    return all(docno.split() == [docno] for docno in docnos)


def _trec_eval(measure: Measure) -> str:
    """The trec_eval command that prints a measure; empty if trec_eval 9 does not have the measure."""
    if printed_name(measure) is None:
        return ""
    level = f" -l {measure.rel}" if measure.rel is not None else ""
    return f"trec_eval -q{level} -m {parameters([measure])[0]} qrels run.txt"


def own_program(probes: Iterable[Probe], subject: AuditedMetric, measure: Measure | None = None) -> str:
    """A Python program that prints the results of the function under audit on some inputs; empty for a
    backend."""
    call = subject.call
    if call is None:
        return ""
    module, _, function = subject.id.rpartition(":")
    for method, _ in call.steps:  # the call itself contains the method, so only the class is imported
        function = function.removesuffix(f".{method}")
    head, _, rest = function.partition(".")
    if module.endswith(".py"):
        lines = ["import runpy", f"f = runpy.run_path({module!r})[{head!r}]{'.' * bool(rest)}{rest}"]
    else:
        lines = [f"from {module} import {head}", f"f = {function}"]
    printed: list[str] = []
    for probe in probes:
        calls = Materials(probe.qrels, probe.run, measure or subject.measure, call).sources
        if call.adding and probe.reads is None:  # the mean
            calls = [[source for sources in calls for source in sources]]
        printed += (line for sources in calls for line in as_program(call, sources))
    for name, package in _PACKAGES.items():
        if any(f"{name}(" in line for line in printed):
            lines.insert(0, f"from {package} import {name}")
    return "\n".join([*lines, *definitions(call), *printed]) + "\n"


#: Name that :func:`as_program` may write -> the package to import it from.
_PACKAGES = {
    "array": "numpy",
    "tensor": "torch",
    "Series": "pandas",
    "DataFrame": "pandas",
    "from_dict": "polars",
    "Path": "pathlib",
}
_RECORDED = "recorded.audited.json"


def save_cases(audit: Audit, folder: str) -> list[str]:
    """Write one case folder per counterexample that has results, with the metric's value recorded and the
    mismatch declared.

    A case contains ``qrels``, ``run.txt`` (both as JSON if an id contains a blank), ``case.toml``,
    ``example.py`` and, if the metric has a value, the recorded value. The causes that are declared are those
    that this value shows by itself; they can be others than those that the whole audit found.

    Returns:
        The paths written, sorted.

    Raises:
        UsageError: the folder of a case exists already, or cannot be written.
    """
    written: list[str] = []
    for example in (example for example in audit.counterexamples if example.run):
        path = Path(folder, example.cause)
        try:
            path.mkdir(parents=True)
            inputs = _write(path, _inputs(example))
            written += inputs
            written += _write(path, {"example.py": example.python} | _declared(audit, example, inputs))
        except FileExistsError:
            problem = f"{quoted(str(path))} exists already"
            raise UsageError(problem, hint="name a folder without this case") from None
        except OSError as error:
            shutil.rmtree(path, ignore_errors=True)  # leave no partial case
            raise UsageError(f"{quoted(str(path))} cannot be written: {error.strerror}") from None
    return sorted(written)


def _write(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write files, by name, and return their paths."""
    for name, text in files.items():
        write_whole(str(folder / name), text)
    return [str(folder / name) for name in files]


def _inputs(example: Counterexample) -> dict[str, str]:
    """File name -> content, for qrels and run of a counterexample, in this order."""
    judged = [(id, docno, level) for id, of in example.qrels.items() for docno, level in of.items()]
    of_run = ((id, docno, score) for id, of in example.run.items() for docno, score in of.items())
    ranked = [(id, docno, example.ranks[id][docno], score) for id, docno, score in of_run]
    docnos = (docno for side in (example.qrels, example.run) for of in side.values() for docno in of)
    if _fit_lines(docnos):
        return dict(zip(("qrels", "run.txt"), written(judged, ranked), strict=True))
    return {f"{name}.json": json.dumps(getattr(example, name)) + "\n" for name in ("qrels", "run")}


def _declared(audit: Audit, example: Counterexample, inputs: Sequence[str]) -> dict[str, str]:
    """File name -> content, for the value of a counterexample and what ``crosscheck run`` shall find on it.

    Args:
        inputs: the paths of qrels and run.
    """
    about, reference = f"{audit.target}: {example.explanation}", f"native:{audit.reference}"
    config = _toml(description=about, measures=[example.measure], reference=reference)
    if example.candidate_value is None:
        return {"case.toml": config}
    value = float(example.candidate_value)
    values, mean = ({}, value) if example.query is None else ({example.query: value}, None)
    qrels, run = inputs
    with warnings.catch_warnings(action="ignore", category=InputWarning):
        diagnosis = diagnose(qrels, run, example.measure, values, mean=mean, reference=audit.reference)
    if diagnosis is not None:
        candidate, reason = f"recorded:{_RECORDED}", f"{example.cause}, found by an audit of {audit.target}"
        names = {"candidate": candidate, "measure": example.measure}
        config += "\n[[expect]]\n" + _toml(**names, causes=diagnosis.causes, reason=reason)
    recorded = {example.query or "all": {example.measure: example.candidate_value}}
    return {"case.toml": config, _RECORDED: json.dumps(recorded, indent=2) + "\n"}


def _toml(**values: str | list[str]) -> str:
    """Lines of TOML, in which strings and lists of strings are written as in JSON."""
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
