"""Texts from bytes: every encoding that says what it is comes back whole, and no bytes are an exception."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.text.charset import decode, wide_encoding
from memd.connectors.text.html.text import plain_text
from memd.tests.cases import for_each

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1)


@given(text=WORDS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_what_says_its_encoding_comes_back(encoding: str, text: str) -> None:
    """Byte order marks are believed, and no part of the text."""
    found = decode(text.encode(encoding))
    assert found is not None
    assert (found.text, found.assumed, found.replaced) == (text, False, False)


@given(text=WORDS)
def test_utf8_comes_back(text: str) -> None:
    """Without any mark."""
    found = decode(text.encode())
    assert found is None or found.text == text.removeprefix("\ufeff")
    if found is None:  # it begins like a PDF, or like one of a few others
        assert text[0] in "%{PGS"


@given(data=st.binary(max_size=300), cut=st.booleans())
def test_no_bytes_are_an_exception(data: bytes, cut: bool) -> None:
    """A text, or nothing."""
    found = decode(data, cut=cut)
    assert found is None or isinstance(found.text, str)


@given(text=WORDS, data=st.data())
def test_a_beginning_may_end_inside_a_character(text: str, data: st.DataObject) -> None:
    """Nothing is replaced, and nothing else is assumed, because a character is not complete."""
    whole = text.encode()
    found = decode(whole[: data.draw(st.integers(0, len(whole)))], cut=True)
    if found is not None:
        assert not found.replaced
        assert text.removeprefix("\ufeff").startswith(found.text)


@for_each(
    [
        ("Grüße aus Köln".encode("utf-16-le"), "utf-16-le"),
        ("Grüße aus Köln".encode("utf-16-be"), "utf-16-be"),
        ("東京へ行く。 12:30 OK".encode("utf-16-le"), "utf-16-le"),
        (b"plain words", ""),
        (b"a\0b\0", "utf-16-le"),
        (b"\0\0\0\0\0\0", ""),
        (b"", ""),
    ]
)
def test_zeros_tell_utf16(data: bytes, encoding: str) -> None:
    """On one side only."""
    assert wide_encoding(data) == encoding


@for_each([b"%PDF-1.7 words", b"\x89PNG\r\n", b"{\\rtf1 words}", bytes(100), bytes(range(32)) * 4])
def test_what_is_no_text(data: bytes) -> None:
    """Known beginnings, and control characters that no text has."""
    assert decode(data) is None


def test_markup_that_nests_too_deep_keeps_its_words() -> None:
    """Without paragraphs, and without a parser that would need much memory or time for it."""
    assert plain_text("<div>" * 100_000 + "<p>the boat &amp; Bo</p>" + "</div>" * 100_000) == "the boat & Bo"
    assert plain_text("<p>the boat</p><p>Bo</p>") == "the boat\n\nBo"


@for_each(
    [
        ("船は港に入りました。天気はとても良かったです。", "cp932"),
        ("船は港に入りました。天気はとても良かったです。", "euc_jp"),
        ("배가 항구에 들어왔습니다. 날씨가 좋았어요.", "cp949"),
        ("船已经到港口了，今天的天气很好，我们在这里等你。", "gb18030"),
        ("船已經到港口了，今天的天氣很好，我們在這裡等你。", "big5hkscs"),
        ("Корабль уже пришёл в порт, и погода сегодня хорошая.", "cp1251"),
        ("Le bateau est arrivé à quai où l'équipage déjeune, ça va.", "cp1252"),
    ]
)
def test_old_encodings_are_told_by_what_is_frequent_in_them(text: str, encoding: str) -> None:
    """With marks of a format around the words."""
    found = decode(f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n".encode(encoding))
    assert found is not None
    assert (found.text.split("\n")[2], found.encoding, found.assumed, found.replaced) == (text, encoding, True, False)


@for_each(
    [
        ("I don’t think it’s what we’ll need, that’s all. They’re late.", "cp1252"),
        ("Mo 20°C, Di 30°C\nMi 15°C, Do 22°C\n", "cp1252"),
        ("5µm 7µm 8µm 10µm", "cp1252"),
        ("Ärzte, Äpfel, Ärger, Änderung und mehr", "cp1252"),
        ("Årsplan: Åben dag. Årets fest, Året rundt, År 3", "cp1252"),
        ("EDUCAÇÃO INFORMAÇÕES NAÇÕES AÇÃO", "cp1252"),
        ("СРОЧНО ОПЛАТИТЬ", "cp1251"),
        ("ёж СРОЧНО", "cp1251"),
    ]
)
def test_letters_of_one_byte_are_no_letters_of_two(text: str, encoding: str) -> None:
    """An old encoding of one byte whose letters chance to make pairs that an East Asian one has."""
    found = decode(text.encode(encoding))
    assert found is not None
    assert (found.text, found.encoding) == (text, encoding)


def test_utf8_with_a_damaged_place_stays_utf8() -> None:
    """One byte that was lost is no other encoding."""
    found = decode("船已經到港口了，今天的天氣很好".encode()[:-1] + "。我們在這裡等你".encode())
    assert found is not None
    assert (found.encoding, found.replaced, found.text[:3]) == ("utf-8", True, "船已經")
