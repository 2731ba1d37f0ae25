"""The documentation tells of every command, setting, error code, notice and metadata key that there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from memd.daemon.cli.dispatch import build_parser
from memd.daemon.config.resolution import resolve_settings
from memd.daemon.exit_codes import OF_CODE
from memd.schemas import errors
from memd.schemas.errors import ErrorInfo, MemdError
from memd.schemas.query import Hit, Occurrences, QueryResult, QuestionPart, Sort, Understood
from memd.tests import format_tables
from memd.tests.api_table import BEGIN, written
from memd.tests.readme_picture import PICTURE, picture


@pytest.fixture(scope="module")
def reference(checkout: Path) -> str:
    """The pages that list everything: documents, the API, settings, files."""
    names = ("documents", "api", "settings", "files")
    return "".join((checkout / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in names)


def test_every_command_is_in_the_readme(checkout: Path) -> None:
    """By its name."""
    readme = (checkout / "README.md").read_text(encoding="utf-8")
    verbs = re.search(r"\{([a-z,]+)\}", build_parser().format_usage())
    listed = verbs[1].split(",") if verbs else re.findall(r"^    ([a-z]+) ", build_parser().format_help(), re.MULTILINE)
    assert len(listed) >= 11
    assert [verb for verb in listed if f"`{verb}`" not in readme and f"memd {verb}" not in readme] == []


def test_every_setting_is_documented(reference: str) -> None:
    """By its dotted name."""
    names = [name for name, _, _ in resolve_settings(environ={}).lines() if name != "config"]
    assert [name for name in names if f"`{name}`" not in reference] == []


def test_every_error_code_is_documented(reference: str) -> None:
    """With the status and the exit code it has."""
    meanings: set[ErrorInfo] = {errors.UNEXPECTED}
    heirs: list[type[MemdError]] = [MemdError]
    for error in heirs:
        meanings.add(error.meaning)
        heirs.extend(error.__subclasses__())
    for meaning in meanings:
        row = re.search(rf"^\| {meaning.code} \| {meaning.status} \| ([0-9, ]+) \|", reference, re.MULTILINE)
        assert row, meaning
        assert str(OF_CODE[meaning.code]) in row[1].split(", ")


def test_every_notice_is_documented(reference: str, checkout: Path) -> None:
    """By its code, wherever in the sources one is made."""
    made: set[str] = set()
    for path in (*checkout.glob("connectors/**/*.py"), *checkout.glob("schemas/*.py")):
        made |= set(re.findall(r'(?:code=|_KEY = |_TEXT = )"([a-z-]+)"', path.read_text(encoding="utf-8")))
    assert len(made) >= 10
    assert sorted(code for code in made if f"`{code}`" not in reference) == []


def test_every_operation_of_the_api_is_documented(reference: str) -> None:
    """In a table that is written from their rows and models."""
    assert BEGIN in reference
    assert reference == written(reference), "write it anew: .venv/bin/python -m memd.tests.api_table"


@pytest.mark.parametrize("name", format_tables.FILES)
def test_formats_and_packages_are_listed(checkout: Path, name: str) -> None:
    """In tables and a list that are written from the registry and the folders."""
    text = (checkout / name).read_text(encoding="utf-8")
    assert text == format_tables.written(name, text), "write it anew: .venv/bin/python -m memd.tests.format_tables"


def test_links_between_documents_lead_somewhere(checkout: Path) -> None:
    """Relative links of the Markdown files exist."""
    for path in (
        *checkout.glob("*.md"),
        *checkout.glob("docs/*.md"),
        *checkout.glob("examples/*.md"),
        *checkout.glob("connectors/formats/*/*.md"),
    ):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_picture_shows_the_first_answer(checkout: Path) -> None:
    """As the transcript of the README has it."""
    drawn = (checkout / PICTURE).read_text(encoding="utf-8")
    assert drawn == picture(checkout / "README.md"), "draw it anew: .venv/bin/python -m memd.tests.readme_picture"


def test_every_field_of_an_answer_is_explained(checkout: Path) -> None:
    """Of the answer, of what was understood, of a hit's dates; every part that can be ignored, and every order."""
    page = (checkout / "docs" / "api.md").read_text(encoding="utf-8")
    answers = page[: page.index("<!-- operations")]
    fields = [*Understood.model_fields, *QueryResult.model_fields, *Hit.model_fields, *Occurrences.model_fields]
    values = [*get_args(QuestionPart), *get_args(Sort), *get_args(Understood.model_fields["order"].annotation)]
    missing = [name for name in (*fields, *values) if not re.search(rf'[`"{{ ]{name}[`",}} ]', answers)]
    rows = re.findall(r"^\| `(\w+)` \|", answers, re.MULTILINE)
    assert missing == []
    assert {*Understood.model_fields, "understood", "count", "summary", "notices"} <= {*rows}
    assert all(f"`{each}`" in answers for each in values)
