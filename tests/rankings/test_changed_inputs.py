"""Changes of a run and its qrels, written out, the run before the qrels."""

from crosscheck.formats.dicts import qrels_from_dict, run_from_dict, to_dict
from crosscheck.rankings.changed_inputs import changed_inputs
from tests.support.kept import examples
from tests.support.strategies import QrelsDict, RunDict


def changes(run: RunDict, qrels: QrelsDict) -> list[str]:
    """Each change, and its rows; what is not changed is the given one."""
    given = run_from_dict(run), qrels_from_dict(qrels)
    lines = []
    for one in changed_inputs(*given):
        tables = (to_dict(of, "utf-8") for of in (one.run, one.qrels) if of not in given)
        lines.append(f"{one.says}: {', '.join(map(str, tables))}")
    return lines


test_each_change_and_its_rows = examples(globals())
