"""Case folders: ``qrels*``, one or more ``run*``, optionally ``recorded*``, ``topics.*``, ``case.toml``."""

import os
from collections.abc import Iterator, Sequence
from typing import get_args

from msgspec.structs import replace

from crosscheck.conventions import conventions
from crosscheck.errors import InputError, UsageError, did_you_mean, nearest, quoted
from crosscheck.formats.toml_table import TomlTable, read_table
from crosscheck.formats.topics import TOPIC_FILES
from crosscheck.model import Case, Expectation, Published
from crosscheck.results import Strength

_ABOUT_PUBLISHED = ("decimals", "run", "source")


def read_config(path: str, runs: Sequence[str], recorded: Sequence[str] = ()) -> Case:
    """Read and check a ``case.toml``. In the returned case, its name and the paths of its files are empty.

    The names of measures and labels are not checked here.

    Args:
        path: the file.
        runs: file names of the runs in the folder, the allowed values of ``run =``.
        recorded: file names of the saved values in the folder, the allowed keys of ``[recorded]``.

    Raises:
        InputError: invalid TOML, an unknown key (with a suggestion), a missing key, or a value of the wrong
            type.
    """
    table = read_table(path)
    table.only(
        "description", "measures", "reference", "tolerance", "strict", "expect", "published", "recorded"
    )
    tolerance = table.number("tolerance")
    if tolerance is not None and tolerance < 0:
        table.wrong("tolerance", "a number of at least 0")
    return Case(
        name="",
        qrels="",
        runs=(),
        config=path,
        description=table.string("description") or "",
        measures=table.strings("measures"),
        reference=table.string("reference"),
        tolerance=tolerance,
        expectations=_expectations(table, runs),
        published=tuple(_published(part, runs) for part in table.tables("published", single=True)),
        strict=table.boolean("strict", default=True),
        certain={k: v for part in table.tables("recorded", single=True) for k, v in _certain(part, recorded)},
    )


def _certain(part: TomlTable, recorded: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs from the table ``[recorded]``: the file name of saved values, and the text of the conventions by
    which, as the user says, these values were computed."""
    for name in part.content:
        if name not in recorded:
            problem = f"there is no file {quoted(name)} in this folder"
            there = f"one of {', '.join(recorded)}" if recorded else "a file whose name begins with recorded"
            part.wrong(name, there, problem=problem, hint=did_you_mean(name, recorded))
    for name in recorded:
        if (spec := part.string(name)) is not None:
            try:
                conventions(spec)
                yield name, spec
            except UsageError as error:
                part.wrong(name, "conventions, such as trec_eval-9.0.8", hint=str(error))


def _expectations(table: TomlTable, runs: Sequence[str]) -> tuple[Expectation, ...]:
    declared: dict[tuple[str, str, str | None], Expectation] = {}
    for part in table.tables("expect"):
        made = _expectation(part, runs)
        if declared.setdefault((made.candidate, made.measure, made.run), made) is not made:
            problem = "this candidate, measure and run already have an [[expect]] table"
            part.wrong("candidate", "one [[expect]] table per candidate, measure and run", problem=problem)
    return tuple(declared.values())


def _expectation(part: TomlTable, runs: Sequence[str]) -> Expectation:
    part.only(*Expectation.__struct_fields__)
    outcome = part.choice("outcome", ("mismatch", "error"), "one of") or "mismatch"
    causes = part.strings("causes")
    if not causes and outcome == "mismatch":
        if "causes" not in part.content:
            part.missing("causes")
        part.wrong("causes", "at least one label, such as tie-breaking")
    strength = part.choice("strength", get_args(Strength), "one of")
    if strength is not None and outcome != "mismatch":
        part.wrong("strength", 'no key strength, because the outcome is not "mismatch"')
    needed = {key: part.required(key) for key in ("candidate", "measure", "reason")}
    return Expectation(**needed, causes=causes, run=_run(part, runs), outcome=outcome, strength=strength)


def _run(part: TomlTable, runs: Sequence[str]) -> str | None:
    return part.choice("run", runs, "one of the runs of this case")


def _published(part: TomlTable, runs: Sequence[str]) -> Published:
    values: dict[str, float] = {key: part.printed(key) for key in part.content if key not in _ABOUT_PUBLISHED}
    if not values:
        expected = 'at least one measure with its number, such as "P@5" = 0.4'
        part.wrong(None, expected, problem="[published] holds no number")
    decimals = part.content.get("decimals")
    if decimals is not None and (type(decimals) is not int or decimals not in range(18)):
        part.wrong("decimals", "the number of digits after the point, 0 to 17")
    run, source = _run(part, runs), part.string("source") or ""
    return Published(values=values, decimals=decimals, run=run, source=source)


CONFIG = "case.toml"
_CASE = "a case folder: qrels*, one or more run* files and optionally case.toml"


def find_cases(paths: Sequence[str], only: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases in the folders ``paths``, sorted by name. Of their files only ``case.toml`` is read.

    Args:
        paths: case folders (folders with a file named ``qrels*``), or folders that contain case folders at
            any depth. Hidden folders and files that end with ``~`` are skipped. A case folder is not searched
            for further cases.
        only: names of the cases to return; all cases if empty.

    Returns:
        Each case once, even if paths overlap.

    Raises:
        InputError: a path does not exist, is a file, or is a folder without cases; a case has no run or
            several qrels files; two cases have the same name; there is no case with a name in ``only``; or a
            ``case.toml`` is wrong.
    """
    folders: dict[str, str] = {}
    for path in paths:
        case_folders = list(_case_folders(path))
        if not case_folders:
            raise InputError("there is no case in this folder", path=path, expected=_CASE)
        for folder in case_folders:
            name = os.path.basename(os.path.realpath(folder))
            if os.path.realpath(folders.setdefault(name, folder)) != os.path.realpath(folder):
                twice = f"two cases are named {quoted(name)}, here and in {quoted(folders[name])}"
                hint = "rename one of the folders"
                raise InputError(twice, path=folder, expected="each case name once", hint=hint)
    if unknown := next((name for name in only if name not in folders), None):
        near, listed = nearest(unknown, folders), ", ".join(sorted(folders))
        hint = f"did you mean {quoted(near)}?" if near else f"name one of the cases: {listed}"
        raise InputError(f"there is no case {quoted(unknown)}", path=", ".join(paths), hint=hint)
    return tuple(_case(name, folders[name]) for name in sorted(set(only) or folders))


def _case_folders(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        problem, hint = "there is no such file or folder", None
        if os.path.exists(path):
            problem = "this is a file"
            hint = "name its folder, or compare files outside a case with run --qrels FILE --run FILE"
        raise InputError(problem, path=path, expected=_CASE, hint=hint)
    names = _files(path)
    if any(name.startswith("qrels") for name in names):
        yield path
        return
    inner: list[str] = []
    for entry in () if CONFIG in names else sorted(os.listdir(path)):
        folder = os.path.join(path, entry)
        if not entry.startswith(".") and os.path.isdir(folder) and not os.path.islink(folder):
            inner += _case_folders(folder)
    of_case = [name for name in names if name.startswith("run") and not name.endswith((".py", ".sh", ".md"))]
    if CONFIG in names or (of_case and not inner):
        problem = f"there is a {CONFIG if CONFIG in names else 'run'} here, but no qrels file"
        raise InputError(problem, path=path, expected=_CASE, hint="add a file named qrels")
    yield from inner


def _files(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"the folder cannot be read: {error.strerror}", path=folder) from None
    return [n for n in names if not n.endswith("~") and os.path.isfile(os.path.join(folder, n))]


def _case(name: str, folder: str) -> Case:
    files = _files(folder)
    qrels, runs, recorded = (
        [os.path.join(folder, file) for file in files if file.startswith(kind)]
        for kind in ("qrels", "run", "recorded")
    )
    topics = [os.path.join(folder, file) for file in files if file in TOPIC_FILES]
    way_out = "make two cases, or rename the file that does not belong to this case"
    for noun, several, expected, hint in (
        ("qrels file", qrels, "one file named qrels*", way_out),
        ("table of queries", topics, f"one of {', '.join(TOPIC_FILES)}", None),
    ):
        if len(several) > 1:
            problem, found = f"this case has more than one {noun}", ", ".join(map(os.path.basename, several))
            raise InputError(problem, path=folder, found=found, expected=expected, hint=hint)
    if not runs:
        raise InputError("this case has no run", path=folder, expected="one or more files named run*")
    config = os.path.join(folder, CONFIG) if CONFIG in files else None
    names = (list(map(os.path.basename, paths)) for paths in (runs, recorded))
    case = read_config(config, *names) if config else Case(name="", qrels="", runs=())
    table = topics[0] if topics else None
    return replace(case, name=name, qrels=qrels[0], runs=tuple(runs), recorded=tuple(recorded), topics=table)
