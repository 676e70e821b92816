"""[tool.crosscheck] in pyproject.toml sets what the command line leaves open."""

import json
from pathlib import Path

import pytest

from crosscheck.cli.output import say
from crosscheck.errors import InputError
from crosscheck.harness import Settings
from crosscheck.harness.settings import Project, read_project
from tests.cli.command import EXPONENTIAL, crosscheck, three_cases


def _write(folder: Path, table: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(f'[project]\nname = "x"\n\n[tool.crosscheck]\n{table}', "utf-8")


def test_the_nearest_table_is_read(tmp_path, monkeypatch, capsys):
    """A pyproject.toml without the table is passed over, and one further up than another is not read; that
    of a case folder is named and passed over: it could name code to be run."""
    _write(tmp_path, 'backends = ["sklearn"]')
    _write(tmp_path / "a", 'backends = ["native"]\ntimeout = 7\nfail-on = "never"\nmeasures = ["P_5"]')
    _write(tmp_path / "a" / "b" / "case", 'backends = ["python:evil.py:f"]')
    (tmp_path / "a" / "b" / "case" / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "a" / "b" / "pyproject.toml").write_text("[tool.ruff]\n")
    passed = "crosscheck: pyproject.toml is not read, because it is in a case folder\n"
    for folder, said in (("a", ""), ("a/b", ""), ("a/b/case", passed)):
        monkeypatch.chdir(tmp_path / folder)
        assert read_project(say, quiet=True) == Project(("native",), ("P_5",), "never", 7.0)
        assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('backend = ["native"]', "there is no key 'backend' here\n  expected: one of backends, measures, "),
        ('backend = ["native"]', "\n  to do:    did you mean backends?"),
        ('fail-on = "nver"', "did you mean never?"),
        ("timeout = 0", "a number of seconds above 0"),
        ("timeout = true", "timeout: True\n  expected: a number"),
        ('measures = ["nDGC@10"]', "nDGC@10"),
        ('measures = "nDCG@10"', "a list of texts"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, monkeypatch, table, message):
    """The message names the file, the line in its table, and what is near."""
    _write(tmp_path, f"\n{table}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        read_project(say, quiet=True)
    assert (message in str(caught.value), caught.value.line) == (True, 6)


def test_the_option_goes_before_the_time_limit_of_the_project(tmp_path, monkeypatch):
    """Whether it is shorter or longer."""
    asked: list[float] = []

    def run_with(cases: object, settings: Settings, **others: object) -> None:
        asked.append(settings.options.timeout)
        raise KeyboardInterrupt

    three_cases(tmp_path)
    _write(tmp_path, "timeout = 7")
    monkeypatch.setattr("crosscheck.harness.run_with", run_with)
    for option in ([], ["--timeout", "2.5"], ["--timeout", "900"]):
        assert crosscheck(tmp_path, "cases", "--quiet", *option).code == 130
    assert asked == [7.0, 2.5, 900.0]


def test_the_command_line_and_the_case_go_first(tmp_path):
    """Settings give backends, measures and the exit code; case.toml and options go before them."""
    cases = three_cases(tmp_path)
    (cases / "agreeing" / "case.toml").write_text('measures = ["RR"]\n')
    _write(tmp_path, f'backends = ["{EXPONENTIAL}"]\nmeasures = ["nDCG@10"]\nfail-on = "never"\n')
    done = crosscheck(tmp_path, "cases", "--report", "json=-")
    assert (done.code, "settings of pyproject.toml: backends, measures, fail-on" in done.err) == (0, True)
    compared = {c["case"]: (c["measure"], c["candidate"]) for c in json.loads(done.out)["comparisons"]}
    assert compared.pop("agreeing") == ("RR", EXPONENTIAL)
    assert compared == dict.fromkeys(("declared", "surprising"), ("nDCG@10", EXPONENTIAL))
    options = ("-b", "native:gain=binary", "-m", "nDCG@5", "--fail-on", "mismatch", "--quiet")
    given = crosscheck(tmp_path, "cases", *options, "--report", "json=-")
    found = {(c["measure"], c["candidate"]) for c in json.loads(given.out)["comparisons"]}
    assert (given.code, given.err, found) == (1, "", {("nDCG@5", "native:gain=binary")})
