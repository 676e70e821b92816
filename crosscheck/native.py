"""The native measures for Python programs: :func:`evaluate` and :func:`diagnose`."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, SupportsFloat, overload

from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.engine.runs import RequestedMeasures, values_by_query
from crosscheck.errors import ArgumentError, InputError, in_short
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose as explain_differences
from crosscheck.explain.diagnose import with_matched_ids
from crosscheck.formats.dicts import encoded_id
from crosscheck.measures import family, needs_of
from crosscheck.model import MeasureValues
from crosscheck.names import conventions_for, parse_measure
from crosscheck.rankings.pairing import JudgedPool, judges_itself, notes_of, nothing_judged
from crosscheck.results import Diagnosis

__all__ = ["QrelsLike", "RunLike", "as_qrels", "as_run", "diagnose", "evaluate"]


@overload
def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    measures: Sequence[str],
    *,
    conventions: str | Conventions = ...,
    mean: Literal[False] = False,
) -> dict[str, dict[str, float]]: ...


@overload
def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    measures: Sequence[str],
    *,
    conventions: str | Conventions = ...,
    mean: Literal[True],
) -> dict[str, float | None]: ...


def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    measures: Sequence[str],
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
    mean: bool = False,
) -> dict[str, dict[str, float]] | dict[str, float | None]:
    """Values of native measures per query. By default they equal trec_eval 9.0.8's values bit for bit.

    Args:
        qrels: path of a TREC or JSON file, ``{query: {docno: level}}``, a data frame with columns such as
            ``query``, ``docid``, ``rel`` (pandas, polars, anything with the Arrow stream interface), a dict
            of such columns (Hugging Face ``evaluate``), a tuple of three lists, rows such as ir_measures'
            ``Qrel`` in a list or from an iterator, ranx's ``Qrels``, or :class:`Qrels`. Ids are text, bytes
            or whole numbers; a whole number stands for its digits. Measures over subtopics
            (``alpha_nDCG@10``) take the subtopic from the second column of a TREC file, from a column
            ``subtopic`` (or ``iteration``) of a frame or of rows, from the second of four lists, or from a
            dict ``{query: {subtopic: {docno: level}}}``. Without subtopics each query has one subtopic.
        run: as ``qrels``, with scores in place of levels, or :class:`Run`. A file is streamed, so a run may
            be larger than memory. A frame may have ranks in place of scores.
        measures: one or several names as in ir_measures or trec_eval, or measure objects of ir_measures. The
            result uses the same names. A group such as ``official`` gives trec_eval's names of its members.
        conventions: the name of a profile, ``"gain=exponential"``, both (see
            :func:`crosscheck.conventions.conventions`), or a :class:`Conventions`. A profile can be used only
            for measures that its tool has.
        mean: whether to return the means over queries in place of the values.

    Returns:
        ``{query: {measure: value}}``, queries in byte order. By default the queries in both qrels and run
        have values; conventions can change which queries have a value. With ``mean``, ``{measure: mean}`` as
        in trec_eval's summary; the mean is None if no query has a value.

    Raises:
        InputError: an input cannot be used, or the tool of the profile ends with an error on this input, as
            trec_eval 10 does on judged queries without results.
        UsageError: an unknown measure, profile, axis or value, or the tool of the profile lacks the measure.
    """
    if qrels is run:
        raise judges_itself("run")
    request = RequestedMeasures.of(measures, conventions)
    rankings = request.rankings(run, JudgedPool(request.judgements(qrels)))
    notes_of(rankings.pairing)
    evaluated = request.evaluated(rankings)
    if mean:
        return {name: of.mean for name, of in evaluated.items()}
    return values_by_query(rankings.pairing.all_topics, evaluated)


def diagnose(
    qrels: QrelsLike,
    run: RunLike,
    measure: str,
    values: Mapping[str, float],
    *,
    mean: float | None = None,
    reference: str | Conventions = "trec_eval-9.0.8",
) -> Diagnosis | None:
    """Explain why given per-query values of a measure differ from trec_eval's.

    Args:
        qrels, run: as for :func:`evaluate`.
        measure: name of the measure, as for :func:`evaluate`.
        values: query -> value; queries without a value are left out.
        mean: the mean that was reported with the values, if any.
        reference: the conventions of the values with which ``values`` are compared.

    Returns:
        The diagnosis, or None if everything agrees within 1e-9.

    Raises:
        InputError: an input cannot be used, ``values`` has a query that is neither in qrels nor in run,
            however ids are compared, or run and qrels share no query and no rule for ids explains it.
        UsageError: an unknown measure or convention.
    """
    if not isinstance(values, Mapping):
        raise ArgumentError(f"values must be a dict {{query: value}}, not {type(values).__name__}")
    if not values and mean is None:
        raise ArgumentError("values is empty, so that there is nothing to explain")
    parsed = parse_measure(measure)
    spec = conventions_for(reference, parsed)
    rankings = Rankings(as_run(run), as_qrels(qrels, needs=needs_of([parsed])))
    notes_of(rankings.pairing)
    known = set(rankings.pairing.all_topics)
    theirs: dict[bytes, float] = {}
    pairs: Mapping[Any, Any] = values
    for query, value in pairs.items():
        if not isinstance(query, str | Integral) or not isinstance(value, SupportsFloat):
            pair = f"{{{in_short(query)}: {in_short(value)}}}"
            raise ArgumentError(f"values must map queries to numbers, such as {{'1': 0.5}}, not {pair}")
        theirs[encoded_id(query, "values")] = float(value)
    candidate = MeasureValues(theirs, mean, "given values")
    unknown = next((topic for topic in theirs if topic not in known), None)
    if unknown is not None and with_matched_ids(candidate, rankings.pairing.all_topics) is None:
        problem = "values has a query that is neither in qrels nor in run"
        raise InputError(problem, path="values", found=unknown)
    ours = native_values(rankings, parsed, spec, "crosscheck")
    differences = differ(ours, candidate, aggregate=family(parsed.family).aggregate)
    if differences.agree:
        return None
    diagnosis = explain_differences(Recomputer(rankings, parsed, spec), differences, candidate).diagnosis
    pairing = rankings.pairing
    if diagnosis.causes == ["unexplained"] and not {*pairing.run.topics} & {*pairing.qrels.topics}:
        raise nothing_judged(pairing.run, pairing.qrels)
    return diagnosis
