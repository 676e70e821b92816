"""``crosscheck backends``: what can compute, here and now."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("backends")
@click.argument("ids", nargs=-1, metavar="[ID]...")
def command(ids: tuple[str, ...]) -> None:
    """List the backends: how to write their ids, their version, and what to install where one is missing."""
    from crosscheck import backends as registry
    from crosscheck.backends.base import Options

    for name, kind in registry.kinds().items():
        if ids and not any(id == name or id.startswith(f"{name}:") for id in ids):
            continue
        click.echo(f"{kind.usage}\n    {kind.summary}")
        if kind.usage.startswith(f"{name}:"):
            continue  # Needs an argument: nothing to describe without one.
        about = registry.make(name, Options()).describe()
        state = f"available: {about.engine}" if about.available else f"not available: {about.reason}"
        click.echo(f"    {state}{' (candidate by default)' if kind.default else ''}")
    for id in ids:
        if ":" in id:
            about = registry.make(id, Options()).describe()
            state = f"available: {about.engine}" if about.available else f"not available: {about.reason}"
            click.echo(f"{about.id}\n    {state}")
        elif id not in registry.kinds():
            registry.make(id, Options())
