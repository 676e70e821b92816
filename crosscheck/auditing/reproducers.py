"""Counterexamples in forms that readers can run: dicts, Python programs, trec_eval commands, case folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from crosscheck.audit_records import Accepted, Audit, Counterexample
from crosscheck.auditing.calls import Call, as_python, record_types
from crosscheck.auditing.metric import Asked
from crosscheck.auditing.words import Materials
from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.backends.trec_eval_names import parameters, printed_name
from crosscheck.conventions import plain
from crosscheck.errors import UsageError, quoted
from crosscheck.formats.source import write_whole
from crosscheck.inputs.queries import OWN_ID, Probe, written
from crosscheck.model import Measure
from crosscheck.results import Number, number


def counterexample(
    found: Asked,
    expected: float | None,
    cause: str,
    explanation: str,
    target: str,
    call: Call | None,
    reference: str,
    note: str,
) -> Counterexample:
    """The record of a counterexample.

    Args:
        expected: the reference's value.
        note: the reason why the input cannot be smaller, empty if that is obvious.
        target: name of the audited metric; call: the call of a function, None for a backend.
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
        reference_value=_number(expected),
        candidate_value=_number(found.value),
        explanation=explanation,
        trec_eval=_trec_eval(found.measure) if fits_lines([*qrels.values(), *run.values()]) else "",
        python=_python(probe, found.measure, qrels, run, target, call, reference),
        note=note,
    )


def accepted(asked: Asked, values: Sequence[Duplicates], target: str, call: Call | None) -> Accepted:
    """The record of an input that the reference refuses: a run with a document twice.

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
        candidate_value=_number(asked.value),
        explanation=" or ".join(meant) or "neither its first, nor its last, nor each of its lines counts",
        python=own_program([probe], asked.measure, target, call),
    )


def _number(value: float | None) -> Number | None:
    return None if value is None else number(value)


def lines_of(probe: Probe) -> tuple[str, str]:
    """Qrels and run of an input as trec_eval reads them; a document may occur twice."""
    queries = dict(probe.queries)
    return written(
        ((id, docno, level) for id, q in queries.items() for docno, level in q.judged),
        ((id, x.docno, x.rank, x.score) for id, q in queries.items() for x in q.lines),
    )


def _docno(docno: str, query: str) -> str:
    return query if docno == OWN_ID else docno


def fits_lines(tables: Iterable[Mapping[str, object]]) -> bool:
    """Whether trec_eval's format can hold all ids; it separates fields by blanks."""
    return all(docno.split() == [docno] for table in tables for docno in table)


def _trec_eval(measure: Measure) -> str:
    """The command that prints the reference's value, empty if trec_eval 9 has no such measure."""
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
    return "\n".join(lines) + "\n" + own_program([probe], measure, target, call)


def own_program(probes: Iterable[Probe], measure: Measure, target: str, call: Call | None) -> str:
    """A program that prints the function's results on some inputs, empty for a backend."""
    if call is None:
        return ""
    module, _, function = target.rpartition(":")
    for step in call.steps:  # a method that has no object yet is called through its class
        function = function.removesuffix(f".{step.method}")
    head, _, rest = function.partition(".")
    if module.endswith(".py"):
        lines = ["import runpy", f"f = runpy.run_path({module!r})[{head!r}]{'.' * bool(rest)}{rest}"]
    else:
        lines = [f"from {module} import {head}", f"f = {function}"]
    printed = [line for probe in probes for line in _calls(probe, measure, call)]
    for package, name in (
        ("numpy", "array"),
        ("torch", "tensor"),
        ("pandas", "Series"),
        ("pandas", "DataFrame"),
    ):
        if any(f"{name}(" in line for line in printed):
            lines.insert(0, f"from {package} import {name}")
    return "\n".join([*lines, *record_types(call), *printed]) + "\n"


def _calls(probe: Probe, measure: Measure, call: Call) -> list[str]:
    materials = Materials(probe.qrels, probe.run, measure, call)
    return [f"print({call.text(partial(as_python, source=source))})" for source in materials.sources]


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
    for found in audit.counterexamples:
        path = Path(folder, found.cause)
        try:
            path.mkdir(parents=True)
            for name, text in _files(audit, found).items():
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


def _files(audit: Audit, found: Counterexample) -> dict[str, str]:
    files = {"example.py": found.python}
    if fits_lines([*found.qrels.values(), *found.run.values()]):
        files["qrels"], files["run.txt"] = written(
            ((id, docno, level) for id, docs in found.qrels.items() for docno, level in docs.items()),
            ((id, d, found.ranks[id][d], s) for id, docs in found.run.items() for d, s in docs.items()),
        )
    else:
        files |= {"qrels.json": json.dumps(found.qrels) + "\n", "run.json": json.dumps(found.run) + "\n"}
    config = [
        f"description = {_text(f'{audit.target}: {found.explanation}')}",
        f"measures = [{_text(found.measure)}]",
    ]
    if found.candidate_value is not None:
        files[_RECORDED] = _recorded(found)
        config += [
            "",
            "[[expect]]",
            f"candidate = {_text(f'recorded:{_RECORDED}')}",
            f"measure = {_text(found.measure)}",
            f"causes = [{_text(found.cause)}]",
            f"reason = {_text(f'found by an audit of {audit.target}')}",
        ]
    files["case.toml"] = "\n".join(config) + "\n"
    return files


def _recorded(found: Counterexample) -> str:
    query = "all" if found.query is None else found.query
    return json.dumps({query: {found.measure: found.candidate_value}}, indent=2) + "\n"


def _text(text: str) -> str:
    # A JSON string is a TOML basic string.
    return json.dumps(text)
