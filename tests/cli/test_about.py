"""The commands that explain, for whatever there is: backends, labels, measures, profiles, schemas."""

import re

from crosscheck import __version__
from crosscheck.axes.base import Axis
from crosscheck.backends import factories
from crosscheck.conventions import profiles
from crosscheck.explain.labels import causes
from crosscheck.measures import families
from crosscheck.report.json_report import schema
from tests.cli.command import crosscheck


def test_the_version_is_printed(tmp_path):
    """That of the package; what all commands print of themselves is in test_outputs.py."""
    assert __version__ in crosscheck(tmp_path, "--version").out


def test_backends_and_profiles_are_listed(tmp_path):
    """Backends with how to write each id, whether it can be used here, and what installs one that cannot."""
    done = crosscheck(tmp_path, "backends", env={"PATH": "/nonexistent"})
    assert done.code == 0
    assert [kind.usage for kind in factories().values() if f"{kind.usage}\n" not in done.out] == []
    assert "github.com/usnistgov/trec_eval" in done.out
    assert "available: crosscheck, conventions trec_eval-9.0.8 (candidate by default)" in done.out
    listed = crosscheck(tmp_path, "profiles").out
    assert all(f"{one.name} " in listed and one.description in listed for one in profiles().values())


def test_explain_tells_of_each_label_and_measure(tmp_path):
    """All in a list, a line each. Of a label its axis and all prose, of a measure more than its summary; no
    line is too wide to read, and there is no markup of docstrings."""
    lines = crosscheck(tmp_path, "explain").out.splitlines()
    assert dict(line.split(maxsplit=1) for line in lines) == {k: c.summary for k, c in causes().items()}
    for label, cause in causes().items():
        done = crosscheck(tmp_path, "explain", label)
        axis = f"axis: {cause.name}\n" if isinstance(cause, Axis) else ""
        assert (done.code, done.out) == (0, f"{label}: {cause.summary}\n{axis}\n{cause.explained}\n")
        assert max(map(len, done.out.splitlines())) <= 120
    lines = [
        line.split(maxsplit=1)[1] for line in crosscheck(tmp_path, "explain", "measures").out.splitlines()
    ]
    assert sorted(lines) == sorted(family.summary for family in families().values())
    for name, family in families().items():
        done = crosscheck(tmp_path, "explain", name)
        assert (done.code, done.out.startswith(name), family.summary in done.out) == (0, True, True)
        assert len(done.out.splitlines()) > 2
        assert not re.search(r"``|:\w+:", done.out)


def test_the_schema_is_printed(tmp_path):
    """That of a run, or of another kind of document; report/test_formats.py holds documents against them."""
    assert crosscheck(tmp_path, "schema").out == schema()
    assert crosscheck(tmp_path, "schema", "audit").out == schema("audit")
