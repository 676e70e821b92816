"""How the command fails: trec_eval's exit code, its words, and ours."""

from __future__ import annotations

from crosscheck.errors import InputError

__all__ = ["TrecEvalError"]


class TrecEvalError(Exception):
    """The command ends with one of trec_eval's exit codes; it never leaves the command.

    Attributes:
        code: 1 usage, 2 input file or measure parameters, 4 a topic that cannot be evaluated, 7 no topic in
            common, 255 the file of ``-Z``.
        said: the lines that the C program prints, for scripts that look for them.
        problem: what is wrong and what to do, where its own lines do not say it.
    """

    def __init__(self, code: int, *said: str, problem: str | InputError | None = None) -> None:
        super().__init__(code, *said)
        self.code, self.said, self.problem = code, said, problem

    def __str__(self) -> str:
        """All that goes to stderr."""
        ours = [] if self.problem is None else [f"crosscheck: {self.problem}"]
        return "\n".join([*self.said, *ours])
