"""The command line: getopt_long's rules, trec_eval's options, and --compat."""

import pytest

from crosscheck.model import Measure
from crosscheck.trec_eval.options import Notice, TrecEvalError, TrecEvalOptions, columns, parse_options


def options(*words: str) -> TrecEvalOptions:
    parsed = parse_options([*words])
    assert isinstance(parsed, TrecEvalOptions)
    return parsed


def complaint(*words: str) -> TrecEvalError:
    with pytest.raises(TrecEvalError) as caught:
        parse_options([*words])
    return caught.value


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-q -c -n -J q r", {"per_topic": True, "complete": True, "no_summary": True, "judged_only": True}),
        ("-qcnJ q r", {"per_topic": True, "complete": True, "no_summary": True, "judged_only": True}),
        ("q -q r -c", {"per_topic": True, "complete": True, "qrels": "q", "run": "r"}),
        ("-l2 q r", {"level": 2}),
        ("-l 2 q r", {"level": 2}),
        ("-ql2 q r", {"per_topic": True, "level": 2}),
        ("-l -1 q r", {"level": -1}),
        ("--level_for_rel 2 q r", {"level": 2}),
        ("--level_for_rel=2 q r", {"level": 2}),
        ("--lev=2 q r", {"level": 2}),
        ("--Max 7 q r", {"depth": 7}),
        ("--J q r", {"judged_only": True}),
        ("--Re_x q r --Rel qrels", None),
        ("-o q r", {}),
        ("--Output_old_results_format x q r", {}),
        ("-R prefs -T trec_results q r", {"qrels_format": "prefs", "run_format": "trec_results"}),
        ("-Z file q r", {"zscores": "file"}),
        ("-D 3 q r", {"only_topic": None}),
        ("-D 3.401 q r", {"only_topic": b"401"}),
        ("-D 3. q r", {"only_topic": b""}),
        ("-D 1.a -D 2 q r", {"only_topic": b"a"}),
        ("-N 1000 q r", {"collection_size": 1000}),
        ("-l 1 -l 3 q r", {"level": 3}),
        ("-- q r", {"qrels": "q", "run": "r"}),
        ("-q -- q -r", {"run": "-r"}),
        ("q -", {"run": "-"}),
        ("--compat 10 q r", {"version": "10.0"}),
        ("--compat=9 q r", {"version": "9.0.8"}),
        ("q r", {"version": "9.0.8", "depth": None, "level": 1, "no_summary": False, "per_topic": False}),
        ("--comp q r", {"complete": True, "version": "9.0.8"}),
    ],
)
def test_options_are_read_as_getopt_long_reads_them(words, expected):
    """Clusters, attached values, abbreviations and options after file names have the same meaning as in C."""
    if expected is None:
        assert "unrecognized option '--Re_x'" in str(complaint(*words.split()))
        return
    parsed = options(*words.split())
    assert {name: getattr(parsed, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "Usage: trec_eval"),
        ("q", "Usage: trec_eval"),
        ("q r s", "3 files were given"),
        ("-x q r", "trec_eval: invalid option -- 'x'"),
        ("-q: q r", "trec_eval: invalid option -- ':'"),
        ("q r -m", "trec_eval: option requires an argument -- 'm'"),
        ("q r --measure", "trec_eval: option '--measure' requires an argument"),
        ("--help=x", "trec_eval: option '--help' doesn't allow an argument"),
        ("--R qrels q r", "'--R' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'"),
        ("--foo q r", "trec_eval: unrecognized option '--foo'"),
        ("-m foo q r", "trec_eval: illegal measure 'foo'"),
        ("-m foo.5 q r", "trec_eval: illegal measure 'foo'"),
        ("-m P. q r", "trec_eval: improper measure in parameter 'P'"),
        ("-m all q r", "trec_eval: illegal measure 'all'"),
        ("-m rbp q r", "add --compat 10.0"),
        ("-m ndcg_p q r", "trec_eval: illegal measure 'ndcg_p'"),
        ("-m ndcg_cut_10 q r", "write -m ndcg_cut.10"),
        ("-m nDCG@10 q r", "did you mean ndcg_cut_10"),
        ("-M -1 q r", "cannot be negative"),
        ("--compat 8 q r", "must be 9.0.8 or 10.0"),
        ("-m foo -v", "illegal measure"),
        ("-x -v --compat 8", "invalid option"),
        ("-m \x1b[31mfoo q r", r"illegal measure '\x1b[31mfoo'"),
        ("--\x1b[31m q r", r"unrecognized option '--\x1b[31m'"),
    ],
)
def test_bad_usage_ends_with_exit_code_1(words, said):
    """Each complaint has the C program's words, and says what to do where that is known."""
    error = complaint(*words.split())
    assert error.code == 1
    assert said in str(error)


@pytest.mark.parametrize("words", ["-v", "-qv", "-v -m foo", "-v -x", "--version", "--v", "-v --compat 10.0"])
def test_the_version_is_printed_at_once(words):
    """-v ends the command before later arguments are read, and tells the version that is emulated."""
    notice = parse_options(words.split())
    assert isinstance(notice, Notice)
    version = "10.0" if "compat" in words else "9.0.8"
    assert notice.stderr.startswith(f"trec_eval version {version} (crosscheck ")


def test_level_names_of_gains_differ_between_versions():
    """9.0.8 reads a name that is no number as level 0, 10.0 ignores the pair."""
    for version, more in (("9.0.8", ((0, 3.0),)), ("10.0", ())):
        (column,) = columns(options("--compat", version, "-m", "ndcg.a=3,2=5", "q", "r").request, 0)
        assert column.measure == Measure("nDCG", params=(("gains", (*more, (2, 5.0))),))
        assert column.name == b"ndcg_a=3,2=5"
    *_, cut = columns(options("-m", "iprec_at_recall.0.125,123456.789", "q", "r").request, 0)
    assert cut.name == b"iprec_at_recall_123456.7"


def test_help_waits_for_the_other_options():
    """-h explains the measures and the format that are named anywhere on the command line."""
    notice = parse_options(["-h", "-m", "bpref", "-R", "prefs"])
    assert isinstance(notice, Notice)
    assert "bpref: binary preference" in notice.stdout
    assert "Judgements, prefs: topic group subgroup docno level" in notice.stdout
    assert complaint("-h", "-x").code == 1


def test_help_explains_every_measure():
    """There is a text for all of them, and an empty -m list explains none."""
    words = ["-h", "--compat", "10.0"]
    for group in ("all_trec", "all_prefs", "qrels_jg", "yaap", "dcg", "ideal_dcg"):
        words += ["-m", group]
    notice = parse_options(words)
    assert isinstance(notice, Notice)
    names = [kind.name for kind in options("-m", "map", "q", "r").request.selected()]
    assert all(f"\n{name}: " in notice.stdout for name in [*names, "prefs_simp", "unj", "ideal_dcg"])
    plain = parse_options(["-h"])
    assert isinstance(plain, Notice)
    assert "\nmap: " not in plain.stdout


def test_options_stop_at_the_first_file_under_posixly_correct(monkeypatch):
    """glibc's getopt honours the variable, so what follows the first file name is a file name."""
    monkeypatch.setenv("POSIXLY_CORRECT", "1")
    assert "3 files were given" in str(complaint("-q", "q", "r", "-c"))
