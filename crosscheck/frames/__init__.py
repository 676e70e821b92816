"""Measures of data frames: results and qrels as frames in, one row per query and a summary out.

Any frame whose columns can be accessed by name works: pandas, polars, a pyarrow table, or a plain mapping of
column name to list. None of these libraries is imported here; returned frames are of the same type as the
results frame. The numbers are those of the native measures, so every axis of
:class:`crosscheck.conventions.Conventions` applies.
"""

from __future__ import annotations

from crosscheck.frames.evaluate import BY_RANK, FrameScores, QrelsColumns, ResultColumns, evaluate_frames

__all__ = ["BY_RANK", "FrameScores", "QrelsColumns", "ResultColumns", "evaluate_frames"]
