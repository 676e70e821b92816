"""The commands, one per file, each loaded when it is called."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Sequence

import click

from crosscheck import __version__

__all__ = ["run_command"]

#: Command -> its line in the help, so that the help imports no command.
_COMMANDS = {
    "run": "Compare backends over cases (the default command).",
    "diff": "Compare two saved outputs query by query, or two results: what changed?",
    "audit": "Find out which conventions a metric follows, before adopting it.",
    "impact": "Does a disagreement change any conclusion about the systems?",
    "compare": "Compare systems with paired tests.",
    "gate": "Is a new run worse than the old one? Ties and missing queries cannot fool it.",
    "agreement": "Compare the judgements of two assessors.",
    "pool": "Pool the first documents of several runs.",
    "ties": "Show how much a score depends on the order of tied documents.",
    "why": "Find the conventions that give a printed number.",
    "rundiff": "Find why two runs of the same system differ.",
    "tools": "Predict what every known tool prints for a run, and why.",
    "describe": "Print the sentence that describes a measure in a paper.",
    "trec_eval": "Evaluate a run as trec_eval does: its options, output and exit codes.",
    "evaluate": "Evaluate runs against one qrels, on several processors or a cluster.",
    "backends": "List the backends and whether they can be used here.",
    "init": "Write a first case and a GitHub workflow.",
    "record": "Freeze the values of a backend, to be compared later without it.",
    "explain": "Explain a label, with an example.",
    "profiles": "Show the named conventions, one or the difference of two.",
    "report": "Show saved results again, in any format.",
    "schema": "Print the JSON Schema of the result document.",
}


class _Commands(click.Group):
    """Commands found by file; arguments that do not start with a command name belong to ``run``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS or cmd_name == "trec_eval":
            return None  # trec_eval parses its own options and never gets here
        module = importlib.import_module(f"crosscheck.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and (args[0] not in (*_COMMANDS, "--help", "-h", "--version") or _is_case(args)):
            args = ["run", *args]
        return super().parse_args(ctx, args)


#: Commands that need no arguments: their names always mean the command, never a folder of this name.
_ALONE = {"backends", "explain", "init", "profiles", "schema", "run"}


def _is_case(args: Sequence[str]) -> bool:
    """Whether the first argument, a command's name, means a folder: all up to an option are folders."""
    if args[0] in _ALONE:
        return False
    folders = list(itertools.takewhile(lambda arg: not arg.startswith("-"), args))
    asked = not {"--help", "-h"} & set(args)
    return asked and bool(folders) and all(map(os.path.isdir, folders))


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`crosscheck PATH...` is short for `crosscheck run PATH...`. "
    "Exit codes: 0 all as expected; 1 an undeclared mismatch or a stale expectation; "
    "2 bad usage or input; 3 inconclusive, or out of memory or processes; 70 a bug of crosscheck; "
    "130 interrupted.",
)
@click.version_option(__version__, prog_name="crosscheck")
def _cli() -> None:
    """Find where IR metric implementations disagree with trec_eval, query by query, and prove why."""


def run_command(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, and return its exit code."""
    try:
        code = _cli.main(list(arguments), prog_name="crosscheck", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort as stop:
        interrupt = stop.__cause__  # it may have a note of what is known so far
        raise interrupt if isinstance(interrupt, KeyboardInterrupt) else KeyboardInterrupt() from None
    except SystemExit:  # click's exit code for a closed output
        raise BrokenPipeError from None
