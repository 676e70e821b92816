"""The audits of cells of one file, and their values on parts of real runs, by its own environment's Python.

    python -m tests.programs.board.asking FOLDER CELL...

Each cell's answer is a file in the folder: the audit, and the number of values on real runs, of those that
the conventions found give within the tool's own precision, and of those that are the value of some order of
tied documents. Functions are called in this process, which the audits of a file share:
``crosscheck audit`` starts two for each, and gives the same answer.
"""

import inspect
import json
import re
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from crosscheck.audit_records import Audit
from crosscheck.auditing.checking import ArbitraryTies, check, said_of
from crosscheck.auditing.finding import prepare
from crosscheck.auditing.metric import audited_metric
from crosscheck.auditing.session import audit
from crosscheck.auditing.words import queries_in
from crosscheck.backends.base import Options
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.inputs.queries import Probe
from crosscheck.names import conventions_for, parse_measure
from tests.programs.board import board
from tests.support.cases import CORPUS

#: Seconds that one call may take, as some tools compile themselves, and all calls of an audit.
TIMEOUT, BUDGET = 300, 1800
#: Queries of each run, spread over it; the first lines of each, as metrics in Python are slow.
_QUERIES, _LINES = 6, 300
#: Most values that orders of tied documents are tried for.
_ORDERS = 20


def inputs() -> Iterator[Probe]:
    """A part of each run of the corpus."""
    for folder in sorted(CORPUS.iterdir()):
        qrels = read_qrels(str(folder / "qrels"))
        for path in sorted(folder.glob("run*")):
            queries = queries_in(qrels, read_run(str(path)), "utf-8").items()
            both = [(id.decode(), query) for id, query in queries if query.judged and query.lines]
            some = both[:: -(-len(both) // _QUERIES)]
            short = ((id, replace(query, lines=query.lines[:_LINES])) for id, query in some)
            yield Probe(f"{folder.name}/{path.name}", tuple(short), None)


def shares(target: Any, answer: Audit, parts: list[Probe]) -> dict[str, object]:
    """Numbers of values; a message where the metric gave none."""
    measure = parse_measure(answer.measure)
    base = with_measure_parameters(conventions_for(answer.reference, measure), measure)
    with audited_metric(
        target, measure, answer.call or None, Options(timeout=60.0), lambda line: None
    ) as subject:
        if message := prepare(subject, base).message:
            return {"message": _lasting(message)}
        if subject.call is not None:
            base = subject.call.leaves(base)
        found = base.with_changes(**answer.conventions)
        if subject.reads is None:  # only means: each query is asked for alone
            parts = [replace(one.of(id), reads=None) for one in parts for id, _ in one.queries]
        asked = [subject.ask(subject.needs.given(part)) for part in parts]
        checked = check(subject, asked, found, answer.tolerance)
        missed = [*checked.differs, *checked.leaks]
        some_order = sum(ArbitraryTies(subject, found).explains(one) for one in missed[:_ORDERS])
        refused = checked.refused + checked.withheld
        told = {"values": checked.inputs, "met": checked.met, "tie_orders": some_order}
        return told | ({"refused": len(refused), "message": _lasting(said_of(refused[0]))} if refused else {})


def _lasting(message: str) -> str:
    """The beginning of a message, without the names of temporary files, which are others in each run."""
    return re.sub(re.escape(tempfile.gettempdir()) + r"[^'\"\s,]*", "FILE", message)[:200]


def _called_here(function: Callable[..., object]) -> Callable[..., object]:
    """The function as one that no other process can import, with the same parameters."""

    def called(*given: object, **named: object) -> object:
        return function(*given, **named)

    called.__name__, called.__doc__ = getattr(function, "__name__", "called"), function.__doc__
    called.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return called


def main(folder: str, *ids: str) -> None:
    cells = [one for one in board() if one.id in ids]
    file = cells[0].package.file
    sys.path.insert(0, str(file.parent))
    names = runpy.run_path(str(file))
    parts = list(inputs()) if CORPUS.is_dir() else []
    for one in cells:
        target = one.backend or _called_here(names[one.function])
        options = Options(timeout=TIMEOUT, budget=BUDGET)
        found = audit(target, one.measure, call=one.call or None, options=options, progress=lambda _: None)
        corpus = None
        if parts and found.verdict != "uncallable":
            try:
                corpus = shares(target, found, parts)
            except CrosscheckError as error:
                corpus = {"message": _lasting(str(error))}
        told = {"of": one.key, "corpus": corpus, "date": datetime.now(UTC).date().isoformat()}
        told["audit"] = msgspec.to_builtins(found)
        one.answer(Path(folder)).write_text(json.dumps(told), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
