"""Writes what is computed in ``fixtures/``: recorded values of the oracle, and the page of all cases.

    python -m tests.programs.fixtures [--check]

A case is written by hand: qrels, runs and ``case.toml``. Recorded files that no row names are a tool's own.
"""

import json
import sys
from pathlib import Path

from tests.support.cases import FIXTURES, Case, cases, saved_values
from tests.support.oracle import Oracle, changes_of

#: The cases that show a value of an axis.
VALUES_OF_AXES = """
label-first-result first_result=skipped
label-tie-breaking ties=docid-asc
label-score-precision score_precision=float64
label-rank-order order=rank-column
label-depth depth=10
label-unjudged-documents unjudged=removed
label-negative-relevance negatives=nonrelevant
label-judged-depth judged_depth=5
label-relevance-level relevance_level=2
label-gain gain=exponential
label-discount discount=jarvelin
label-ideal-ranking ideal=retrieved
label-precision-denominator precision_denominator=min(k,retrieved)
label-recall-denominator recall_denominator=min(R,k)
label-ap-denominator ap_denominator=retrieved-relevant
label-rr-cutoff rr_cutoff=10
label-rr-of rr_of=every
label-max-grade max_grade=qrels
label-exact-level exact_level=2
label-bpref-form bpref_form=zero-when-no-nonrelevant
label-identical-ids identical_ids=removed
label-id-normalisation ids=case
label-special-scores special_scores=nonpositive-dropped
label-duplicates duplicates=each
label-universe universe=retrieved
label-rprec-denominator rprec_denominator=min(R,retrieved)
label-recall-points recall_points=round
label-missing-queries missing_queries=zero
label-no-relevant one:no_relevant=one nan:no_relevant=nan skip:no_relevant=skip
label-query-set query_set=run
label-percentage unit=percent
label-unjudged-queries unjudged_queries=no-relevant
label-averaging averaging=median
label-geometric-floor geometric_floor=none
label-rounding rounding=4
value-order input:order=input rank:order=rank-column
value-ties input:ties=input reverse-input:ties=reverse-input rank-column:ties=rank-column best:ties=best
value-ties worst:ties=worst
value-ties-average ties=average
value-ties-average-rr ties=average
value-ties-group-end ties=group-end
value-ties-quicksort ties=quicksort
value-ties-quicksort-twice ties=quicksort-twice
value-special-scores-nan special_scores=nan-keeps-place
value-duplicates first:duplicates=first last:duplicates=last
value-ids-strip ids=strip
value-ids-int ids=int
value-ids-query-suffix ids=query-suffix
value-negatives-relevant negatives=relevant
value-negatives-gain negatives=negative-gain
value-negatives-guarded negatives=negative-gain-guarded
value-unjudged-relevant unjudged=level-1
value-unjudged-levels level-2:unjudged=level-2 level-3:unjudged=level-3 level-4:unjudged=level-4
value-unjudged-nonrelevant unjudged=level-0
value-relevance-level-0 relevance_level=0
value-relevance-level-none relevance_level=none
value-missing-queries hits:missing_queries=dropped-without-hits nan:missing_queries=nan
value-missing-queries nan-hits:missing_queries=nan-without-hits
value-missing-queries nan-found:missing_queries=dropped-nan-without-hits
value-missing-queries relevant:missing_queries=dropped-without-relevant
value-query-set-judged query_set=qrels
value-result-precision result_precision=float32
value-gain-binary gain=binary
value-discount ln:discount=ln-jarvelin none:discount=none rank:discount=rank
value-discount-dcg discount=ln(i+1)
value-ideal hits:ideal=hits-returned max:ideal=max-grade whole:ideal=untruncated
value-ideal-at-k ideal=retrieved-at-k
value-ideal-returned ideal=max-grade-returned
value-precision-judged precision_denominator=judged
value-recall-retrieved recall_denominator=retrieved-R
value-ap-min ap_denominator=min(R,k)
value-bpref 10:bpref_form=bpref-10 over-R:bpref_form=over-R
value-bpref-nan bpref_form=nan-when-no-nonrelevant
value-recall-points-exact recall_points=exact
value-geometric-floor geometric_floor=replace-zero
value-universe-appended universe=appended
value-averaging-micro averaging=micro
value-ties-docno natural-asc:ties=docid-natural-asc natural-desc:ties=docid-natural-desc
value-ties-docno folded-asc:ties=docid-folded-asc folded-desc:ties=docid-folded-desc
value-ties-docno numeric-asc:ties=docid-numeric-asc numeric-desc:ties=docid-numeric-desc
value-ties-docno length-asc:ties=docid-length-asc length-desc:ties=docid-length-desc
value-max-grade query:max_grade=query 5:max_grade=5
value-rr-of found:rr_of=every-retrieved highest:rr_of=highest-level
value-gain-powers all:gain=2^level-of-all power:gain=2^level square:gain=level^2
value-discount-bases 3:discount=jarvelin-3 10:discount=jarvelin-10
value-discount-log10 discount=log10(i+1)
value-precision-min precision_denominator=min(k,R)
value-recall-k recall_denominator=k
value-ap-k k:ap_denominator=k retrieved:ap_denominator=min(R,retrieved)
"""
#: Other recorded files that the oracle computes.
OTHERS = """
healthy-saved-output
hostile-ids ties=docid-asc
s1-precision-short-list s1:precision_denominator=min(k,retrieved)
s1-unretrieved-relevant s1:ap_denominator=retrieved-relevant,discount=jarvelin,ideal=retrieved
s2-six-relevant-float-noise notebook:
s5-dcg s5:discount=jarvelin
s5-ndcg s5:discount=jarvelin
s5-ranked-measures s5:
"""
#: Axes that leave the values of queries as they are: the mean is recorded beside them.
_OF_MEANS = {"averaging", "query_set", "unjudged_queries"}
_GROUPS = {
    "S1: notebook over relevance vectors": ("s1-",),
    "S2: notebook beside HF evaluate's trec_eval": ("s2-",),
    "S3, S4, S5: short formulas, a metrics calculator, course notes": ("s3-", "s4-", "s5-"),
    "One minimal case per cause": ("label-",),
    "Further values of the axes": ("value-",),
    "Every family of measures": ("families-",),
    "Agreement, hostile input, refused input": ("backend-", "healthy-", "hostile-"),
}


def rows(table: str) -> list[tuple[Case, Path, str]]:
    """Case, recorded file and setting: a line of a table is a case and its settings, each behind the name of
    its recorded file where there are several."""
    found = []
    for name, *settings in map(str.split, table.split("\n")[1:-1]):
        for file, _, setting in (one.rpartition(":") for one in settings or [""]):
            (path,) = Case(name).folder.glob(f"recorded.{file or 'tool'}.*")
            found.append((Case(name), path, setting))
    return found


def _computed(case: Case, path: Path, setting: str) -> bytes:
    """The content of a recorded file, of the measures that it holds."""
    before, decimals = saved_values(path)
    changes, (run,) = changes_of(setting), case.runs
    table: dict[str, dict[str, float | None]] = {}
    means: dict[str, float | None] = {}
    for measure in next(iter(before.values())):
        values, means[measure] = Oracle(changes).evaluate(*case.read(run), measure)
        for topic, value in values.items():
            table.setdefault(topic, {})[measure] = value
    if _OF_MEANS & changes.keys():
        table["all"] = means
    if decimals is None:
        return _json(table)
    lines = (f"{m:<22}\t{t}\t{v:.{decimals}f}\n" for t, row in table.items() for m, v in row.items())
    return "".join(lines).encode("utf-8", "surrogateescape")


def _json(table: object) -> bytes:
    return (json.dumps(table, indent=2, ensure_ascii=False) + "\n").encode()


def _page() -> bytes:
    """README.md: its head as it is, and a table of each group of cases."""
    head, _, _ = (FIXTURES / "README.md").read_text("utf-8").partition("\n## ")
    parts = [head]
    for title, prefixes in _GROUPS.items():
        lines = [f"## {title}", "", "| case | what it shows | known mismatches |", "|---|---|---|"]
        lines += [_line(case) for case in cases() if case.name.startswith(prefixes)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts).encode()


def _line(case: Case) -> str:
    causes = dict.fromkeys(", ".join(e.get("causes", [])) or e["outcome"] for e in case.expect)
    description = case.description.replace("|", "\\|")
    return f"| `{case.name}` | {description} | {'; '.join(causes) or 'none'} |"


def all_files() -> dict[Path, bytes]:
    """Contents of all that is computed."""
    made = {path: _computed(case, path, setting) for case, path, setting in rows(VALUES_OF_AXES + OTHERS[1:])}
    return made | {FIXTURES / "README.md": _page()}


def main(arguments: list[str]) -> int:
    wrong = {path: content for path, content in all_files().items() if path.read_bytes() != content}
    for path, content in wrong.items():
        print(f"{path.relative_to(FIXTURES.parent)} {'differs' if arguments else 'written'}")
        if not arguments:
            path.write_bytes(content)
    return int(bool(wrong and arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
