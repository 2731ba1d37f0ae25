"""Docstrings are sentences with a verb in the imperative, or noun phrases with an article: none begins as a clause without its sentence."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
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


def clauses(root: Path) -> Counter[str]:
    """Count the docstrings that begin as a clause, by folder of a layer."""
    counts: Counter[str] = Counter()
    for layer in LAYERS:
        for path in (root / layer).rglob("*.py"):
            folder = "/".join(path.relative_to(root).parts[:2]) if path.parent != root / layer else layer
            counts[folder] += sum(CLAUSE.match(text) is not None for text in docstrings(path))
    return counts


def test_no_more_docstrings_begin_as_a_clause(checkout: Path) -> None:
    """And where fewer do, the list says so."""
    lines = (line.split() for line in ALLOWED.read_text(encoding="utf-8").splitlines())
    allowed = {folder: int(number) for folder, number in lines}
    counted = {folder: number for folder, number in clauses(checkout).items() if number}
    more = {folder: number for folder, number in counted.items() if number > allowed.get(folder, 0)}
    assert more == {}, "rewrite them: a verb in the imperative, or a noun phrase with an article"
    fewer = "\n".join(f"{folder} {number}" for folder, number in sorted(counted.items()))
    assert counted == allowed, f"write this into {ALLOWED.name}:\n{fewer}"


def test_a_clause_is_seen(tmp_path: Path) -> None:
    """In modules, classes, functions and attributes; "What-if" and "Offset" are nouns."""
    (tmp_path / "schemas").mkdir()
    text = '"""Of a day."""\nx = 1\n"""Offset in bytes."""\n\n\ndef f():\n    """Whether it holds."""\n    return """What"""\n'
    (tmp_path / "schemas" / "a.py").write_text(text, encoding="utf-8")
    assert clauses(tmp_path) == {"schemas": 2}
