"""Exports of other programs, of any size, the same for every run: what bench/formats.py reads.

python bench/exports.py telegram 5000 PATH     # 5,000 MB
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mailbox_export import Mailbox

WORDS = [
    "so",
    "when",
    "are",
    "we",
    "meeting",
    "tomorrow",
    "I",
    "thought",
    "about",
    "the",
    "garden",
    "and",
    "what",
    "you",
    "said",
    "last",
    "week",
    "it",
    "was",
    "a",
    "really",
    "good",
    "idea",
    "can",
    "you",
    "bring",
    "the",
    "keys",
    "please",
    "the",
    "train",
    "leaves",
    "at",
    "nine",
    "ça",
    "va",
    "très",
    "bien",
    "😀",
    "Grüße",
    "aus",
    "Köln",
    "maybe",
    "later",
    "this",
    "evening",
]
PEOPLE = ("Ana Torres", "Bo Li", "Chiara Rossi", "Dmitri Orlov", "Esra Kaya")
START = datetime(2020, 1, 1, 8, tzinfo=UTC)
TEXTS = 4096
SLOW = 3_000_000
"""Messages of about two hundred a day; the others of a larger export follow within a minute, so that it ends before 2096: readers
take a time of a later year for a doubtful one, and look at it singly."""


class Talk:
    """The messages of a group, about two hundred a day: number, time, who of `PEOPLE`, text."""

    def __init__(self) -> None:
        chance = random.Random(7)
        self.texts = [" ".join(chance.choices(WORDS, k=chance.randrange(2, 30))) for _ in range(TEXTS)]
        self._chance = chance

    def __iter__(self) -> Iterator[tuple[int, datetime, int, int]]:
        """Yield number, time, the person's index and the text's index, without an end."""
        when, number = START, 0
        uniform, below = self._chance.random, self._chance.randrange
        while True:
            number += 1
            when += timedelta(seconds=1 + int(uniform() * (860 if number <= SLOW else 60)))
            yield number, when, below(len(PEOPLE)), below(TEXTS)


def _joined(path: Path, size: int, head: str, between: str, tail: str, records: Iterator[str]) -> None:
    """Write records until the file is large enough."""
    written = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(head)
        for number, record in enumerate(records):
            file.write(between + record if number else record)
            written += len(record) + len(between)
            if written >= size:
                break
        file.write(tail)


def _telegram(path: Path, size: int) -> Path:
    talk = Talk()
    texts = [json.dumps(text, ensure_ascii=False) for text in talk.texts]
    path = path / "result.json"
    records = (
        f'  {{\n   "id": {number},\n   "type": "message",\n   "date": "{when:%Y-%m-%dT%H:%M:%S}",\n'
        f'   "date_unixtime": "{when.timestamp():.0f}",\n   "from": "{PEOPLE[who]}",\n   "from_id": "user{who + 1}",\n'
        f'   "text": {texts[text]},\n   "text_entities": [\n    {{\n     "type": "plain",\n     "text": {texts[text]}\n'
        "    }\n   ]\n  }"
        for number, when, who, text in talk
    )
    head = '{\n "name": "Club",\n "type": "private_supergroup",\n "id": 9,\n "messages": [\n'
    _joined(path, size, head, ",\n", "\n ]\n}\n", records)
    return path


def _json_list(path: Path, size: int, about: dict[str, Any], record: Callable[[Any], Any], indent: int = 2) -> Path:
    """Write an object of some fields and a list of messages, as programs write it."""
    head = json.dumps({**about, "messages": [0]}, indent=indent, ensure_ascii=False)
    before, _, behind = head.rpartition("0")
    margin = " " * indent * 2
    records = (
        json.dumps(record(each), indent=indent, ensure_ascii=False).replace("\n", f"\n{margin}") for each in Talk()
    )
    _joined(path, size, before, f",\n{margin}", behind, records)
    return path


def _discord(path: Path, size: int) -> Path:
    texts = Talk().texts

    def record(each: tuple[int, datetime, int, int]) -> dict[str, Any]:
        number, when, who, text = each
        author = {"id": str(300000000000000000 + who), "name": f"user{who}", "discriminator": "0000"}
        author |= {"nickname": PEOPLE[who], "color": None, "isBot": False, "roles": [], "avatarUrl": "https://a.example/a.png"}  # fmt: skip
        lists: dict[str, Any] = {name: [] for name in ("attachments", "embeds", "stickers", "reactions", "mentions")}
        own = {"id": str(900000000000000000 + number), "type": "Default", "timestamp": when.isoformat(), "isPinned": False}  # fmt: skip
        return {
            **own,
            "timestampEdited": None,
            "callEndedTimestamp": None,
            "content": texts[text],
            "author": author,
            **lists,
        }

    about = {
        "guild": {"id": "800000000000000001", "name": "Club", "iconUrl": ""},
        "channel": {"id": "824930000000000001", "type": "GuildTextChat", "category": "Talk", "name": "harbour"},
        "dateRange": {"after": None, "before": None},
    }
    return _json_list(path / "export.json", size, about, record)


def _messenger(path: Path, size: int) -> Path:
    texts = [text.encode().decode("latin-1") for text in Talk().texts]

    def record(each: tuple[int, datetime, int, int]) -> dict[str, Any]:
        _, when, who, text = each
        time = int(when.timestamp()) * 1000
        return {
            "sender_name": PEOPLE[who],
            "timestamp_ms": time,
            "content": texts[text],
            "is_geoblocked_for_viewer": False,
        }

    about = {"participants": [{"name": name} for name in PEOPLE], "title": "Club", "is_still_participant": True, "thread_path": "inbox/club_1", "magic_words": []}  # fmt: skip
    return _json_list(path / "message_1.json", size, about, record)


def _google_chat(path: Path, size: int) -> Path:
    texts = Talk().texts

    def record(each: tuple[int, datetime, int, int]) -> dict[str, Any]:
        number, when, who, text = each
        creator = {"name": PEOPLE[who], "email": f"p{who}@example.org", "user_type": "Human"}
        date = f"{when:%A, %B} {when.day}, {when:%Y at %I:%M:%S}\u202f{when:%p} UTC"
        own = f"m{number}"
        return {"creator": creator, "created_date": date, "text": texts[text], "topic_id": own, "message_id": f"AAA/{own}/{own}"}  # fmt: skip

    return _json_list(path / "messages.json", size, {}, record)


def _signal(path: Path, size: int) -> Path:
    texts = Talk().texts
    frames: list[dict[str, Any]] = [
        {"version": "1", "backupTimeMs": "1705320000000"},
        {"account": {"profileKey": "AA==", "givenName": "Ana", "familyName": "Torres"}},
        {"recipient": {"id": "1", "self": {}}},
        *({"recipient": {"id": str(n + 1), "contact": {"e164": str(15550000 + n), "profileGivenName": PEOPLE[n]}}} for n in range(1, 5)),
        {"chat": {"id": "10", "recipientId": "2"}},
    ]  # fmt: skip

    def record(each: tuple[int, datetime, int, int]) -> str:
        _, when, who, text = each
        sent = {"chatId": "10", "authorId": str(who + 1), "dateSent": str(int(when.timestamp()) * 1000)}
        way: dict[str, Any] = (
            {"incoming": {"read": True, "sealedSender": True}} if who else {"outgoing": {"sendStatus": []}}
        )
        return json.dumps({"chatItem": {**sent, **way, "standardMessage": {"text": {"body": texts[text]}}}}, ensure_ascii=False)  # fmt: skip

    head = "".join(json.dumps(frame) + "\n" for frame in frames)
    _joined(path / "main.jsonl", size, head, "\n", "\n", map(record, Talk()))
    return path / "main.jsonl"


def _signal_chat(path: Path, size: int) -> Path:
    texts = Talk().texts
    records = (f"[{when:%Y-%m-%d, %H:%M}] {PEOPLE[who]}: {texts[text]}  " for _, when, who, text in Talk())
    _joined(path / "chat.md", size, "", "\n", "\n", records)
    return path / "chat.md"


def _slack(path: Path, size: int) -> Path:
    texts = Talk().texts
    root = path / "slack"
    (root / "general").mkdir(parents=True)
    users = [{"id": f"U0{n}", "team_id": "T0", "name": f"u{n}", "real_name": name, "profile": {"real_name": name}} for n, name in enumerate(PEOPLE)]  # fmt: skip
    (root / "users.json").write_text(json.dumps(users, indent=4), encoding="utf-8")
    (root / "channels.json").write_text(
        json.dumps([{"id": "C0", "name": "general", "members": ["U00"]}]), encoding="utf-8"
    )
    day, held, written = "", list[Any](), 0
    for _, when, who, text in Talk():
        if f"{when:%Y-%m-%d}" != day:
            if held:
                data = json.dumps(held, indent=4)
                (root / "general" / f"{day}.json").write_text(data, encoding="utf-8")
                written += len(data)
            day, held = f"{when:%Y-%m-%d}", []
            if written >= size:
                return root
        block = {"type": "rich_text_section", "elements": [{"type": "text", "text": texts[text]}]}
        blocks = [{"type": "rich_text", "block_id": "b", "elements": [block]}]
        stamp = f"{when.timestamp():.0f}.000100"
        held.append({"user": f"U0{who}", "type": "message", "ts": stamp, "team": "T0", "text": texts[text], "blocks": blocks})  # fmt: skip
    return root


def _turns(count: int) -> Iterator[list[tuple[int, datetime, int, int]]]:
    """Yield messages of conversations with a model."""
    turns: list[tuple[int, datetime, int, int]] = []
    for each in Talk():
        turns.append(each)
        if len(turns) == count:
            yield turns
            turns = []


def _chatgpt(path: Path, size: int) -> Path:
    texts = Talk().texts

    def node(each: tuple[int, datetime, int, int], first: bool, last: bool) -> dict[str, Any]:
        number, when, _, text = each
        content = {"content_type": "text", "parts": [texts[text]]}
        author: dict[str, Any] = {"role": "user" if number % 2 else "assistant", "name": None, "metadata": {}}
        message: dict[str, Any] = {"id": f"n{number}", "author": author, "create_time": when.timestamp(), "update_time": None, "content": content, "status": "finished_successfully", "weight": 1.0, "metadata": {}, "recipient": "all"}  # fmt: skip
        beside = {"parent": "root" if first else f"n{number - 1}", "children": [] if last else [f"n{number + 1}"]}
        return {"id": f"n{number}", "message": message, **beside}

    def record(turns: Sequence[tuple[int, datetime, int, int]]) -> str:
        nodes = {f"n{each[0]}": node(each, each is turns[0], each is turns[-1]) for each in turns}
        root = {"id": "root", "message": None, "parent": None, "children": [f"n{turns[0][0]}"]}
        time = turns[0][1].timestamp()
        about = {"title": "Garden", "create_time": time, "update_time": time, "mapping": {"root": root, **nodes}}
        own = f"c{turns[0][0]}"
        return json.dumps({**about, "current_node": f"n{turns[-1][0]}", "conversation_id": own, "id": own})

    _joined(path / "conversations.json", size, "[", ", ", "]", map(record, _turns(12)))
    return path / "conversations.json"


def _claude(path: Path, size: int) -> Path:
    texts = Talk().texts

    def message(each: tuple[int, datetime, int, int]) -> dict[str, Any]:
        number, when, _, text = each
        time = when.isoformat()
        block: dict[str, Any] = {
            "start_timestamp": time,
            "stop_timestamp": time,
            "type": "text",
            "text": texts[text],
            "citations": [],
        }
        sender = "human" if number % 2 else "assistant"
        return {"uuid": f"m{number}", "text": texts[text], "content": [block], "sender": sender, "created_at": time, "updated_at": time, "attachments": [], "files": []}  # fmt: skip

    def record(turns: Sequence[tuple[int, datetime, int, int]]) -> str:
        time = turns[0][1].isoformat()
        about = {
            "uuid": f"c{turns[0][0]}",
            "name": "Garden",
            "created_at": time,
            "updated_at": time,
            "account": {"uuid": "a"},
        }
        return json.dumps({**about, "chat_messages": list(map(message, turns))})

    _joined(path / "conversations.json", size, "[", ", ", "]", map(record, _turns(12)))
    return path / "conversations.json"


def _gemini(path: Path, size: int) -> Path:
    texts = Talk().texts

    def record(each: tuple[int, datetime, int, int]) -> str:
        _, when, who, text = each
        html = f"<p>{texts[(text + who) % TEXTS]}</p><ul><li>{texts[who]}</li></ul>"
        about = {"header": "Gemini Apps", "title": f"Prompted {texts[text]}", "titleUrl": "https://gemini.google.com/"}
        beside = {"time": f"{when:%Y-%m-%dT%H:%M:%S}.000Z", "products": ["Gemini Apps"], "activityControls": ["Gemini Apps Activity"], "safeHtmlItem": [{"html": html}]}  # fmt: skip
        return json.dumps({**about, **beside}, indent=2, ensure_ascii=False)

    _joined(path / "MyActivity.json", size, "[", ",", "]", map(record, Talk()))
    return path / "MyActivity.json"


def _mail(path: Path, size: int) -> Path:
    """Write mails of about 4 KB as Takeout writes them, with text and HTML; every other one answers the last one."""
    talk = Talk()

    def record(each: tuple[int, datetime, int, int]) -> str:
        number, when, who, text = each
        lines = [talk.texts[(text + n) % TEXTS] for n in range(12)]
        plain = "\n".join(lines)
        html = "".join(f'<p style="margin:0">{line}</p>\n' for line in lines)
        answered = f"In-Reply-To: <{number - 1}@example.org>\nReferences: <{number - 1}@example.org>\n" if number % 2 == 0 else ""  # fmt: skip
        subject = f"{'Re: ' if answered else ''}the garden {number // 2 + number % 2}"
        return (
            f"From {number}@xxx {when:%a %b %d %H:%M:%S} +0000 {when.year}\nX-GM-THRID: {number // 2 + number % 2}\n"
            f"X-Gmail-Labels: Inbox,Opened\nDelivered-To: ann@example.org\n"
            f"Received: by 2002:a05:7010:1234 with SMTP id x{number}; {when:%a, %d %b %Y %H:%M:%S} +0000\n"
            f"MIME-Version: 1.0\nDate: {when:%a, %d %b %Y %H:%M:%S} +0000\nMessage-ID: <{number}@example.org>\n{answered}"
            f"Subject: {subject}\nFrom: {PEOPLE[who]} <p{who}@example.org>\nTo: Ann Example <ann@example.org>\n"
            f'Content-Type: multipart/alternative; boundary="b{number}"\n\n--b{number}\n'
            f'Content-Type: text/plain; charset="UTF-8"\nContent-Transfer-Encoding: 8bit\n\n{plain}\n\n'
            f'--b{number}\nContent-Type: text/html; charset="UTF-8"\nContent-Transfer-Encoding: 8bit\n\n{html}\n--b{number}--\n\n'
        )

    _joined(path / "mail.mbox", size, "", "", "", map(record, talk))
    return path / "mail.mbox"


def _mailbox(path: Path, size: int) -> Path:
    """Write a mailbox as a person has it; mailbox_export.py says why it is like that."""
    path, written = path / "mailbox.mbox", 0
    with path.open("wb") as file:
        for mail in Mailbox(WORDS):
            written += file.write(mail)
            if written >= size:
                break
    return path


FORMATS: dict[str, Callable[[Path, int], Path]] = {
    "telegram": _telegram,
    "slack": _slack,
    "discord": _discord,
    "chatgpt": _chatgpt,
    "claude": _claude,
    "gemini": _gemini,
    "messenger": _messenger,
    "google_chat": _google_chat,
    "signal": _signal,
    "signal_chat": _signal_chat,
    "mail": _mail,
    "mailbox": _mailbox,
}
"""The writers by the name of the row: each writes an export of about so many bytes into a folder; returns its path."""


def write(name: str, folder: Path, size: int) -> Path:
    """Write one export; return the file or folder to read."""
    return FORMATS[name](folder, size)


def main() -> None:
    """Write one export into the folder named on the command line."""
    folder = Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    print(write(sys.argv[1], folder, int(sys.argv[2]) * 1_000_000))


if __name__ == "__main__":
    main()
