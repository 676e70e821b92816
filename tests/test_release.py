"""What is released: one name on the package index, one version, and extras that exist."""

import re
import tomllib

import yaml

import crosscheck
from crosscheck.errors import DISTRIBUTION, install
from tests.cli.command import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = set(PROJECT["optional-dependencies"])
#: All that may tell a reader to install it.
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml", "action.yml")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "crosscheck").rglob("*.py")),
    *sorted((ROOT / ".github").rglob("*.*")),
]


def test_the_distribution_has_one_name():
    """The name in the hints is that of pyproject.toml; no text installs the other `crosscheck`."""
    assert (PROJECT["name"], install("x")) == (DISTRIBUTION, f"pip install '{DISTRIBUTION}[x]'")
    for path in TEXTS:
        text = path.read_text("utf-8")
        assert not re.search(r"pip install [-\w ]*['\"]?crosscheck(?!-ir)|\bcrosscheck\[[a-z]", text), path


def test_every_extra_that_a_text_names_exists():
    """In hints (``install("dask")``), in other extras and in the documentation."""
    named = [
        (path.name, extra)
        for path in TEXTS
        for listed in re.findall(
            rf"""{DISTRIBUTION}\[([\w,]+)\]|\binstall\(["'](\w+)["']\)|'\.\[([\w,]+)\]'""",
            path.read_text("utf-8"),
        )
        for extra in ",".join(filter(None, listed)).split(",")
    ]
    assert {"dask", "stats", "hf", "all"} <= {extra for _, extra in named}
    assert [(name, extra) for name, extra in named if extra not in EXTRAS] == []


def test_the_version_stands_in_one_place():
    """pyproject.toml reads it from the package; what people cite and the newest changes have the same."""
    assert "version" in PROJECT["dynamic"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == crosscheck.__version__
    newest = re.search(r"(?m)^## \[(?!Unreleased)([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert newest
    assert newest[1] == crosscheck.__version__


def test_every_python_that_is_promised_is_tried():
    """The versions of the classifiers are those of CI; a release is tried before it is published."""
    ci, publish = (
        yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"))["jobs"]
        for name in ("ci", "publish")
    )
    promised = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert ci["checks"]["strategy"]["matrix"]["python"] == promised
    assert ci["elsewhere"]["continue-on-error"] is True
    assert {*ci["elsewhere"]["strategy"]["matrix"]["system"]} == {"windows-latest", "macos-latest"}
    assert publish["publish"]["needs"] == "build"
    assert publish["publish"]["permissions"] == {"id-token": "write"}
    assert "release" in next(step["run"] for step in publish["build"]["steps"] if "run" in step)


def test_a_commit_and_an_issue_are_asked_for_the_same_as_in_ci():
    """The hooks are those of the stage `lint`; who reports a number gives the output of `crosscheck why`."""
    repos = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    hooks = {hook["id"] for repo in repos for hook in repo["hooks"]}
    assert hooks == {"ruff-check", "ruff-format", "codespell", "mypy"}
    (stage,) = re.findall(r"(?m)^lint\(\) \{ (.*); \}$", (ROOT / ".ci" / "run").read_text("utf-8"))
    assert stage == "ruff check . && ruff format --check . && codespell && mypy"
    template = ROOT / ".github" / "ISSUE_TEMPLATE" / "wrong_number.yml"
    first = yaml.safe_load(template.read_text("utf-8"))["body"][0]
    assert "output of crosscheck why" in first["attributes"]["label"]
    assert first["validations"]["required"] is True
