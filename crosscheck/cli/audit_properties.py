"""``crosscheck audit --properties``: properties that need no conventions, tested on any metric."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosscheck.backends.base import Options

__all__ = ["audit_properties"]


def audit_properties(
    target: str,
    measure: str | None,
    *,
    call: str | None,
    seed: int,
    reference: str,
    reports: tuple[str, ...],
    verbose: bool,
    options: Options,
    quiet: bool,
) -> int:
    """Test all properties, write the reports, and return the exit code.

    It is 1 if the metric lacks a property that the measure (without one, every sound measure) has, 3 if the
    metric could not be called, else 0.
    """
    from crosscheck.auditing import properties
    from crosscheck.auditing.property_document import document
    from crosscheck.cli.output import say
    from crosscheck.cli.progress import Progress
    from crosscheck.cli.reports import parse_targets, write_reports

    parse_targets(reports, "properties", ("json",))
    begin = time.perf_counter()
    with Progress(quiet=quiet) as progress:
        found = properties(
            target,
            measure,
            call=call,
            seed=seed,
            reference=reference,
            options=options,
            progress=progress,
        )
    if not quiet:
        cases = sum(finding.cases for finding in found.properties)
        say(f"{cases} comparisons, {time.perf_counter() - begin:.1f} s")
    write_reports(document(found), reports, verbose=verbose, stdout=("json",))
    if not found.properties:
        return 3
    return int(any(finding.surprising for finding in found.properties))
