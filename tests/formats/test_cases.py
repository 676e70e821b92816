"""Case folders are found, and what is wrong with one is said with file, line and a hint."""

import os
from pathlib import Path

from crosscheck.formats.cases import find_cases
from crosscheck.formats.topics import read_topics
from tests.support.kept import Kept


def made(files):
    """Files that are almost empty, and no TOML."""
    for name in files.split():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")


def found(files, paths, only="", at="."):
    """The names of the cases among these files, on paths as they are seen from one folder."""
    made(files)
    os.chdir(at)
    return [case.name for case in find_cases(paths.split(), only.split())]


def only_case(files, config=None):
    """The case with these files, and this text as its case.toml."""
    made(" ".join(f"case/{name}" for name in files.split()))
    if config is not None:
        Path("case/case.toml").write_bytes(config.encode("utf-8", "surrogateescape"))
    (one,) = find_cases(["case"])
    return one


def case(files, config=None):
    """What is known of it."""
    one = only_case(files, config)
    told = {name: getattr(one, name) for name in one.__struct_fields__}
    return "\n".join(f"{name}: {value!r}" for name, value in told.items() if value not in ((), None, "", {}))


def config(text):
    return case("qrels run.a", text)


def published(written):
    """Numbers as the table [published] of a case has them: value and decimals."""
    (one,) = only_case("qrels run", f'[published]\nAP = {written}\n"P@5" = 0.4\n').published
    return {name: (value, getattr(value, "decimals", None)) for name, value in one.values.items()}


def topics(name, text):
    """The groups of each query of a table, and of one that is not there."""
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    table = read_topics(name)
    groups = {
        query: {name: table.group(query, name) for name in table.columns} for query in [*table.rows, b"?"]
    }
    return "\n".join(f"{query!r}: {of}" for query, of in groups.items())


EXAMPLES = Kept(__file__, found=found, case=case, config=config, published=published, topics=topics)
test_examples = EXAMPLES.test()
