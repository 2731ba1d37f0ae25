"""Which files of a folder are read together, as a pure plan."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.sources.export_items import ExportItem, items_of
from memd.daemon.sources.folder_scan import FoundFile


def plan(formats: dict[str, str], *due: str) -> list[tuple[str, list[str]]]:
    """Format and paths of each export that is read, where these paths are to be."""
    files = [FoundFile(path, 1, 1, 1, path) for path in sorted(formats)]
    return [
        (item.format, [found.path for found in item.files]) for item in items_of(files, formats, due or tuple(formats))
    ]


def test_files_of_one_format_below_a_folder_are_one_export() -> None:
    """With what nobody recognises there; another folder is another export, and a note stands for itself."""
    formats = {
        "a/users.json": "slack",
        "a/general/1.json": "slack",
        "a/logs.json": "",
        "a/README.md": "notes",
        "b/general/1.json": "slack",
        "x.bin": "",
    }
    assert plan(formats, "a/general/1.json") == [("slack", ["a/general/1.json", "a/logs.json", "a/users.json"])]
    assert {each[0]: len(each[1]) for each in plan(formats)} == {"slack": 1, "notes": 1, "": 1}
    assert [each[0] for each in plan(formats)] == ["notes", "slack", "slack", ""]


def test_the_source_itself_may_be_the_export() -> None:
    """A list beside the folders belongs to all of them, and so does a log beside its database."""
    formats = {
        "users.json": "slack",
        "general/1.json": "slack",
        "other/1.json": "slack",
        "logs.json": "",
        "n.md": "notes",
    }
    assert plan(formats, "other/1.json") == [("slack", ["general/1.json", "logs.json", "other/1.json", "users.json"])]
    assert plan({"chat.db": "imessage", "chat.db-wal": "", "x.bin": ""}) == [
        ("imessage", ["chat.db", "chat.db-wal"]),
        ("", ["x.bin"]),
    ]


PATHS = st.lists(st.sampled_from(["a", "b", "a/x", "a/y/z", "b/x", "b/w", "c/d"]), unique=True)


@given(PATHS, st.data())
def test_every_file_that_is_due_is_in_one_export(paths: list[str], data: st.DataObject) -> None:
    """Whatever the formats: no file twice, none lost, and no export without one that is due."""
    formats = {path: data.draw(st.sampled_from(["", "archive", "notes", "slack", "discord"])) for path in paths}
    due = {path for path in paths if data.draw(st.booleans())}
    files = [FoundFile(path, 1, 1, 1, path) for path in paths]
    items: list[ExportItem] = items_of(files, formats, due)
    read = [found.path for item in items for found in item.files]
    assert len(read) == len({*read})
    assert due <= {*read}
    assert all(due & {found.path for found in item.files} for item in items)
    assert all(item.holds(found.path) or formats[found.path] for item in items for found in item.files)


def test_what_messages_consist_of_is_in_their_export() -> None:
    """Signal keeps long texts and files in a folder beside the messages; an archive, and a note elsewhere, stand for themselves."""
    own = {"s/files/ab/1.txt": "notes", "s/files/cd/2.pdf": "pdf", "s/main.jsonl": "signal"}
    formats = own | {"s/files/ef/3.zip": "archive", "s/README.md": "notes", "files/4.txt": "notes"}
    assert plan(formats, "s/main.jsonl") == [("signal", sorted(own))]
    assert plan(formats, "s/files/ab/1.txt") == [("signal", sorted(own))]
    assert sorted(each[0] for each in plan(formats)) == ["archive", "notes", "notes", "signal"]
    assert plan({"files/ab/1.txt": "whatsapp", "main.jsonl": "signal"}) == [
        ("signal", ["files/ab/1.txt", "main.jsonl"])
    ]


def test_the_text_of_a_bundle_and_the_page_of_an_export_are_in_their_export() -> None:
    """Though they look like a note and a page; those in another folder stand for themselves."""
    bundle = {"b/N.textbundle/info.json": "bear", "b/N.textbundle/text.md": "notes"}
    chats = {"c/conversations.json": "chatgpt", "c/chat.html": "html"}
    alone = {"text.md": "notes", "b/chat.html": "html"}
    wanted = [("bear", [*bundle]), ("chatgpt", sorted(chats)), ("html", ["b/chat.html"]), ("notes", ["text.md"])]
    assert sorted(plan(bundle | chats | alone)) == wanted
