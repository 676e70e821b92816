"""The function ``crosscheck.run``, which compares backends on case folders or on data in memory."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from msgspec.structs import replace

from crosscheck.auditing.finding import finding_its_call
from crosscheck.auditing.targets import target_of
from crosscheck.backends.base import Backend
from crosscheck.engine.conversion import QrelsLike, plain
from crosscheck.errors import ArgumentError, in_short
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, run_with
from crosscheck.model import Case
from crosscheck.names import texts_of
from crosscheck.results import Document
from crosscheck.studies.base import RunsLike, named_runs

__all__ = ["CasesLike", "Data", "run"]


_CASE = 'give {"qrels": qrels, "runs": {"bm25": run}}, or paths of case folders'


class Data(TypedDict):
    """Judgements and runs by name, each in any form that :func:`crosscheck.evaluate` takes."""

    qrels: QrelsLike
    runs: RunsLike


CasesLike: TypeAlias = Data | str | Path | Case | Sequence[str | Path | Case]


def run(
    cases: CasesLike,
    *,
    measures: Sequence[str] = (),
    backends: Sequence[str | Callable[..., object] | Backend] = (),
    reference: str | None = None,
    tolerance: float | None = None,
) -> Document:
    """Compare backends over cases, query by query.

    Args:
        cases: ``{"qrels": qrels, "runs": {name: run}}`` with dicts, data frames or paths, as for
            :func:`crosscheck.evaluate`, or with one run; or case folders, folders of case folders, or
            :class:`~crosscheck.model.Case` records.
        measures: names as in ir_measures or trec_eval; empty for the measures of each case, or the default
            measures if a case names none.
        backends: the candidates: backend ids, or functions, which are called as :func:`crosscheck.audit`
            calls functions; empty for the default candidates.
        reference: backend id; None for the reference of each case, or ``pytrec_eval`` if a case names none.
        tolerance: largest absolute difference of values that agree; None for the tolerance of each case, or
            1e-9 if a case names none.

    Returns:
        The result document. Its comparisons say which values agree, and the causes where they do not. Its
            attribute ``ok`` is True if every outcome is as expected. A notebook shows the document as a page.

    Raises:
        InputError: an input cannot be used.
        UsageError: a backend, measure or axis does not exist, two functions have the same name, or an
            argument has the wrong type.
    """
    parsed_cases = _cases(cases)
    given: Any = backends
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    made = [one if isinstance(one, str) else finding_its_call(target_of(one, None)) for one in several]
    objects = [one for one in made if not isinstance(one, str)]
    ids = [one.id for one in objects]
    if twice := [id for id in ids if ids.count(id) > 1]:
        hint = "define each with def, under a name of its own: a report tells them apart by their names"
        raise ArgumentError(f"two functions have the name {in_short(twice[0])}", hint=hint)
    within: Any = 0 if tolerance is None else tolerance
    if not isinstance(within, int | float) or not 0 <= within < math.inf:
        raise ArgumentError(f"tolerance must be a number of at least 0, not {in_short(tolerance)}")
    if not isinstance(reference, str | None):
        raise ArgumentError(f"reference must be the id of a backend, not {in_short(reference)}")
    settings = Settings(
        measures=tuple(texts_of(measures)),
        backends=tuple(id if isinstance(id, str) else id.id for id in made),
        given={backend.id: backend for backend in objects},
        reference=reference,
        tolerance=tolerance,
        loose=isinstance(cases, Mapping),
    )
    document = run_with(parsed_cases, settings)
    if not document.complete:
        raise KeyboardInterrupt
    return document


def _cases(cases: CasesLike) -> tuple[Case, ...]:
    if isinstance(cases, Mapping):
        if set(cases) != {"qrels", "runs"}:
            keys = in_short(sorted(map(str, cases)), 80)
            raise ArgumentError(f"a case needs the keys 'qrels' and 'runs', not {keys}", hint=_CASE)
        named = named_runs(cases["runs"], at_least=1, what="a case")
        given = {name: replace(run, source=name) for name, run in named.items()}
        judged = {"qrels": plain(cases["qrels"])}
        return (Case(name="data", qrels="qrels", runs=tuple(given), given=judged | given),)
    if not isinstance(cases, str | Path | Case | Sequence):
        raise ArgumentError(f"cases must be case folders or a dict, not {in_short(cases)}", hint=_CASE)
    several = [cases] if isinstance(cases, str | Path | Case) else cases
    ready = [case for case in several if isinstance(case, Case)]
    paths = [str(case) for case in several if not isinstance(case, Case)]
    return (*ready, *(find_cases(paths) if paths else ()))
