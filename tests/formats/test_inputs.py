"""A part of the edited inputs and documents; the program ``inputs`` tries thousands."""

import json

import pytest

from crosscheck.errors import InputError
from crosscheck.report import render
from crosscheck.report.json_report import load
from tests.programs import inputs
from tests.report.snapshots import document


@pytest.mark.parametrize("reader", inputs.READERS)
def test_edited_inputs_are_read_or_refused(reader):
    """Nothing but errors of crosscheck's own, which can be printed."""
    word, wrong = inputs.tried(reader, 1, 10 if reader in ("numbers of why", "documents") else 40)
    assert wrong == ""
    assert "refused" in word


def test_a_group_of_no_tools_is_refused():
    """Its first tool is its name in a picture."""
    content = json.loads(render(document("kind-tools"), "json"))
    content["groups"][1]["tools"] = []
    with pytest.raises(InputError, match=r"groups\[1\].tools"):
        load(json.dumps(content))
