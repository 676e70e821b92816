"""Reading the qrels of an ir_datasets data set that is already on this machine."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from typing import Any, NoReturn

from crosscheck.errors import InputError, UsageError, quoted

#: Prefix of a path that names a data set.
DATASET = "irds:"
#: Environment variable. If it is 1, ir_datasets may download missing files.
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
        problem = f"reading {quoted(path)} needs ir_datasets"
        raise UsageError(problem, hint="pip install ir_datasets") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        message = f"ir_datasets has no data set {quoted(name)}"
        raise UsageError(message, hint="see https://ir-datasets.com, or `ir_datasets list`") from None
    if not dataset.has_qrels():
        hint = "name a part of the data set, such as /test or /dev"
        raise InputError("this data set has no qrels", path=path, hint=hint)
    with _downloads(ir_datasets, blocked=os.environ.get(_DOWNLOAD) != "1") as refusals:
        try:
            return [judgement._asdict() for judgement in dataset.qrels_iter()]
        except Exception as error:  # ir_datasets raises any kind of error for a missing or damaged file
            problem = f"ir_datasets cannot read these qrels: {type(error).__name__}: {error}"
            if not refusals:
                raise InputError(problem, path=path) from None
            hint = f"set {_DOWNLOAD}=1, so that ir_datasets downloads them"
            problem = "the files of this data set are not on this machine"
            raise InputError(problem, path=path, hint=hint) from None


@contextmanager
def _downloads(ir_datasets: Any, *, blocked: bool) -> Iterator[list[str]]:
    """If ``blocked``, ir_datasets cannot download files inside the ``with`` block. Yields a list, to which
    each blocked download is added."""
    refusals = list[str]()

    def refuse(*arguments: object) -> NoReturn:
        refusals.append(repr(arguments))
        raise OSError("crosscheck does not download this file")

    cloud, libraries = ir_datasets.util.download.GoogleCloudBucketStream, ir_datasets.lazy_libs
    before = cloud.stream, libraries.requests
    if blocked:
        cloud.stream, libraries.requests = refuse, refuse
    try:
        # The messages of ir_datasets are hidden, because crosscheck raises its own.
        with redirect_stderr(io.StringIO()) if blocked else nullcontext():
            yield refusals
    finally:
        cloud.stream, libraries.requests = before
