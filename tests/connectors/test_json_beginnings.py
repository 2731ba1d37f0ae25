"""Chats whose beginning was cut within JSON that somebody sent are chats still; JSON is not tried as one."""

from __future__ import annotations

import json

import pytest

from memd.connectors.formats.qq.connector import QQConnector
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.text.json_beginnings import is_of_objects
from memd.tests.cases import for_each
from memd.tests.contracts.connector import Shelf

CUT = {
    "lines": '{"a": 1}\n{"a": 2}\n',
    "tail": '{"list": [1, 2],\n  "name": "x"\n}]}\n',
    "list": '[{"a": 1},\n{"b": null}]\n',
}
WHATSAPP = "".join(f"13/01/2024, 10:{n % 60:02} - {'Ann' if n % 2 else 'Bob'}: message {n}\n" for n in range(300))
IPHONE = "".join(f"[13/01/2024, 10:{n % 60:02}:07] {'Ann' if n % 2 else 'Bob'}: message {n}\n" for n in range(300))
QQ = "".join(f"2024-01-13 10:{n % 60:02}:07 Ann(12345)\nmessage {n}\n\n" for n in range(100))


@for_each([(cut, chat) for cut in CUT.values() for chat in [WHATSAPP, IPHONE]])
def test_a_chat_behind_a_piece_of_json_is_one(cut: str, chat: str) -> None:
    """Its lines tell."""
    source = Shelf("chat", {"WhatsApp Chat with Bob.txt": (cut + chat).encode()})
    assert WhatsAppConnector().sniff(source) >= 0.5


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
def test_so_is_one_of_qq(cut: str) -> None:
    """Though its own JSON begins so, too."""
    assert QQConnector().sniff(Shelf("chat", {"Ann.txt": (cut + QQ).encode()})) >= 0.5


@for_each([(indent, size) for indent in [None, 0, 1, 4] for size in range(40, 200, 7)])
def test_json_is_json_wherever_it_is_cut(indent: int | None, size: int) -> None:
    """However it is laid out: no reader of chats looks at its lines."""
    value: dict[str, object] = {
        "a": [1, -2.5, 1e9, None, True, False, [], {}, "2024-01-13 10:00 - Ann: hello"],
        "13/01/2024, 10:00 - Bob: hello": {"b": [[3], ["[10:00] x"]], "c": ""},
    }
    whole = json.dumps([value, value], indent=indent)
    assert is_of_objects(whole.encode()[:size])
    assert is_of_objects(whole.replace("\n", "\r\n\r\n").encode()[:size])
    assert is_of_objects(f"{json.dumps(value)}\n\n{json.dumps(value)}\n".encode()[: size * 4])
