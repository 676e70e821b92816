"""The word that a complete explanation has earned, from what the diagnosis itself says."""

from crosscheck.results import Diagnosis

#: What a diagnosis says where something beside the number of queries keeps it from being proved.
DOUBTS = (
    "would do as well",
    "would differ without",
    "would give these values by chance",
    "the mean is not the mean of these values",
    "some order of the tied documents",
    "the conventions do not predict",
    "the candidate failed on the fresh inputs",
    "fresh inputs, but",
)


def earned(diagnosis: Diagnosis, differing: int) -> str:
    """``proved`` where at least three queries differ and nothing is said against it."""
    doubted = any(doubt in diagnosis.explanation for doubt in DOUBTS)
    return "consistent" if differing < 3 or doubted else "proved"
