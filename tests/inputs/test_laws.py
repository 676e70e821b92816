"""Which measure has which property: the table by hand, from the definitions, and by experiment."""

import pytest

from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.inputs.laws import PROPERTIES, Setting, try_properties
from crosscheck.measures import families
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure

#: What binary measures do not read; what measures without the number of relevant documents do not read; what
#: measures of the result set do not read.
BINARY, WITHOUT_R, SET = {"reads-levels"}, {"reads-missed"}, {"reads-ranks", "reads-scores"}
#: trec_eval's summary of counts is their sum.
COUNT = {"bounded", "mean"}
#: Unjudged documents are results as well, wherever they stand.
PER_RESULT = {"unjudged-end"}
#: They say how much is unknown: a measure of the judgements, that relevant documents make no better.
UNKNOWN = {"promotion", "best", "worst"}

#: The properties that measures lack, and the measures; each family is in the table once.
_LACKS: list[tuple[set[str], str]] = [
    (BINARY, "R@5 AP Rprec Rprec_mult@0.6 relative_P@5 IPrec@0.5 11pt_avg bpref infAP binG"),
    (BINARY | WITHOUT_R, "P@5 Success@5 RR"),
    # A relevant document at the end adds pairs that are in the wrong order.
    (BINARY | WITHOUT_R | PER_RESULT | {"another-found"}, "Accuracy"),
    (BINARY | {"bounded"}, "gm_map gm_bpref yaap"),  # logarithms: of a value up to 1, and of odds
    # Graded; rbp by default: the gain of a level is the level over ten.
    (set(), "nDCG ndcg_rel G rbp"),
    # Ranks behind the ideal list are one place more to average over; Compat goes down to the last result.
    (PER_RESULT, "Rndcg Compat"),
    (WITHOUT_R | {"bounded"}, "DCG"),
    (SET | {"bounded"}, "ideal_dcg"),
    # User models: of what is found, relative to the highest level of the scale.
    (BINARY | WITHOUT_R, "RBP"),
    # A good document higher up makes its user stop earlier, and then the gain is shared by fewer ranks.
    (WITHOUT_R | {"promotion"}, "BPM(max_rel=3)@5"),
    (
        WITHOUT_R,
        "ERR INSQ(max_rel=3) INST(max_rel=3) NERR8(max_rel=3)@5 NERR9(max_rel=3)@5 SDCG(max_rel=3)@5",
    ),
    (WITHOUT_R, "NERR10(max_rel=3) NERR11(max_rel=3)"),
    # Sets.
    (BINARY | WITHOUT_R | SET | PER_RESULT, "SetP"),
    (BINARY | SET, "SetR"),
    (BINARY | SET | PER_RESULT, "SetF SetAP SetRelP"),
    (BINARY | WITHOUT_R | SET | PER_RESULT | {"bounded"}, "utility"),
    # Counts.
    (BINARY | WITHOUT_R | SET | {"mean"}, "NumQ"),
    (BINARY | SET | COUNT, "NumRel"),
    (BINARY | WITHOUT_R | SET | COUNT | PER_RESULT | {"best"}, "NumRet"),
    (BINARY | WITHOUT_R | SET | COUNT, "NumRelRet"),
    (BINARY | WITHOUT_R | SET | COUNT | {"best", "worst"}, "num_nonrel_judged_ret"),
    # Judgements: documents judged nonrelevant are as good as relevant ones.
    (BINARY | WITHOUT_R | {"worst"}, "Judged@5"),
    (BINARY | WITHOUT_R | UNKNOWN, "unj@5"),
    # 0.0 where nothing is unjudged, else also what is beyond the end of the list.
    (BINARY | WITHOUT_R | UNKNOWN | PER_RESULT | {"another-found"}, "rbp_resid"),
    # Subtopics: a query without any is its own only one.
    (BINARY, "AP_IA nERR_IA@5 nNRBP alpha_nDCG@5"),
    (BINARY | WITHOUT_R, "P_IA@5 ERR_IA@5 NRBP alpha_DCG@5 StRecall@5"),
]
LACKS = {name: lacked for lacked, names in _LACKS for name in names.split()}
#: The same of conventions: measure, setting, and what it lacks besides.
UNDER: list[tuple[str, str, str, set[str]]] = [
    ("AP", "ties", "input", {"tied-lines"}),
    ("AP", "order", "rank-column", {"reads-scores"}),
    ("AP", "order", "input", {"reads-scores", "line-order", "tied-lines"}),
    ("AP", "special_scores", "nonpositive-dropped", {"score-size"}),
    ("nDCG", "ideal", "retrieved", {"another-found", "reads-missed"}),
    ("AP", "ap_denominator", "retrieved-relevant", {"another-found", "reads-missed"}),
    ("P@5", "precision_denominator", "min(k,retrieved)", set()),
    ("AP", "duplicates", "each", {"duplicates"}),
    ("AP", "duplicates", "first", set()),
    ("AP", "duplicates", "last", set()),
    ("DCG", "duplicates", "first", set()),  # its values are above 1 before
    ("nDCG", "gain", "exponential", set()),
    ("AP", "averaging", "median", set()),
]


def native(measure, conventions):
    def ask(qrels, run):
        try:
            return native_values(Rankings(run, qrels), measure, conventions, "")
        except CrosscheckError as error:
            return BackendError(str(error))

    return ask


def found(name, conventions, seed):
    measure = parse_measure(name)
    setting = Setting(measure.cutoff or 0, 1, values=True, means=True)
    outcomes = try_properties(
        native(measure, conventions), setting, seed, as_seen=lambda probe: probe, seconds=60
    )
    return {outcome.of.name: outcome for outcome in outcomes}


def lacking(outcomes):
    return {name for name, outcome in outcomes.items() if outcome.status == "no"}


def test_the_table_holds_every_family():
    """Each native family but those over preferences and groups is in the table once; its properties exist."""
    alone = [name for name, about in families().items() if about.needs in ("levels", "subtopics")]
    assert sorted(parse_measure(name).family for name in LACKS) == sorted(alone)
    assert set().union(*LACKS.values()) <= {p.name for p in PROPERTIES}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", LACKS)
def test_a_measure_lacks_what_its_definition_says(name, seed):
    """Experiments find exactly the properties that the measure lacks, and show each by small inputs."""
    outcomes = found(name, Conventions(), seed)
    assert lacking(outcomes) == LACKS[name]
    open_ones = {n: o.status for n, o in outcomes.items() if o.status not in ("yes", "no")}
    # Accuracy is a share of pairs; a list without a relevant document has none.
    assert open_ones == {"duplicates": "refused"} | ({"worst": "refused"} if name == "Accuracy" else {})
    measure = parse_measure(name)
    for lacked in LACKS[name]:
        assert_shown(native(measure, Conventions()), outcomes[lacked], 8 if measure.cutoff else 4)


def assert_shown(ask, outcome, most):
    """The inputs have the values that are said; these are against the property, and the lists are short."""
    seen: list[float] = []
    for probe in outcome.inputs:
        answer = ask(probe.qrels, probe.run)
        assert isinstance(answer, MeasureValues)
        value = answer.mean if probe.reads is None else answer.values[probe.reads.encode()]
        assert value is not None
        seen.append(value)
    assert tuple(seen) == outcome.values
    assert not outcome.of.holds(seen)
    assert all(len(query.lines) <= most for probe in outcome.inputs for _, query in probe.queries)


@pytest.mark.parametrize(("name", "axis", "value", "besides"), UNDER)
def test_conventions_show_in_properties(name, axis, value, besides):
    """Under other conventions a measure lacks what these take away, and nothing else."""
    outcomes = found(name, Conventions().with_changes(**{axis: value}), 0)
    assert lacking(outcomes) == LACKS[name] | besides
