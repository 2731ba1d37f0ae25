"""Finds the owner of an export from the profile in it."""

from __future__ import annotations

from contextlib import suppress

from ....schemas.errors import SourceError
from ...connector import Member
from ...text.json_fields import list_of, object_of
from ...text.json_parsing import parse_json
from ...text.unicode import as_utf8
from .mojibake import repaired_name

_CAP = 4 << 20
_INSTAGRAM_NAMES = ("Name", "Username")


def owner_names(member: Member) -> list[str]:
    """Return the names under which the owner may write; empty if the profile has none or cannot be read."""
    with suppress(SourceError, ValueError), member.open() as stream:
        raw = as_utf8(stream).stream.read(_CAP + 1)
        root = object_of(parse_json(raw).value if len(raw) <= _CAP else None)
        names: list[object] = [
            object_of(object_of(root.get(key)).get("name")).get("full_name") for key in ("profile_v2", "profile")
        ]
        for key in ("autofill_information_v2", "autofill_information"):
            names += list_of(object_of(root.get(key)).get("FULL_NAME"))
        for entry in list_of(root.get("profile_user")):
            values = object_of(object_of(entry).get("string_map_data"))
            names += [object_of(values.get(key)).get("value") for key in _INSTAGRAM_NAMES]
        names += [root.get("username"), root.get("name")] if "date_joined" in root else []
        return [text for name in names if (text := repaired_name(name))]
    return []
