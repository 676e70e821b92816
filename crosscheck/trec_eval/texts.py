"""Texts of the command about itself: usage, version, help."""

from __future__ import annotations

import inspect

from crosscheck import __version__
from crosscheck.names import GROUPS
from crosscheck.trec_eval.selection import Request, TrecEvalMeasure, Version

__all__ = ["help_text", "usage", "version_line"]

_USAGE = """\
Usage: trec_eval [-h] [-q] [-c] [-n] {-m measure}* [--compat 9.0.8|10.0] qrels_file run_file
   -q: a line per topic as well; -c: average over all judged topics; -n: no summary
   -m: a measure, measure.parameters or one of official, set, all_trec (default: official)
   -h: all options, and with -m what a measure is"""

_HELP = """\
crosscheck trec_eval evaluates a run against judgements and prints what trec_eval prints.

  crosscheck trec_eval [options] qrels_file run_file

Options may be at any position and long ones may be abbreviated.
  --compat 9.0.8|10.0                version to emulate (default 9.0.8)
  -q, --query_eval_wanted            lines per topic before the summary
  -n, --nosummary                    no summary
  -m, --measure NAME[.PARAMETERS]    a measure or a nickname; may be repeated
  -c, --complete_rel_info_wanted     average over all judged topics; those without results count as 0
  -l, --level_for_rel N              lowest relevance level that counts as relevant (default 1)
  -M, --Max_retrieved_per_topic N    look at the first N documents of each topic only
  -J, --Judged_docs_only             remove unjudged documents from the rankings first
  -N, --Number_docs_in_coll N        documents in the collection, for utility (default 0)
  -R, --Rel_info_format FORMAT       qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT        trec_results, the only one
  -Z, --Zscore FILE                  distances from the means in FILE, in standard deviations
  -D, --Debug_level N[.TOPIC]        evaluate TOPIC only; the level changes nothing
  -o                                 accepted and without effect
  -v, --version; -h, --help

Exit codes: 0 success; 1 bad usage or no such measure; 2 an input file or a measure's parameters cannot be
used; 4 a topic cannot be evaluated; 7 no topic has both results and judgements; 255 the file of -Z.

Files may be pipes and may be compressed with gzip, other than in the C program; in 10.0 a run called - is
standard input. Ranks follow from the scores; tied documents are ordered by document id, descending. The
rank column is ignored. Scores are compared as float32 in 9.0.8 and as double in 10.0.
"""

_FORMATS = {
    "qrels": "topic iteration docno relevance: whole-number levels; the iteration is ignored",
    "qrels_jg": "topic group docno relevance: judgements of several groups, evaluated each and averaged",
    "prefs": "topic group subgroup docno level: of two documents of a subgroup the higher level is preferred",
    "qrels_prefs": "topic group docno level: of two documents of a group the higher level is preferred",
}


def usage() -> str:
    """The usage message, a few lines for stderr."""
    return _USAGE


def version_line(version: Version) -> str:
    """The emulated version and the version of crosscheck."""
    return f"trec_eval version {version} (crosscheck {__version__})\n"


def help_text(request: Request, qrels_format: str) -> str:
    """All options, the format of the judgements, and the measures requested by ``-m``."""
    parts = [_HELP, "Run: topic Q0 docno rank score tag; blank lines and further columns are ignored."]
    if qrels_format in _FORMATS:
        parts.append(f"Judgements, {qrels_format}: {_FORMATS[qrels_format]}.")
    nicknames = "\n".join(f"  {name}: {', '.join(names)}" for name, names in GROUPS.items())
    parts.append(f"\nNicknames:\n{nicknames}\n")
    asked = set(request.named())
    if asked:
        parts += [_described(about) for about in request.selected()]
    else:
        parts.append("With -m NAME this help explains a measure as well.")
    return "\n".join(parts) + "\n"


def _described(about: TrecEvalMeasure) -> str:
    family = about.family
    if family is None:
        return f"{about.name}: {_TEXTS[about.name]}\n"
    text = inspect.getdoc(family.compute) or family.summary
    return f"{about.name}: {family.summary}\n" + "".join(f"  {line}\n" for line in text.splitlines())


_TEXTS = {
    "runid": "the tag on the last line of the run",
    "relstring": "relevance levels of the first documents; - is not judged, . has a negative level",
}
