"""The rules: precise on labelled lines, the same for the same words, and never at a loss for a quote."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.extraction.rules import version
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.rules.version import BESIDE, VERSION, table_hash
from memd.memory.extraction.window import Line, Window
from memd.tests.cases import for_each
from memd.tests.effort import examples
from memd.tests.facts.labelled import resolve_all

WORDS = ["I", "my", "live", "in", "Lisbon", "since", "2019", '"', "sister", "Anna", "am", "a", "nurse", ".", "?", "\n", "if", ":", "Bo", "don't", "like", "🎂"]  # fmt: skip

SHARED = {"verify.py", "claim.py", "window.py", "proposal.py", "statement.py", "extractor.py"}


@pytest.fixture(scope="module")
def bench(checkout: Path) -> ModuleType:
    """bench/rules.py, which measures."""
    spec = importlib.util.spec_from_file_location("bench_rules", checkout / "bench" / "rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_labelled_set_is_large_and_hard(bench: ModuleType) -> None:
    """At least 400 lines, more than half of them without a fact, with German and Spanish among them."""
    rows = [json.loads(row) for row in bench.LINES.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 600
    assert len({row["text"] for row in rows}) == len(rows)
    assert sum(not row["expect"] for row in rows) >= len(rows) / 2
    assert sum(row["lang"] == "de" for row in rows) >= 60
    assert sum(row["lang"] == "es" for row in rows) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_precision_and_recall_on_the_labelled_set(bench: ModuleType, half: str) -> None:
    """Nine of ten statements are right in attribute, value, subject, negation and dates, on lines seen and unseen."""
    whole, by = bench.measure(half)
    assert whole.precision >= 0.9
    assert whole.recall >= 0.8
    for name, score in by.items():
        assert score.made < 10 or score.precision >= 0.8, name


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
@settings(max_examples=examples(150))
def test_whatever_is_said_the_quote_stands_in_it(text: str) -> None:
    """Every statement of any jumble cites words that stand in the message; equal twice."""
    bench_window = _window(text)
    first = RulesExtractor().read(bench_window)
    assert first == RulesExtractor().read(bench_window)
    for statement in first.statements:
        assert all(cited.quote in text for cited in statement.evidence)


def _window(text: str) -> Window:
    line = Line(1, UUID(int=1), "m1", "Dana Reyes", text, datetime(2024, 7, 10, tzinfo=UTC))
    return Window(UUID(int=2), "d", "s", "", "Dana Reyes", ("Dana Reyes",), (line,))


def test_the_version_changes_with_every_file_of_the_rules(tmp_path: Path) -> None:
    """Another row, list or check is another version, so that what was extracted before is known to be of other rules."""
    source = Path(version.__file__).parent
    copy = tmp_path / "rules"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name in BESIDE:
        shutil.copy(source.parent / name, tmp_path / name)
    assert table_hash(copy) == table_hash()
    assert VERSION.endswith(f"-{table_hash()}")
    for path in [*copy.rglob("*.py"), *copy.rglob("*.txt"), *(tmp_path / name for name in BESIDE)]:
        before = path.read_bytes()
        path.write_bytes(before + b"# other")
        assert table_hash(copy) != table_hash(), path
        path.write_bytes(before)


def test_the_version_covers_the_modules_that_the_rules_import() -> None:
    """All of the folder above, with what these import, but for the gates and shapes that every extractor shares."""
    rules = Path(version.__file__).parent
    imported, unread = set[str](), [ast.parse(path.read_text(encoding="utf-8")) for path in rules.glob("*.py")]
    level = 2
    while unread:
        found = {
            f"{node.module}.py"
            for tree in unread
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.level == level and node.module
        }
        fresh = {name for name in found - imported if (rules.parent / name).exists()} - SHARED
        imported |= fresh
        unread = [ast.parse((rules.parent / name).read_text(encoding="utf-8")) for name in fresh]
        level = 1
    assert imported == set(BESIDE)


def test_a_starred_word_replaces_the_one_it_is_like() -> None:
    """In the message before, of the same person; a word that is like none of it replaces nothing."""

    def values(correction: str) -> list[str]:
        said = datetime(2024, 7, 10, tzinfo=UTC)
        texts = ("I live in Newport", correction)
        lines = tuple(Line(n, UUID(int=n), f"m{n}", "Dana Reyes", text, said) for n, text in enumerate(texts, start=1))
        window = Window(UUID(int=2), "d", "s", "", "Dana Reyes", ("Dana Reyes",), lines)
        return [statement.value for statement in RulesExtractor().read(window).statements]

    assert values("*Newquay, autocorrect") == ["Newport", "Newquay"]
    assert values("*Mum") == ["Newport"]
    assert values("Newquay is nice") == ["Newport"]


@for_each(
    [
        ("My husband Tom is here", "we broke up", []),
        ("I'm married to Tom", "My husband died in May", []),
        ("Meine Frau Petra kommt mit", "wir haben uns getrennt", []),
        ("mein Mann heißt Jonas", "Mein Mann ist gestorben", []),
        ("mi mujer Carla viene", "nos divorciamos", []),
        ("My husband Tom is here", "We had lunch and then we separated at noon", ["Tom"]),
        ("I'm vegan", "I don't eat meat", ["vegan", "no meat"]),
        ("Soy vegana", "no como carne", ["vegana", "no carne"]),
        ("I'm vegetarian", "I'm vegan now", ["vegan"]),
    ]
)
def test_what_is_said_later_ends_what_it_contradicts(first: str, then: str, values: list[str]) -> None:
    """A partner also without a name; who is vegan and eats no meat is both."""
    lines = tuple(
        Line(n, UUID(int=n), f"m{n}", "Dana Reyes", text, datetime(2024, 7, 10 + n, tzinfo=UTC))
        for n, text in enumerate((first, then), start=1)
    )
    window = Window(UUID(int=2), "d", "s", "", "Dana Reyes", ("Dana Reyes",), lines)
    facts = resolve_all(RulesExtractor().read(window).statements)
    assert [each.value for each in facts if each.status == "active" and not each.negated] == values


@pytest.mark.slow
def test_the_version_is_known_without_the_table() -> None:
    """Most commands find nothing unread, and do without the tenth of a second that compiling the table takes."""
    tell = (
        "import sys; from memd.memory.extraction.rules.deferred import DeferredRulesExtractor as D; "
        "print(D().version, 'memd.memory.extraction.rules.pattern' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-P", "-c", tell], check=True, capture_output=True, text=True).stdout
    assert told == f"{VERSION} False\n"
