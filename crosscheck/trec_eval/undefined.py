"""A table of inputs for which the behaviour of the C program trec_eval is undefined: what the program was
observed to do, and what crosscheck does. The command line and the documentation show this table.
"""

from msgspec import Struct


class Undefined(Struct, frozen=True):
    """One case of undefined behaviour.

    Attributes:
        label: stable name.
        situation: the input that causes it.
        trec_eval: the observed behaviour of the C program.
        crosscheck: the behaviour of crosscheck.
        versions: the trec_eval versions with this behaviour.
    """

    label: str
    situation: str
    trec_eval: str
    crosscheck: str
    versions: tuple[str, ...] = ("9.0.8", "10.0")


UNDEFINED = (
    Undefined(
        label="only-negative-judgements",
        situation="All judgements of a topic are negative.",
        trec_eval="Exit code 4 if it is the first topic, a segmentation fault if its highest level is"
        " below -1. Else zeros, but for ideal_dcg of 10.0, which is that of the topic before. Under a gain"
        " for level -1 or an -l below 0, the counts of the topic before, or a division by 0. pytrec_eval"
        " crashes or hangs.",
        crosscheck="Nothing is relevant: zeros, and every mean includes the topic. The trec_eval command"
        " ends with exit code 4 as well if it is the first topic.",
    ),
    Undefined(
        label="rbp-normalisation",
        versions=("10.0",),
        situation="Any use of rbp.",
        trec_eval="The lowest and highest gain start from uninitialised memory, so that the value depends"
        " on which measures were computed before and on the compiler.",
        crosscheck="The gains of a topic's levels themselves, as the source intends: if they leave [0, 1],"
        " they are scaled to it. If all of them are the same, a positive gain is 1 and any other 0.",
    ),
    Undefined(
        label="relevance-level-out-of-bounds",
        situation="-l is above the highest level of a topic, and bpref or gm_bpref is requested.",
        trec_eval="Reads past the end of an array: an arbitrary number, or a segmentation fault.",
        crosscheck="No document is relevant, so the value is 0.",
    ),
    Undefined(
        label="large-relevance-levels",
        situation="A relevance level of a million or more.",
        trec_eval="Time and memory grow with the level and its square: ndcg, G, Rndcg and ndcg_rel do not"
        " come to an end.",
        crosscheck="Time and memory do not depend on levels. Beside custom gains, levels from 10,000 on"
        " that no document of a topic has are left out of its gain table, which matters for fractional"
        " gains only.",
    ),
    Undefined(
        label="levels-beyond-64-bits",
        situation="A relevance level that does not fit into 64 bits.",
        trec_eval="The nearest number that fits; if it is positive, memory runs out: exit code 4 if the topic"
        " is the first one evaluated, and a crash if it is a later one.",
        crosscheck="The nearest number that fits. Above 9223372036854775805, exit code 4 for each topic.",
    ),
    Undefined(
        label="gains-far-apart",
        situation="Two custom gains differ by 2147483648 or more, or a parameter is infinite or not a"
        " number.",
        trec_eval="The difference overflows a C int; such gains sort in any order.",
        crosscheck="Gains of any size sort by size. In crosscheck's own names, numbers must be finite.",
    ),
    Undefined(
        label="several-gain-measures",
        versions=("10.0",),
        situation="Two of dcg, ideal_dcg and ndcg are requested, one of them with parameters.",
        trec_eval="The parameters apply to all of them, and the program crashes when it frees them twice.",
        crosscheck="Each measure has its own parameters.",
    ),
    Undefined(
        label="negative-preference-levels",
        situation="A preference has a negative level, and prefs_avgjg_Rnonrel or its _ret form leaves"
        " nonrelevant documents out.",
        trec_eval="It takes as many documents from the lowest level as there are relevant ones, and reads"
        " past the end of that level if it has fewer.",
        crosscheck="It takes as many as the lowest level has.",
    ),
    Undefined(
        label="contradicting-preferences",
        situation="A judgment group with several subgroups prefers a document to itself through others.",
        trec_eval="The program aborts (SIGABRT).",
        crosscheck="An error that names the topic, the group and the document.",
    ),
    Undefined(
        label="comment-at-the-end",
        versions=("10.0",),
        situation="The last line of a qrels or preference file is a comment, or a topic id there starts"
        " with #.",
        trec_eval="A segmentation fault.",
        crosscheck="The comment is skipped.",
    ),
    Undefined(
        label="nul-bytes",
        situation="A NUL byte in the run.",
        trec_eval="9.0.8: a segmentation fault; 10.0: an abort. At the start of a line, the rest of the"
        " file is ignored.",
        crosscheck="An error that names the line.",
    ),
    Undefined(
        label="blank-run",
        situation="The run holds nothing but blank lines.",
        trec_eval="Reads uninitialised memory; seen: exit code 7 (9.0.8) and 4 (10.0).",
        crosscheck="A run without topics: exit code 7 (9.0.8) and 4 (10.0), as seen; under -c in 10.0,"
        " zeros.",
    ),
    Undefined("negative-depth", "-M with a negative number.", "A segmentation fault.", "A usage error."),
    Undefined(
        label="zscore-lookup",
        situation="-Z with a file that lacks a measure or topic which sorts after all its entries.",
        trec_eval="Reads past the end of its table, and may crash.",
        crosscheck="The value for missing entries, -1000000.",
    ),
    Undefined(
        label="nan-scores",
        situation="A score in the run is NaN.",
        trec_eval="NaN counts as equal to every score, so that the ranking depends on the C library's sort.",
        crosscheck="crosscheck refuses NaN scores; the trec_eval command orders as glibc's merge sort does.",
    ),
)
