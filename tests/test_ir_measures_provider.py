"""The provider for ir_measures: the numbers of its own providers, and its command."""

import os
import re
import subprocess
import sys
import venv
from itertools import chain
from pathlib import Path

import ir_measures
from hypothesis import given, settings

from crosscheck.ir_measures_provider import crosscheck
from tests.cli.command import environment
from tests.support.kept import Kept
from tests.support.strategies import qrels_and_run

#: Measures that trec_eval has: everything, ties included, is the same.
OF_TREC_EVAL = [
    *("P@5", "P(rel=2)@3", "P(judged_only=True)@2", "RR", "RR(rel=2)", "Rprec", "AP", "AP(rel=2)@3", "nDCG"),
    *("nDCG@3", "nDCG(judged_only=True)@3", "R@5", "Bpref", "NumQ", "NumRel", "NumRet", "NumRet(rel=2)"),
    *("SetAP", "SetF", "SetP", "SetP(relative=True)", "SetR", "Success@1", "IPrec@0.1", "infAP"),
]


def values(provider, measures, qrels, run):
    found = provider.iter_calc(measures, qrels, run)
    return dict(sorted(((one.query_id, str(one.measure)), one.value) for one in found))


@settings(max_examples=100)
@given(data=qrels_and_run())
def test_values_are_those_of_the_provider_pytrec_eval(data):
    """0 ULP apart, for missing queries too, which ir_measures itself fills in."""
    qrels, run = data
    # A level above all judgements makes pytrec_eval read foreign memory.
    qrels = {query: {**levels, "top": 2} for query, levels in qrels.items()}
    measures = [ir_measures.parse_measure(name) for name in OF_TREC_EVAL]
    assert values(crosscheck, measures, qrels, run) == values(ir_measures.pytrec_eval, measures, qrels, run)


def said(python, *words):
    """What a module says in an interpreter."""
    there = environment(PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([python, "-m", *words], capture_output=True, text=True, check=False, env=there)
    text = re.sub(r"usage:(?s:.*)(invalid choice: '\w+').*", r"\1", f"{done.stdout}{done.stderr}")
    return f"{text}exit code {done.returncode}"


def command(module, python=sys.executable):
    """``ir_measures --provider crosscheck``, by one module or another, on two documents."""
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n")
    Path("run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    return said(python, module, "--provider", "crosscheck", "qrels", "run", "RR nDCG@2")


def in_turn(*asked, there=True):
    """What ``install`` and ``uninstall`` say in a new environment, and after each the plain command."""
    venv.create("env", symlinks=True)
    python, (site,) = "env/bin/python", Path("env").glob("lib/*/site-packages")
    if not there:
        site.rmdir()
    both = (
        (said(python, "crosscheck.ir_measures_provider", one), command("ir_measures", python))
        for one in asked
    )
    return "\n".join(chain.from_iterable(both)).replace(str(site), "SITE")


NAMES = {one.__name__: one for one in (values, command, in_turn, ir_measures)}
EXAMPLES = Kept(__file__, ValueError, within=(NAMES,), crosscheck=crosscheck)
test_examples = EXAMPLES.test()
