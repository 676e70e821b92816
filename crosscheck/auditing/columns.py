"""Names of the columns that a function expects in data frames and records, learnt from its errors."""

from __future__ import annotations

import re
from dataclasses import replace

from crosscheck.auditing.calls import COLUMNS, Argument, Call, Converted, Word

__all__ = ["columns_meant", "with_column"]

#: (pattern of a column name, our column that such a name means), likeliest first.
_MEANINGS = (
    (r"score|pred|prob|similarity", "score"),
    (r"rank|position|posic", "rank"),
    (r"rel|grade|rating|label|gain|judg|target", "rel"),
    (r"quer|user|topic|qid|session|customer|consulta", "query"),
    (r"doc|item|passage|product|movie|pid|did|corpus|chunk|node|^_?id$", "docid"),
    (r"score", "rel"),
)


def columns_meant(name: str) -> list[str]:
    """Our columns that a name of a column may mean, likeliest first; in qrels a score is a level."""
    bare, of_qrels = re.subn(r"qrels?", "", name.lower())
    meant = [column for part, column in _MEANINGS if re.search(part, bare)]
    return [column for column in meant if not (of_qrels and column == "score")]


def with_column(call: Call, missed: KeyError | AttributeError) -> Call | None:
    """The call with a column renamed to the name that a function missed; None if no column fits that name."""
    name = missed.args[0] if isinstance(missed, KeyError) and missed.args else getattr(missed, "name", None)
    if not isinstance(name, str) or call.words.isdisjoint(COLUMNS):
        return None
    name = name.removeprefix("Column not found: ")  # said by groups of a data frame
    for one in re.findall(r"'([^']+)'", name) or [name]:
        for column in columns_meant(one):
            if (renamed := _renamed(call, column, one)) != call:
                return renamed
    return None


def _renamed(call: Call, column: str, name: str) -> Call:
    def of(argument: Argument) -> Argument:
        match argument:
            case Word(table) if column in COLUMNS.get(table, ()):
                return Converted(table, argument, ((column, name),))
            case Converted(table, inner, columns) if table in COLUMNS:
                if column in COLUMNS.get(table, ()) and column not in dict(columns):
                    named = dict(columns) | {column: name}
                    return Converted(table, inner, tuple((c, named[c]) for c in COLUMNS[table] if c in named))
            case Converted(_, inner):
                return replace(argument, of=of(inner))
        return argument

    return call.with_arguments(of)
