"""Print every sentence that reports may say, once, as it stands in the code.

    python -m tests.programs.sentences [ROOM ...]

A sentence is a text of at least four words in the code of the package that is no docstring; what is put in
is shown as ``{...}``.
"""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import crosscheck

PACKAGE = Path(crosscheck.__file__).parent
#: Rooms whose texts are read by users; the others say errors only.
ROOMS = ("axes", "inputs", "explain", "auditing", "harness", "studies", "report", "testing", "cli")


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each sentence in a module, without docstrings."""
    tree = ast.parse(source)
    left = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    left |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in (node for node in ast.walk(tree) if id(node) not in left):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        said = [
            f"{{{ast.unparse(p.value)}}}" if isinstance(p, ast.FormattedValue) else _text(p) for p in parts
        ]
        if len(words := "".join(said).split()) >= 4:
            yield node.lineno, " ".join(words)


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rooms", nargs="*", default=ROOMS, metavar="ROOM")
    seen: set[str] = set()
    for room in parser.parse_args().rooms:
        for path in sorted((PACKAGE / room).glob("*.py")):
            for line, text in sorted(sentences(path.read_text("utf-8"))):
                if text not in seen:
                    seen.add(text)
                    print(f"{path.relative_to(PACKAGE)}:{line}: {text}")


if __name__ == "__main__":
    main()
