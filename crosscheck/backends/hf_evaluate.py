"""The backend ``hf-evaluate``: Hugging Face ``evaluate.load("trec_eval")``, which computes with trectools.

The metric computes only means over all queries. Therefore the value of a query comes from a ``compute`` on
this query alone, and the mean from a ``compute`` on all queries. Means and values may contradict each other,
because in some measures of trectools the value of a query depends on the judgements of a different query.
"""

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.backends.base import BackendFactory, Description, Packaged, installed_version
from crosscheck.backends.outcomes import as_backend_error
from crosscheck.backends.texts import one_by_one
from crosscheck.errors import BackendError, quoted
from crosscheck.formats.dicts import text_encoding
from crosscheck.model import IntArray, Measure, MeasureValues, Qrels, Run, display
from crosscheck.names import trec_eval_name

#: A whole number as int() prints it, which converts to int64 and back without a change.
_CANONICAL_INTEGER = re.compile(rb"0|-?[1-9][0-9]{0,17}")


class Columns(Struct, frozen=True, eq=False):
    """Qrels and run as columns: column name -> list, all lists with the same length. The rows of the run are
    in the order of the input, on which some measures of trectools depend.

    Attributes:
        notes: sentences about changes to the input.
    """

    run: dict[str, list[Any]]
    qrels: dict[str, list[Any]]
    notes: tuple[str, ...]


def as_columns(qrels: Qrels, run: Run) -> Columns:
    """Convert qrels and run to columns, with topic ids as int64, which the metric needs.

    If not all topic ids are whole numbers, topics are numbered from 1 in byte order of their ids, and a note
    says so. If the run has no rank column, the rank is the position among the topic's lines, and a note says
    so.
    """
    notes: list[str] = []
    topics = sorted({*qrels.topics, *run.topics})
    if all(_CANONICAL_INTEGER.fullmatch(topic) for topic in topics):
        numbers = {topic: int(topic) for topic in topics}
    else:
        numbers = {topic: number for number, topic in enumerate(topics, start=1)}
        numbered = f"numbered 1 to {len(topics)} in byte order"
        notes.append(f"the metric needs whole numbers as query ids: {numbered}")
    ranks = run.ranks
    if ranks is None:
        notes.append("the run has no usable rank column: rank is the position in the input")
        ranks = np.arange(1, len(run.docnos) + 1) - run.offsets[run.topic_numbers]
    encoding, order = text_encoding(qrels, run), run.lines.argsort(kind="stable")

    def columns(records: Qrels | Run, rows: IntArray | slice, q0: str, **more: Any) -> dict[str, list[Any]]:
        queries = [numbers[records.topics[i]] for i in records.topic_numbers[rows].tolist()]
        docnos = [docno.decode(encoding) for docno in records.docnos[rows].tolist()]
        arrays = {name: values[rows].tolist() for name, values in more.items()}
        return {"query": queries, "docid": docnos, "q0": [q0] * len(docnos), **arrays}

    retrieved = columns(run, order, "Q0", rank=ranks, score=run.scores)
    retrieved["system"] = [display(run.tag)] * len(order)
    return Columns(retrieved, columns(qrels, slice(None), "0", rel=qrels.rels), tuple(notes))


_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_BUNDLED = Path(__file__).parent / "hf_metric" / "trec_eval.py"
_WITHOUT_CUTOFF = frozenset({"AP", "NumQ", "NumRel", "NumRelRet", "NumRet", "RR", "Rprec", "bpref"})


def _key(measure: Measure) -> str | None:
    """The key of a measure in the metric's result; None if the metric does not compute it."""
    if measure.rel is not None or measure.params:
        return None
    if measure.cutoff is None:
        return trec_eval_name(measure) if measure.family in _WITHOUT_CUTOFF else None
    name = {"P": "P", "nDCG": "NDCG"}.get(measure.family)
    return f"{name}@{measure.cutoff}" if name and measure.cutoff in _CUTOFFS else None


class HfEvaluate(Packaged):
    """The metric, loaded from one source.

    Args:
        source: ``bundled`` (the script in this package), ``cache`` (the script that ``evaluate`` downloaded
            earlier), ``hub`` (downloads the script and runs it), the path of a script, or None for the cached
            script, or the bundled one if there is no cached script.
    """

    modules = ("evaluate", "trectools")
    distributions = modules

    def __init__(self, source: str | None) -> None:
        # A user's script may keep state from one call to the next.
        self.by_query = source in (None, "bundled", "cache", "hub")
        self.repeatable = source in (None, "bundled", "cache")
        self._source = source
        self._metric: Any = None
        self._last: tuple[dict[str, Any], dict[str, Any] | BackendError] = ({}, {})

    @property
    def id(self) -> str:
        return "hf-evaluate" if self._source is None else f"hf-evaluate:{self._source}"

    @property
    def conventions(self) -> None:
        """None, because trectools orders by score for some measures and by input for others."""

    @cached_property
    def _path(self) -> Path | None:
        """The script, which is looked for once: loading it changes what the environment says of caches."""
        return _script(self._source)

    @property
    def engine(self) -> str:
        script = self._path
        if script is None:
            origin = "from the hub"
        elif script == _BUNDLED:
            origin = "bundled with crosscheck"
        elif "evaluate_modules" in script.parts:
            origin = f"cached as {script.parent.name[:8]}"
        else:
            origin = f"from {script.name}"
        packages = ", ".join(f"{name} {installed_version(name)}" for name in ("trectools", "pandas"))
        return f"evaluate {installed_version('evaluate')}, trec_eval metric {origin}, {packages}"

    def describe(self) -> Description:
        try:
            return super().describe()
        except BackendError as error:
            return self.description(str(error), version=installed_version("evaluate"))

    def prepare(self) -> None:
        self._metric = _load(self._path)

    def supports(self, measure: Measure) -> bool:
        return _key(measure) is not None

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Means from a ``compute`` on all queries, values from a ``compute`` on each query in run and qrels.

        Raises:
            BackendError: the metric raised an error; the message quotes it and names the queries.
        """
        whole, alone = self.means(qrels, run, measures), self.values(qrels, run, measures)
        return {measure: replace(of_all, values=alone[measure].values) for measure, of_all in whole.items()}

    def means(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """The means of :meth:`evaluate`, without values."""
        columns = as_columns(qrels, run)
        try:
            whole = self._compute(columns, measures, "all queries")
        except BackendError as error:
            unjudged = sorted(set(run.topics) - set(qrels.topics))
            if not unjudged:
                raise
            here = f"({len(unjudged)} here, the first is {quoted(display(unjudged[0]))})"
            fails = "trectools fails on a run with results for queries that the qrels do not have"
            hint = "remove these queries from the run"
            raise BackendError(f"{fails} {here}: {error}", hint=hint) from error
        engine, notes = self.engine, columns.notes
        means = {measure: float(whole[str(_key(measure))]) for measure in measures}
        return {m: MeasureValues({}, mean, engine, None, notes, one_by_one=True) for m, mean in means.items()}

    def values(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """The values of :meth:`evaluate`, without means."""
        values: dict[Measure, dict[bytes, float]] = {measure: {} for measure in measures}
        for topic, inputs in one_by_one(qrels, run):
            alone = self._compute(as_columns(*inputs), measures, f"query {quoted(display(topic))} alone")
            for measure, of_topics in values.items():
                of_topics[topic] = float(alone[str(_key(measure))])
        engine = self.engine
        return {m: MeasureValues(held, None, engine, one_by_one=True) for m, held in values.items()}

    def _compute(self, columns: Columns, measures: Sequence[Measure], of: str) -> dict[str, Any]:
        """The result of the metric's ``compute``. For the inputs of the previous call (as for a run of one
        query) the previous result is reused, and a previous error is raised again for any measures."""
        if self._metric is None:
            self.prepare()
        cutoffs = _cutoffs(measures) if self._path == _BUNDLED else {}
        inputs = {"predictions": [columns.run], "references": [columns.qrels]}
        known, result = self._last
        if known not in (inputs, inputs | cutoffs):
            try:
                with warnings.catch_warnings(action="ignore"):
                    known, result = inputs | cutoffs, self._metric.compute(**inputs, **cutoffs)
            except Exception as error:
                known, result = inputs, BackendError(f"compute on {of} failed: {as_backend_error(error)}")
            self._last = known, result
        if isinstance(result, BackendError):
            raise result
        return result


def _cutoffs(measures: Sequence[Measure]) -> dict[str, list[int]]:
    """The cutoffs to request from the bundled script: at least one for each of its two measures, so that the
    script raises the same errors as the original script, which computes all cutoffs."""
    return {
        name: sorted({m.cutoff for m in measures if m.family == family and m.cutoff}) or [_CUTOFFS[0]]
        for name, family in (("precision", "P"), ("ndcg", "nDCG"))
    }


def _script(source: str | None) -> Path | None:
    """The path of the script to load; None for the script of the hub.

    Raises:
        BackendError: the source has no script.
    """
    if source == "hub":
        return None
    if source == "bundled":
        return _BUNDLED
    if source in (None, "cache"):
        cached = _cached_script()
        if cached is None and source == "cache":
            hint = "use -b hf-evaluate:hub, which downloads and runs the script"
            raise BackendError("trec_eval is not in the local cache of evaluate", hint=hint)
        return cached or _BUNDLED
    path = Path(source or "").absolute()
    if path.is_dir():
        path = path / f"{path.name}.py"
    if path.suffix != ".py" or not path.is_file():
        hint = "write bundled, cache, hub, or the path of a .py file or of its folder after hf-evaluate:"
        raise BackendError(f"there is no metric script {quoted(str(path))}", hint=hint)
    return path


def _cached_script() -> Path | None:
    """The newest copy of the script in the user's cache, where ``evaluate.load("trec_eval")`` stores it."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    home = os.environ.get("HF_HOME") or Path(cache, "huggingface")
    modules = os.environ.get("HF_MODULES_CACHE") or Path(home, "modules")
    folder = Path(modules, "evaluate_modules", "metrics", "evaluate-metric--trec_eval")
    return max(folder.glob("*/trec_eval.py"), key=lambda script: script.stat().st_mtime, default=None)


def _load(script: Path | None) -> Any:
    """The metric object of ``evaluate``.

    Only the script of the hub may use the network and the user's caches. A script on disk is imported from a
    copy in a temporary folder (or in the folder that environment variables name), so no writable home folder
    is needed.
    """
    if sys.flags.optimize > 1:
        without = "loads no metric without docstrings, which PYTHONOPTIMIZE=2 removes"
        raise BackendError(f"Hugging Face evaluate {without}", hint="unset PYTHONOPTIMIZE, or set it to 1")
    if script is not None:
        scratch = tempfile.mkdtemp(prefix="crosscheck-hf-")
        for variable in ("HF_HOME", "HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE"):
            os.environ[variable] = os.environ.get(variable) or str(Path(scratch, variable))
        for variable in ("HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_OFFLINE"):
            os.environ[variable] = "1"
    for variable in ("USE_TF", "USE_TORCH", "USE_JAX"):  # not needed, and finding them is slow
        os.environ.setdefault(variable, "0")
    try:
        with warnings.catch_warnings(action="ignore"):
            import datasets
            import evaluate

            for package in (evaluate, datasets):
                package.logging.set_verbosity_error()
                package.utils.logging.disable_progress_bar()
            # Before the folder of scripts that the calling process may have loaded with ``evaluate`` itself.
            sys.path.insert(0, str(evaluate.config.HF_MODULES_CACHE))
            return evaluate.load("trec_eval" if script is None else str(script), keep_in_memory=True)
    except Exception as error:
        raise BackendError(f"evaluate.load failed: {as_backend_error(error)}") from error


FACTORY = BackendFactory(
    usage="hf-evaluate[:bundled|:cache|:hub|:PATH]",
    summary='Hugging Face evaluate.load("trec_eval"), which computes with trectools',
    make=lambda argument, options: HfEvaluate(argument),
    default=True,
)
