"""The backends ``ir-measures`` (ir_measures chooses the providers) and ``ir-measures:PROVIDER``.

Values are those of ir_measures itself, not of its providers: judged queries without results get the value 0,
and ir_measures computes the mean.
"""

import importlib.util
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from crosscheck.backends.base import BackendFactory, Description, Options, Packaged, installed_version
from crosscheck.backends.pytrec_eval_backend import refuse_undefined
from crosscheck.backends.texts import Texts, as_texts, subtopic_rows
from crosscheck.errors import BackendError, no_such, quoted
from crosscheck.measures import family
from crosscheck.measures.base import GAINS
from crosscheck.model import Measure, MeasureValues, Qrels, Run

#: Provider -> the module that it needs. Finding a module is faster than importing it.
_MODULES = {name: name for name in ("pyndeval", "pytrec_eval", "ranx", "trectools")} | {"cwl_eval": "cwl"}


class IrMeasures(Packaged):
    """ir_measures with one provider, or with ir_measures' default pipeline of providers if ``provider`` is
    None."""

    modules = ("ir_measures",)
    distributions = ("ir-measures",)

    def __init__(self, provider: str | None) -> None:
        self._provider = provider

    @property
    def id(self) -> str:
        return "ir-measures" if self._provider is None else f"ir-measures:{self._provider}"

    @property
    def conventions(self) -> str | None:
        """The profile of the default pipeline and of the provider pytrec_eval; None for other providers."""
        return "ir-measures" if self._provider in (None, "pytrec_eval") else None

    @property
    def engine(self) -> str:
        return _engine(self._provider)

    def describe(self) -> Description:
        described = super().describe()
        if self._provider is None or not described.available:
            return described
        (provider,) = self._providers()
        if _installed(provider):
            return described
        how = provider.install_instructions()
        reason = f"ir_measures' provider {provider.NAME} is not installed" + (f": {how}" if how else "")
        return replace(described, reason=reason, available=False)

    def supports(self, measure: Measure) -> bool:
        theirs = _as_theirs(measure)
        return theirs is not None and self._provider_of(theirs) is not None

    def certain(self, measure: Measure) -> bool:
        return bool(self._provider_of(_as_theirs(measure)).NAME == "pytrec_eval")

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values and means from one ``calc`` of ir_measures for all measures, with two exceptions.

        Measures of judged documents only get a ``calc`` of their own: beside one of them, ``NumRet`` may
        count only judged documents, depending on the order of a set. Measures over subtopics get a ``calc``
        each, because with several sets of parameters in one ``calc`` the provider pyndeval uses up the run
        for the first set, and all further values are 0.

        Raises:
            BackendError: pytrec_eval computes a measure and is undefined on these inputs.
        """
        theirs = {measure: _as_theirs(measure) for measure in measures}
        if any(self._provider_of(their).NAME == "pytrec_eval" for their in theirs.values()):
            refuse_undefined(qrels, run)
            if reserved := [topic for topic in (b"no_query", b"no query") if topic in run.topics]:
                means = "pytrec_eval returns the numbers of another evaluation"
                message = f"for a query called {quoted(reserved[0])} {means}"
                raise BackendError(message, hint="give the query another id")
        texts = as_texts(qrels, run)
        answers: dict[Measure, MeasureValues] = {}
        plain = {m: their for m, their in theirs.items() if not family(m.family).detailed}
        judged = {m: their for m, their in plain.items() if their.params.get("judged_only")}
        for some in filter(None, (judged, {m: their for m, their in plain.items() if m not in judged})):
            answers |= self._calculated(some, texts.qrels, texts)
        if len(plain) < len(theirs):
            rows = [_ir_measures().Qrel(*row) for row in subtopic_rows(qrels, run)]
            for measure, their in theirs.items():
                if measure not in plain:
                    answers |= self._calculated({measure: their}, rows, texts)
        return answers

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Packaged | None:
        providers = {self._provider_of(_as_theirs(measure)).NAME for measure in measures}
        # Their value of a query depends only on the rows of that query.
        return self if providers <= {"compat", "judged", "msmarco", "pytrec_eval"} else None

    def mean_of(self, measure: Measure, values: list[float]) -> float:
        """The mean that ir_measures' aggregator computes from values of :meth:`evaluate`."""
        aggregator = _as_theirs(measure).aggregator()
        for value in values:
            aggregator.add(value)
        return float(aggregator.result())

    def _calculated(self, some: dict[Measure, Any], qrels: Any, texts: Texts) -> dict[Measure, MeasureValues]:
        calculator = self._providers()[0] if self._provider else _ir_measures().DefaultPipeline
        result = calculator.calc(list(some.values()), qrels, texts.run)
        values: dict[Any, dict[bytes, float]] = {their: {} for their in some.values()}
        for metric in result.per_query:
            # gdeval changes some query ids. Readers must see the changed ids.
            topic = texts.topics.get(metric.query_id, str(metric.query_id).encode())
            values[metric.measure][topic] = float(metric.value)
        means = {their: float(mean) for their, mean in result.aggregated.items()}
        engines = {their: _engine(self._provider_of(their).NAME) for their in some.values()}
        return {m: MeasureValues(values[one], means[one], engines[one]) for m, one in some.items()}

    def _providers(self) -> list[Any]:
        """The providers in the order in which they are tried."""
        package = _ir_measures()
        if self._provider is None:
            return list(package.DefaultPipeline.providers)
        return [package.providers.registry[self._provider]]

    def _provider_of(self, theirs: Any) -> Any:
        """The provider that ir_measures' own pipeline chooses for this measure, or None."""
        return next((one for one in self._providers() if one.supports(theirs) and _installed(one)), None)


def _engine(provider: str | None) -> str:
    via = f" via {provider}" if provider else ""
    return f"ir_measures {installed_version('ir-measures')}{via}"


def _ir_measures() -> Any:
    import ir_measures

    return ir_measures


def _installed(provider: Any) -> bool:
    """The answer of ``provider.is_available()``, without importing large packages."""
    module = _MODULES.get(provider.NAME)
    return bool(provider.is_available()) if module is None else importlib.util.find_spec(module) is not None


def _as_theirs(measure: Measure) -> Any:
    """The object of ir_measures for a measure; None if ir_measures does not have the measure.

    The object is created from ir_measures' registry, because ir_measures' parser needs a feature that Python
    3.14 removed.
    """
    registry = _ir_measures().measures.registry
    params: dict[str, Any] = dict(measure.params)
    if pairs := GAINS.of(measure):
        # ir_measures turns gains into levels, and negative levels have a different meaning (and can crash
        # pytrec_eval).
        params["gains"] = {level: int(gain) for level, gain in pairs if gain >= 0 and gain == int(gain)}
        if len(params["gains"]) < len(pairs) or min(params["gains"]) < 0:
            return None
    stated = {"rel": measure.rel, "cutoff": measure.cutoff}
    params |= {name: number for name, number in stated.items() if number is not None}
    name = "Bpref" if measure.family == "bpref" else measure.family
    if name == "NumRet" and "rel" in params:
        return None  # NumRet(rel=n) is the number of retrieved relevant documents in ir_measures
    if name == "NumRelRet":
        name, params = "NumRet", {"rel": 1, **params}
    if name not in registry:
        return None
    theirs = registry[name](**params)
    try:
        theirs.validate_params()
    except AssertionError:
        return None
    return theirs


def _make(argument: str | None, options: Options) -> IrMeasures:
    if argument is not None:
        with suppress(ImportError):  # then it is described as not installed
            providers = sorted(_ir_measures().providers.registry)
            if argument not in providers:
                raise no_such("ir_measures provider", argument, providers)
    return IrMeasures(argument)


FACTORY = BackendFactory(
    usage="ir-measures[:PROVIDER]",
    summary="the ir_measures package, with its own choice of providers or one of them",
    make=_make,
    default=True,
    in_cases=True,
)
