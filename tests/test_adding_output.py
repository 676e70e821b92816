"""A new report format, study or command needs only the files of its recipe."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from tests.adding import commands, copied, insert

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
RECORD = '''
"""The document of the sizes of rankings."""

from dataclasses import dataclass
from typing import Literal

from crosscheck.study_records.base import StudyDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesDocument(StudyDocument):
    """``crosscheck sizes``: how many documents each topic of a run has."""

    study: Literal["sizes"] = "sizes"
    run: str
    documents: dict[str, int]
    summary: str
'''
STUDY = '''
"""The sizes of rankings."""

from crosscheck.formats.trec import read_run
from crosscheck.harness.environment import environment
from crosscheck.studies.named_runs import TOOL
from crosscheck.study_records.sizes import SizesDocument


def run_sizes(path):
    """How many documents each topic of a run has."""
    run = read_run(path)
    sizes = {topic.decode(): int(n) for topic, n in zip(run.topics, run.offsets[1:] - run.offsets[:-1])}
    about = f"The longest ranking has {max(sizes.values())} documents."
    return SizesDocument(tool=TOOL, environment=environment(), run=path, documents=sizes, summary=about)
'''
PAGE = '''
"""The page of ``crosscheck sizes``."""

from crosscheck.report.page import Id, Section, Table
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import columns
from crosscheck.study_records.sizes import SizesDocument


def sizes_page(document):
    """One table."""
    rows = [[Id(topic), str(size)] for topic, size in document.documents.items()]
    sizes = Table("", columns("@topic", "#documents"), rows)
    return study_page(document, "Sizes of rankings", Section("Topics", [sizes]))


KIND = Kind("sizes", SizesDocument, sizes_page, "sizes")
'''
STUDY_COMMAND = '''
"""``crosscheck sizes``."""

import click

from crosscheck.cli.study_output import study_options


@click.command("sizes")
@click.argument("run")
@study_options
def command(reports, run):
    """How many documents each topic of RUN has."""
    from crosscheck.studies.sizes import run_sizes

    with reports.of("sizes"):
        document = run_sizes(run)
    reports.write(document)
    return 0
'''
COMMAND = '''
"""``crosscheck shout``."""

import click

from crosscheck.cli.output import show


@click.command("shout")
@click.argument("word")
def command(word):
    """Print WORD in capitals."""
    show(f"{word.upper()}!\\n")
    return 3
'''
#: Before this line of cli/commands.py there is one for each command.
COMMANDS = '    "ties": "Show how much a score depends on the order of tied documents.",\n'


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


def test_four_files_add_a_study(tmp_path: Path) -> None:
    """``sizes``: in the help, as text, Markdown and JSON that fits the schema printed for it."""
    package = copied(tmp_path)
    (package / "study_records" / "sizes.py").write_text(RECORD, "utf-8")
    (package / "studies" / "sizes.py").write_text(STUDY, "utf-8")
    (package / "report" / "pages" / "sizes.py").write_text(PAGE, "utf-8")
    (package / "cli" / "sizes_command.py").write_text(STUDY_COMMAND, "utf-8")
    insert(package / "cli" / "commands.py", '    "sizes": "Count documents.",\n', after=COMMANDS)
    run_and_qrels(tmp_path)
    helped, text, markdown, written, schema, other = commands(
        tmp_path,
        "--help",
        "sizes case/run.txt",
        "sizes case/run.txt --report markdown=-",
        "sizes case/run.txt --report json",
        "schema sizes",
        "schema nonsense",
    )
    assert "sizes Count documents." in helped.words
    assert "The longest ranking has 2 documents." in text.words
    assert [line.split() for line in text.out.splitlines() if line.split()[:1] in (["1"], ["2"])] == [
        ["1", "2"],
        ["2", "1"],
    ]
    assert markdown.out.startswith("## The longest ranking has 2 documents.\n\nSizes of rankings\n")
    assert "The full report is in reports/sizes.json" in written.words
    document = json.loads((tmp_path / "reports" / "sizes.json").read_text("utf-8"))
    assert list(document)[:2] == ["schema_version", "study"]
    assert document["documents"] == {"1": 2, "2": 1}
    jsonschema.Draft202012Validator(json.loads(schema.out)).validate(document)
    assert (other.code, "sizes" in other.err) == (2, True)


def test_one_file_and_its_line_add_a_command(tmp_path: Path) -> None:
    """``shout``: in the help, with a help of its own, and with its exit code."""
    package = copied(tmp_path)
    (package / "cli" / "shout_command.py").write_text(COMMAND, "utf-8")
    insert(package / "cli" / "commands.py", '    "shout": "Say it loud.",\n', after=COMMANDS)
    helped, own, shouted, misused = commands(tmp_path, "--help", "shout --help", "shout word", "shout")
    assert "shout Say it loud." in helped.words
    assert "shout [OPTIONS] WORD Print WORD in capitals." in own.words
    assert (shouted.code, shouted.out) == (3, "WORD!\n")
    assert misused.code == 2
