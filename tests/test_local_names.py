"""Parameters and local variables are nouns of the field (`rows`, `matches`), no participles."""

from __future__ import annotations

import ast
from pathlib import Path

from memd.tests.test_docstrings import by_folder, require_shrinking

PARTICIPLES = frozenset({"told", "found", "asked", "given", "known", "own"})
ALLOWED = Path(__file__).parent / "locals_to_rename.txt"
"""The number of participles in each folder that are names still, one for each function; it only falls."""


def participles(path: Path) -> int:
    """Count the participles that a module's functions bind, each once in a function."""
    return sum(
        len({_bound_name(inner) for inner in ast.walk(node)} & PARTICIPLES)
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def _bound_name(node: ast.AST) -> str:
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def test_no_more_locals_are_participles(checkout: Path) -> None:
    """And where fewer are, the list says so."""
    require_shrinking(by_folder(checkout, participles), ALLOWED, "name them by what they hold")


def test_a_participle_is_seen(tmp_path: Path) -> None:
    """As a parameter, of a lambda too, and as a variable; what is only read, or named so in part, is none."""
    (tmp_path / "schemas").mkdir()
    text = "def f(told):\n    found = [x for own in told]\n    return lambda given: found_rows(found, known, told=1)\n"
    (tmp_path / "schemas" / "a.py").write_text(text, encoding="utf-8")
    assert by_folder(tmp_path, participles) == {"schemas": 4}
