"""The command ``trec_eval``: from the arguments to the output and the exit code."""

from collections.abc import Iterable, Sequence
from typing import BinaryIO, TextIO

from crosscheck.model import Run
from crosscheck.trec_eval.judgements import EvaluatedTopics, Judgements, read_zscores, standardised, topics_of
from crosscheck.trec_eval.options import OutputColumn, TrecEvalError, TrecEvalOptions, columns, parse_options
from crosscheck.trec_eval.printing import per_topic, summary

_NOT_COMPUTED = {
    "qrels": "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results",
    "qrels_jg": "trec_eval: rel_info format not qrels_jg or results format not trec_results",
    "prefs": "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs)"
    " or results format not trec_results",
}


def trec_eval(arguments: Sequence[str], stdout: BinaryIO, stderr: TextIO) -> int:
    """Evaluate a run as trec_eval does.

    Args:
        arguments: trec_eval's options and file names, and ``--compat``.
        stdout: receives trec_eval's bytes.
        stderr: receives messages: first those of the C program, then crosscheck's.

    Returns:
        trec_eval's exit code: 0, 1, 2, 4, 7 or 255.
    """
    code, spelling = 0, list[str]()
    try:
        options = parse_options(arguments)
        if not isinstance(options, TrecEvalOptions):
            _write(stdout, [options.stdout.encode()])
            stderr.write(options.stderr)
            return 0
        _evaluate(options, stdout, spelling)
    except TrecEvalError as error:
        stderr.write(f"{error}\n")
        code = error.code
    stderr.writelines(f"crosscheck: warning: {note}\n" for note in spelling)
    return code


def _evaluate(options: TrecEvalOptions, stdout: BinaryIO, spelling: list[str]) -> None:
    """Print the values. If a topic fails, the values of the topics before it are printed.

    Args:
        spelling: a list to which sentences about ids that differ only in spelling are added. (trec_eval says
            nothing about these.)

    Raises:
        TrecEvalError: any error that ends trec_eval early.
    """
    judgements = Judgements(options)
    qrels, run = judgements.qrels, judgements.read_run()
    spelling += judgements.spelling(run)
    zscores = None if options.zscores is None else read_zscores(options.zscores, options.version)
    zvalues = zscores is not None
    wanted = columns(options.request, options.collection_size)
    topics = topics_of(options, qrels.topics, run.topics)
    if topics.evaluated and any(column.about.needs for column in wanted):
        topics = _until_failure(topics, wanted, judgements, run)
    if topics.evaluated:
        filled = judgements.computed(run, topics, wanted)
        if zscores is not None:
            filled = [standardised(column, topics, zscores) for column in filled]
        if options.per_topic:
            _write(stdout, per_topic(topics.evaluated, filled, zscores=zvalues))
        if not options.no_summary and topics.failure is None:
            every = len(qrels.topics if options.complete else topics.evaluated)
            relevant = int((qrels.rels > 0).sum()) if options.complete else None
            _write(stdout, summary(filled, every, relevant, run.tag, zscores=zvalues))
    if topics.failure is not None:
        raise topics.failure
    if not topics.evaluated:
        problem = f"no topic of {options.run} is judged in {options.qrels}; compare their topic ids"
        if options.only_topic is not None:
            problem = "the topic of -D does not exist"
        raise TrecEvalError(7, "trec_eval: No queries with both results and relevance info", problem=problem)


def _until_failure(
    topics: EvaluatedTopics, wanted: Sequence[OutputColumn], judgements: Judgements, run: Run
) -> EvaluatedTopics:
    """The topics before the first topic on which the calculation of a measure fails, with the error.

    For each topic, trec_eval calculates the measures in order. An invalid measure fails at the first topic;
    an invalid topic fails at the first measure that uses judgements.
    """
    first, refusal = topics.evaluated[0], judgements.refused(run, topics.evaluated)
    for column in wanted:
        about = column.about
        if about.needs is None:
            continue
        if about.needs != judgements.needs:
            needs = "prefs or -R qrels_prefs" if about.needs == "prefs" else about.needs
            problem = f"{about.name} needs judgements of another format: -R {needs}"
            error = TrecEvalError(4, _NOT_COMPUTED[about.needs], problem=problem)
            return topics.up_to(first, _not_calculated(error, column))
        if refusal is not None and refusal[0] == first:
            return topics.up_to(first, _not_calculated(refusal[1], column))
        if about.name == "utility" and column.measure is None:
            c_message = "trec_eval.calc_utility: improper number of coefficients"
            problem = "utility needs four coefficients, such as -m utility.1,-1,0,0"
            return topics.up_to(first, _not_calculated(TrecEvalError(4, c_message, problem=problem), column))
    if refusal is None:
        return topics
    looks = next(column for column in wanted if column.about.needs)
    return topics.up_to(refusal[0], _not_calculated(refusal[1], looks))


def _not_calculated(error: TrecEvalError, column: OutputColumn) -> TrecEvalError:
    c_message = f"trec_eval: Can't calculate measure '{column.about.name}'"
    return TrecEvalError(error.code, *error.said, c_message, problem=error.problem)


def _write(stdout: BinaryIO, lines: Iterable[bytes]) -> None:
    try:
        stdout.writelines(lines)
    except OSError as error:
        error.filename = "stdout"
        raise
