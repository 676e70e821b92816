"""The command line: getopt_long's rules, trec_eval's options, and --compat."""

from crosscheck import __version__
from crosscheck.model import Measure
from crosscheck.trec_eval.options import Notice, TrecEvalError, TrecEvalOptions, columns, parse_options
from tests.support.kept import Kept


def answer(given: str) -> str:
    """The options that are set, the notice or the error."""
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


KEPT = Kept(__file__, answer=answer)


@KEPT.each()
def test_a_command_line_is_read_as_getopt_long_reads_it(given):
    KEPT.holds(given)


def options(*words: str) -> TrecEvalOptions:
    parsed = parse_options([*words])
    assert isinstance(parsed, TrecEvalOptions)
    return parsed


def test_level_names_of_gains_differ_between_versions():
    """9.0.8 reads a name that is no number as level 0, 10.0 ignores the pair."""
    for version, more in (("9.0.8", ((0, 3.0),)), ("10.0", ())):
        (column,) = columns(options("--compat", version, "-m", "ndcg.a=3,2=5", "q", "r").request, 0)
        assert column.measure == Measure("nDCG", params=(("gains", (*more, (2, 5.0))),))
        assert column.name == b"ndcg_a=3,2=5"
    *_, cut = columns(options("-m", "iprec_at_recall.0.125,123456.789", "q", "r").request, 0)
    assert cut.name == b"iprec_at_recall_123456.7"


def test_help_explains_every_measure():
    """There is a text for all of them."""
    words = ["-h", "--compat", "10.0"]
    for group in ("all_trec", "all_prefs", "qrels_jg", "yaap", "dcg", "ideal_dcg"):
        words += ["-m", group]
    notice = parse_options(words)
    assert isinstance(notice, Notice)
    names = [kind.name for kind in options("-m", "map", "q", "r").request.selected()]
    assert all(f"\n{name}: " in notice.stdout for name in [*names, "prefs_simp", "unj", "ideal_dcg"])


def test_options_stop_at_the_first_file_under_posixly_correct(monkeypatch):
    """glibc's getopt honours the variable, so what follows the first file name is a file name."""
    monkeypatch.setenv("POSIXLY_CORRECT", "1")
    assert "3 files were given" in answer("-q q r -c")
