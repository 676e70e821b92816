"""``crosscheck audit --properties``: laws that need no conventions, tried on any metric."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crosscheck.errors import UsageError, quoted

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
    options: Options,
    quiet: bool,
) -> int:
    """Try all properties and report them; the exit code.

    1 where the metric lacks a property that the measure has or, without a measure, any sound one.
    """
    from crosscheck.auditing import properties
    from crosscheck.auditing.property_document import as_json
    from crosscheck.auditing.property_text import as_text
    from crosscheck.cli.output import say, show, write_text
    from crosscheck.cli.progress import Progress

    targets = _targets(reports)
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
    for name, path in targets:
        text = as_text(found) if name == "text" else as_json(found)
        if path == "-":
            show(text)
            continue
        try:
            write_text(path, text)
        except OSError as error:
            raise UsageError(f"cannot write {quoted(path)}: {error.strerror}") from None
    if not found.properties:
        return 3
    return int(any(finding.surprising for finding in found.properties))


def _targets(reports: tuple[str, ...]) -> list[tuple[str, str]]:
    """(format, path) pairs; "-" is stdout, where the text goes unless something else does."""
    targets: list[tuple[str, str]] = []
    for spec in reports:
        name, equals, path = spec.partition("=")
        if name not in ("text", "json"):
            raise UsageError(f"properties have no report {name!r}", hint="their reports are text and json")
        if equals and not path:
            raise UsageError(f"--report {spec}: the path is empty", hint=f"write {name}=PATH")
        targets.append((name, path or "-"))
    if all(path != "-" for _, path in targets):
        targets.append(("text", "-"))
    if sum(path == "-" for _, path in targets) > 1:
        raise UsageError("two reports cannot both go to stdout", hint="give each a path: FORMAT=PATH")
    return targets
