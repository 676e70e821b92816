"""The table of commands, and the command that each study has."""

import ast
import itertools
import os
from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from typing import Any, cast

import click

from crosscheck import __version__
from crosscheck.errors import InputError, UsageError, nearest, quoted
from crosscheck.registry import STUDIES

#: Command -> its line in the help, so that the help imports no command.
_COMMANDS = {
    "run": "Compare backends over cases (the default command).",
    "diff": STUDIES["diff"],
    "audit": "Find out which conventions a metric follows, before adopting it.",
    **STUDIES,
    "trec_eval": "Evaluate a run as trec_eval does: its options, output and exit codes.",
    "evaluate": "Evaluate runs against one qrels, on several processors or a cluster.",
    "convert": "Write a run or qrels in another form.",
    "backends": "List the backends and whether they can be used here.",
    "init": "Write a first case and a GitHub workflow.",
    "record": "Freeze the values of a backend, to be compared later without it.",
    "explain": "Explain a label, with an example.",
    "profiles": "Show the named conventions, one or the difference of two.",
    "report": "Show saved results again, in any format.",
    "schema": "Print the JSON Schema of the result document.",
}
#: Command -> its file, for the commands that are no study and that have no file of their own name.
_FILES = {
    **dict.fromkeys(("diff", "init", "report"), "files"),
    **dict.fromkeys(("backends", "explain", "profiles", "schema"), "about"),
    "record": "evaluate",
}


class _Commands(click.Group):
    """The commands, each imported when it is called. If the first argument is not the name of a command, the
    arguments belong to ``run``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS or cmd_name == "trec_eval":
            return None  # trec_eval parses its own options and never gets here
        if cmd_name in STUDIES and cmd_name not in _FILES:
            return _study(cmd_name)
        module = import_module(f"crosscheck.cli.{_FILES.get(cmd_name, cmd_name)}")
        return cast(click.Command, getattr(module, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = bool(args) and not args[0].startswith("-") and not os.path.exists(args[0])
        near = nearest(args[0], _COMMANDS, 0.75) if named else None
        if near and args[0] not in _COMMANDS:
            raise UsageError(f"there is no command or folder {quoted(args[0])}; did you mean {near}?")
        if args and (args[0] not in (*_COMMANDS, "--help", "-h", "--version") or _is_case(args)):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def _study(name: str) -> click.Command:
    """The command of a study, with the options of the study and the output options of all studies.

    Help and options are read from the text of its file, whose import takes as long as that of numpy.
    """
    from crosscheck.cli.options import QUIET, REPORT
    from crosscheck.cli.output import Reports, progress_shown
    from crosscheck.studies import options

    def called(reports: tuple[str, ...], verbose: bool, quiet: bool, **asked: Any) -> int:
        targets = Reports(reports, name)
        study = import_module(f"crosscheck.studies.{name}").STUDY
        with progress_shown(quiet=quiet) as progress:
            if "progress" in signature(study.function).parameters:
                asked["progress"] = progress
            document = study.function(**asked)
        targets.write(document, verbose=verbose)
        return int(study.code(document))

    with open(os.path.join(os.path.dirname(options.__file__), f"{name}.py"), encoding="utf-8") as source:
        tree = ast.parse(source.read())
    named = (node for node in tree.body if isinstance(node, ast.Assign))
    study: Any = next(node.value for node in named if ast.unparse(node.targets[0]) == "STUDY")
    # The first three arguments are the document, the function and the page.
    params = eval(f"[{', '.join(map(ast.unparse, study.args[3:]))}]", vars(options))
    verbose = options.flag("--verbose", "Show every row of every table.")
    params = options.with_format([*params, REPORT, verbose, QUIET])
    return click.Command(name, callback=called, params=params, help=ast.get_docstring(tree))


#: Commands that need no arguments: their names always mean the command, never a folder of this name.
_ALONE = {"backends", "explain", "init", "profiles", "schema", "run"}


def _is_case(args: Sequence[str]) -> bool:
    """Whether the first argument, although it is the name of a command, is meant as a case folder: all
    arguments before the first option are folders."""
    folders = list(itertools.takewhile(lambda arg: not arg.startswith("-"), args))
    is_command = args[0] in _ALONE or not {"--help", "-h"}.isdisjoint(args)
    return not is_command and bool(folders) and all(map(os.path.isdir, folders))


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
    except InputError as error:
        from crosscheck.cli.files import recognised

        raise recognised(error) from None
    except click.Abort as stop:
        # Click aborts at Ctrl-C, whose error may have a note of what is known, and at any EOFError: a bug.
        raise (stop.__cause__ or KeyboardInterrupt()) from None
    except SystemExit:  # click's exit code for a closed output
        raise BrokenPipeError from None
