"""What is new needs only the files of its recipe in ARCHITECTURE.md: added to a copy of the package."""

import json

import jsonschema

from tests.support.adding import commands, copied, insert, python

MEASURE = '''
"""Rank of the first relevant document."""

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.measures.base import Family


def first_rank(judged, conventions, measure):
    """1-based rank, 0.0 where nothing relevant was retrieved."""
    topic, rank = judged.relevant(conventions[RELEVANCE_LEVEL], measure.cutoff)
    result = np.zeros(judged.num_topics)
    result[topic[::-1]] = rank[::-1]
    return result


SUMMARY = "rank of the first relevant document"
FAMILIES = (Family(name="FirstRank", compute=first_rank, summary=SUMMARY, cutoff="optional"),)
'''
BACKEND = '''
"""Everything is one half."""

from crosscheck.backends.base import Backend, BackendFactory, Description
from crosscheck.model import MeasureValues


class Half(Backend):
    id = "half"
    isolated = False
    conventions = None

    def describe(self):
        return Description(id="half", version="1", engine="one half", available=True)

    def supports(self, measure):
        return True

    def evaluate(self, qrels, run, measures):
        return {m: MeasureValues(dict.fromkeys(run.topics, 0.5), None, "one half") for m in measures}


FACTORY = BackendFactory(
    usage="half", summary="one half, whatever is asked", make=lambda argument, options: Half()
)
'''
AXIS = '''
"""The number of the first rank."""

from crosscheck.axes.base import Axis, Numbers

RR_BASE: Axis[int] = Axis(
    name="rr_base",
    default=1,
    numbers=Numbers(least=0, none=False),
    label="rank-base",
    priority=40,
    summary="reciprocal rank counts ranks from 0",
    clause="ranks are counted from {}",
    words={"n": "{n}"},
    prose="trec_eval counts ranks from 1. Code that takes an index for a rank counts from 0.",
    qrels=("1 0 a 1",),
    run=("1 Q0 x 1 3.0 tag", "1 Q0 y 2 2.0 tag", "1 Q0 a 3 1.0 tag"),
    means=(("RR", "", 0.3333), ("RR", "rr_base=0", 0.5)),
    says="RR = {}; {} counted from 0.",
    way_out="count from 1.",
    needs="first relevant documents below rank 2",
    tried=lambda view: [0, 1],
    gate=lambda view: view.over_all_topics(view.num_rel_ret() > view.num_rel_ret(1)),
)
'''
#: What reads the axis: in the file of the formula its import, the lines themselves, also for ties without an
#: order, and its name among the reads.
FORMULA = [
    ("RR_OF, RrOf\n", "RR_OF, RrOf\nfrom crosscheck.axes.rr_base import RR_BASE\n"),
    ("    value = 1.0 / rank\n", "    value = 1.0 / np.maximum(rank - 1 + conventions[RR_BASE], 1)\n"),
    ("(start + 1 + place)", "np.maximum(start + place + conventions[RR_BASE], 1)"),
    ("reads=(RR_CUTOFF, RR_OF)", "reads=(RR_CUTOFF, RR_OF, RR_BASE)"),
]
METRIC = """
def from_zero(qrels, run):
    ranked = {q: sorted(row, key=lambda d: (row[d], d), reverse=True) for q, row in run.items() if q in qrels}
    hits = {q: [i for i, doc in enumerate(docs) if qrels[q].get(doc, 0) > 0] for q, docs in ranked.items()}
    return {q: 1 / max(places[0], 1) if places else 0.0 for q, places in hits.items()}
"""
PROGRAM = """
import crosscheck

run = {q: {d: 9.0 - i for i, d in enumerate("abcdefg")} for q in "123456"}
qrels = {q: {d: 1} for q, d in zip("123456", "acdgef")}
for setting in ("rr_base=1", "rr_base=0", "rr_base=0,ties=average", "rr_base=0,ties=input"):
    print(sorted(of["RR"] for of in crosscheck.evaluate(qrels, run, ["RR"], conventions=setting).values()))
theirs = {q: of["RR"] for q, of in crosscheck.evaluate(qrels, run, ["RR"], conventions="rr_base=0").items()}
found = crosscheck.diagnose(qrels, run, "RR", theirs)
print(found.causes, found.conventions, found.explanation)
print(crosscheck.diagnose(qrels, run, "P@5", {q: 0.123 for q in "123456"}).causes)
"""

FORMAT = '''
"""The verdict, the findings and the titles of tables, a line each."""

from crosscheck.report.page import Table, walk


def flat(text):
    return text if isinstance(text, str) else "".join(text)


def render(page, options):
    """Blocks and nothing else."""
    tables = [",".join(flat(c.title) for c in b.columns) for b in walk(page.blocks) if isinstance(b, Table)]
    told = [page.verdict.sentence, *(found.text for found in page.verdict.findings)]
    return "".join(f"{line}\\n" for line in [page.kind, *map(flat, told), *tables])
'''
#: In FORMATS of report/__init__.py, which is sorted.
FORMAT_LINE = '    "comma": Format("comma_report", "csv"),\n'
STUDY = '''
"""How many documents each topic of RUN has."""

from typing import Literal

from crosscheck.formats.trec import read_run
from crosscheck.harness.document import made_by
from crosscheck.report.page import Section
from crosscheck.report.tables import table
from crosscheck.studies.base import StudyDocument, study, study_page
from crosscheck.studies.options import argument


class SizesDocument(StudyDocument, frozen=True, kw_only=True):
    """``crosscheck sizes``."""

    study: Literal["sizes"] = "sizes"
    run: str
    documents: dict[str, int]
    summary: str


def sizes(run):
    """How many documents each topic of a run has."""
    read = read_run(run)
    ends = zip(read.topics, read.offsets[1:] - read.offsets[:-1])
    documents = {topic.decode(): int(number) for topic, number in ends}
    summary = f"The longest ranking has {max(documents.values())} documents."
    return SizesDocument(**made_by(), run=run, documents=documents, summary=summary)


def _page(document):
    topics = [*document.documents.items()]
    columns = ("@topic", lambda row: row[0]), ("#documents", lambda row: row[1])
    return study_page(document, "Sizes of rankings", Section("Topics", [table("", topics, *columns)]))


STUDY = study(SizesDocument, sizes, _page, argument("run"))
'''
#: Before these lines of registry.py and cli/commands.py there is one for each study and command.
STUDIES = '    "ties": "Show how much a score depends on the order of tied documents.",\n'
RUN = "1 Q0 a 1 2.0 tag,1 Q0 b 2 1.0 tag,2 Q0 a 1 2.0 tag"


def case_of(folder, qrels, run):
    """A case from lines without their endings, apart by commas."""
    case = folder / "case"
    case.mkdir()
    for name, lines in (("qrels", qrels), ("run.txt", run)):
        (case / name).write_text("".join(f"{line}\n" for line in lines.split(",")), "utf-8")


def test_a_measure_and_a_backend_are_a_file_each(tmp_path):
    """Two new files are found by names, harness and command line; RR of rank 2 is one half, on which the new
    backend agrees."""
    package = copied(tmp_path)
    (package / "measures" / "first_rank.py").write_text(MEASURE, "utf-8")
    (package / "backends" / "half.py").write_text(BACKEND, "utf-8")
    case_of(tmp_path, "1 0 a 1", "1 Q0 b 1 2.0 tag,1 Q0 a 2 1.0 tag")
    (done,) = commands(tmp_path, "run case -m FirstRank,RR -b half --reference native --report text --quiet")
    assert done.code == 1, done
    row = next(line for line in done.out.splitlines() if line.split()[:1] == ["FirstRank"])
    assert row.split()[1:3] == ["2.0000", "0.5000"]
    assert "1 of 2 comparisons agree" in done.words


def test_an_axis_is_a_file_its_name_and_its_use_in_a_formula(tmp_path):
    """``rr_base``: values under it in every order of ties, its diagnosis, explanation, report and audit."""
    package = copied(tmp_path)
    (package / "axes" / "rr_base.py").write_text(AXIS, "utf-8")
    insert(package / "axes" / "base.py", '    "rr_base": ("rr_base",),\n', after="FILES = {\n")
    formula = package / "measures" / "users.py"
    for before, after in FORMULA:
        text = formula.read_text("utf-8")
        assert text.count(before) == 1
        formula.write_text(text.replace(before, after), "utf-8")
    (tmp_path / "metric.py").write_text(METRIC, "utf-8")
    done = python(tmp_path, "-c", PROGRAM)
    assert done.stderr == ""
    one, zero, averaged, unaltered, diagnosis, other = done.stdout.splitlines()
    assert one == str(sorted(1 / rank for rank in (1, 3, 4, 7, 5, 6)))
    assert zero == averaged == unaltered == str(sorted(1 / rank for rank in (1, 2, 3, 6, 4, 5)))
    assert diagnosis == "['rank-base'] {'rr_base': 0} ranks are counted from 0 instead of 1."
    assert other == "['unexplained']"

    lines = [f"{q} Q0 {d} {i} {9 - i} tag" for q in range(1, 5) for i, d in enumerate("abcdefg", 1)]
    case_of(tmp_path, ",".join(f"{q} 0 {d} 1" for q, d in enumerate("acdg", 1)), ",".join(lines))
    explained, profile, report, audit = commands(
        tmp_path, "explain rank-base", "profiles rr_base=0",
        "run case -m RR -b python:metric.py:from_zero --reference native --report text --quiet",
        "audit metric.py:from_zero -m RR",
    )  # fmt: skip
    assert explained.out.startswith("rank-base: reciprocal rank counts ranks from 0\naxis: rr_base\n")
    assert explained.out.endswith("RR = 0.3333; 0.5 counted from 0.\nWay out: count from 1.\n")
    assert "rr_base 0" in profile.words
    for found, said in (
        (report, ("rank-base", "ranks are counted from 0 instead of 1", "rr_base=0")),
        (audit, ("rr_base", "rank-base: ranks are counted from 0 instead of 1. Way out: count from 1.")),
    ):
        assert found.code == 1, found
        assert all(text in found.words for text in said)


def test_a_report_format_is_a_file_and_its_line(tmp_path):
    """``comma``: of runs, audits and studies, in their help, to stdout or to the file of its extension,
    from a saved document as well, and suggested."""
    package = copied(tmp_path)
    (package / "report" / "comma_report.py").write_text(FORMAT, "utf-8")
    insert(package / "report" / "__init__.py", FORMAT_LINE, after="FORMATS = {\n")
    case_of(tmp_path, "1 0 a 1,2 0 a 1", RUN)
    call = "run case -m RR,P@1 --reference native -b native:ties=input --quiet --report"
    names = ("run", "diff", "audit", "ties", "compare", "impact", "agreement", "pool", "report")
    printed, written, saved, again, ties, audit, mistyped, *helped = commands(
        tmp_path,
        *(
            f"{call} comma=-",
            f"{call} comma",
            f"{call} json",
            "report reports/crosscheck.json --report comma=-",
        ),
        "ties case/qrels case/run.txt -m RR --report comma=-",
        "audit native -m P@1 --quiet --report comma=-",
        f"{call} coma",
        *(f"{name} --help" for name in names),
    )
    for text in helped:
        assert "comma, github, html, json, junit, markdown or text, repeatable" in text.words
    assert printed.out.startswith("run\nAs expected. 2 of 2 comparisons agree.\ntool,cause,times,declared\n")
    assert (tmp_path / "reports" / "crosscheck.csv").read_text("utf-8") == printed.out
    assert (written.code, saved.code, again.out) == (0, 0, printed.out)
    assert ties.out.splitlines()[0::2][:1] == ["ties"]
    assert "measure,open,value,worst,best,expected" in ties.out
    assert audit.out.startswith("audit\nnative agrees with trec_eval-9.0.8 on P@1: ")
    assert (mistyped.code, "did you mean comma?" in mistyped.err) == (2, True)


def test_a_study_is_a_file_and_its_line(tmp_path):
    """``sizes``: in the help, in Python, as text, Markdown and JSON that fits the schema printed for it."""
    package = copied(tmp_path)
    (package / "studies" / "sizes.py").write_text(STUDY, "utf-8")
    insert(package / "registry.py", '    "sizes": "Count documents.",\n', after=STUDIES)
    case_of(tmp_path, "1 0 a 1,2 0 a 1", RUN)
    helped, own, text, markdown, written, again, schema, other = commands(
        tmp_path,
        *("--help", "sizes --help", "sizes case/run.txt", "sizes case/run.txt --report markdown=-"),
        *("sizes case/run.txt --report json", "report reports/sizes.json", "schema sizes", "schema nonsense"),
    )
    assert "sizes Count documents." in helped.words
    assert "sizes [OPTIONS] RUN How many documents each topic of RUN has." in own.words
    assert "The longest ranking has 2 documents." in text.words
    rows = [line.split() for line in text.out.splitlines()]
    assert [row for row in rows if row[:1] in (["1"], ["2"])] == [["1", "2"], ["2", "1"]]
    assert markdown.out.startswith("## The longest ranking has 2 documents.\n\nSizes of rankings\n")
    assert "The full report is in reports/sizes.json" in written.words
    assert again.out == text.out
    document = json.loads((tmp_path / "reports" / "sizes.json").read_text("utf-8"))
    assert list(document)[:2] == ["schema_version", "study"]
    assert document["documents"] == {"1": 2, "2": 1}
    jsonschema.Draft202012Validator(json.loads(schema.out)).validate(document)
    assert (other.code, "sizes" in other.err) == (2, True)
    shown = "import crosscheck; print(crosscheck.sizes('case/run.txt').documents)"
    assert python(tmp_path, "-c", shown).stdout == "{'1': 2, '2': 1}\n"
