"""The benchmark runs and reports no mismatches; its speed is not tested."""

import re
from pathlib import Path

from tests.programs.bench import growth, page, versions
from tests.programs.bench.__main__ import main
from tests.programs.bench.timing import COMMANDS
from tests.programs.bench.workloads import WORKLOADS


def test_the_benchmark_runs(capsys):
    """On tiny inputs it prints its tables, and all tools computed the same."""
    small = "--workloads W1 W3 --scale 0.002 --rounds 1 --tools crosscheck pytrec_eval"
    found = main(small.split())
    printed = capsys.readouterr().out
    for name in ("W1", "W3"):
        rows, different = found[name]
        assert f"\n{name}: 1 run(s) of " in f"\n{printed}"
        assert ([row["tool"] for row in rows], different) == (["crosscheck", "pytrec_eval"], 0)
        assert min(rows[0]["wall / pytrec_eval"], rows[0]["inside / pytrec_eval"]) > 0


def test_generated_files_do_not_change(tmp_path):
    """The same size and seed give the same bytes; the runs of W4 against one qrels are different ones."""
    workload = WORKLOADS["W4"].scaled(0.02)
    (qrels, runs), (again, others) = (workload.write(tmp_path / name) for name in ("a", "b"))
    assert len(qrels.read_text().splitlines()) == 5 * 1250
    first, second = (run.read_bytes() for run in runs)
    assert first != second
    assert [qrels.read_bytes(), first, second] == [path.read_bytes() for path in (again, *others)]


def test_growth_is_a_table(capsys):
    """A row for each command, with its sizes and what it grows by."""
    rows = growth.main(["--queries", "2", "4", "--runs", "--commands", "evaluate", "ties"])
    assert [(row["command"], row["over"]) for row in rows] == [("ties", "queries"), ("evaluate", "queries")]
    assert all(row["cpu, 4"] > 0 and "rss, exponent" in row for row in rows)
    assert "\n| ties     | queries |" in capsys.readouterr().out


def test_rows_name_the_other_checkout():
    """A command has a row; a checkout may stand beside itself."""
    here = str(Path(__file__).parents[2])
    rows = versions.main([here, "--commands=evaluate, tiny", "--rounds", "1"])
    assert [row["command"] for row in rows] == ["evaluate, tiny"]
    assert rows[0]["old"]


def test_the_page_about_speed_is_what_the_program_writes():
    """Its commands and columns are those of the programs, and nothing else changes but the numbers, the
    machine and the other checkout."""
    grown = [
        {"command": name, "over": over}
        | {f"{key}, {size}": 1.0 for key in ("cpu", "rss") for size in (*sizes, "exponent")}
        for over, sizes in growth.SIZES.items()
        for name in COMMANDS[over]
    ]
    columns = [f"{key}{of}" for key in ("cpu", "wall", "rss") for of in ("", " / old")]
    beside = [{"old": "X", "command": name} | dict.fromkeys(columns, 1.0) for name in versions.QUICK]
    text = page.PAGE.read_text("utf-8")
    made = page.page(text, "M", grown, beside)
    assert ("\nMachine: M.\n" in made, made.count("with OLD at X. Modules")) == (True, 1)

    def frame(text):
        text = re.sub(r"(?m)^Machine: .*|(?<=with OLD at ).*?(?=\. Modules)", "", text)
        return re.sub(r"(?<=\| )-?[\d.]+(?= \|)", "1", text)

    assert frame(text) == frame(made)
