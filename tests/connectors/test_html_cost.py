"""Pages that would cost the parser more than their length are not parsed, and no way of writing them hides it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import memd
from memd.connectors.text.html.text import plain_text
from memd.connectors.text.html.tree import MOST_ATTRIBUTES, bounded_markup, html_tree
from memd.tests.cases import for_each

ATTRIBUTES = "<p " + " ".join(f"a{n}=1" for n in range(5_000)) + ">x"
DEEP = "<div>" * 5_000
OPEN_FORMATTING = "<p>" + "".join(f"<b i={n}>" for n in range(1_000)) + "</p>" + "<p>x" * 1_500


@for_each(
    [
        ATTRIBUTES,
        ATTRIBUTES.replace("=1 ", "/"),
        ATTRIBUTES.replace("=1 ", '=""'),
        ATTRIBUTES.replace("<p", "<p x=' > '"),
        ATTRIBUTES.replace("<p", '<p x"'),
        "".join(f"<body a{n}=1>" for n in range(5_000)),
        "".join(f"<html a{n}=1>" for n in range(5_000)),
        DEEP,
        "<b>" * 5_000,
        "<select>" + "<option>x</option>" * 50_000,
        OPEN_FORMATTING,
        "".join(f"<p><font color={n}>x" for n in range(3_000)),
        "<p>" + "".join(f"<b i={n}><table><td></b></table>" for n in range(1_000)) + "</p>" + "<p>x" * 1_500,
    ]
)
def test_markup_whose_cost_grows_with_its_square_is_not_parsed(html: str) -> None:
    """Attributes of one element, elements inside elements, choices of a list, formatting without an end."""
    assert html_tree(html) is None


@for_each(
    [
        '<p x">',
        "<!-->",
        "<!--->",
        "<!-- --!>",
        "<title-x>",
        "</ <!-- >",
        "<? <!-- >",
        "<!x <!-- >",
        "<<!-- -->",
        "<svg><title>",
        "<svg><style>",
        "<svg><![CDATA[><!--]]>",
        '<textarea><p x="</textarea>',
        '<xmp><p x="</xmp>',
        "<script><!--<script></script>",
        "<select><textarea>",
    ]
)
def test_nothing_before_costly_markup_hides_it(before: str) -> None:
    """The parser never gets more elements than were counted, in whichever state it is."""
    for costly in (DEEP, ATTRIBUTES):
        markup = bounded_markup(before + costly)
        assert markup is None or markup.count("<") < 20, "as text of a script it holds no tag"


@for_each(
    [
        ("<!DOCTYPE html><title>a <b> c</title><p>one<!-- <div> --> two</p>", "one two"),
        ("<p>one</p><script>if (a<b && c>d) {}</script><p>two</p>" * 900, "\n\n".join(["one", "two"] * 900)),
        ("<p>a < b, <3, c<!-- > -->d</p>", "a < b, <3, cd"),
        ('<table><tr><td class="x">a<td>b</table>' * 600, "\n\n".join(["a | b"] * 600)),
        (f'<p style="{"a b " * 9_000}">x</p>', "x"),
    ]
)
def test_usual_pages_are_read_as_they_are(case: tuple[str, str]) -> None:
    """Also what is rewritten before the parser sees it, and long values of one attribute."""
    assert plain_text(case[0]) == case[1]


def test_the_title_of_a_page_keeps_its_words() -> None:
    """It is written anew where it looks like tags."""
    tree = html_tree("<title>a <b> &amp; c</title>" + "<p>x</p>" * 600)
    assert tree is not None
    found = tree.css_first("title")
    assert found is not None
    assert found.text() == "a <b> & c"


def test_a_page_within_the_limits_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest number of attributes, and short pages without a count."""
    page = "<p " + " ".join(f"a{n}" for n in range(MOST_ATTRIBUTES)) + ">x"
    assert html_tree(page * 20) is not None
    monkeypatch.setattr("memd.connectors.text.html.tree.DEEPEST", 0)
    assert html_tree("<p>x") is not None


def test_only_one_place_makes_the_parser() -> None:
    """A connector that did it by itself would parse whatever comes."""
    root = Path(memd.__file__).parent
    makers = {
        path.name
        for path in (root / "connectors").rglob("*.py")
        if "LexborHTMLParser(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "LexborHTMLParser"
    }
    assert makers == {"tree.py"}
