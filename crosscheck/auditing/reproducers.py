"""Counterexamples in forms that readers can run: dicts, Python programs, trec_eval commands, case folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from crosscheck.audit_records import Accepted, Audit, Counterexample
from crosscheck.auditing.calls import as_program, record_types
from crosscheck.auditing.metric import Asked, AuditedMetric
from crosscheck.auditing.words import Materials
from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.backends.trec_eval_names import parameters, printed_name
from crosscheck.conventions import plain
from crosscheck.errors import UsageError, quoted
from crosscheck.formats.source import write_whole
from crosscheck.inputs.queries import OWN_ID, Line, Probe, Query, written
from crosscheck.model import Measure
from crosscheck.results import optional


def counterexample(
    subject: AuditedMetric,
    asked: Asked,
    cause: str,
    explanation: str,
    note: str,
    *,
    expected: float | None,
    reference: str,
) -> Counterexample:
    """The record of a counterexample.

    Args:
        note: the reason why the input cannot be smaller, empty if that is obvious.
        expected: the reference's value; reference: name of its conventions.
    """
    probe = _with_own_ids(asked.probe)
    qrels = {id: dict(query.judged) for id, query in probe.queries if query.judged}
    lines = {id: query.lines for id, query in probe.queries if query.lines}
    run = {id: {line.docno: line.score for line in some} for id, some in lines.items()}
    compared = [
        "import crosscheck",
        f"qrels = {qrels!r}",
        f"run = {run!r}",
        f"print(crosscheck.evaluate(qrels, run, [{str(asked.measure)!r}], conventions={reference!r}))\n",
    ]
    return Counterexample(
        cause=cause,
        measure=str(asked.measure),
        qrels=qrels,
        run=run,
        ranks={id: {line.docno: line.rank for line in some} for id, some in lines.items()},
        query=probe.reads,
        reference_value=optional(expected),
        candidate_value=optional(asked.value),
        explanation=explanation,
        trec_eval=_trec_eval(asked.measure) if _fits_lines(probe) else "",
        python="\n".join(compared) + own_program([probe], subject, asked.measure),
        note=note,
    )


def _with_own_ids(probe: Probe) -> Probe:
    """The input with the id of the query in place of each :data:`OWN_ID`."""

    def named(id: str, query: Query) -> tuple[str, Query]:
        return id, query.renamed(lambda docno: id if docno == OWN_ID else docno)

    return replace(probe, queries=tuple(named(*entry) for entry in probe.queries))


def accepted(subject: AuditedMetric, asked: Asked, values: Sequence[Duplicates]) -> Accepted:
    """The record of an input that the metric accepts and the reference refuses: a document occurs twice.

    Args:
        values: values of the axis ``duplicates`` that predict the metric's treatment of such a document.
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
        explanation=" or ".join(meant) or "neither its first, nor its last, nor each of its lines counts",
        python=own_program([probe], subject),
    )


def lines_of(probe: Probe) -> tuple[str, str]:
    """Qrels and run of an input as trec_eval reads them; a document may occur twice."""
    return written(
        ((id, docno, level) for id, query in probe.queries for docno, level in query.judged),
        ((id, x.docno, x.rank, x.score) for id, query in probe.queries for x in query.lines),
    )


def _fits_lines(probe: Probe) -> bool:
    """Whether trec_eval's format can hold all docnos; it separates fields by blanks."""
    docnos = (docno for _, query in probe.queries for docno in (*dict(query.judged), *query.docnos))
    return all(docno.split() == [docno] for docno in docnos)


def _trec_eval(measure: Measure) -> str:
    """The command that prints the reference's value, empty if trec_eval 9 has no such measure."""
    if printed_name(measure) is None:
        return ""
    level = f" -l {measure.rel}" if measure.rel is not None else ""
    return f"trec_eval -q{level} -m {parameters([measure])[0]} qrels run.txt"


def own_program(probes: Iterable[Probe], subject: AuditedMetric, measure: Measure | None = None) -> str:
    """A program that prints the function's results on some inputs, empty for a backend."""
    call = subject.call
    if call is None:
        return ""
    module, _, function = subject.id.rpartition(":")
    for method, _ in call.steps:  # a method that has no object yet is called through its class
        function = function.removesuffix(f".{method}")
    head, _, rest = function.partition(".")
    if module.endswith(".py"):
        lines = ["import runpy", f"f = runpy.run_path({module!r})[{head!r}]{'.' * bool(rest)}{rest}"]
    else:
        lines = [f"from {module} import {head}", f"f = {function}"]
    of_inputs = (Materials(probe.qrels, probe.run, measure or subject.measure, call) for probe in probes)
    printed = [f"print({as_program(call, source)})" for inputs in of_inputs for source in inputs.sources]
    for name, package in _PACKAGES.items():
        if any(f"{name}(" in line for line in printed):
            lines.insert(0, f"from {package} import {name}")
    return "\n".join([*lines, *record_types(call), *printed]) + "\n"


#: The packages of the objects that :func:`as_program` writes.
_PACKAGES = {"array": "numpy", "tensor": "torch", "Series": "pandas", "DataFrame": "pandas"}
_RECORDED = "recorded.audited.json"


def save_cases(audit: Audit, folder: str) -> list[str]:
    """Write one case folder per counterexample, with the metric's values recorded and the mismatch declared.

    A case holds ``qrels``, ``run.txt`` (both as JSON if an id holds a blank), the recorded values,
    ``case.toml`` and ``example.py``. If the metric has no value, nothing can be recorded, and the case holds
    qrels and run only.

    Returns:
        The paths written, sorted.

    Raises:
        UsageError: a folder of that name exists already, or cannot be written.
    """
    written: list[str] = []
    for example in audit.counterexamples:
        path = Path(folder, example.cause)
        try:
            path.mkdir(parents=True)
            for name, text in _files(audit, example).items():
                write_whole(str(path / name), text)
                written.append(str(path / name))
        except FileExistsError:
            raise UsageError(
                f"{quoted(str(path))} exists already", hint="name a folder that holds no such case"
            ) from None
        except OSError as error:
            shutil.rmtree(path, ignore_errors=True)  # leave no partial case
            raise UsageError(f"{quoted(str(path))} cannot be written: {error.strerror}") from None
    return sorted(written)


def _files(audit: Audit, example: Counterexample) -> dict[str, str]:
    queries = (
        (id, Query(tuple(example.qrels.get(id, {}).items()), tuple(_lines(example, id))))
        for id in {**example.qrels, **example.run}
    )
    probe = Probe("", tuple(queries), example.query)
    if _fits_lines(probe):
        inputs = dict(zip(("qrels", "run.txt"), lines_of(probe), strict=True))
    else:
        inputs = {f"{name}.json": json.dumps(getattr(example, name)) + "\n" for name in ("qrels", "run")}
    files = {"example.py": example.python, **inputs}
    config = [
        f"description = {_text(f'{audit.target}: {example.explanation}')}",
        f"measures = [{_text(example.measure)}]",
    ]
    if example.candidate_value is not None:
        query = "all" if example.query is None else example.query
        recorded = {query: {example.measure: example.candidate_value}}
        files[_RECORDED] = json.dumps(recorded, indent=2) + "\n"
        config += [
            "",
            "[[expect]]",
            f"candidate = {_text(f'recorded:{_RECORDED}')}",
            f"measure = {_text(example.measure)}",
            f"causes = [{_text(example.cause)}]",
            f"reason = {_text(f'found by an audit of {audit.target}')}",
        ]
    files["case.toml"] = "\n".join(config) + "\n"
    return files


def _lines(example: Counterexample, id: str) -> Iterator[Line]:
    return (Line(docno, example.ranks[id][docno], score) for docno, score in example.run.get(id, {}).items())


def _text(text: str) -> str:
    # A JSON string is a TOML basic string.
    return json.dumps(text)
