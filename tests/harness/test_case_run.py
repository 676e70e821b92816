"""Claims about runs that are too large to be held: judged in blocks, and given to backends in parts."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from crosscheck.backends.guarded import Guarded
from crosscheck.engine import streaming
from crosscheck.errors import InputError
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, case_run, run_with
from crosscheck.results import Document
from tests.harness.data import SHAPES, write_case, write_random
from tests.support.cases import FIXTURES

#: The reference agrees with the first and differs from the second; the third gives missing queries a value.
BACKENDS = ("native", "native:gain=exponential", "ir-measures")
MEASURES = ("AP", "nDCG@10", "P@5", "gm_map")


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of topics of each part that a backend was given from here on."""
    given: list[int] = []
    real = Guarded.evaluate_parts

    def counted(self, parts, measures, **facts):
        parts = list(parts)
        both = [{topic for one in side for topic in one.topics} for side in zip(*parts, strict=True)]
        assert facts == {"same_queries": both[0] == both[1]}
        found = real(self, parts, measures, **facts)
        if found is not None:
            given.extend(len(run.topics) for _, run in parts)
        return found

    monkeypatch.setattr(Guarded, "evaluate_parts", counted)
    return given


def compared(
    folder: Path, *backends: str, large: bool, block: int = 700, measures: tuple[str, ...] = MEASURES
) -> Document:
    """All cases of a folder; ``large`` as if every run was."""
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr(case_run, "_LARGE", 0)
            patch.setattr(case_run, "_BLOCK", block)
            read = partial(streaming.Reading.of, block_bytes=block)
            patch.setattr(case_run, "Reading", SimpleNamespace(of=read))
        cases = find_cases([str(folder)])
        return run_with(cases, Settings(backends=backends or BACKENDS, measures=measures))


def test_a_large_run_has_the_document_of_any_other(tmp_path, parts):
    """Values, means, notes, diagnoses and evidence, to the last bit, whatever the blocks."""
    for seed, name in enumerate(("shallow", "deep", "disorder", "sparse")):
        write_random(tmp_path / name, seed, replace(SHAPES[name], queries=10))
    whole = compared(tmp_path, large=False)
    assert {c.outcome for c in whole.comparisons} == {"match", "mismatch", "unsupported"}
    assert not parts
    for block in (700, 1 << 20):
        parts.clear()
        assert compared(tmp_path, large=True, block=block) == whole
        assert parts


def test_where_all_agree_the_run_is_never_held(tmp_path, parts, monkeypatch):
    """Not as a whole, neither here nor by a backend, nor for saved numbers."""
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(30)}
    write_case(tmp_path / "case", qrels, [(q, d, s) for q in qrels for d, s in (("a", 2), ("b", 1))])
    saved = tmp_path / "saved"
    saved.write_text("".join(f"P_5\t{topic}\t0.2000\n" for topic in [*qrels, "all"]))
    monkeypatch.setattr(case_run, "read_run", None)
    document = compared(tmp_path, "native", "ir-measures", f"recorded:{saved}", large=True, block=64)
    assert {c.outcome for c in document.comparisons} == {"match", "unsupported"}
    assert len(parts) > 5


def test_what_takes_long_is_said(tmp_path, monkeypatch):
    """Each part of a large run, and each difference before it is looked into; of any other run, nothing."""
    write_random(tmp_path / "case", 3, SHAPES["shallow"])
    settings = Settings(backends=("native", "native:gain=exponential"), measures=("nDCG@10",))
    monkeypatch.setattr(case_run, "_BLOCK", 300)
    parts = [f"case: run, query {number} of 8" for number in (0, 4, 7)]
    reason = "case: run: looking for the reason why native:gain=exponential differs in nDCG@10"
    for least, more in ((0, [*parts, reason]), (1 << 40, [])):
        monkeypatch.setattr(case_run, "_LARGE", least)
        said: list[str] = []
        run_with(find_cases([str(tmp_path)]), settings, progress=said.append)
        assert said == ["case: run (1 of 1)", *more]


def test_a_difference_is_explained_without_the_whole_run(tmp_path, monkeypatch):
    """Gain, ties, unjudged documents, evidence and fresh inputs: the same document, and no
    rows are read but in parts, also where few rows and orders are held."""
    write_random(tmp_path / "case", 7, replace(SHAPES["deep"], queries=15, depth=(20, 60)))
    under = ("gain=exponential", "ties=input", "unjudged=removed")
    backends = ("native", *(f"native:{axes}" for axes in under))
    whole = compared(tmp_path, *backends, large=False, measures=("nDCG@10",))
    causes = {cause for c in whole.comparisons if c.diagnosis for cause in c.diagnosis.causes}
    assert causes >= {"gain", "tie-breaking", "unjudged-documents"}
    monkeypatch.setattr(case_run, "read_run", None)
    monkeypatch.setattr(streaming, "read_run", None)
    for few in (False, True):
        for name in ("_HELD", "_FEW", "_ENTRIES", "_TOGETHER") if few else ():
            monkeypatch.setattr(streaming, name, 2)
        assert compared(tmp_path, *backends, large=True, block=9000, measures=("nDCG@10",)) == whole


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", sorted(path.parent.name for path in FIXTURES.glob("*/case.toml")))
def test_labels_of_large_runs_are_those_of_any_other(name):
    """Documents of fixtures, whose saved outputs differ for each reason that has a name."""
    whole, large = (compared(FIXTURES / name, "native", large=large, measures=()) for large in (False, True))
    assert large == whole


@pytest.mark.parametrize(
    ("change", "in_parts"),
    [
        pytest.param(lambda text: "\ufeff" + text, True, id="byte order mark"),
        pytest.param(lambda text: text.replace(" 1 ", " first ", 1), False, id="odd rank"),
        pytest.param(lambda text: f"{text[:-1]}2\n", False, id="two tags"),
        pytest.param(lambda text: "".join(sorted(text.splitlines(True), key=lambda line: line[-9:])), False,
                     id="topics in pieces"),
        pytest.param(lambda text: '{"1": {"a": 1.0}, "2": {"c": 0.5}}', False, id="JSON"),
        pytest.param(lambda text: f"{text}1 Q0 a 1 x t\n", None, id="bad score"),
        pytest.param(lambda text: f"{text}1 Q0 a\n", None, id="short line"),
        pytest.param(lambda text: f"{text}zz Q0 c 1 2.0 t\nzz Q0 c 2 1.0 t\n", None, id="document twice"),
    ],
)  # fmt: skip
def test_what_must_be_read_as_a_whole_is(tmp_path, parts, change, in_parts):
    """Notes about a file come out the same, and errors with their lines; no topic is split."""
    run = write_random(tmp_path / "case", 2, SHAPES["shallow"]) / "run"
    run.write_text(change(run.read_text()), "utf-8")

    def outcome(large: bool) -> object:
        try:
            return compared(tmp_path, large=large)
        except InputError as error:
            return str(error)

    found = outcome(large=True)
    assert found == outcome(large=False)
    assert isinstance(found, str) is (in_parts is None)
    assert bool(parts) is bool(in_parts) or in_parts is None


def test_a_reference_that_fails_on_a_part_is_asked_about_the_whole(tmp_path):
    """Its error names the first query of all, wherever the file has it."""
    qrels = {"1": {"a": -1}, "2": {"b": 1}, "3": {"c": -1}}
    run = [(topic, doc, 1.0) for topic in "321" for doc in ("a", "b", "c", "d", "e")]
    write_case(tmp_path / "case", qrels, run)
    document = compared(tmp_path, "native", large=True, block=64)
    assert document == compared(tmp_path, "native", large=False)
    assert "every judgement of query '1' is negative" in str(document.comparisons[0].message)
