"""Failures of the command: trec_eval's exit code and words, and an explanation."""

from __future__ import annotations

from crosscheck.errors import InputError

__all__ = ["TrecEvalError"]


class TrecEvalError(Exception):
    """The command ends with one of trec_eval's exit codes. Always caught within the command.

    Attributes:
        code: 1 usage, 2 input file or measure parameters, 4 a topic that cannot be evaluated, 7 no topic in
            common, 255 the file of ``-Z``.
        said: the lines that the C program prints, for scripts that search for them.
        problem: the problem and the remedy, if trec_eval's own lines do not give them.
    """

    def __init__(self, code: int, *said: str, problem: str | InputError | None = None) -> None:
        super().__init__(code, *said)
        self.code, self.said, self.problem = code, said, problem

    def __str__(self) -> str:
        """The whole text for stderr."""
        ours = [] if self.problem is None else [f"crosscheck: {self.problem}"]
        return "\n".join([*self.said, *ours])
