"""Files beside each other of which the next one is most likely of the same format: who reads one is asked first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC

import pytest

from memd.connectors.connector import Connector, Format, ReadOptions, Source
from memd.connectors.reading import source_parts
from memd.connectors.reading.detection import rank
from memd.connectors.reading.registry import default_connectors, format_named, formats
from memd.connectors.reading.source_parts import Part, parts
from memd.tests.cases import for_each
from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.google_voice import test_google_voice as google_voice
from memd.tests.connectors.messenger import exports as messenger
from memd.tests.connectors.slack import exports as slack
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
DAYS = {f"2024-01-{day}": [slack.message(1_704_067_200 + 86_400 * day, "U0ANN", "hi")] for day in range(10, 16)}
CHAT = "".join(f"[14/01/2024, 10:{minute:02d}:00] Ann: words {minute}\n" for minute in range(9)).encode()
MEDIA = b"\x89PNG\r\n\x1a\n" + bytes(64)


def _meta(app: str) -> bytes:
    return messenger.written(
        messenger.chat(messenger.said(1, messenger.ANN, "hi"), thread_path=f"{app}/inbox/bo_1")
    ).replace(b'"content"', b'"uri": "your_%s_activity/x", "content"' % app.encode())


FILES: dict[str, bytes] = {
    "slack": slack.packed({"day.json": DAYS["2024-01-10"]})["day.json"],
    "discord": json.dumps(discord.export(discord.message(1, discord.ANN, "hi"))).encode(),
    "messenger": _meta("facebook"),
    "instagram": _meta("instagram"),
    "google_voice": google_voice.TALK,
    "whatsapp": CHAT,
    "documents": b'{"id": "a", "content": "a note", "tags": []}',
    "nobody": b'{"settings": {"theme": 3}}',
    "picture": MEDIA,
    "empty": b"",
}


UNMISTAKABLE = [each.name for each in formats() if each.unmistakable <= 1]


@pytest.mark.parametrize("name", UNMISTAKABLE)
def test_nobody_else_comes_near_to_such_a_score(name: str) -> None:
    """The format itself reaches it."""
    ranking = rank(Shelf("one", {"one": FILES[name]}), default_connectors())
    best = ranking.best
    assert best is not None
    assert (best[0].name, best[1] >= format_named(name).unmistakable) == (name, True)
    assert ranking.runner_up is None or ranking.runner_up[1] < best[1] - 0.1


def _readers(files: dict[str, bytes]) -> list[tuple[str, list[str]]]:
    return [
        (part.connector.name, [member.name for member in part.files])
        for part in parts(Shelf("all", files), OPTIONS)
        if isinstance(part, Part)
    ]


@pytest.mark.slow
@for_each(FILES)
def test_each_file_of_a_mixed_folder_goes_to_whom_it_would_alone(first: str) -> None:
    """Whatever lies before it."""
    names = [*FILES]
    at = names.index(first)
    order = [name for name in [*names[at:], *names[:at]] for _ in range(2)] + [*reversed(names)]
    files = {f"{number:03d}": FILES[name] for number, name in enumerate(order)}

    def never_unmistakable(name: str) -> Format:
        return replace(format_named(name), unmistakable=2.0)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(source_parts, "format_named", never_unmistakable)
        expected = _readers(files)
    assert _readers(files) == expected
    assert {name for name, _ in expected} == {*FILES} - {"nobody", "picture", "empty"}


def test_of_many_files_of_one_export_the_first_alone_is_shown_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where pictures lie between them; a file that is not of the export is shown to all, too."""
    asked: Counter[str] = Counter()

    def counting(sniff: Callable[[Connector, Source], float]) -> Callable[[Connector, Source], float]:
        def counted(connector: Connector, source: Source) -> float:
            asked[f"{connector.name} {source.members()[0].name}"] += 1
            return sniff(connector, source)

        return counted

    for connector in default_connectors():
        if connector.name in ("slack", "telegram"):
            monkeypatch.setattr(type(connector), "sniff", counting(type(connector).sniff))
    days = slack.packed({f"{day}.json": said for day, said in DAYS.items()})
    parts(Shelf("all", {**days, "2024-01-11.png": MEDIA, "2024-01-13a.json": FILES["nobody"]}), OPTIONS)
    assert {key for key in asked if key.startswith("telegram")} == {
        "telegram 2024-01-10.json",
        "telegram 2024-01-13a.json",
    }
    assert {f"slack {day}.json" for day in DAYS} <= asked.keys()
