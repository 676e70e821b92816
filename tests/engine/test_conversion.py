"""Runs and judgements as files, dicts, frames, columns and records."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crosscheck
from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.errors import InputError

QRELS = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
RUN = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 1.5}}
EXPECTED = crosscheck.evaluate(QRELS, RUN, ["AP", "nDCG"])


def rows(table: dict[str, dict[str, Any]]) -> tuple[list[str], list[str], list[Any]]:
    flat = [(t, d, v) for t, documents in table.items() for d, v in documents.items()]
    topics, docnos, values = zip(*flat, strict=True)
    return list(topics), list(docnos), list(values)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("topic", "docno", "rel"),
    [("query", "docid", "rel"), ("query_id", "doc_id", "relevance"), ("qid", "docno", "label")],
)
def test_frames_of_any_library_are_read(library: str, topic: str, docno: str, rel: str) -> None:
    """With our column names, ir_measures' and PyTerrier's."""
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    module = pytest.importorskip(library)
    make = getattr(module, "DataFrame", None) or module.table
    names = (topic, docno)
    qrels = make(dict(zip((*names, rel), rows(QRELS), strict=True)))
    run = make(dict(zip((*names, "score"), rows(RUN), strict=True)))
    assert crosscheck.evaluate(qrels, run, ["AP", "nDCG"]) == EXPECTED


def test_an_arrow_stream_without_columns_needs_pyarrow() -> None:
    """A stream that only speaks the Arrow interface is read through pyarrow."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = pyarrow.table(dict(zip(("query", "docid", "score"), rows(RUN), strict=True)))

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table.__arrow_c_stream__(requested_schema)

    assert as_run(Stream()).topics == (b"1", b"2")


def test_three_columns_are_a_run() -> None:
    """Lists or arrays: topics, docnos, scores; numbers as topics are their digits."""
    topics, docnos, scores = rows(RUN)
    columns = (np.array(topics, np.int64), np.array(docnos), np.array(scores))
    assert crosscheck.evaluate(rows(QRELS), columns, ["AP", "nDCG"]) == EXPECTED


def test_files_and_records_are_taken(tmp_path: Path) -> None:
    """A path as text or Path, and what readers return."""
    (tmp_path / "run").write_text("1 Q0 a 2 1.0 t\n1 Q0 b 1 2.0 t\n2 Q0 c 1 1.5 t\n")
    for run in (tmp_path / "run", str(tmp_path / "run"), as_run(RUN)):
        assert crosscheck.evaluate(as_qrels(QRELS), run, ["AP", "nDCG"]) == EXPECTED


def test_what_cannot_be_columns_is_said() -> None:
    """A missing column or a tuple of another length is an input error that names it."""
    with pytest.raises(InputError, match="a tuple of 2"):
        as_run(([], []))  # type: ignore[arg-type]
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(InputError, match="no column docid"):
        as_run(polars.DataFrame({"query": ["1"], "document": ["a"], "score": [1.0]}))


def test_groups_expand_to_trec_evals_spellings() -> None:
    """A group name is expanded to its members, spelt as trec_eval prints them; other names are unchanged."""
    values = crosscheck.evaluate(QRELS, RUN, ["official", "nDCG@10"])["1"]
    assert {"map", "P_5", "iprec_at_recall_0.10", "nDCG@10"} <= values.keys()
