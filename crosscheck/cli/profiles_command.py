"""``crosscheck profiles``: the named conventions."""

from __future__ import annotations

import click

from crosscheck.errors import UsageError

__all__ = ["command"]


@click.command("profiles")
@click.argument("names", nargs=-1, metavar="[NAME [NAME]]")
def command(names: tuple[str, ...]) -> None:
    """List the profiles; show one axis by axis; or show on which axes two differ.

    NAME is a profile or axis settings, as in native:NAME (`trec_eval-10,gain=exponential`).
    """
    from dataclasses import asdict

    from crosscheck.conventions import conventions, plain, profiles

    if not names:
        width = max(map(len, profiles()))
        for profile in profiles().values():
            click.echo(f"{profile.name:{width}}  {profile.description}")
            click.echo(f"{'':{width}}  [{profile.evidence}: {profile.source}]")
    elif len(names) == 1:
        for axis, value in asdict(conventions(names[0])).items():
            click.echo(f"{axis:22} {plain(value)}")
    elif len(names) == 2:
        first, second = (asdict(conventions(name)) for name in names)
        different = [axis for axis in first if first[axis] != second[axis]]
        for axis in different:
            click.echo(f"{axis:22} {plain(first[axis])!s:20} {plain(second[axis])}")
        if not different:
            click.echo("no axis differs")
    else:
        raise UsageError("crosscheck profiles takes at most two names")
