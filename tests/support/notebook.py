"""An audit in a notebook, as a user sees it: ``python tests/support/notebook.py``.

It needs nbclient, ipykernel and an installed crosscheck; ``.ci/run release`` runs it with the wheel."""

from typing import Any

CELLS = (
    """import crosscheck
from math import log2
def my_dcg(gains, k):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))
def my_ndcg(gains, k):
    return my_dcg(gains, k) / (my_dcg(sorted(gains, reverse=True), k) or 1)""",
    'audit = crosscheck.audit(my_ndcg, "nDCG@10")',
    "audit.verdict, audit.causes",
    "audit",
)


def executed(*cells: str) -> list[Any]:
    """The outputs of the cells, one list for each; an error of a cell is raised."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


if __name__ == "__main__":
    _, _, (verdict,), (page,) = executed(*CELLS)
    assert verdict.data["text/plain"] == "('deviates', ['ideal-ranking'])", verdict
    assert "<iframe" in page.data["text/html"], "the audit is not shown as a page"
    print(f"in a notebook: {page.data['text/plain']}")
