"""Case folders: ``qrels*``, one or more ``run*``, optionally ``recorded*``, ``topics.*``, ``case.toml``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from crosscheck.errors import InputError, nearest, quoted
from crosscheck.formats.case_config import read_config
from crosscheck.formats.topics import TOPIC_FILES
from crosscheck.model import Case

__all__ = ["CONFIG", "find_cases"]

CONFIG = "case.toml"
_CASE = "a case folder: qrels*, one or more run* files and optionally case.toml"


def find_cases(paths: Sequence[str], only: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases in the given folders, sorted by name; only ``case.toml`` is read.

    Args:
        paths: case folders (those with a file named ``qrels*``), or folders that hold case folders at any
            depth. Hidden folders are skipped, and so are files that start with ``.`` or end with ``~``. Case
            folders are not searched for further cases.
        only: names of the cases to return; all if empty.

    Returns:
        Each case once, even when paths overlap.

    Raises:
        InputError: a missing path, a file, a folder without cases, a case without run or with two qrels
            files, two cases with the same name, a name in ``only`` without a case, or an error in
            ``case.toml``.
    """
    folders: dict[str, str] = {}
    for path in paths:
        found = list(_case_folders(path))
        if not found:
            raise InputError("there is no case in this folder", path=path, expected=_CASE)
        for folder in found:
            name = os.path.basename(os.path.realpath(folder))
            if os.path.realpath(folders.setdefault(name, folder)) != os.path.realpath(folder):
                raise InputError(
                    f"two cases are named {quoted(name)}, here and in {quoted(folders[name])}",
                    path=folder,
                    expected="each case name once",
                    hint="rename one of the folders",
                )
    for name in only:
        if name not in folders:
            near = nearest(name, folders)
            raise InputError(
                f"there is no case {quoted(name)}",
                path=", ".join(paths),
                hint=f"did you mean {quoted(near)}?" if near else f"there are: {', '.join(sorted(folders))}",
            )
    return tuple(_case(name, folders[name]) for name in sorted(set(only) or folders))


def _case_folders(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        raise InputError(
            "this is a file" if os.path.exists(path) else "there is no such folder",
            path=path,
            expected=_CASE,
            hint="name its folder; loose files are compared with run --qrels FILE --run FILE"
            if os.path.exists(path)
            else None,
        )
    names = _files(path)
    if any(name.startswith("qrels") for name in names):
        yield path
        return
    if CONFIG in names:
        raise InputError(f"a {CONFIG} but no qrels", path=path, expected=_CASE, hint="add a file named qrels")
    for entry in sorted(os.listdir(path)):
        folder = os.path.join(path, entry)
        if not entry.startswith(".") and os.path.isdir(folder) and not os.path.islink(folder):
            yield from _case_folders(folder)


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
    if len(qrels) > 1:
        raise InputError(
            "more than one qrels file",
            path=folder,
            found=", ".join(map(os.path.basename, qrels)),
            expected="one file named qrels*",
            hint="make it two cases, or rename the file that is not meant",
        )
    topics = [os.path.join(folder, file) for file in files if file in TOPIC_FILES]
    if len(topics) > 1:
        raise InputError(
            "more than one table of queries",
            path=folder,
            found=", ".join(map(os.path.basename, topics)),
            expected=f"one of {', '.join(TOPIC_FILES)}",
        )
    if not runs:
        raise InputError("a case without a run", path=folder, expected="one or more files named run*")
    config = os.path.join(folder, CONFIG) if CONFIG in files else None
    names = (list(map(os.path.basename, paths)) for paths in (runs, recorded))
    case = read_config(config, *names) if config else Case(name="", qrels="", runs=())
    return replace(
        case,
        name=name,
        qrels=qrels[0],
        runs=tuple(runs),
        recorded=tuple(recorded),
        topics=topics[0] if topics else None,
    )
