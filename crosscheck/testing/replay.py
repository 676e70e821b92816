"""Failed audits kept in pytest's cache, so that the inputs on which a metric failed are tried first."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from crosscheck import __version__, testing
from crosscheck.audit_records import Audit
from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import target_of
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.safe_calls import guarded
from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.formats.whole_files import write_whole
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.results import number

__all__ = ["Failures"]


class Failures:
    """The last failed audit of one metric as one measure, in pytest's cache; nothing is kept outside pytest.

    Args:
        target: id of the metric; measure: the measure that it computes; call: its call, or None.
        permitted: the conventions that the metric must follow.
    """

    def __init__(self, target: str, measure: Measure, call: str | None, permitted: Conventions) -> None:
        key = repr((__version__, target, str(measure), call, permitted))
        name = f"{hashlib.sha256(key.encode()).hexdigest()[:20]}.json"
        self._path: Path | None = testing.failures() / name if testing.failures else None

    def again(self, backend: Backend, options: Options) -> Audit | None:
        """The audit that failed, if one of its counterexamples still gives the same value; else None."""
        if self._path is None or not self._path.is_file():
            return None
        try:
            failed = msgspec.json.decode(self._path.read_bytes(), type=Audit)
            if failed.call:  # that was found then
                backend = target_of(backend, parse_call(failed.call))
            with guarded(backend, options) as asked:
                for found in failed.counterexamples:
                    qrels, run, measure = (
                        as_qrels(found.qrels),
                        as_run(found.run),
                        parse_measure(found.measure),
                    )
                    answer = asked.evaluate(qrels, run, [measure])[measure]
                    if isinstance(answer, BackendError):
                        continue
                    query = found.query
                    seen = answer.mean if query is None else answer.values.get(query.encode())
                    if (None if seen is None else number(seen)) == found.candidate_value:
                        return failed
        except (OSError, msgspec.DecodeError, CrosscheckError):
            return None  # what cannot be replayed is found again
        return None

    def keep(self, audit: Audit) -> None:
        """Keep an audit in place of the last one, if it has a counterexample."""
        if self._path is not None and audit.counterexamples:
            write_whole(str(self._path), msgspec.json.encode(audit))
