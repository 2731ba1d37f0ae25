"""The lines on files that an ingest read or left out."""

from __future__ import annotations

from typing import Any

import pytest

from memd.daemon.cli.render.read_files import APART, file_lines, files_of

NOTES = [{"path": f"v/{number}.md", "messages": 1} for number in range(APART + 1)]
RECEIPT: dict[str, Any] = {
    "exports": [
        {"format": "whatsapp", "path": "v/a.txt", "messages": 8, "files": [{"path": "v/a.txt", "messages": 8}]},
        {"format": "notes", "path": "v", "messages": len(NOTES), "files": NOTES},
        {"format": "mail", "path": "v", "messages": 5, "files": [{"path": "v/a.eml"}, {"path": "v/b.eml"}]},
    ],
    "skipped": [
        *({"path": f"v/{number}.JPG", "skipped": "picture, sound or film"} for number in range(214)),
        {"path": "v/x", "skipped": "not recognised"},
        {"path": "v/bad.zip", "skipped": "damaged"},
    ],
}


def test_many_of_a_kind_are_one_line() -> None:
    """What was told before is not told again."""
    assert list(file_lines(RECEIPT, told=["v/bad.zip"])) == [
        "read: whatsapp: v/a.txt: 8 messages",
        f"read: notes: v ({len(NOTES)} files): {len(NOTES)} messages",
        "read: mail: v (2 files): 5 messages",
        "left out: v/x: not recognised",
        "left out: 214 .jpg files: picture, sound or film",
    ]


def test_many_exports_of_a_format_are_one_line() -> None:
    """A folder of pages, or a vault whose notes are read one by one, with the folder that they share."""

    def exports(number: int, folder: str) -> list[dict[str, Any]]:
        paths = [f"{folder}/{each}.html" for each in range(number)]
        return [{"format": "html", "path": p, "messages": 2, "files": [{"path": p, "messages": 2}]} for p in paths]

    assert len(list(file_lines({"exports": exports(APART, "v/a")}))) == APART
    many = exports(APART + 1, "v/a") + exports(2987, "v/b")
    assert list(file_lines({"exports": [*RECEIPT["exports"][:1], *many]})) == [
        "read: whatsapp: v/a.txt: 8 messages",
        "read: html: v (3,000 exports; --verbose names each): 6,000 messages",
    ]
    mixed = exports(APART, "/v/a") + exports(1, "v")
    assert list(file_lines({"exports": mixed})) == ["read: html: (13 exports; --verbose names each): 26 messages"]
    assert len(list(file_lines({"exports": many}, all_of_them=True))) == 3000


def test_all_are_told_where_all_are_asked_for() -> None:
    """Each file by its path, in lines and in objects."""
    lines = list(file_lines(RECEIPT, all_of_them=True))
    told = files_of(RECEIPT)
    paths = [file["path"] for export in RECEIPT["exports"] for file in export["files"]]
    paths += [file["path"] for file in RECEIPT["skipped"]]
    assert all(any(path in line for line in lines) for path in paths)
    assert len(told) == 1 + len(NOTES) + 1 + len(RECEIPT["skipped"])
    assert {"path": "v", "format": "mail", "messages": 5, "files": 2} in told


def test_a_file_that_gave_nothing_is_not_told_as_read() -> None:
    """It counts apart; with --verbose it is named with its 0 messages."""
    empty = [{"path": "v/logseq/bak/a.md", "messages": 0}, {"path": "v/logseq/config.edn", "messages": 0}]

    def lines(files: list[dict[str, Any]], **options: Any) -> list[str]:
        messages = sum(file["messages"] for file in files)
        export = {"format": "notes", "path": "v", "messages": messages, "files": files}
        return list(file_lines({"exports": [export]}, **options))

    assert lines([NOTES[0], *empty]) == [
        "read: notes: v/0.md: 1 message",
        "read: notes: v: no message in a.md, config.edn",
    ]
    more = [{"path": f"v/x/{number}.md", "messages": 0} for number in range(4)]
    assert lines([NOTES[0], *more])[1:] == ["read: notes: v: no message in 4 more files"]
    assert lines([*NOTES, *empty]) == [
        f"read: notes: v ({len(NOTES)} of {len(NOTES) + 2} files): {len(NOTES)} messages"
    ]
    assert lines(empty) == ["read: notes: v/logseq (0 of 2 files): 0 messages"]
    assert lines([NOTES[0], *empty], all_of_them=True)[1:] == [
        "read: notes: v/logseq/bak/a.md: 0 messages", "read: notes: v/logseq/config.edn: 0 messages",
    ]  # fmt: skip


def test_names_of_files_are_harmless() -> None:
    """They are strangers' words, and may hold what a terminal obeys."""
    nasty = {"exports": [], "skipped": [{"path": "a\x1b[2J\nb.txt", "skipped": "empty"}]}
    (line,) = file_lines(nasty)
    assert "\x1b" not in line
    assert "\n" not in line


def test_files_that_are_read_together_are_one_line() -> None:
    """Also where it is known how much was read of each."""
    files = [{"path": f"s/{number}.json", "messages": 2} for number in range(2)]
    export = {"format": "slack", "path": "s", "messages": 4, "files": files, "together": True}
    assert list(file_lines({"exports": [export]})) == ["read: slack: s (2 files): 4 messages"]
    assert files_of({"exports": [export]}) == [{"path": "s", "format": "slack", "messages": 4, "files": 2}]


def test_a_file_without_messages_is_told_as_what_it_is() -> None:
    """An account that the reader needs is no file in which nothing was found."""
    files = [{"path": "c.json", "messages": 3}, {"path": "user.json", "messages": 0, "role": "the account"}]
    export = {"format": "chatgpt", "path": "c.json", "messages": 3, "files": files}
    assert list(file_lines({"exports": [export]})) == [
        "read: chatgpt: c.json: 3 messages",
        "read: chatgpt: user.json: the account",
    ]
    assert files_of({"exports": [export]})[1] == {
        "path": "user.json",
        "format": "chatgpt",
        "messages": 0,
        "role": "the account",
    }


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (["exp/zulip/org/realm.json", "exp/zulip/org/messages-1.json"], "exp/zulip/org"),
        (["exp/zulip/realm.json", "exp/zulip/org/messages-1.json"], "exp/zulip"),
        (["exp/realm.json", "exp/zulip/messages-1.json"], "exp"),
        (["exp/a.zip/realm.json", "exp/a.zip/messages-1.json"], "exp/a.zip"),
    ],
)
def test_an_export_in_a_folder_is_told_by_its_own_folder(paths: list[str], told: str) -> None:
    """Not by that of all exports, which says nothing of where it lies."""
    export = {"format": "zulip", "path": "exp", "messages": 2, "files": [{"path": path} for path in paths]}
    assert list(file_lines({"exports": [export]})) == [f"read: zulip: {told} (2 files): 2 messages"]
