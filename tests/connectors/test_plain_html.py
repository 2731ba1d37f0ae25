"""Plain pages are read without a parser: the text must be the one that the parser gives."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memd.connectors.text.html.text import DISPLAYED, text_of_html, text_of_plain_html
from memd.tests.effort import examples

TAGS = sorted(DISPLAYED)
WORDS = st.text("ab \n\t\f\r\x0b\x00\xa0\ufeff\ud800>&\"'=/é", max_size=5) | st.sampled_from(
    ["&amp;", "&lt;b&gt;", "&nbsp;", "&#39;", "&quot;", "&copy;", "&amp", "&#60;", "<", "<!-- x -->", "&amp;lt;"]
)
STARTS = st.sampled_from([*(f"<{tag}>" for tag in TAGS), '<p data-sourcepos="1:1-2:3">', '<a href="x" title="">'])
SOUP = st.lists(WORDS | STARTS | st.sampled_from([f"</{tag}>" for tag in TAGS]), max_size=12).map("".join)


def _element(tag: str, inside: list[str]) -> str:
    return f"<{tag}>" if tag in ("br", "hr") else f"<{tag}>{''.join(inside)}</{tag}>"


TREES = st.recursive(
    WORDS, lambda inside: st.builds(_element, st.sampled_from(TAGS), st.lists(inside, max_size=4)), max_leaves=20
)
INLINE = st.recursive(
    st.text("ab \n&\xa0", max_size=4).map(lambda words: words.replace("&", "&amp;")),
    lambda inside: st.builds(
        _element, st.sampled_from(["b", "code", "br", "em", "span"]), st.lists(inside, max_size=3)
    ),
    max_leaves=4,
)
BLOCKS = st.recursive(
    st.builds(_element, st.sampled_from(["p", "h2", "pre", "hr"]), st.lists(INLINE, max_size=3)) | INLINE,
    lambda inside: st.one_of(
        st.builds(_element, st.sampled_from(["div", "blockquote"]), st.lists(inside, max_size=3)),
        st.builds(
            _element,
            st.sampled_from(["ul", "ol"]),
            st.lists(st.lists(inside, max_size=3).map(lambda each: _element("li", each)), max_size=3),
        ),
        st.lists(
            st.lists(st.lists(inside, max_size=2).map(lambda each: _element("td", each)), max_size=3).map(
                lambda cells: _element("tr", cells)
            ),
            max_size=3,
        ).map(lambda rows: _element("table", [_element("tbody", rows)])),
    ),
    max_leaves=8,
)


@settings(max_examples=examples(80), deadline=None)
@given(st.one_of(SOUP, TREES, st.lists(TREES, max_size=4).map("".join)))
@example("<pre>\n a\n  b</pre>")
@example('<a href="x"><a href="y">z</a></a>')
@example("<table><tbody>\xa0<tr><td>a</td></tr></tbody></table>")
@example("<p>a<p>b</p></p>")
@example("<b><p>a</b>b</p>")
@example("<p>a" + "<span>" * 100 + "b" + "</span>" * 100 + "</p>")
def test_whatever_is_read_without_the_parser_is_what_the_parser_gives(html: str) -> None:
    """Of tags in any order, of elements in elements that may not stand there, and of signs that the parser replaces."""
    plain = text_of_plain_html(html)
    assert plain is None or plain == text_of_html(html)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(BLOCKS, max_size=4).map("".join))
def test_pages_that_nest_as_they_are_written_are_read_without_the_parser(html: str) -> None:
    """Paragraphs, lists, tables and code of any depth."""
    plain = text_of_plain_html(html)
    assert plain == text_of_html(html) or "<pre>\n" in html
