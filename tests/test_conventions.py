"""Sets of conventions as values: equal, hashable, immutable, and with unknown axes."""

import copy
import pickle
import subprocess
import sys

import pytest

import crosscheck
from crosscheck import conventions as module
from crosscheck.auditing.fingerprint import nearest_profile
from crosscheck.axes.base import Stage
from crosscheck.axes.gains import GAIN, IDEAL, Gain
from crosscheck.axes.judging import DEPTH
from crosscheck.axes.ties import TIES, Ties
from crosscheck.conventions import Conventions, Profile, conventions, profiles
from crosscheck.errors import UsageError
from crosscheck.model import Measure
from tests.support.kept import REMEDY, Kept

QRELS, RUN = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}


def test_sets_are_equal_where_their_values_are():
    """However they came about; equal sets have one hash."""
    made = Conventions(gain="exponential", ties="input")
    same = Conventions(ties=Ties.INPUT).having(GAIN, Gain.EXPONENTIAL).having(DEPTH, None)
    assert made == same
    assert hash(made) == hash(same)
    assert made != Conventions(gain="exponential")
    assert made.with_changes(gain="linear", ties="docid-desc") == Conventions()
    assert made != "gain=exponential"
    assert len({made, same, Conventions(), Conventions(depth=None)}) == 2


def test_nothing_changes_a_set():
    """There is no attribute of an axis."""
    with pytest.raises(AttributeError, match="a Conventions object cannot be changed"):
        Conventions().gain = "linear"  # type: ignore[attr-defined]


def test_copies_and_pickles_are_equal():
    """Workers get their conventions pickled; axes stay the very objects they are."""
    made = conventions("ranx,depth=7")
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other == made
        assert hash(other) == hash(made)
        assert other[TIES] is Ties.QUICKSORT
    assert pickle.loads(pickle.dumps(GAIN)) is GAIN


AXES = {"GAIN": GAIN, "DEPTH": DEPTH, "TIES": TIES, "Stage": Stage}
EXAMPLES = Kept(__file__, conventions=conventions, Conventions=Conventions, **AXES)


def test_examples():
    """Texts of conventions that are refused, changes, stages and values of sets."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


@pytest.fixture
def gap(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Profile:
    """A profile whose ideal list is unknown."""
    with open(module.__file__.replace("conventions.py", "profiles.toml"), encoding="utf-8") as file:
        known = file.read()
    (tmp_path / "profiles.toml").write_text(
        f'{known}\n[gap]\ngain = "exponential"\nideal = "unknown"\n'
        'description = "made up"\nevidence = "read"\nsource = "this test"\n'
        '[heir]\nbase = "gap"\nideal = "retrieved"\n'
        'description = "made up"\nevidence = "read"\nsource = "this test"\n',
        "utf-8",
    )
    monkeypatch.setattr(module, "__file__", str(tmp_path / "conventions.py"))
    profiles.cache_clear()
    yield profiles()["gap"]
    profiles.cache_clear()


def test_an_unknown_axis_is_not_as_in_trec_eval(gap):
    """It equals no set that has a value; a setting, or a profile made from it, fills the gap."""
    known = Conventions(gain="exponential")
    assert gap.conventions.unknown == [IDEAL]
    assert gap.conventions != known
    assert gap.conventions.changes_from(known) == {"ideal": "unknown"}
    assert known.changes_from(gap.conventions) == {"ideal": "qrels"}
    assert conventions("gap,ideal=qrels") == known
    assert profiles()["heir"].conventions == known.with_changes(ideal="retrieved")
    assert pickle.loads(pickle.dumps(gap.conventions)) == gap.conventions


def test_what_reads_an_unknown_axis_cannot_be_computed(gap):
    """The error says which and how to fill it; other measures are computed."""
    with pytest.raises(UsageError) as refused:
        crosscheck.evaluate(QRELS, RUN, ["nDCG"], conventions="gap")
    assert str(refused.value) == (
        "the conventions leave ideal open, and the measure depends on it\n  set it, for example ideal=qrels"
    )
    assert crosscheck.evaluate(QRELS, RUN, ["DCG", "RR"], conventions="gap") == crosscheck.evaluate(
        QRELS, RUN, ["DCG", "RR"], conventions="gain=exponential"
    )
    assert crosscheck.evaluate(QRELS, RUN, ["nDCG"], conventions="gap,ideal=qrels")


def test_a_gap_is_said(gap):
    """By ``crosscheck profiles``, as a difference from any value, and in the profile nearest to a metric."""
    from crosscheck.cli.about import _axes, _difference

    assert "ideal                  unknown" in _axes("gap")
    assert any(line.split() == ["ideal", "unknown", "qrels"] for line in _difference("gap", "ranx-burges"))
    measure, visible = Measure("nDCG"), ["gain", "ideal"]
    assert nearest_profile(measure, Conventions(gain="exponential"), {}, visible).name not in ("gap", "heir")
    only = nearest_profile(measure, gap.conventions.with_changes(ideal="max-grade"), {}, visible)
    assert only.differs == ["ideal"]


def test_trec_evals_own_conventions_import_no_axis():
    """Unchanged axes are not loaded; a setting loads its own axis."""
    code = (
        "import sys, crosscheck.conventions as c; c.conventions('trec_eval-9.0.8');"
        "one = sorted(m for m in sys.modules if m.startswith('crosscheck.axes.'));"
        "c.conventions('gain=exponential');"
        "two = sorted(m for m in sys.modules if m.startswith('crosscheck.axes.'));"
        "print(one, two, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "['crosscheck.axes.base'] ['crosscheck.axes.base', 'crosscheck.axes.gains'] False"
    )
