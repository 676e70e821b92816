"""The backend ``pytrec_eval``: trec_eval 9.0.8's own C code through its Python binding.

The binding can crash its process, and it sometimes returns wrong values without an error. Inputs that are
known to cause this are changed first, or are an error here.
"""

from collections.abc import Sequence

from crosscheck.backends.base import BackendFactory, Packaged
from crosscheck.backends.texts import Texts, as_texts, topic_rows
from crosscheck.backends.trec_eval_binary import format_of, parameters, printed_name, together
from crosscheck.errors import BackendError, quoted
from crosscheck.model import Measure, MeasureValues, Qrels, Run, display


class PytrecEval(Packaged):
    """pytrec_eval, with values in full precision. Judged queries without results have no value."""

    id = "pytrec_eval"
    modules = ("pytrec_eval",)
    distributions = ("pytrec-eval-terrier",)
    exact = True

    @property
    def engine(self) -> str:
        return f"{super().engine}, which embeds trec_eval 9"

    def supports(self, measure: Measure) -> bool:
        has_name = printed_name(measure) is not None and format_of(measure) == "qrels"
        return has_name and measure.family != "yaap"  # which the binding lacks

    def certain(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values from one evaluation per relevance level, and means by
        ``pytrec_eval.compute_aggregated_measure``.

        Raises:
            BackendError: the behaviour of the binding is undefined on these inputs.
        """
        import pytrec_eval

        refuse_undefined(qrels, run)
        texts = _renamed(as_texts(qrels, run))
        # With a relevance level above all judgements the binding reads past the end of its tables. All these
        # levels give the same result, so the lowest is used, with which it reads least far.
        unreached = 1 + max(0, int(qrels.rels.max(initial=0)))
        answers: dict[Measure, MeasureValues] = {}
        for (_, level), some in together(measures):
            level = min(level, unreached)
            evaluator = pytrec_eval.RelevanceEvaluator(texts.qrels, parameters(some), relevance_level=level)
            answer = evaluator.evaluate(texts.run)
            for measure in some:
                name = str(printed_name(measure))
                values = {texts.topics[topic]: float(row[name]) for topic, row in answer.items()}
                mean = self.mean_of(measure, list(values.values()))
                answers[measure] = MeasureValues(values, mean, self.engine)
        return answers

    def in_parts(self, measures: Sequence[Measure], same_queries: bool) -> Packaged:
        return self

    def mean_of(self, measure: Measure, values: list[float]) -> float | None:
        """The mean that ``compute_aggregated_measure`` computes from values of :meth:`evaluate`."""
        import pytrec_eval

        return pytrec_eval.compute_aggregated_measure(printed_name(measure), values) if values else None


def _renamed(texts: Texts) -> Texts:
    """The data with renamed topics, because for a topic called ``no_query`` pytrec_eval returns values of its
    last call."""
    names = {topic: f"topic{i}" for i, topic in enumerate(texts.topics)}
    qrels = {names[topic]: docs for topic, docs in texts.qrels.items()}
    run = {names[topic]: docs for topic, docs in texts.run.items()}
    return Texts(qrels, run, {names[topic]: id for topic, id in texts.topics.items()})


def refuse_undefined(qrels: Qrels, run: Run) -> None:
    """Raise an error for inputs that make pytrec_eval hang or crash.

    Raises:
        BackendError: the judgements of an evaluated query are all negative.
    """
    evaluated = set(run.topics)
    for topic, rows in topic_rows(qrels):
        if topic in evaluated and qrels.rels[rows].max() < 0:
            problem = f"every judgement of query {quoted(display(topic))} is negative"
            why = "it returns zeros, hangs or crashes, depending on what it did before"
            hint = "remove the query's judgements, or give it one judged document of level 0"
            raise BackendError(f"{problem}, for which pytrec_eval is undefined ({why})", hint=hint)


FACTORY = BackendFactory(
    usage="pytrec_eval",
    summary="trec_eval 9.0.8's own code through its Python binding, in full precision",
    make=lambda argument, options: PytrecEval(),
    default=True,
    in_cases=True,
)
