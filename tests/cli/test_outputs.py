"""The whole output of each command on one small collection; ``python -m tests.cli.test_outputs`` writes them.

The collection has what tools differ on: ties, levels, unjudged documents, queries that one side lacks.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.command import crosscheck
from tests.programs.real.planted import settings

OUTPUTS = Path(__file__).parent / "outputs"
REMEDY = "run `python -m tests.cli.test_outputs`, read what changed, and commit it"
REPORTS = ("--report", "text", "--report", "json=document.json")
#: Name of the kept output -> arguments, divided by blanks.
_LINES = """
audit-adding: audit tests.programs.metrics.everyday_queries:AddingQueries -m P@5
audit-cutoff: audit tests.auditing.metrics:hit_before_the_cutoff -m Success@10
audit-dropping: audit tests.auditing.metrics:not_one_document -m P@5
audit-hidden: audit tests.auditing.metrics:never_beyond_a_hundred -m P@5
audit-ideal: audit tests.auditing.metrics:ndcg_of_an_unsorted_ideal_list -m nDCG@5
audit-key: audit tests.auditing.metrics:hits_in_samples -m P@5
audit-leaking: audit tests.auditing.metrics:leaking -m P@5
audit-matrix: audit tests.programs.metrics.everyday_queries:precision_of_matrix -m P@10
audit-mean: audit tests.auditing.metrics:mean_with_relevant -m P@5
audit-micro: audit tests.auditing.metrics:micro_recall -m R
audit-modifying: audit tests.auditing.metrics:emptying -m P@5
audit-noise: audit tests.auditing.metrics:other_each_fifth_time -m P@5
audit-properties: audit tests.auditing.metrics:not_one_document --properties
audit-recognised: audit tests.auditing.metrics:reciprocal_rank -m AP
audit-records: audit tests.auditing.metrics:rr_of_rows_by_rank -m RR
audit-rounded: audit tests.auditing.metrics:rounded_rr -m RR
audit-single: audit tests.auditing.metrics:partly_in_single_precision -m AP
audit-tied: audit tests.auditing.metrics:ascending_of_at_most_five -m AP
audit-call: audit tests.auditing.metrics:precision -m P@5 --call f(binary,k) --seed 3 --reference trec_eval-10
audit-one: audit tests.programs.metrics.everyday_ids:getNDCG -m nDCG@10
audit-twice: audit tests.auditing.metrics:precision_at_twice -m P@7
audit-uncallable: audit tests.auditing.metrics:by_score -m AP
agreement: agreement qrels other
agreement-level: agreement qrels other --level 2
compare: compare qrels good fair poor tied -m AP -m nDCG@5 -m RR -m P@5
compare-wilcoxon: compare qrels good tied --test wilcoxon -m AP
compare-alpha: compare qrels good fair poor -m AP -m nDCG@5 --test randomisation --alpha 0.2 --confidence 0.8
compare-sign: compare qrels good fair poor --test sign -m bpref --baseline fair
describe: describe -m AP -m nDCG@10 -m RR@5 --qrels qrels --run good
describe-tool: describe ranx -m nDCG@10
diff: diff good.values fair.values
diff-explained: diff good.values half.values --qrels qrels --run good
diff-documents: diff good.json tied.json
evaluate: evaluate qrels good tied -m official -m nDCG@5 -q --all-digits
evaluate-average: evaluate qrels tied -m AP -m AP@5 -m P@5 -m R@5 -m RR -q --conventions ties=average
evaluate-judged: evaluate qrels tied -m P@5 -m P@3 -q --conventions ties=average,precision_denominator=judged
evaluate-best: evaluate qrels tied -m AP -m AP@5 -m bpref -m R@5 -m Rprec -q --conventions ties=best
evaluate-csv: evaluate qrels poor -m RBP -m ERR@5 -m infAP -m iprec_at_recall -m Judged@5 --output csv
evaluate-tool: evaluate qrels tied -m nDCG@5 -m AP --conventions sklearn -q --output tsv
explain: explain
explain-label: explain tie-breaking
explain-measures: explain measures
explain-ndcg: explain nDCG
gate: gate qrels good fair -m AP -m P@5 --allow-missing 1
gate-binary: gate qrels good fair -m P@5 --conventions relevance_level=2
gate-incomplete: gate qrels good short
gate-missing: gate qrels good short --allow-missing 1 -m nDCG@5 --tolerance 0.01
gate-tied: gate qrels good tied -m RR --test t --allow-missing 1 --alpha 0.3
impact: impact qrels good fair poor tied --candidate native:gain=exponential -m nDCG@5
impact-tools: impact qrels good fair poor --reference native:ranx --candidate native:ties=input -m AP --test t
impact-ties: impact qrels good fair poor tied --candidate native:ties=docid-asc -m RR -m AP
audit-zipped: audit tests.programs.metrics.everyday_queries:mean_rank_of_targets -m RR@10
brief-agreement: agreement qrels other
brief-compare: compare qrels good fair poor tied -m AP -m nDCG@5 -m RR -m P@5
brief-gate: gate qrels good poor --allow-missing 1 -m AP -m nDCG@5
brief-impact: impact qrels good fair poor tied --candidate native:gain=exponential,ties=input -m nDCG@5
brief-pool: pool good fair poor --depth 3 --qrels qrels
brief-rundiff: rundiff qrels good poor -m AP -m nDCG@5
brief-run: run --qrels qrels --run tied -b native:ties=input -b native:depth=5 --reference native -m AP
brief-ties: ties qrels tied
brief-tools: tools qrels tied -m AP -m Rprec -m Success@5 -m ERR@5 -m RBP -m SetF -m nDCG
brief-why: why qrels good {gain=exponential:nDCG@5}
lint-bpref: tools qrels tied --lint -m bpref -m Rprec -m Success@5
lint: tools qrels tied --lint -m AP -m nDCG@5 -m P@5
pool: pool good fair poor --depth 3 --qrels qrels -o pool
pool-input: pool good tied --depth 4 --qrels qrels --conventions ties=input
pool-deep: pool good tied --depth 8 --qrels qrels -k 5
profile: profiles sklearn
profile-list: profiles
profiles: profiles ranx beir
rundiff: rundiff qrels good tied -m AP -m nDCG@5
rundiff-input: rundiff qrels good poor -m RR --conventions ties=input,score_precision=float64
rundiff-short: rundiff qrels short good -m P@5
run: run --qrels qrels --run tied -b native:ties=docid-asc,gain=exponential --reference native -m nDCG@5 -m RR
run-github: run --qrels qrels --run tied -b native:ties=input --reference native -m P@5 --report github
run-markdown: run --qrels qrels --run tied -b native:ties=input --reference native -m P@5 --report markdown=-
run-query: run --qrels qrels --run good --run tied -b native:unit=percent --reference native -m AP --query 3
run-tolerance: run --qrels qrels --run good -b native:rounding=2 --reference native -m AP --tolerance 0.004
run-never: run --qrels qrels --run good -b native:gain=binary --reference native -m AP --fail-on never
run-level: run --qrels qrels --run good -b native:relevance_level=2 --reference native -m AP -m bpref -m P@3
run-missing: run --qrels qrels --run short -b native:missing_queries=zero --reference native -m AP -m P@5
run-judged: run --qrels qrels --run short -b native:precision_denominator=judged --reference native -m P@5
ties: ties qrels tied
ties-single: ties qrels tied -m RR -m P@5 -m nDCG@3 --conventions score_precision=float64
tools: tools qrels tied -m nDCG@5 -m AP -m RR -m P@5 -m bpref
tools-single: tools qrels good -m R@3 --decimals 2
trec_eval: trec_eval -q -c -m all_trec qrels tied
trec_eval-level: trec_eval -l 2 -M 5 -J -m map -m P.3,5 -m ndcg_cut.5 qrels good
why: why qrels good nDCG@5={gain=exponential:nDCG@5}
why-several: why qrels tied AP={ties=docid-asc:AP} RR={ties=docid-asc:RR} P@5={ties=docid-asc:P@5}
why-number: why qrels good {relevance_level=2:AP}
why-other: why qrels good AP=0.1234 P@5=0.4321
"""
COMMANDS = dict(line.split(": ", 1) for line in _LINES.strip().splitlines())
#: Every setting and every profile as a candidate, a dozen at once.
_SETTINGS = [f"native:{one}" for one in settings()]
_MEASURES = "-m nDCG@5 -m AP -m RR -m P@5 -m bpref"
COMMANDS |= {
    f"settings-{first:03}": f"run --qrels qrels --run tied --reference native {_MEASURES} -b "
    + " -b ".join(_SETTINGS[first : first + 12])
    for first in range(0, len(_SETTINGS), 12)
}


def _written(folder: Path) -> None:
    """The collection: qrels, those of another assessor, five runs, and saved values of some."""
    rng = random.Random(1)
    docnos = [f"d{i:02}" for i in range(30)]
    texts = dict.fromkeys(("qrels", "other", "good", "fair", "poor", "tied", "short"), "")
    for query in range(1, 16):
        judged = {docno: rng.choice((0, 0, 0, 1, 1, 2, 3)) for docno in rng.sample(docnos, 14)}
        if query == 9:
            judged = dict.fromkeys(judged, 0)
        for docno, level in judged.items() if query != 15 else ():
            texts["qrels"] += f"{query} 0 {docno} {level}\n"
        for docno, level in [*judged.items()][rng.randrange(3) :] if query != 4 else ():
            texts["other"] += f"{query} 0 {docno} {max(0, level + rng.choice((0, 0, 0, 1, -1)))}\n"
        retrieved = rng.sample(docnos, rng.randint(8, 20))
        for name, noise, places in (("good", 1, 6), ("fair", 2, 6), ("poor", 6, 6), ("tied", 1, 0)):
            scores = {d: round(2 * judged.get(d, 0.4) + rng.gauss(0, noise), places) for d in retrieved}
            lines = [
                f"{query} Q0 {docno} {rank} {score} {name}\n"
                for rank, (docno, score) in enumerate(sorted(scores.items(), key=lambda one: -one[1]), 1)
            ]
            texts[name] += "".join(lines) if query != 7 else ""
            texts["short"] += "".join(lines[: query % 5]) if name == "good" and query != 3 else ""
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name, spec in (("good", ""), ("fair", ""), ("half", "gain=exponential,ties=docid-asc")):
        run = name if name != "half" else "good"
        given = ["qrels", run, "-m", "AP", "-m", "nDCG@5", "-q", "--output", "trec_eval", "--all-digits"]
        done = crosscheck(folder, "evaluate", *given, *(["--conventions", spec] if spec else []))
        (folder / f"{name}.values").write_text(done.out)
    for name in ("good", "tied"):
        given = f"run --qrels qrels --run {name} -b native:gain=exponential --reference native -m nDCG@5"
        crosscheck(folder, *given.split(), "--report", f"json={name}.json", "--quiet")


def _number(folder: Path, given: str) -> str:
    """Four digits of a mean, for arguments such as ``nDCG@5={gain=exponential:nDCG@5}``."""
    begin, _, asked = given.rstrip("}").partition("{")
    if not asked:
        return given
    spec, measure = asked.split(":")
    run = "tied" if spec.startswith("ties") else "good"
    done = crosscheck(
        folder, "evaluate", "qrels", run, "-m", measure, "--conventions", spec, "--output", "csv"
    )
    return f"{begin}{float(done.out.split(',')[-1]):.4f}"


def output(name: str, folder: Path) -> str:
    """The arguments, the exit code, what the command says on both streams, and its document."""
    given = [_number(folder, word) for word in COMMANDS[name].split()]
    plain = ("evaluate", "describe", "explain", "profiles", "trec_eval")
    reports = () if "--report" in given or name.startswith("settings") else REPORTS
    brief = given[0] in plain or name.startswith("brief")
    more = [] if brief else ["--verbose", *["--quiet"] * (given[0] != "diff"), *reports]
    done = crosscheck(folder, *given, *more)
    text = f"$ crosscheck {' '.join(given)}\n{done.out}{done.err}exit code {done.code}\n"
    document = folder / "document.json"
    if document.exists():
        content = json.loads(document.read_text())
        del content["environment"]  # versions of packages
        text += json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        document.unlink()
    return text


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collection")
    _written(folder)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_was_read_and_found_good(name, collection):
    """Every line of it: no number, no word and no exit code changes unnoticed."""
    assert output(name, collection) == (OUTPUTS / f"{name}.txt").read_text("utf-8"), REMEDY


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        _written(Path(scratch))
        for name in sys.argv[1:] or COMMANDS:
            (OUTPUTS / f"{name}.txt").write_text(output(name, Path(scratch)), "utf-8")
