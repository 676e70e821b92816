"""Kinds of docnos and query ids in fresh inputs."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["DOCNOS", "FIRST", "LAST", "MIDDLE", "NAMESAKES", "TOPICS"]

#: Styles of document ids; no two ids differ only in letter case or leading zeros.
DOCNOS: tuple[Callable[[int], str], ...] = (
    lambda i: f"d{i}",
    lambda i: str(i),
    lambda i: f"{'dDxX'[i % 4]}{'ocOC'[i % 3]}-{i}",
    lambda i: f"clueweb09-en0000-42-{i:05d}",
    lambda i: "abcdefghij"[i % 10] * (1 + i % 7) + f"{i}",
    lambda i: f"LA{i:06d}-{i % 10:04d}",
    lambda i: f"doc{'-_.:#'[i % 5]}{i}{'_.-'[i % 3]}{i % 7}.txt",
    # Bytes above 127 beside others, but no letter that has several forms in lower case, such as ß.
    lambda i: f"{'aéoözñ'[i % 6]}{i}",
)
TOPICS: tuple[Callable[[int], str], ...] = (
    lambda i: str(i),
    lambda i: str(301 + i),
    lambda i: f"q{i}",
    lambda i: f"PLAIN-of-a-long-collection-{i}",
    lambda i: f"{'qQtT'[i % 4]}-{i:03d}",
)
#: Pairs of ids, made from a number, that tools treat as the same: letter case, leading zeros, numbers, the
#: part after a sign or after the first letters, the part before a sign, letters beyond ASCII and accents,
#: letters of other widths, encodings of URLs and of HTML, quotes, and words for a missing value.
NAMESAKES: tuple[Callable[[int], tuple[str, str]], ...] = (
    lambda n: (f"q{n}", f"Q{n}"),
    lambda n: (f"straße{n}", f"strasse{n}"),
    lambda n: (f"0{n}", f"{n}"),
    lambda n: (f"{n}.10", f"{n}.1"),
    lambda n: (f"topic-of-a-long-collection-{n}", f"topic-of-a-long-collection-{n}b"),
    lambda n: (f"{'of-a-very-long-collection-' * 5}{n}a", f"{'of-a-very-long-collection-' * 5}{n}b"),
    lambda n: (f"x{n}.1", f"x{n}.2"),
    lambda n: (f"x{n}_1", f"x{n}_2"),
    lambda n: (f"x{n}:1", f"x{n}:2"),
    lambda n: (f"{n}#a", f"{n}#b"),
    lambda n: (f"y{n}", f"y{n}-"),
    lambda n: (f"a-{n}", f"b-{n}"),
    lambda n: (f"a/{n}", f"b/{n}"),
    lambda n: (f"ü{n}", f"ö{n}"),
    lambda n: (f"é{n}", f"e{n}"),
    lambda n: (f"ñ{n}", f"n\u0303{n}"),
    lambda n: (f"z\uff11{n}", f"z1{n}"),
    lambda n: (f"c%2F{n}", f"c/{n}"),
    lambda n: (f"http://c.org/{n}", f"https://c.org/{n}"),
    lambda n: (f"https://d.org/{n}", f"https://d.org/{n}/"),
    lambda n: (f"e.html?id={n}a", f"e.html?id={n}b"),
    lambda n: (f"f&amp;{n}", f"f&{n}"),
    lambda n: (f'"g{n}"', f"g{n}"),
    lambda n: (f"h{n},1", f"h{n},2"),
    lambda n: (f"i{n}|1", f"i{n}|2"),
    lambda n: (f"{n}e3", f"{n}000"),
    lambda n: ("NA", "null"),
)
#: Parts of docnos that rules for ties order differently: signs, letter case, numbers of several lengths,
#: letters beyond ASCII, the same beginnings and the same ends.
FIRST, MIDDLE = ("", "doc", "Doc", "document-", "é"), ("a", "B", "c", "-", "_", "é", "Z", "")
LAST = ("1", "2", "3", "5", "9", "10", "12", "20", "33", "100", "101", "007", "010")
