"""Calls of the audited metric: one probe in, one observation out."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from crosscheck.auditing.calls import Call
from crosscheck.auditing.needs import Needs
from crosscheck.auditing.targets import CalledFunction
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import LostError, ShortageError
from crosscheck.errors import BackendError, ResourceError
from crosscheck.hypotheses.predictions import Observation
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.probes.probe import Probe

__all__ = ["AuditedMetric", "observed"]


class AuditedMetric:
    """The audited metric, called through its backend.

    Attributes:
        calls: number of calls so far.
        needs: requirements on the inputs of the experiments.
    """

    def __init__(self, backend: Guarded, measure: Measure, progress: Callable[[str], None]) -> None:
        self._backend = backend
        self.measure = measure
        self.calls = 0
        self.needs = Needs()
        self._progress = progress

    @property
    def id(self) -> str:
        return self._backend.id

    @property
    def function(self) -> CalledFunction | None:
        """The function that is audited, None for a backend."""
        backend = self._backend.backend
        return backend if isinstance(backend, CalledFunction) else None

    def possible_calls(self, probe: Probe) -> tuple[str, ...] | BackendError:
        """The calls that the function's signature allows and that give a number on a probe, each as text
        after its cost (0 if the parameter names say the call) and a blank; or the error."""
        function = self.function
        assert function is not None
        self._backend.exchange(replace(function, listing=True))
        answer = self.answer(probe.qrels, probe.run)
        self._backend.exchange(function)
        return answer if isinstance(answer, BackendError) else answer.notes

    def call_as(self, call: Call) -> None:
        """Use this call of the function from now on."""
        assert self.function is not None
        self._backend.exchange(replace(self.function, call=call))

    def supports(self, measure: Measure) -> bool:
        return self._backend.supports(measure)

    def answer(self, qrels: Qrels, run: Run, measure: Measure | None = None) -> MeasureValues | BackendError:
        """The metric's values on an input, or the error.

        Raises:
            ResourceError: memory, processes or files ran short here, which says nothing about the metric.
        """
        wanted = measure or self.measure
        self.calls += 1
        self._progress(f"{self.id}: experiment {self.calls}")
        answer = self._backend.evaluate(qrels, run, [wanted])[wanted]
        if isinstance(answer, LostError):  # a metric that crashes does so again
            answer = self._backend.evaluate(qrels, run, [wanted])[wanted]
        if isinstance(answer, ShortageError):
            raise ResourceError(answer.message)
        return answer

    def observe(self, probe: Probe, measure: Measure | None = None) -> Observation:
        """The metric's value on a probe, for the query or mean that the probe reads."""
        return observed(self.answer(probe.qrels, probe.run, measure), probe.reads)


def observed(answer: MeasureValues | BackendError, reads: str | None) -> Observation:
    """The value of the query ``reads`` in an answer, the mean if that is None."""
    if isinstance(answer, BackendError):
        return Observation(None, error=answer.message)
    value = answer.mean if reads is None else answer.values.get(reads.encode())
    return Observation(value, decimals=answer.decimals)
