"""A new report format, study or command needs only the files of its recipe."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from tests.support.adding import commands, copied, insert, python

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
COMMAND = '''
"""``crosscheck shout``."""

from crosscheck.cli.options import command
from crosscheck.cli.output import show
from crosscheck.studies.options import argument


@command(argument("word"))
def shout(word):
    """Print WORD in capitals."""
    show(f"{word.upper()}!\\n")
    return 3
'''
#: Before these lines of registry.py and cli/commands.py there is one for each study and command.
STUDIES = '    "ties": "Show how much a score depends on the order of tied documents.",\n'
COMMANDS = '    "init": "Write a first case and a GitHub workflow.",\n'


def run_and_qrels(folder: Path) -> None:
    """A case of two topics."""
    case = folder / "case"
    case.mkdir()
    (case / "qrels").write_text("1 0 a 1\n2 0 a 1\n", "utf-8")
    (case / "run.txt").write_text("1 Q0 a 1 2.0 tag\n1 Q0 b 2 1.0 tag\n2 Q0 a 1 2.0 tag\n", "utf-8")


def test_one_file_and_its_line_add_a_report_format(tmp_path: Path) -> None:
    """``comma``: of runs, audits and studies, in their help, to stdout or to the file of its extension,
    from a saved document as well, and suggested."""
    package = copied(tmp_path)
    (package / "report" / "comma_report.py").write_text(FORMAT, "utf-8")
    insert(package / "report" / "__init__.py", FORMAT_LINE, after="FORMATS = {\n")
    run_and_qrels(tmp_path)
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
    assert printed.out.startswith("run\nAs expected. 2 of 2 comparisons agree.\n,tool,compared,agree\n")
    assert (tmp_path / "reports" / "crosscheck.csv").read_text("utf-8") == printed.out
    assert (written.code, saved.code, again.out) == (0, 0, printed.out)
    assert ties.out.splitlines()[0::2][:1] == ["ties"]
    assert "measure,open,value,worst,best,expected" in ties.out
    assert audit.out.startswith("audit\nnative agrees with trec_eval-9.0.8 on P@1: ")
    assert (mistyped.code, "did you mean comma?" in mistyped.err) == (2, True)


def test_one_file_and_its_line_add_a_study(tmp_path: Path) -> None:
    """``sizes``: in the help, in Python, as text, Markdown and JSON that fits the schema printed for it."""
    package = copied(tmp_path)
    (package / "studies" / "sizes.py").write_text(STUDY, "utf-8")
    insert(package / "registry.py", '    "sizes": "Count documents.",\n', after=STUDIES)
    run_and_qrels(tmp_path)
    helped, own, text, markdown, written, again, schema, other = commands(
        tmp_path,
        "--help",
        "sizes --help",
        "sizes case/run.txt",
        "sizes case/run.txt --report markdown=-",
        "sizes case/run.txt --report json",
        "report reports/sizes.json",
        "schema sizes",
        "schema nonsense",
    )
    assert "sizes Count documents." in helped.words
    assert "sizes [OPTIONS] RUN How many documents each topic of RUN has." in own.words
    assert "The longest ranking has 2 documents." in text.words
    assert [line.split() for line in text.out.splitlines() if line.split()[:1] in (["1"], ["2"])] == [
        ["1", "2"],
        ["2", "1"],
    ]
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


def test_one_file_and_its_line_add_a_command(tmp_path: Path) -> None:
    """``shout``: in the help, with a help of its own, and with its exit code."""
    package = copied(tmp_path)
    (package / "cli" / "shout.py").write_text(COMMAND, "utf-8")
    insert(package / "cli" / "commands.py", '    "shout": "Say it loud.",\n', after=COMMANDS)
    helped, own, shouted, misused = commands(tmp_path, "--help", "shout --help", "shout word", "shout")
    assert "shout Say it loud." in helped.words
    assert "shout [OPTIONS] WORD Print WORD in capitals." in own.words
    assert (shouted.code, shouted.out) == (3, "WORD!\n")
    assert misused.code == 2
