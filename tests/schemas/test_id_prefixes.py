"""Ids by their beginnings."""

from __future__ import annotations

import pytest

from memd.schemas.errors import NotFoundError
from memd.schemas.id_prefixes import MOST_LISTED, key_prefix, only_id, whole_ids

KEY = "3d4a5508-dbe8-5037-abf1-11b898850429"


def test_the_digits_of_a_beginning_are_taken_as_they_were_copied() -> None:
    """With hyphens, capitals or an ellipsis; a whole key, a name and what is too short are no beginnings."""
    for text in ("3d4a5508", "3D4A5508", "3d4a5508…", "3d4a-5508...", "3d4a5508-"):
        assert key_prefix(text) == "3d4a5508"
    assert key_prefix(KEY[:-1]) == KEY[:-1].replace("-", "")
    for text in (KEY, "3d4", "", "whatsapp:Bob", "3d4a550g", "٣٣٣٣", "…"):
        assert key_prefix(text) == ""


def test_the_only_one_is_meant_and_several_are_listed() -> None:
    """None is no error here; of more than are listed, the error says so."""
    assert (only_id([]), only_id(["a"])) == (None, "a")
    with pytest.raises(NotFoundError) as two:
        only_id(["a1", "a2"])
    assert two.value.hint == "it may be a1, a2"
    with pytest.raises(NotFoundError) as more:
        only_id([f"a{number}" for number in range(MOST_LISTED)])
    assert more.value.hint.endswith("a4 or others")


def test_numbers_and_names_come_before_beginnings() -> None:
    """A number of four digits is no beginning where it is a number of something."""
    names = [("1234", "note:a"), ("abcd12", "note:b"), ("123456", "note:c")]
    assert whole_ids(["1234", "note:b", "ABCD…", "ffff", "x"], names) == ["1234", "note:b", "abcd12", "ffff", "x"]
    with pytest.raises(NotFoundError):
        whole_ids(["abcd"], [*names, ("abcd34", "note:d")])
