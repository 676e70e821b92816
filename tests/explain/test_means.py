"""A mean alone proves nothing: invented means of real runs, and what is said of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from crosscheck.harness import Settings, run_with
from crosscheck.model import Case, Published

INVENTED = 64


@pytest.mark.parametrize("name", ["nDCG@10", "AP"])
def test_no_invented_mean_is_proved(corpus: Path, name: str) -> None:
    """Of 64 invented means, declared to three decimals on a real run, some fit sets of conventions: these are
    consistent, with how many of how many, and the rest is unexplained."""
    folder = corpus / "dl19-heapsort"
    if not folder.is_dir():
        pytest.skip("this TREC collection is not here")
    rng = random.Random(name)
    invented = [round(rng.uniform(0.2, 0.7), 3) for _ in range(INVENTED)]
    published = tuple(
        Published(values={name: mean}, decimals=3, source=f"table {i}") for i, mean in enumerate(invented)
    )
    case = Case(
        name="c",
        qrels=str(folder / "qrels"),
        runs=(str(folder / "run.bm25_quantised.txt"),),
        published=published,
    )
    document = run_with([case], Settings(measures=(name,), backends=("native",), reference="native"))
    differing = [c for c in document.comparisons if c.outcome == "mismatch"]
    assert len(differing) >= INVENTED - 2
    found = [c.diagnosis for c in differing if c.diagnosis]
    assert {d.strength for d in found} <= {"consistent", "none"}
    fitting = [d for d in found if d.strength == "consistent"]
    assert fitting
    for d in fitting:
        assert (d.reproduced, d.of, d.fits) == (0, 0, 1 + len(d.alternatives))
        sets = f"{d.fits:,} of {d.tried:,} sets of conventions {'gives' if d.fits == 1 else 'give'} this mean"
        assert d.explanation.endswith(f"{sets}, or it is another run.")
    assert all(d.causes == ["unexplained"] for d in found if d.strength == "none")
