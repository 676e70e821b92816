"""Calls and how they end: the exit code, and what is said on stdout or stderr."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.command import EXPONENTIAL, FAST, crosscheck, loose_files, three_cases
from tests.harness.data import write_case

QRELS, RUN = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n", b"1 Q0 a 1 2.0 t\n2 Q0 d 1 1.0 t\n2 Q0 c 2 0.5 t\n"
SUBTOPICS = b"51 1 a 1\n51 1 b 1\n51 2 b 1\n51 2 c 2\n51 3 d 0\n52 1 a 1\n"
TIED = b"51 Q0 b 1 0.5 t\n51 Q0 a 2 0.5 t\n51 Q0 c 3 0.25 t\n51 Q0 x 4 0.125 t\n52 Q0 a 1 0.5 t\n"
FUNCTION = b'''
"""Share of the subtopics found, from what a function of a user is given."""


def found(qrels, run, k):
    result = {}
    for query, subtopics in qrels.items():
        top = sorted(run[query], key=lambda docno: (run[query][docno], docno), reverse=True)[:k]
        wanted = [d for d in subtopics.values() if max(d.values()) > 0]
        result[query] = sum(any(d.get(docno, 0) > 0 for docno in top) for d in wanted) / len(wanted)
    return result
'''
EXPECT = b'[[expect]]\ncandidate = "native"\nmeasure = "%s"\ncauses = ["%s"]\nreason = "known"\n'
FILES = {
    "q": QRELS,
    "r": RUN,
    "r.odd": RUN + b"1 Q0 \x1b[31m\xff 3\n",
    "r.other": b"q1 Q0 a 1 2.0 t\n",
    "r.comma": b"1,a,1,3.5\n",
    "q.json": b'{"1": {"a": 1}}',
    "empty": b"",
    # Saved values, in forms that are no run, and tables for people.
    "p": b"P_5 1 0.2\nP_5 2 0.2\n",
    "p.copy": b"P_5 1 0.2\nP_5 2 0.2\n",
    "p.other": b"P_5 q1 0.2\nP_5 q2 0.2\n",
    "map": b"map                   \t1\t0.5000\n",
    "map.json": b'{"1": {"nDCG@10": 0.5}}',
    "means": b"P_1 all 0.5000\n",
    "mine": b"P_1 1 1.0\nP_1 2 0.0\nmyown 1 3.0000\n",
    "wide": b"query     P@5      AP\n1      0.3883  0.1811\n",
    "tall": b"measure    mean\nAP       0.2421\n",
    "metric.csv": b"run,metric,score\nrun,AP,0.5\n",
    # To be converted.
    "blanks.csv": b"qid,docid,score\n1,a,1\n1,a b,2\n",
    "both.csv": b"qid,docid,score\n1,a,1\n",
    "twice": b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 a 3 0 t\n",
    "other.json": b"{}",
    # Assessors.
    "assessor": b"1 0 high 3\n1 0 low1 0\n2 0 high 2\n9 0 x 1\n",
    "alone": b"1 0 nowhere 1\n",
    "elsewhere": b"x 0 a 1\n",
    # Cases with subtopics, and with files that cannot be used.
    "sub/qrels": SUBTOPICS,
    "sub/run.txt": TIED,
    "sub.other": TIED.replace(b"0.25", b"0.75"),
    "mine.py": FUNCTION,
    "c2/case.toml": b'\nmeasures = ["ndgc"]\n',
    "c3/case.toml": b'reference = "python:x.py:f"\n',
    "c4/case.toml": b'[recorded]\n"recorded.x" = "trec_eval-9.0.8"\n',
    "c5/case.toml": b'[recorded]\n"recorded.y" = "nobody"\n',
    "c5/recorded.y": b"map all 0.5\n",
    "c6/case.toml": EXPECT % (b"AP", b"gian"),
    "c7/case.toml": EXPECT % (b"nDGC@10", b"gain"),
    "c8/case.toml": b'[published]\n"XYZ" = 0.5\n',
    "c9/case.toml": b'measures = ["P"]\n',
    **{f"c{i}/{name}": text for i in range(2, 10) for name, text in (("qrels", QRELS), ("run", RUN))},
}

GIVEN = "-b native -m P@5 --report text"
ON = "-m P@5 --qrels q --run r"
TWO = "qrels run.fair run.best"
IMPACT = "--candidate native:gain=binary"
OF_TWO = f"impact {TWO} -m P@3"
#: Calls that cannot be made, and what is said.
WRONG = [
    ("cases -b natvie", "no backend 'natvie'; did you mean native?"),
    ("cases --reference pytrec-eval", "did you mean pytrec_eval?"),
    ("cases --require ir_measures", "did you mean ir-measures?"),
    ("cases -m P@5,ndgc@10", "unknown measure 'ndgc@10'; did you mean nDCG@10?"),
    ("cases -b native:gian=linear", "gain"),
    ("cases -b native:gain=log", "use one of: linear, exponential, binary"),
    ("cases -b native:trec_eval-11", "did you mean trec_eval-10"),
    ("cases --case surprisin", "did you mean 'surprising'?"),
    ("cases --tolerance nan", "not a finite number"),
    ("cases --tolerance -1", "--tolerance"),
    ("cases --timeout 0", "--timeout"),
    ("cases --jobs 0", "--jobs"),
    ("cases --fail-on always", "'unexpected', 'mismatch', 'never'"),
    ("cases --no-such-flag", "--no-such-flag"),
    ("", "Usage"),
    ("run", "nothing to compare"),
    ("--qrels q", "only one of --qrels and --run was given"),
    ("--run r", "only one of --qrels and --run was given"),
    ("cases --qrels q --run r", "cannot be given together"),
    ("explain gian", "did you mean gain?"),
    ("explain recall-point", "did you mean recall-points?"),
    ("explain hits@10", "no label or measure 'hits@10'; did you mean Success@10?"),
    ("explain sklearn", "'sklearn' is a profile call crosscheck profiles sklearn"),
    ("describe nDCG@10", "call crosscheck describe -m nDCG@10"),
    ("evalute qrels run.fair", "no command or folder 'evalute'; did you mean evaluate?"),
    ("cases -m ''", "no measure was named"),
    ("evaluate qrels run.fair -m ' ,'", "no measure was named"),
    ("gate qrels run.fair run.best -m ''", "no measure was named"),
    ("evaluate qrels run.fair -m P@5,10", "write each measure in full: P@5,P@10"),
    ("why qrels run.fair AP = 0.3", 'write it without blanks: "AP=0.3482"'),
    ("convert run.fair absent/x.json", "crosscheck: error: absent: there is no such folder"),
    ("profiles trec_eval-9", "did you mean trec_eval-"),
    ("profiles a b c", "at most two names"),
    ("backends natvie", "did you mean native?"),
    ("diff a", "Usage"),
    ("nowhere --report jsno", "did you mean json?"),  # before anything is read
    ("nowhere --report json=", "the path is empty"),
    ("nowhere --report json=- --report text", "cannot both go to stdout"),
    ("nowhere --report json=x --report markdown=x", "cannot both go to 'x'"),
    ("cases --accept-unexplained", "--accept-unexplained is only allowed with --accept"),
    ("cases --accept ' '", "--accept needs"),
    ("cases --accept why --query 1", "--accept needs"),
    ("--qrels qrels --run run.fair --accept why", "--accept needs"),
    ("cases --prune --query 1", "--prune needs"),
    ("--topics t.csv --group-by x cases", "--topics is only allowed with --qrels"),
    ("cases --group-by x", "queries cannot be grouped by 'x'.* topics.csv, topics.toml or topics.jsonl"),
    (f"{ON} --topics topics.csv --group-by dificulty", "did you mean difficulty"),
    ("evaluate qrels run.fair -m nope", "unknown measure"),
    ("evaluate qrels run.fair --executor cloud", "no executor"),
    ("evaluate qrels run.fair --conventions nope", "there is no profile"),
    ("evaluate qrels nowhere", "no such file"),
    ("evaluate q r --format table", "use --output table"),
    ("ties qrels run.fair --conventions nope", "there is no profile"),
    (f"impact qrels run.fair {IMPACT}", "at least 2 runs, not 1"),
    ("impact qrels run.fair run.best", "Missing option '--candidate'"),
    (f"impact qrels run.fair run.bset {IMPACT}", "did you mean"),
    (f"impact qrels run.fair run.fair {IMPACT}", "was given twice"),
    (f"{OF_TWO} --candidate native", "are both native"),
    (f"{OF_TWO} --candidate native:gain=cubic", "gain has no value"),
    (f"{OF_TWO} --candidate nobody", "there is no backend 'nobody'"),
    (f"{OF_TWO} {IMPACT} --test anova", "'anova'"),
    (f"{OF_TWO} {IMPACT} --alpha 1", "between 0 and 1"),
    (f"impact {TWO} {IMPACT} -m nDGC@3", "did you mean nDCG@3"),
    (f"impact q r r.other {IMPACT}", "none of the judged queries"),
    ("compare qrels run.fair run.fair", "was given twice"),
    ("compare qrels run.fair absent", "absent: there is no such file"),
    (f"compare {TWO} --baseline nobody", "there is no run 'nobody'"),
    (f"compare {TWO} --backend nobody", "there is no backend 'nobody'"),
    (f"compare {TWO} --alpha 0", "between 0 and 1"),
    (f"compare {TWO} --confidence 95", "between 0 and 1"),
    ("compare qrels run.fair run.best --report pdf", "no report format 'pdf'"),
    ("compare qrels run.fair run.best --alpha 2", "between 0 and 1"),
    ("agreement qrels qrels", "two assessors"),
    ("gate qrels run.fair absent", "absent: there is no such file"),
    (f"gate {TWO} --alpha 2", "between 0 and 1"),
    (f"gate {TWO} --tolerance -1", "-1"),
    (f"gate {TWO} --allow-missing -1", "-1"),
    (f"gate {TWO} --test tt", "'tt'"),
    (f"rundiff {TWO} --conventions ties=average", "does not order tied documents"),
    ("rundiff q r r.other", "none of the judged queries"),
    ("pool run.fair --depth 0", "--depth"),
    ("pool run.fair --depth 1 -o run.fair", "would overwrite the input"),
    ("pool run.fair --depth 1 -o cases", "cannot write the pool"),
    ("pool blanks.csv --depth 2 -o pooled", "a pool file cannot hold an id with blanks"),
    ("audit native", "the name of the measure that the metric should compute is missing"),
    ("audit native --properties --save-fixture x", "finds no counterexamples"),
    ("audit mine.py:found -m StRecall@1", "the inputs of an audit do not have"),
    ("audit mine.py:found -m PP@5", "unknown measure 'PP@5'"),
    ("audit mine.py:found -m P@5 --call 'f(gain)'", "did you mean gains?"),
    ("audit mine.py:found -m P@5 --reference x", "no profile"),
    ("audit mine.py:found -m P@5 --report pdf", "no report format 'pdf'"),
    ("audit nonsense -m P@5", "is not a metric"),
    ("audit native -m P@5 --call 'f(gains)'", "is a backend"),
    ("audit exec:./tool --properties", "may compute many measures"),
    ("schema impcat", "there is no study 'impcat'"),
    ("report none.json", "there is no such file"),
    ("report other.json", "not a result document"),
    ("init --action a/b@v1", "is not a GitHub action"),
    (f"init --action 'a/b@{'0' * 40}\n      - run: ls'", "is not a GitHub action"),
    ("record natve qrels run.fair", "did you mean native?"),
    ("record native qrels run.fair -o absent/recorded.json", "absent"),
    ("record native q r -m AP -o p --check", "'p' has no values of AP record the values first, with the"),
    ("record native q r -o none --check", "there is no file 'none' to compare with record the values first"),
    ("record native q r -o mine --check", "unknown measure 'myown'"),
    ("convert run.fair out.dat", "does not say which format"),
    ("convert run.fair out --to beir", "BEIR has no files of runs"),
    ("convert blanks.csv out.trec --kind run", "id 'a b' does not fit into a line"),
    ("convert both.csv out.trec", "say which: --kind run or --kind qrels"),
    ("convert twice out.csv", "twice:3: document 'a' occurs twice"),
    ("convert nowhere out.csv", "nowhere: there is no such file"),
    (f"diff p p {ON}", "both outputs are the same file"),
    (f"diff p ./p {ON}", "both outputs are the same file"),
    (f"diff p nowhere {ON}", "nowhere: there is no such file"),
    (f"diff p cases {ON}", "cases: this is a directory"),
    (f"diff p r {ON}", "r:1: the line does not have the columns measure, topic and value"),
    (f"diff p map {ON}", "no measure in common"),
    (f"diff p p.other {ON}", "'p' and 'p.other' have no query in common: '1' and 'q1' write the same ids"),
    (f"diff p empty {ON}", "empty: the file is empty"),
    (f"diff p pipe {ON}", "not a regular file"),
    ("diff means p", "saved outputs need both --qrels and --run"),
    ("diff p p.copy", "hold values of queries: saved outputs .* diff p p.copy --qrels QRELS --run RUN"),
    ("diff p nowhere", "nowhere: there is no such file"),
    # Files that cannot be used: with the line, quoted safely, and what was expected.
    (f"--qrels nowhere --run r {GIVEN}", "nowhere: there is no such file"),
    (f"--qrels r --run q {GIVEN}", "r:1:.* were qrels and run swapped?"),
    (f"--qrels q --run r.other {GIVEN}", "has results for none of the judged queries.* 'q1'.* such as '1'"),
    ("cases/surprising --query 77", "query '77' is not judged"),
    ("cases/surprising --query 7", "query '7' is not judged"),
    ("cases/surprising --query 2", "for none of the judged queries that were selected"),
    (f"--qrels q --run r.odd {GIVEN}", r"r.odd:4:.* \x1b[31m\xff"),
    ("evaluate q r.other", "results for none of the judged queries.* check that the run belongs to q and"),
    ("evaluate q r.comma", "r.comma:1: the run line has 1 column .* --format run=qid,docid,_,score, or name"),
    ("evaluate q.json ./q.json", "q.json: the run is the qrels themselves"),
    ("evaluate q.json q.json --workers 2", "q.json: the run is the qrels themselves"),
    ("why q.json q.json AP=1", "q.json: the run is the qrels themselves"),
    ("--qrels q.json --run q.json -b native:gain=binary", "q.json: the run is the qrels themselves"),
    ("nowhere", "nowhere: there is no such file or folder"),
    ("nowhere r", "nowhere: there is no such file expected"),
    ("map map.json", "'map' holds values of measures.* crosscheck diff map B --qrels"),
    ("evaluate q map", "'map' holds values of measures.* crosscheck diff map B --qrels"),
    ("evaluate q map.json", "'map.json' holds values of measures.* crosscheck diff map.json B --qrels"),
    ("ties map.json r", "'map.json' holds values of measures.* crosscheck diff map.json B --qrels"),
    ("evaluate q wide", "wide: the file holds.* --output csv"),
    ("evaluate q tall", "tall: the file holds.* --output csv"),
    (f"diff wide p {ON}", "wide: the file holds.* --output csv"),
    ("diff tall p", "tall: the file holds.* --output csv"),
    ("why q r --table metric.csv", "names run, metric, score.* needs the columns system, measure and value"),
    ("q", "compare files outside a case with run --qrels FILE --run FILE"),
    ("c2 -b native", "case.toml.* did you mean nDCG?"),
    ("c3 -b native", "case.toml.* a case cannot choose this reference"),
    ("c4 -b native", "c4/case.toml:2: .* no file 'recorded.x' in this folder"),
    ("c5 -b native", "c5/case.toml:2: .*nobody"),
    ("c6 -b native -m AP", "c6/case.toml:.*'gian'"),
    ("c7 -b native -m AP", "c7/case.toml:.* did you mean nDCG@10?"),
    ("c8 -b native -m AP", "c8/case.toml:.* unknown measure 'XYZ'"),
    ("c9 -b native", "c9/case.toml:.* needs a cutoff"),
    ("sub -m P@1", "'b' occurs twice under topic '51', on lines 2 and 3 .*alpha_nDCG@10"),
]

NDCG = f"-m nDCG@10 {' '.join(FAST)}"
ABSENT = "cases/agreeing -b native --trec-eval-bin ./nowhere"
WITHOUT = "Inconclusive without trec_eval. .*"
SUB, SHARE = "sub/qrels sub/run.txt", "-m StRecall@1"
TIES = "--reference native --candidate native:ties=docid-asc"
#: Exit code, call and what is said. What is required and absent, or nothing to compare: 3, after what can be
#: compared is reported.
ENDS = [
    (0, f"cases {NDCG} --case agreeing --fail-on mismatch", "1 of 1 comparison agrees"),
    (0, f"cases {NDCG} --case declared", "1 came out as declared"),
    (1, f"cases {NDCG} --case declared --fail-on mismatch", "1 came out as declared"),
    (1, f"cases {NDCG} --case surprising", "1 comparison differs without being declared"),
    (0, f"cases {NDCG} --case surprising --fail-on never", "without judgements: 7"),
    (1, f"cases {NDCG} --verbose", "reports/crosscheck.json (.html, .md)"),
    (1, f"stale -m P@5 {' '.join(FAST)}", "1 declared difference no longer happens"),
    (3, f"{ABSENT} --require trec_eval", f"{WITHOUT} comparisons agree.*github.com/usnistgov"),
    (3, f"{ABSENT} -b trec_eval", f"{WITHOUT} comparisons agree.*github.com/usnistgov"),
    (3, "cases/agreeing -b native --reference native", "nothing was compared"),
    (0, f"compare {TWO} -m RR", "--report json writes all"),
    (0, "agreement qrels assessor", "Both assessors judged 3 documents"),
    (3, "agreement qrels alone", "Nothing was compared"),
    (0, "pool run.fair run.best --depth 2 --qrels qrels -o pool", "The pool is in pool."),
    (0, "gate qrels run.fair run.fair -m RR", "✓ PASS. RR: no value differs."),
    (1, f"gate {TWO} -m RR --alpha 0.2", "✗ FAIL. RR: falls from"),
    (0, f"gate {TWO} -m RR", "✓ PASS. RR: falls from"),
    (3, "gate qrels run.fair empty", "the new run has no results for 6 of 6 judged queries"),
    (0, "ties qrels run.fair -m RR", "No value depends on the order of documents"),
    (3, "ties elsewhere run.fair -m RR", "the run has results for none of the judged queries"),
    # A function gets {query: {subtopic: {docno: level}}}; the protocol of other languages has no subtopics.
    (0, f"sub {SHARE} -b python:mine.py:found --reference native", "agree"),
    (3, f"sub {SHARE} -b exec:cat --reference native", "judgements are per subtopic"),
    (0, f"evaluate {SUB} {SHARE} -q", "51 1.0000 52 1.0000 all 1.0000"),
    (0, f"ties {SUB} {SHARE}", "no order of tied documents is known to give its highest"),
    (0, f"compare {SUB} sub.other {SHARE}", "StRecall@1"),
    (0, f"impact {SUB} sub.other {SHARE} {TIES}", "StRecall@1"),
    # Every option of trec_eval goes to its own parser; two minus signs end its options.
    (1, "trec_eval", "Usage: trec_eval"),
    (0, "trec_eval --help", "crosscheck trec_eval evaluates a run"),
    (0, "trec_eval --version --compat=10", "trec_eval version 10.0 (crosscheck "),
    (1, "trec_eval --no-such-option", "trec_eval: unrecognized option '--no-such-option'"),
    (0, "trec_eval -m map -- q r", "map all 0.7500"),
    (2, "trec_eval -m map -- -q r", "trec_eval.get_qrels: Cannot read qrels file '-q'"),
    # What is recorded may hold other names, and means alone.
    (0, "record native q r -m P@1 -o mine --check", "1 of 1 comparison agrees."),
    (0, "record native q r -m P@1 -o means --check", "1 of 1 comparison agrees."),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All files that the calls name."""
    cases = three_cases(tmp_path)
    loose_files(tmp_path)
    known = (cases / "declared" / "case.toml").read_text().replace("nDCG@10", "P@5")
    write_case(tmp_path / "stale", {"1": {"a": 1, "b": 3}}, [("1", "a", 2.0)], known)
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def ended(folder: Path, call: str, said: str) -> tuple[int, str]:
    """Exit code and stdout of a call that says this."""
    done = crosscheck(folder, *shlex.split(call))
    told = " ".join(f"{done.out} {done.err}".split())
    assert re.search(".*".join(map(re.escape, said.split(".*"))), told), told
    assert "\x1b" not in told
    return done.code, done.out


def held(folder: Path) -> dict[Path, bytes]:
    """What is in it: files with their content."""
    return {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.parametrize(("call", "said"), WRONG, ids=[call for call, _ in WRONG])
def test_a_call_that_cannot_be_made_ends_with_2(folder, call, said):
    """Nothing on stdout, nothing written; stderr says what is wrong and what would be right."""
    before = held(folder)
    assert ended(folder, call, said) == (2, "")
    assert held(folder) == before


@pytest.mark.parametrize(("code", "call", "said"), ENDS, ids=[call for _, call, _ in ENDS])
def test_the_exit_code_follows_from_the_result(folder, code, call, said):
    found, out = ended(folder, call, said)
    assert found == code
    assert call.startswith("trec_eval") or max(map(len, out.splitlines()), default=0) <= 80


def test_names_may_hold_any_bytes(tmp_path):
    """Folders, files, topics and documents that are no UTF-8 or hold escape codes are shown escaped."""
    folder = tmp_path / "c\udcff\x1b[31m"
    write_case(folder, {"1": {"a": 1}}, [("1", "a", 1.0)])
    (folder / "qrels").write_bytes(b"\xfe\x1b[1m 0 a 1\n\xfe\x1b[1m 0 b\xff 3\n2 0 x 1\n")
    (folder / "run").write_bytes(b"\xfe\x1b[1m Q0 a 1 2.0 t\n\xfe\x1b[1m Q0 b\xff 2 1.0 t\n")
    topic = "\udcfe\x1b[1m"
    reports = {"x.json": "json", "x.xml": "junit", "x.md": "markdown"}
    asked = [word for path, form in reports.items() for word in ("--report", f"{form}={path}")]
    for extra in ((), ("--case", folder.name), ("--query", topic)):
        done = crosscheck(tmp_path, folder, "-b", EXPONENTIAL, "-m", "nDCG@10", *extra, *asked)
        assert (done.code, "\\xfe\\x1b[1m" in done.out) == (1, True), done.err
        assert not any(b"\x1b" in (tmp_path / name).read_bytes() for name in reports)
    missing = crosscheck(tmp_path, folder, "-b", "native", "--query", "\udcfd")
    assert (missing.code, "query '\\\\xfd' is not judged" in missing.err) == (2, True)
