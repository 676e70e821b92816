"""``crosscheck backends``: the available backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from crosscheck.backends import BackendFactory

__all__ = ["command"]


@click.command("backends")
@click.argument("ids", nargs=-1, metavar="[ID]...")
def command(ids: tuple[str, ...]) -> None:
    """List the backends: syntax of their ids, versions, and the command that installs a missing one."""
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
    if not kind.usage.startswith(f"{kind.name}:"):  # else it needs an argument to be described
        lines.append(f"    {_state(kind.name)}{' (candidate by default)' if kind.default else ''}")
    return "\n".join(lines) + "\n"


def _state(id: str) -> str:
    from crosscheck import backends as registry

    about = registry.make(id).describe()
    return f"available: {about.engine}" if about.available else f"not available: {about.reason}"
