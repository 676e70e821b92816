"""Columns of a frame of any library as Python lists, and a frame of the same library from lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar, cast

from crosscheck.errors import InputError, quoted

__all__ = ["FrameTable", "like", "number", "whole"]

Frame = TypeVar("Frame")


class FrameTable:
    """A frame whose columns are read by name, with errors that name the frame and the row (from 1)."""

    def __init__(self, frame: object, name: str) -> None:
        self.frame: Any = frame
        self.name = name
        if hasattr(frame, "collect") and not hasattr(frame, "__len__"):
            raise InputError("this is a lazy frame without rows", path=name, hint="pass frame.collect()")
        names = frame if isinstance(frame, Mapping) else None
        for attribute in ("column_names", "columns"):
            names = getattr(frame, attribute, None) if names is None else names
        if names is None:
            raise InputError(
                "this is not a frame",
                path=name,
                found=type(frame).__name__,
                expected="a pandas or polars frame, a pyarrow table, or a mapping of column name to list",
            )
        self.names = list(names)

    def column(self, name: str) -> list[Any]:
        """The cells of a column as they are in the frame."""
        if name not in self.names:
            known = ", ".join(quoted(str(n)) for n in self.names) or "no columns"
            raise InputError(f"there is no column {quoted(name)}", path=self.name, expected=f"one of {known}")
        column = self.frame[name]
        for method in ("to_list", "to_pylist", "tolist"):
            if hasattr(column, method):
                return cast(list[Any], getattr(column, method)())
        return list(column)

    def cells(self, name: str, convert: Callable[[Any], Any], expected: str) -> list[Any]:
        """The column with every cell converted; ``convert`` returns None for a cell it cannot use."""
        cells = self.column(name)
        for row, cell in enumerate(cells):
            cells[row] = convert(cell)
            if cells[row] is None:
                raise InputError(
                    f"column {quoted(name)} holds a cell that cannot be used",
                    path=self.name,
                    line=row + 1,
                    found=repr(cell),
                    expected=expected,
                )
        return cells

    def ids(self, name: str) -> list[bytes]:
        """A column of ids as bytes; 7 and 7.0 are the same id."""
        return cast(list[bytes], self.cells(name, _id, "an id: text without NUL, or a whole number"))

    def kinds(self, name: str) -> set[str]:
        """The types of the ids in a column: ``text``, ``numbers``, or both."""
        return {"text" if isinstance(cell, str | bytes) else "numbers" for cell in self.column(name)}


def _id(cell: Any) -> bytes | None:
    if isinstance(cell, str):
        cell = cell.encode("utf-8", "surrogatepass")
    if isinstance(cell, bytes):
        return None if b"\0" in cell else cell
    integer = whole(cell)
    return None if integer is None else b"%d" % integer


def whole(cell: Any) -> int | None:
    """The cell as an integer, or None if it is not a whole number.

    Floats may be whole: pandas turns integers into floats if a column has a missing cell.
    """
    if isinstance(cell, Integral):
        return int(cell)
    value = float(cell) if isinstance(cell, Real) else math.nan
    return int(value) if value.is_integer() else None


def number(cell: Any) -> float | None:
    """The cell as a float; None for NaN or non-numbers."""
    return float(cell) if isinstance(cell, Real) and not math.isnan(cell) else None


def like(frame: Frame, columns: dict[str, list[Any]]) -> Frame:
    """A frame of the same library as ``frame``, made from columns."""
    if isinstance(frame, Mapping):
        return cast(Frame, columns)
    make: Callable[[dict[str, list[Any]]], Frame] = getattr(frame, "from_pydict", type(frame))
    return make(columns)
