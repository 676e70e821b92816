"""A part of the edited inputs and documents; the programs ``inputs`` and ``documents`` try thousands."""

import json

import pytest

from crosscheck.errors import InputError
from crosscheck.report import render
from crosscheck.report.json_report import load
from tests.programs import documents, inputs
from tests.report.snapshots import document


@pytest.mark.parametrize("reader", inputs.READERS)
def test_edited_inputs_are_read_or_refused(reader):
    """Nothing but errors of crosscheck's own, which can be printed."""
    word, wrong = inputs.tried(reader, 1, 10 if reader == "numbers of why" else 40)
    assert wrong == ""
    assert "refused" in word


def test_edited_documents_are_shown_or_refused():
    """No edit of a saved document ends in a traceback."""
    assert documents.tried(1, 10) == ("refused and shown", "")


def test_a_group_of_no_tools_is_refused():
    """Its first tool is its name in a picture."""
    content = json.loads(render(document("kind-tools"), "json"))
    content["groups"][1]["tools"] = []
    with pytest.raises(InputError, match=r"groups\[1\].tools"):
        load(json.dumps(content))
