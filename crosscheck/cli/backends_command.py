"""``crosscheck backends``: what can compute, here and now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from crosscheck.backends import BackendFactory

__all__ = ["command"]


@click.command("backends")
@click.argument("ids", nargs=-1, metavar="[ID]...")
def command(ids: tuple[str, ...]) -> None:
    """List the backends: how to write their ids, their version, and what to install where one is missing."""
    from crosscheck import backends as registry
    from crosscheck.cli.output import show

    if not ids:
        show("".join(map(_about_kind, registry.factories().values())))
        return
    described: list[str] = []
    for id in dict.fromkeys(ids):
        kind = registry.factories().get(id)
        described.append(_about_kind(kind) if kind else f"{id}\n    {_state(id)}\n")
    show("".join(described))


def _about_kind(kind: BackendFactory) -> str:
    lines = [kind.usage, f"    {kind.summary}"]
    if not kind.usage.startswith(f"{kind.name}:"):  # else there is nothing to describe without an argument
        lines.append(f"    {_state(kind.name)}{' (candidate by default)' if kind.default else ''}")
    return "\n".join(lines) + "\n"


def _state(id: str) -> str:
    from crosscheck import backends as registry

    about = registry.make(id).describe()
    return f"available: {about.engine}" if about.available else f"not available: {about.reason}"
