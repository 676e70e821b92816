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
    from crosscheck.cli.output import show

    if len(names) > 2:
        raise UsageError(f"crosscheck profiles takes at most two names, not {len(names)}")
    lines = _difference(*names) if len(names) == 2 else _axes(*names) if names else _profiles()
    show("".join(f"{line}\n" for line in lines))


def _profiles() -> list[str]:
    from crosscheck.conventions import profiles

    width = max(map(len, profiles()))
    lines: list[str] = []
    for profile in profiles().values():
        lines.append(f"{profile.name:{width}}  {profile.description}")
        lines.append(f"{'':{width}}  [{profile.evidence}: {profile.source}]")
    return lines


def _axes(name: str) -> list[str]:
    return [f"{axis:22} {value}" for axis, value in _values(name).items()]


def _difference(first: str, second: str) -> list[str]:
    ours, theirs = _values(first), _values(second)
    different = [axis for axis in ours if ours[axis] != theirs[axis]]
    width = max(20, len(first), *(len(ours[axis]) for axis in different))
    lines = [f"{axis:22} {ours[axis]:{width}} {theirs[axis]}" for axis in different]
    return [f"{'axis':22} {first:{width}} {second}", *lines] if lines else ["no axis differs"]


def _values(name: str) -> dict[str, str]:
    """Axis -> value, as written in axis settings."""
    from crosscheck.axes import axes
    from crosscheck.conventions import conventions

    values = {axis: conventions(name).plain(axis) for axis in axes()}
    return {axis: "none" if value is None else str(value) for axis, value in values.items()}
