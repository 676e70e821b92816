"""The committed cases are what their recipes say, and their known mismatches are real."""

from crosscheck.explain.labels import causes
from tests.programs.fixtures import all_files
from tests.support.cases import cases


def test_committed_files_are_what_their_recipes_give():
    """Byte for byte, computed from the committed qrels and runs by the oracle."""
    made = all_files()
    assert len(made) > 100
    assert [path for path, content in made.items() if path.read_bytes() != content] == []


def test_every_cause_has_a_minimal_case():
    """There is a case label-X for every cause X that a report of cases can name, and for nothing else;
    every mismatch of it is declared with X as its only cause."""
    labels = {case.name.removeprefix("label-"): case for case in cases() if case.name.startswith("label-")}
    said_by_audits_only = {"refuses-input", "not-repeatable", "changes-input"}
    assert labels.keys() == set(causes()) - said_by_audits_only
    for label, case in labels.items():
        declared = {(*entry.get("causes", ()),) for entry in case.expect if "outcome" not in entry}
        assert declared == {(label,)}
