"""Reading the qrels of an ir_datasets data set that is already on this machine."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from typing import Any, NoReturn

from crosscheck.errors import InputError, UsageError, quoted

#: Prefix of a path that names a data set.
DATASET = "irds:"
#: Set to 1 to let ir_datasets fetch what is missing.
_DOWNLOAD = "CROSSCHECK_DOWNLOAD"


def judgements_of(path: str) -> list[dict[str, Any]]:
    """The judgements of ``irds:NAME``, one dict of named fields per judgement.

    Nothing is downloaded unless the environment variable CROSSCHECK_DOWNLOAD is 1.

    Raises:
        InputError: the data set has no qrels, or they are not on this machine.
        UsageError: ir_datasets is not installed, or has no such data set.
    """
    name = path.removeprefix(DATASET)
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(
            f"reading {quoted(path)} needs ir_datasets", hint="pip install ir_datasets"
        ) from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        message = f"ir_datasets has no data set {quoted(name)}"
        raise UsageError(message, hint="see https://ir-datasets.com, or `ir_datasets list`") from None
    if not dataset.has_qrels():
        raise InputError(
            "this data set has no qrels", path=path, hint="name a part of it, such as /test or /dev"
        )
    missing = InputError(
        "the files of this data set are not on this machine",
        path=path,
        hint=f"{_DOWNLOAD}=1 lets ir_datasets fetch them",
    )
    with _fetching(ir_datasets, refused=os.environ.get(_DOWNLOAD) != "1") as refusals:
        try:
            return [judgement._asdict() for judgement in dataset.qrels_iter()]
        except Exception as error:  # a missing or damaged file can raise anything in ir_datasets
            message = f"ir_datasets cannot read these qrels: {type(error).__name__}: {error}"
            raise (missing if refusals else InputError(message, path=path)) from None


@contextmanager
def _fetching(ir_datasets: Any, *, refused: bool) -> Iterator[list[str]]:
    """If ``refused``, ir_datasets cannot download files inside the ``with`` block. Yields the refused
    requests."""
    refusals = list[str]()

    def refuse(*of: object) -> NoReturn:
        refusals.append(repr(of))
        raise OSError("not to be fetched")

    cloud, libraries = ir_datasets.util.download.GoogleCloudBucketStream, ir_datasets.lazy_libs
    before = cloud.stream, libraries.requests
    if refused:
        cloud.stream, libraries.requests = refuse, refuse
    try:
        # Our own message replaces those of ir_datasets.
        with redirect_stderr(io.StringIO()) if refused else nullcontext():
            yield refusals
    finally:
        cloud.stream, libraries.requests = before
