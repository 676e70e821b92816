"""Case folders are found, and what is wrong with one is said with file, line and a hint."""

import os

import pytest

from crosscheck.errors import InputError
from crosscheck.formats.cases import find_cases
from crosscheck.formats.topics import read_topics
from crosscheck.model import Expectation, Printed, Published


def make(folder, *files, config=None):
    """A folder with some (almost empty) files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_text("x")
    if config is not None:
        (folder / "case.toml").write_text(config)
    return folder


def failure(paths, only=()):
    """The text of the error."""
    with pytest.raises(InputError) as caught:
        find_cases([str(path) for path in paths], only)
    return str(caught.value)


def test_a_case_is_a_folder_with_qrels_and_runs(tmp_path):
    """Runs and recorded values are sorted by name; backups, hidden and other files do not count."""
    files = "qrels.txt.gz run.b run.a recorded.x README.md topics.csv topics.301-350.txt run.a~ .run.c qrels~"
    folder = make(tmp_path / "ties", *files.split())
    (folder / "runs").mkdir()
    (case,) = find_cases([str(folder)])
    assert case.name == "ties"
    assert case.qrels == str(folder / "qrels.txt.gz")
    assert case.runs == (str(folder / "run.a"), str(folder / "run.b"))
    assert (case.recorded, case.topics) == ((str(folder / "recorded.x"),), str(folder / "topics.csv"))
    assert (case.config, case.measures, case.reference, case.tolerance) == (None, (), None, None)


def test_cases_are_found_once_at_any_depth_and_sorted_by_name(tmp_path, monkeypatch):
    """Hidden folders are skipped, and so is what lies inside a case; paths may overlap. Cases that are not
    wanted are not even read."""
    for place in ("b", "deep/er/a", ".hidden/c", "b/inner"):
        make(tmp_path / place, "qrels", "run")
    make(tmp_path / "empty")
    monkeypatch.chdir(tmp_path / "b")
    paths = [str(tmp_path), str(tmp_path / "deep"), os.path.join("..", "b", ""), "."]
    assert [case.name for case in find_cases(paths)] == ["a", "b"]
    make(tmp_path / "broken", "qrels", "run", config="broken")
    assert [case.name for case in find_cases([str(tmp_path)], ["a", "a"])] == ["a"]


@pytest.mark.parametrize(
    ("files", "paths", "only", "said"),
    [
        (["c/qrels", "c/run~"], ["c"], "", "c: this case has no run"),
        (["c/qrels", "c/qrels.gz", "c/run"], ["c"], "", "c: this case has more than one qrels file"),
        (["c/qrels", "c/run", "c/topics.csv", "c/topics.toml"], ["c"], "", "more than one table of queries"),
        (["c/run"], ["c"], "", "c: there is no case in this folder"),
        (["c/x/y"], ["c"], "", "c: there is no case in this folder"),
        (["c/run", "c/case.toml"], ["."], "", "but no qrels"),
        (["c/qrels", "c/run"], ["c/run"], "", "c/run: this is a file|--qrels FILE --run FILE"),
        ([], ["nowhere"], "", "nowhere: there is no such file or folder"),
        (["x/same/qrels", "x/same/run", "y/same/qrels", "y/same/run"], ["."], "", "x/same|y/same"),
        (["seed-ties/qrels", "seed-ties/run"], ["."], "seed_ties", "did you mean 'seed-ties'?"),
        (["seed-ties/qrels", "seed-ties/run"], ["."], "x", "name one of the cases: seed-ties"),
    ],
)
def test_what_is_no_case_is_named(tmp_path, files, paths, only, said):
    """The folder, and the missing, surplus or misspelt name."""
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    text = failure([tmp_path / path for path in paths], (only,) if only else ())
    assert [part for part in said.split("|") if part not in text] == []


FULL = """\
description = "what it shows"
measures = ["P@10", "nDCG@10"]
reference = "native:trec_eval-10"
tolerance = 1e-6
strict = false

[[expect]]
candidate = "hf-evaluate"
measure = "P@10"
causes = ["tie-breaking", "rank-order"]
reason = "known"
run = "run.a"

[[expect]]
candidate = "mine"
measure = "AP"
outcome = "error"
reason = "crashes"

[[published]]
"P@5" = 0.4
AP = 1
decimals = 4
source = "a paper"
[[published]]
AP = 0.5
run = "run.a"
"""


def test_every_key_of_case_toml(tmp_path):
    """All settings arrive in the case."""
    make(tmp_path / "c", "qrels", "run.a", config=FULL)
    (case,) = find_cases([str(tmp_path)])
    assert case.config == str(tmp_path / "c" / "case.toml")
    assert case.description == "what it shows"
    assert case.measures == ("P@10", "nDCG@10")
    assert (case.reference, case.tolerance, case.strict) == ("native:trec_eval-10", 1e-6, False)
    known = {"causes": ("tie-breaking", "rank-order"), "reason": "known", "run": "run.a"}
    assert case.expectations == (
        Expectation(candidate="hf-evaluate", measure="P@10", **known),
        Expectation(candidate="mine", measure="AP", causes=(), reason="crashes", run=None, outcome="error"),
    )
    assert case.published == (
        Published(values={"P@5": 0.4, "AP": 1.0}, decimals=4, run=None, source="a paper"),
        Published(values={"AP": 0.5}, run="run.a"),
    )


@pytest.mark.parametrize(
    ("written", "value", "decimals"),
    [
        *(("0.2580", 0.258, 4), ('"0.2580"', 0.258, 4), ('" .50 "', 0.5, 2), ("4.993e-1", 0.4993, 4)),
        *(("0.49_93", 0.4993, 4), ("-0.10", -0.1, 2), ("1", 1.0, 0), ("1_000", 1000.0, 0), ("0x10", 16.0, 0)),
        *(("0.5961904761904762", 0.5961904761904762, None), ("0." + "3" * 10_000, 1 / 3, None)),
    ],
)
def test_a_published_number_keeps_the_digits_that_the_file_has(tmp_path, written, value, decimals):
    """As a literal and as text; each number of a table has its own."""
    make(tmp_path / "c", "qrels", "run.a", config=f'[published]\nAP = {written}\n"P@5" = 0.4\n')
    (case,) = find_cases([str(tmp_path)])
    (published,) = case.published
    shown = {name: held.decimals for name, held in published.values.items() if isinstance(held, Printed)}
    assert published.values == {"AP": value, "P@5": 0.4}
    assert shown == {"AP": decimals, "P@5": 1}
    assert (published.decimals, case.strict) == (None, True)


EXPECT = '[[expect]]\ncandidate = "a"\nmeasure = "AP"\ncauses = ["gain"]\nreason = "r"\n'


@pytest.mark.parametrize(
    ("config", "line", "parts"),
    [
        ("# c\ndescripton = 'x'\n", 2, ["no key 'descripton'", "did you mean description?"]),
        ("\n[expects]\na = 1\n", 2, ["no key 'expects'", "did you mean expect?"]),
        (EXPECT + "\n[[expect]]\nmeasur = 'x'\n", 8, ["did you mean measure?"]),
        ("a = [\n  [1],\n]\n", 1, ["no key 'a'"]),
        ("description = 'a\n", 1, ["invalid TOML"]),
        ("description = 5\n", 1, ["description: 5", "a text"]),
        ("measures = 'AP'\n", 1, ["a list of texts"]),
        ("measures = ['AP', 5]\n", 1, ["a list of texts"]),
        ("\ntolerance = -1\n", 2, ["at least 0"]),
        ("strict = 1\n", 1, ["strict: 1", "true or false"]),
        ("[recorded]\n'recorded.x' = 'a'\n", 2, ["no file 'recorded.x'", "whose name begins with recorded"]),
        ("tolerance = nan\n", 1, ["a number"]),
        ("expect = 5\n", 1, ["tables [[expect]]"]),
        ("expect = [5]\n", 1, ["tables [[expect]]"]),
        ("[expect]\ncandidate = 'a'\n", 1, ["tables [[expect]]"]),
        (EXPECT.replace("reason", "#"), 1, ["[[expect]] has no reason"]),
        (EXPECT + EXPECT.replace("candidate", "#").replace('"AP"', '"P@5"'), 6, ["has no candidate"]),
        (EXPECT.replace('"r"', '"  "'), 5, ["not empty"]),
        (EXPECT.replace('["gain"]', "[]"), 4, ["at least one label"]),
        (EXPECT.replace("causes", "#"), 1, ["has no causes"]),
        (EXPECT.replace("\n", "\r\n") + 'outcome = "mismatches"\r\n', 6, ["did you mean mismatch?"]),
        (EXPECT + 'strength = "prooved"\n', 6, ["proved, consistent, per-query, none", "mean proved?"]),
        (EXPECT + "strength = 3\n", 6, ["a text"]),
        (EXPECT + 'strength = "none"\noutcome = "error"\n', 6, ["no key strength"]),
        (EXPECT + 'run = "run.b"\n', 6, ["one of the runs of this case: run.a", "did you mean run.a?"]),
        (EXPECT + EXPECT, 7, ["already have an [[expect]] table"]),
        ("[published]\n", 1, ["holds no number"]),
        ("[published]\nAP = '0.4x'\n", 2, ["AP: '0.4x'", 'a number such as 0.4993 or "0.4993"', "to do: "]),
        ("[published]\n\nAP = ''\n", 3, ["AP: ''", 'a number such as 0.4993 or "0.4993"']),
        ("[published]\nAP = '49.9%'\n", 2, ["AP: '49.9%'", "49.9% as 0.499"]),
        ("[published]\nAP = 'nan'\n", 2, ["AP: 'nan'", "a number"]),
        ("[published]\nAP = -inf\n", 2, ["AP: -inf", "a number"]),
        ("[published]\nAP = 1e400\n", 2, ["AP: inf", "a number"]),
        ("[published]\n'A\x7fP' = 'x'\n".replace("\x7f", "\u202e"), 2, ["A\\u202eP: 'x'"]),
        (f"[published]\nAP = '{'x' * 9999}'\n", 2, ["xxx…' (9999 characters)"]),
        (f"[published]\nAP = {'1' * 9999}\n", 2, ["an integer with thousands of digits"]),
        (f"[published]\nAP = 0x{'f' * 9999}\n", 2, ["AP: an integer with thousands of digits"]),
        (f"[published]\nAP = {'1' * 999}\n", 2, ["AP: 1111", "a number"]),
        (f"tolerance = {'1' * 999}\n", 1, ["tolerance: 1111", "a number"]),
        ("[published]\nP.5 = 0.4\n", 2, ["contains a point in quotes"]),
        ("[published]\nAP = 0.5\ndecimals = 2.5\n", 3, ["number of digits"]),
        ("[published]\nAP = 0.5\nrun = 'x'\n", 3, ["one of the runs"]),
        ("published = 5\n", 1, ["tables [[published]]"]),
        ("# fine\ndescription = '\udcff'\n", 2, ["invalid TOML"]),
        (f"a = {'[' * 5000}", None, ["nested too deeply"]),
    ],
)
def test_an_error_in_case_toml_is_named_with_its_line(tmp_path, config, line, parts):
    """File, line, what is wrong and what would be right."""
    folder = make(tmp_path / "c", "qrels", "run.a")
    (folder / "case.toml").write_bytes(config.encode("utf-8", "surrogateescape"))
    text = failure([folder])
    assert text.startswith(f"{folder / 'case.toml'}:" + (f"{line}: " if line else ""))
    assert [part for part in parts if part not in text] == []
    assert not text.endswith("to do:    ")


CSV = 'query,difficulty,title,new\n301,hard,"crime, organised",true\n302,,polio,false\n'
JSONL = (
    '{"query": "301", "difficulty": "hard", "title": "crime, organised", "new": true}\n\n'
    '{"query": 302, "difficulty": null, "title": "polio", "new": false}\n'
)
TOML = (
    '[301]\ndifficulty = "hard"\ntitle = "crime, organised"\nnew = true\n'
    '[302]\ntitle = "polio"\nnew = false\n'
)
TOML_LIST = (
    '[[topic]]\nquery = 301\ndifficulty = "hard"\ntitle = "crime, organised"\nnew = true\n'
    '[[topic]]\nquery = "302"\ntitle = "polio"\nnew = false\n'
)


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("topics.csv", CSV), ("topics.csv", "\ufeff" + CSV.replace("\n", "\r\n"))),
        *(("topics.jsonl", JSONL), ("topics.toml", TOML), ("topics.toml", TOML_LIST)),
    ],
)
def test_all_ways_of_writing_say_the_same(tmp_path, name, text):
    """Ids are bytes, values are text, and what is empty or null has no group."""
    topics = read_topics(written(tmp_path, name, text))
    assert topics.columns == ("difficulty", "title", "new")
    assert topics.rows == {
        b"301": {"difficulty": "hard", "title": "crime, organised", "new": "true"},
        b"302": {"title": "polio", "new": "false"},
    }
    assert [topics.group(query, "difficulty") for query in (b"301", b"302", b"999")] == ["hard", None, None]


@pytest.mark.parametrize(
    ("head", "id"), [("title,topic", b"b"), ("query,topic", b"a"), ("number,title", b"a")]
)
def test_the_id_column_is_query_or_topic_or_the_first(tmp_path, head, id):
    """A column named query wins, then topic, then the first."""
    assert list(read_topics(written(tmp_path, "topics.csv", f"{head}\na,b\n")).rows) == [id]


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("topics.csv", "query,a\n1,x,y\n", 2, "the line has 3 fields, the header 2"),
        ("topics.csv", "query,a\n1,x\n\n1,y\n", 4, "query '1' occurs twice"),
        ("topics.csv", "query,a\n ,x\n", 2, "a query has no id"),
        ("topics.csv", "query,a,a\n1,x,y\n", 1, "the column 'a' occurs twice in the header"),
        ("topics.csv", 'query,a\n1,"x\n', 2, "invalid CSV"),
        ("topics.csv", "query,a\n", None, "the file holds no query"),
        ("topics.csv", b"query,a\n1,\xff\n", 2, "the text is not UTF-8"),
        ("topics.csv", b"", None, "the file is empty"),
        ("topics.jsonl", '{"query": "1"}\n[1]\n', 2, "is not a JSON object"),
        ("topics.jsonl", '{"query": "1"}\n{"query": \n', 2, "invalid JSON"),
        ("topics.jsonl", '{"query": "1", "a": [1]}\n', 1, "'a' is a list"),
        ("topics.jsonl", '{"query": "\\ud800"}\n', 1, r"query '\\ud800' cannot be written as UTF-8"),
        ("topics.toml", "[301\n", 1, "invalid TOML"),
        ("topics.toml", "a = 1\n", None, "'a' is not a table"),
        ("topics.toml", "[301]\na = {b = 1}\n", None, "'a' is a table"),
        ("topics.txt", "301 hard\n", None, "a table of queries cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, text, line, message):
    """The message names the file, the line and what is wrong."""
    with pytest.raises(InputError, match=message) as caught:
        read_topics(written(tmp_path, name, text))
    assert caught.value.line == line
    assert name in str(caught.value)
