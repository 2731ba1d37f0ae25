"""Docstrings are sentences with a verb in the imperative, or noun phrases with an article: none begins as a clause without its sentence."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

LAYERS = ("schemas", "connectors", "memory", "daemon")
CLAUSE = re.compile(r"(?:What|Who|Whose|Whom|Which|Whether|How|Where|When|Why|The ones?|Those|That|Of)\b(?!-)")
"""Matches how a docstring begins that is a clause alone: "What filters look at of those rows that exist"."""
ALLOWED = Path(__file__).parent / "docstrings_to_rewrite.txt"
"""The number of docstrings in each folder that begin so still; it only falls."""


def docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a module, its classes, functions and attributes."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        body = cast("list[ast.stmt]", getattr(node, "body", []))
        for statement in body if isinstance(body, list) else ():  # pyright: ignore[reportUnnecessaryIsInstance] - of a lambda
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                text = statement.value.value
                if isinstance(text, str):
                    yield text.strip()


def by_folder(root: Path, count: Callable[[Path], int]) -> Counter[str]:
    """Sum the counts of the product's modules by folder of a layer; folders without any are left out."""
    counts: Counter[str] = Counter()
    for layer in LAYERS:
        for path in (root / layer).rglob("*.py"):
            folder = "/".join(path.relative_to(root).parts[:2]) if path.parent != root / layer else layer
            counts[folder] += count(path)
    return +counts


def clauses(path: Path) -> int:
    """Count the docstrings of a module that begin as a clause."""
    return sum(CLAUSE.match(text) is not None for text in docstrings(path))


def require_shrinking(counts: Counter[str], path: Path, advice: str) -> None:
    """Compare counts with the list of those allowed, a folder and its number in each line.

    Raises:
        AssertionError: a folder has more, or fewer, which the list is to say then.
    """
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    allowed = {folder: int(number) for folder, number in lines}
    more = {folder: number for folder, number in counts.items() if number > allowed.get(folder, 0)}
    assert more == {}, advice
    fewer = "\n".join(f"{folder} {number}" for folder, number in sorted(counts.items()))
    assert counts == allowed, f"write this into {path.name}:\n{fewer}"


def test_no_more_docstrings_begin_as_a_clause(checkout: Path) -> None:
    """And where fewer do, the list says so."""
    advice = "rewrite them: a verb in the imperative, or a noun phrase with an article"
    require_shrinking(by_folder(checkout, clauses), ALLOWED, advice)


def test_a_clause_is_seen(tmp_path: Path) -> None:
    """In modules, classes, functions and attributes; "What-if" and "Offset" are nouns."""
    (tmp_path / "schemas").mkdir()
    text = '"""Of a day."""\nx = 1\n"""Offset in bytes."""\n\n\ndef f():\n    """Whether it holds."""\n    return """What"""\n'
    (tmp_path / "schemas" / "a.py").write_text(text, encoding="utf-8")
    assert by_folder(tmp_path, clauses) == {"schemas": 2}
