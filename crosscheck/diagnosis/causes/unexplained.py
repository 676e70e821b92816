"""No convention reproduces the candidate's value: suspect a bug."""

from __future__ import annotations

from crosscheck.diagnosis.base import Cause

__all__ = ["CAUSE"]

CAUSE = Cause(
    label="unexplained",
    axis=None,
    priority=99,
    summary="no convention that crosscheck knows reproduces the value: suspect a bug",
    prose="""\
crosscheck recomputed the measure under every set of up to four conventions that can matter on this input, and
under every order of tied documents, and none gave the candidate's value. That is rare for a convention and
usual for a bug: suspect the implementation, the input it was given, or a convention that
crosscheck does not know yet.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag

RR = 1.0; a tool that says 0.4 follows no known rule.
Way out: look at the queries listed, smallest ranking first.""",
)
