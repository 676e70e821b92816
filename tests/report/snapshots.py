"""Pages and drawings as they are to be; ``python -m tests.report.snapshots`` writes them anew, to be read.

There is a document of every kind. The saved ones are of real inputs: a run that ranks by line order, the
same as loose files, another gain, tied scores, two versions of trec_eval, a green run, an audit, two studies.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck.report import RenderOptions, render
from crosscheck.report.json_report import load
from crosscheck.report.page import Chart, RankingPair, walk
from crosscheck.report.svg import draw
from tests.html import documents
from tests.html.sample import sample
from tests.report import samples

__all__ = ["DOCUMENTS", "FOLDER", "document", "drawings", "pages"]

HERE = Path(__file__).parent
FOLDER = HERE / "snapshots"
SAVED = sorted(path.name.removesuffix(".json.gz") for path in (HERE / "saved").glob("*.json.gz"))
SAMPLES = ["everything", "many", "mean_only", "uncallable"]
#: Kinds of documents of which there is one to show each of their blocks.
KINDS = sorted({*documents.NAMES} - {"run", "evidence"})
DOCUMENTS = [*SAMPLES, *SAVED, *(f"kind-{name}" for name in KINDS), "fixtures"]


def document(name: str) -> Any:
    """A document by its name."""
    if name == "many":
        return samples.many()
    if name.startswith("kind-"):
        return documents.document(name.removeprefix("kind-"))
    if name == "fixtures":
        return load((HERE.parents[1] / "reports" / "fixtures.json").read_bytes())
    return samples.saved(name)


def pages(name: str) -> Iterator[tuple[str, str]]:
    """File name and text of each page of a document."""
    held = document(name)
    written = ("reports/crosscheck.json", "reports/crosscheck.md")
    if name in ("everything", "many") or name.startswith("kind-"):
        verbose = RenderOptions(verbose=True, written=written)
        yield f"{name}.verbose.txt", render(held, "text", verbose)
    if name.startswith("kind-"):
        return
    for width in (80, 40):
        yield f"{name}.{width}.txt", render(held, "text", RenderOptions(width=width, written=written))
    if name != "fixtures":  # its Markdown is in reports/
        yield f"{name}.md", render(held, "markdown")
    if name in SAMPLES:
        yield f"{name}.xml", render(held, "junit")
        yield f"{name}.github", render(held, "github")


def drawings() -> Iterator[tuple[str, str]]:
    """File name and drawing of each kind of chart, and of two rankings."""
    long = {name: f"{name} {'with a long name ' * 3}" for name in ("gain", "0", "far", "d1")}
    page = sample(9, lambda name: long.get(name, name))
    *charts, pair = islice((one for one in walk(page.blocks) if isinstance(one, Chart | RankingPair)), 5)
    assert isinstance(pair, RankingPair)
    unsummed = {"gain": None, "discount": None, "running": None}
    left, right = (
        replace(side, places=[replace(one, **unsummed) for one in side.places])
        for side in (pair.reference, pair.candidate)
    )
    for block in (*charts, pair, RankingPair("Ranks alone", left, right)):
        name = block.kind if isinstance(block, Chart) else "rankings" if block is pair else "ranks"
        drawn = draw(block)
        about = f"<!-- {drawn.title}: {drawn.caption} {drawn.width:g} x {drawn.height:g} -->"
        yield f"drawn-{name}.svg", "\n".join([about, *drawn.parts, ""])


if __name__ == "__main__":
    for made in (drawings(), *map(pages, DOCUMENTS)):
        for file, text in made:
            (FOLDER / file).write_text(text, "utf-8")
