"""Claims about finding backends by id."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import crosscheck.backends
from crosscheck.backends import Options, default_candidates, factories, make
from crosscheck.errors import UsageError
from crosscheck.model import Measure


def test_every_module_with_a_kind_is_found_sorted_by_name() -> None:
    """The registry holds a family for each module that exports one, under its own name."""
    exporting = [
        module
        for module in pkgutil.iter_modules(crosscheck.backends.__path__)
        if hasattr(importlib.import_module(f"crosscheck.backends.{module.name}"), "FACTORY")
    ]
    assert len(factories()) == len(exporting)
    assert list(factories()) == sorted(factories())
    assert {"hf-evaluate", "ir-measures", "native", "python", "pytrec_eval", "recorded"} <= factories().keys()
    assert all(kind.usage.startswith(name) and kind.summary for name, kind in factories().items())


def test_default_candidates_need_no_argument_and_no_program() -> None:
    """The default candidates can be made from their names alone."""
    assert default_candidates() == ("hf-evaluate", "ir-measures", "native", "pytrec_eval")
    for id in default_candidates():
        assert make(id).id == id


@pytest.mark.parametrize(
    "id",
    [
        "hf-evaluate:bundled",
        "ir-measures:msmarco",
        "native:trec_eval-10",
        "python:metrics.py:ndcg",
        "pytrec_eval",
        "recorded:saved.txt",
        "trec_eval",
    ],
)
def test_a_backend_keeps_the_id_it_was_asked_by(id: str) -> None:
    """Reports show the id as it was written."""
    backend = make(id, Options(trec_eval_bin="no-such-program"))
    assert backend.id == id
    assert backend.describe().id == id


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("pytrec-eval", "did you mean pytrec_eval?"),
        ("hf_evaluate", "did you mean hf-evaluate?"),
        ("ir-measures:msmrco", "did you mean msmarco?"),
        ("qwxyz", "there is no backend 'qwxyz'\n"),
        ("native:", "ends after the colon"),
        ("pytrec_eval:x", "takes no argument"),
        ("ranx:x", "takes no argument"),
        ("trec_eval:x", "--trec-eval-bin"),
        ("recorded", "recorded:FILE"),
        ("exec", "exec:COMMAND"),
        ("python:f", "path/to/file.py:function"),
    ],
)
def test_an_id_that_cannot_be_made_is_a_usage_error(id: str, message: str) -> None:
    """The error says what is wrong and how it is written."""
    with pytest.raises(UsageError, match=message.replace("?", r"\?")) as caught:
        make(id)
    assert caught.value.hint is not None


def test_an_unknown_provider_s_error_lists_those_that_exist() -> None:
    """ir_measures' own registry is the list."""
    with pytest.raises(UsageError) as caught:
        make("ir-measures:nothing")
    assert "pytrec_eval" in str(caught.value)
    assert "gdeval" in str(caught.value)


def test_listing_and_describing_imports_nothing_heavy() -> None:
    """Kinds, descriptions and supports() do without pandas, evaluate, trectools and pytrec_eval."""
    program = (
        "import sys\n"
        "from crosscheck.backends import default_candidates, make\n"
        "from crosscheck.model import Measure\n"
        "for id in (*default_candidates(), 'ir-measures:trectools', 'trec_eval'):\n"
        "    backend = make(id)\n"
        "    backend.describe()\n"
        "    [backend.supports(m) for m in (Measure('nDCG', 10), Measure('RR', 10), Measure('XX'))]\n"
        "heavy = {'pandas', 'evaluate', 'datasets', 'trectools', 'pytrec_eval', 'ranx'}\n"
        "print(*sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_no_backend_of_trec_eval_takes_a_level_for_a_measure_without_one() -> None:
    """nDCG ignores -l, so nDCG(rel=2) is not silently nDCG."""
    for id in ("pytrec_eval", "trec_eval", "hf-evaluate", "ir-measures"):
        assert not make(id).supports(Measure("nDCG", 10, rel=2)), id
        assert make(id).supports(Measure("nDCG", 10)), id
