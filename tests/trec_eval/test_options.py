"""The command line: getopt_long's rules, trec_eval's options, and --compat."""

import pytest

from crosscheck import __version__
from crosscheck.trec_eval.options import Notice, TrecEvalError, columns, parse_options
from tests.support.kept import Kept


def answer(given: str, **variables: str) -> str:
    """The options that are set, the notice or the error."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        try:
            parsed = parse_options(given.encode().decode("unicode_escape").split())
        except TrecEvalError as error:
            return f"exit code {error.code}\n{error}"
    if isinstance(parsed, Notice):
        return (parsed.stdout + parsed.stderr).replace(__version__, "VERSION")
    names = [*parsed.__struct_fields__[1:], "version"]
    told = {name: getattr(parsed, name) for name in names}
    return ", ".join(
        f"{name} {value}" for name, value in told.items() if value is not None and value is not False
    )


EXAMPLES = Kept(__file__, answer=answer, columns=columns, parse_options=parse_options)
test_examples = EXAMPLES.test()
