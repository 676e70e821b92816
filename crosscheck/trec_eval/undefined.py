"""Cases where the behaviour of the C program is undefined: what it was seen to do, and what crosscheck does.

One table, as data, so that the command line and the documentation show the same.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["UNDEFINED", "Undefined"]


@dataclass(frozen=True, slots=True)
class Undefined:
    """One case of undefined behaviour.

    Attributes:
        label: stable name.
        versions: the trec_eval versions in which it was seen.
        situation: the input that causes it.
        trec_eval: the observed behaviour of the C program.
        crosscheck: the behaviour of crosscheck.
    """

    label: str
    versions: tuple[str, ...]
    situation: str
    trec_eval: str
    crosscheck: str


_BOTH = ("9.0.8", "10.0")

UNDEFINED = (
    Undefined(
        "only-negative-judgements",
        _BOTH,
        "All judgements of a topic are negative.",
        "Exit code 4 if it is the first topic, a segmentation fault if its highest level is below -1. Else"
        " zeros, but for ideal_dcg of 10.0, which is that of the topic before. Under a gain for level -1 or"
        " an -l below 0, the counts of the topic before, or a division by 0. pytrec_eval crashes or hangs.",
        "Nothing is relevant: zeros, and the topic counts in every mean. The trec_eval command ends with exit"
        " code 4 as well if it is the first topic.",
    ),
    Undefined(
        "rbp-normalisation",
        ("10.0",),
        "Any use of rbp.",
        "The lowest and highest gain start from uninitialised memory, so that the value depends on which"
        " measures were computed before and on the compiler.",
        "The gains of a topic's levels themselves, as the source intends: if they leave [0, 1], they are"
        " scaled to it. If all of them are the same, a positive gain is 1 and any other 0.",
    ),
    Undefined(
        "relevance-level-out-of-bounds",
        _BOTH,
        "-l is above the highest level of a topic, and bpref or gm_bpref is asked for.",
        "Reads past the end of an array: an arbitrary number, or a segmentation fault.",
        "No document is relevant, so the value is 0.",
    ),
    Undefined(
        "large-relevance-levels",
        _BOTH,
        "A relevance level of a million or more.",
        "Time and memory grow with the level and its square: ndcg, G, Rndcg and ndcg_rel do not come to an"
        " end.",
        "Time and memory do not depend on levels. Beside custom gains, levels from 10,000 on that no document"
        " of a topic has are left out of its gain table, which matters for fractional gains only.",
    ),
    Undefined(
        "levels-beyond-64-bits",
        _BOTH,
        "A relevance level that does not fit into 64 bits.",
        "The nearest number that fits; if it is positive, memory runs out and the exit code is 4 once the"
        " topic is evaluated.",
        "An error that names the line.",
    ),
    Undefined(
        "gains-far-apart",
        _BOTH,
        "Two custom gains differ by 2147483648 or more, or a parameter is infinite or not a number.",
        "The difference overflows a C int; such gains sort in any order.",
        "Gains of any size sort by size. In crosscheck's own names, numbers must be finite.",
    ),
    Undefined(
        "several-gain-measures",
        ("10.0",),
        "Two of dcg, ideal_dcg and ndcg are asked for, one of them with parameters.",
        "The parameters apply to all of them, and the program crashes when it frees them twice.",
        "Each measure has its own parameters.",
    ),
    Undefined(
        "negative-preference-levels",
        _BOTH,
        "A preference has a negative level, and prefs_avgjg_Rnonrel or its _ret form leaves nonrelevant"
        " documents out.",
        "It takes as many documents from the lowest level as there are relevant ones, and reads past the"
        " end of that level if it has fewer.",
        "It takes as many as the lowest level has.",
    ),
    Undefined(
        "contradicting-preferences",
        _BOTH,
        "A judgment group with several subgroups prefers a document to itself through others.",
        "The program aborts (SIGABRT).",
        "An error that names the topic, the group and the document.",
    ),
    Undefined(
        "comment-at-the-end",
        ("10.0",),
        "The last line of a qrels or preference file is a comment, or a topic id there starts with #.",
        "A segmentation fault.",
        "The comment is skipped.",
    ),
    Undefined(
        "nul-bytes",
        _BOTH,
        "A NUL byte in the run.",
        "9.0.8: a segmentation fault; 10.0: an abort. At the start of a line, the rest of the file is"
        " ignored.",
        "An error that names the line.",
    ),
    Undefined(
        "blank-run",
        _BOTH,
        "The run holds nothing but blank lines.",
        "Reads uninitialised memory; seen: exit code 7 (9.0.8) and 4 (10.0).",
        "A run without topics: exit code 7 (9.0.8) and 4 (10.0), as seen; under -c in 10.0, zeros.",
    ),
    Undefined(
        "negative-depth",
        _BOTH,
        "-M with a negative number.",
        "A segmentation fault.",
        "A usage error.",
    ),
    Undefined(
        "zscore-lookup",
        _BOTH,
        "-Z with a file that lacks a measure or topic which sorts after all its entries.",
        "Reads past the end of its table, and may crash.",
        "The value for missing entries, -1000000.",
    ),
    Undefined(
        "nan-scores",
        _BOTH,
        "A score in the run is NaN.",
        "NaN counts as equal to every score, so that the ranking depends on the C library's sort.",
        "crosscheck refuses NaN scores; the trec_eval command orders as glibc's merge sort does.",
    ),
)
