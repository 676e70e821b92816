"""The command line: one command per file, each loaded when it is called."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from typing import Any, NoReturn

import click

from crosscheck import __version__
from crosscheck.errors import CrosscheckError

__all__ = ["main"]

#: Command -> its line in the help, so that the help imports no command.
_COMMANDS = {
    "run": "Compare backends over cases (the default command).",
    "diff": "Compare two saved outputs, query by query.",
    "audit": "Find out which conventions a metric follows, before adopting it.",
    "impact": "Does a disagreement change any conclusion about the systems?",
    "compare": "Compare systems with paired tests.",
    "agreement": "How far two assessors agree.",
    "pool": "Pool the first documents of several runs.",
    "ties": "How much of a score is the luck of documents with equal scores.",
    "trec_eval": "Evaluate a run as trec_eval does: its options, output and exit codes.",
    "evaluate": "Evaluate runs against one qrels, on several processors or a cluster.",
    "backends": "List the backends and whether they can be used here.",
    "explain": "Explain a label, with an example.",
    "profiles": "Show the named conventions, one or the difference of two.",
    "schema": "Print the JSON Schema of the result document.",
}


class _Commands(click.Group):
    """Finds commands by file; whatever is not the name of one belongs to ``run``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"crosscheck.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*_COMMANDS, "--help", "-h", "--version"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`crosscheck PATH...` is short for `crosscheck run PATH...`. "
    "Exit codes: 0 all as expected; 1 an undeclared mismatch or a stale expectation; "
    "2 bad usage or input; 3 inconclusive; 130 interrupted.",
)
@click.version_option(__version__, prog_name="crosscheck")
def _cli() -> None:
    """Find where IR metric implementations disagree with trec_eval, query by query, and prove why."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: list[str] | None) -> int:
    _prepare_process()
    try:
        code = _cli.main(arguments, prog_name="crosscheck", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("crosscheck: interrupted", err=True)
        return 130
    except CrosscheckError as error:
        click.echo(f"crosscheck: error: {error}", err=True)
        return 2
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        click.echo(f"crosscheck: error: {error.strerror}", err=True)
        return 2


def _prepare_process() -> None:
    """Streams that take any text, and an orderly end on SIGTERM."""
    # A caller that closed a stream wants nothing from it.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    # Names may hold any byte; what the terminal cannot show is escaped instead of crashing the output.
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    # As Ctrl-C: backends that run in processes of their own must not be left behind.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
