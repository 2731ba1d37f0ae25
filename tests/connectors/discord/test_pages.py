"""Pages of DiscordChatExporter: the same messages as its JSON, by the same ids."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, ReadOptions
from memd.connectors.formats.discord.connector import DiscordConnector
from memd.connectors.formats.discord.page import sent_at
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import previews, read_records
from memd.schemas import ConversationMessage
from memd.schemas.identity_links import IDENTITIES, identities_of
from memd.tests.connectors.discord.exports import CHANNEL, OPTIONS, codes, documents, read, rejected
from memd.tests.contracts.connector import ConnectorContract, Samples

FIRST, SECOND, THIRD, FOURTH = (str((number << 22) + 1) for number in range(284_000_000_000, 284_000_240_000, 60_000))
HEAD = """<!DOCTYPE html><html lang=en><head><title>Sailors - harbour</title><style>.preamble__entry{a:b}
.chatlog__message-group{c:d}</style></head><body><div class=preamble><div class=preamble__entries-container>
<div class=preamble__entry>Sailors</div><div class=preamble__entry>Talk / harbour</div>
<div class="preamble__entry preamble__entry--small">All about boats</div></div></div><div class=chatlog>"""
FOOT = "</div><div class=postamble><div class=postamble__entry>Exported 3 message(s)</div></div></body></html>"
TIME = (
    '<span class=chatlog__timestamp title="Monday, January 15, 2024 12:00 PM"><a href=#x>01/15/2024 12:00 PM</a></span>'
)


def author(name: str, number: int, tag: str = "") -> str:
    """The head of a group."""
    return (
        f'<div class=chatlog__header><span class=chatlog__author style="color: red" title={name.lower()}_99'
        f" data-user-id=30000000000000000{number}>{name}</span>{tag}{TIME}</div>"
    )


def container(own: str, inside: str, more: str = "") -> str:
    """One message."""
    return (
        f'<div id=chatlog__message-container-{own} class="chatlog__message-container{more}" data-message-id={own}>'
        f"<div class=chatlog__message><div class=chatlog__message-primary>{inside}</div></div></div>"
    )


def words(text: str, after: str = "") -> str:
    """The words of a message."""
    return (
        '<div class="chatlog__content chatlog__markdown"><span class=chatlog__markdown-preserve>'
        f"{text}</span>{after}</div>"
    )


def page(*groups: str) -> bytes:
    """A page of groups."""
    return (HEAD + "".join(f"<div class=chatlog__message-group>{group}</div>" for group in groups) + FOOT).encode()


SMILE = '<img loading=lazy class=chatlog__emoji alt=😊 title=blush src="https://example.org/1.svg">'
REPLY = (
    "<div class=chatlog__reply><div class=chatlog__reply-author title=ann_99>Ann</div><div class=chatlog__reply-content>"
    f"<span class=chatlog__reply-link onclick=\"scrollToMessage(event, '{FIRST}')\">Who moors</span></div></div>"
)
TALK = page(
    container(FIRST, author("Ann", 1) + words(f"Who  moors\nin <strong>Kiel</strong> &amp; Oslo? {SMILE}"))
    + container(SECOND, words("Hello", '<span class=chatlog__edited-timestamp title="today">(edited)</span>')),
    container(THIRD, REPLY + author("Bo", 2) + words("I do"), " chatlog__message-container--pinned"),
)


class TestDiscordPages(ConnectorContract):
    """The connector keeps the contract for pages, too."""

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return DiscordConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A page."""
        return {"a.html": {"a.html": TALK}}


def messages(*groups: str) -> list[ConversationMessage]:
    """The messages of one page."""
    files = {"a.html": page(*groups), "a.html_Files/boat-1F.png": b"x"}
    return [m for d in documents(read(files)) for m in d.messages]


def test_ids_tell_when_messages_were_sent() -> None:
    """The example of Discord's own reference."""
    assert sent_at("175928847299117063") == "2016-04-30T11:18:25.796000+00:00"
    assert sent_at("no id") == ""
    assert sent_at("9" * 300) == ""


def test_a_page_has_the_messages_of_its_chat(tmp_path: Path) -> None:
    """Authors stand above the first message of a group alone; the id of the channel is in the name of the file."""
    path = tmp_path / f"Sailors - Talk - harbour [{CHANNEL}].html"
    path.write_bytes(TALK)
    records = list(read_records(path, OPTIONS))
    (found,) = documents(records)
    assert found.id == f"discord:{CHANNEL}:2024-01-01"
    assert found.metadata == {
        "chat": CHANNEL,
        "title": "Sailors #harbour",
        "server": "Sailors",
        "category": "Talk",
        "topic": "All about boats",
        IDENTITIES: found.metadata[IDENTITIES],
    }
    assert identities_of(found.metadata) == {
        "Ann": ["id:300000000000000001", "id:@ann_99"],
        "Bo": ["id:300000000000000002", "id:@bo_99"],
    }
    assert [(m.id, m.speaker, m.content) for m in found.messages] == [
        (FIRST, "Ann", "Who  moors\nin Kiel & Oslo? 😊"),
        (SECOND, "Ann", "Hello"),
        (THIRD, "Bo", "I do"),
    ]
    assert found.messages[0].time == datetime(2024, 1, 1, 0, 53, 20, tzinfo=UTC)
    assert (found.messages[1].edited, found.messages[1].edited_at) == (True, None)
    assert found.messages[2].reply_to == FIRST
    assert found.messages[2].metadata == {"pinned": "true"}
    assert codes(records) == ["user-unknown"]
    (look,) = previews(path, OPTIONS)
    assert list(look.speakers) == ["Ann", "Bo"]


def test_without_the_id_of_the_channel_its_names_stand_for_it() -> None:
    """And `--me` takes the user name."""
    (found,) = documents(read({"a.html": TALK}, ReadOptions(zone=UTC, me="ann_99")))
    assert found.metadata["chat"] == "Sailors/Talk/harbour"
    assert found.conversation.people == ("Ann", "Bo")


def test_files_boxes_stickers_and_reactions_are_kept() -> None:
    """As in JSON."""
    file = (
        "<div class=chatlog__attachment><a href=a.html_Files/boat-1F.png><img class=chatlog__attachment-media "
        'src=a.html_Files/boat-1F.png title="Image: boat.png (1.5 MB)"></a></div>'
    )
    box = "<div class=chatlog__embed><div class=chatlog__embed-title>Weather</div><div>Wind</div></div>"
    sticker = (
        '<div class=chatlog__sticker title="Sticker: Wave"><img class=chatlog__sticker--media src=https://x/1></div>'
    )
    reaction = (
        "<div class=chatlog__reactions><div class=chatlog__reaction title=thumbsup><img class=chatlog__emoji alt=👍>"
        "<span class=chatlog__reaction-count>2</span></div></div>"
    )
    bot = "<span class=chatlog__author-tag>BOT</span>"
    picture, boxed, stuck = messages(
        container(FIRST, author("Ann", 1) + file + reaction),
        container(SECOND, author("Helper", 3, bot) + box),
        container(THIRD, author("Bo", 2) + sticker),
    )
    assert (picture.content, [a.to_wire() for a in picture.attachments]) == (
        "[photo]",
        [{"name": "boat.png", "mime": "image/png"}],
    )
    assert [(r.emoji, r.people) for r in picture.reactions] == [("👍", ())]
    assert picture.metadata == {"reaction_counts": "👍 2"}
    assert (boxed.content, boxed.role) == ("Weather\nWind", "tool")
    assert stuck.content == "[sticker: Wave]"


def test_notices_of_the_app_are_of_the_system() -> None:
    """With who did it."""
    (found,) = messages(
        container(
            FIRST,
            "<span class=chatlog__system-notification-author title=bo data-user-id=300000000000000002>Bo</span>"
            "<span> </span><span class=chatlog__system-notification-content><span>pinned </span>"
            "<a class=chatlog__system-notification-link href=#x>a message</a><span> to this channel.</span></span>",
        )
    )
    assert (found.speaker, found.kind, found.content) == ("Bo", "system", "pinned a message to this channel.")


def test_older_pages_have_quotes() -> None:
    """Attributes in quotes, and other names for the same things."""
    old = (
        HEAD + f'<div class="chatlog__message-group"><div class="chatlog__messages"><span class="chatlog__author-name" '
        f'title="Ann#1234" data-user-id="300000000000000001">Ann</span>'
        f'<div class="chatlog__message" data-message-id="{FIRST}" id="message-{FIRST}">'
        f'<div class="chatlog__content"><div class="markdown"><span class="preserve-whitespace">Hi</span></div></div>'
        f"</div></div></div>" + FOOT
    )
    (found,) = documents(read({"a.html": old.encode()}))
    assert [(m.id, m.speaker, m.content) for m in found.messages] == [(FIRST, "Ann", "Hi")]


def test_a_message_whose_id_is_none_is_rejected() -> None:
    """Its time is not known; those beside it are read."""
    records = read({"a.html": page(container("x", author("Ann", 1) + words("a")) + container(SECOND, words("b")))})
    assert [m.content for d in documents(records) for m in d.messages] == ["b"]
    assert len(rejected(records)) == 1


def test_other_pages_are_not_claimed(tmp_path: Path) -> None:
    """A page about chats is none."""
    (tmp_path / "a.html").write_text("<html><body>chatlog</body></html>")
    assert DiscordConnector().sniff(open_source(tmp_path / "a.html")) < 0.5


def forward(inside: str) -> str:
    """What is passed on from another chat."""
    return (
        "<div class=chatlog__forwarded><div class=chatlog__forwarded-header><em>Forwarded</em></div>"
        f"{inside}<div class=chatlog__forwarded-timestamp><span>Originally sent: 1/1/2024</span></div></div>"
    )


def test_forwarded_words_and_files_are_marked_as_such() -> None:
    """Below the words of the one who passes them on, as in JSON."""
    told = forward(words("The bridge is shut"))
    files = forward(
        "<div class=chatlog__forwarded-attachments><a href=https://x/boat.png><img class=chatlog__forwarded-attachment"
        ' src=https://x/boat.png title="Image: boat.png (1 KB)"></a><div class=chatlog__attachment-generic>'
        "<div class=chatlog__attachment-generic-name><a href=a_Files/map-1F.zip>map.zip</a></div></div></div>"
    )
    alone, both, passed = messages(
        container(FIRST, author("Ann", 1) + told),
        container(SECOND, author("Ann", 1) + words("Look") + told),
        container(THIRD, author("Ann", 1) + files),
    )
    assert (alone.content, [s.kind for s in alone.segments]) == ("The bridge is shut", ["forward"])
    assert both.content == "Look\nThe bridge is shut"
    assert [(s.kind, both.content[s.start : s.end]) for s in both.segments] == [("forward", "The bridge is shut")]
    assert (passed.content, [a.name for a in passed.attachments]) == ("[photo]", ["boat.png", "map.zip"])


def test_a_poll_tells_its_answers_and_their_votes() -> None:
    """JSON has none of it."""
    answers = "".join(
        f"<div class=chatlog__poll-answer><div class=chatlog__poll-answer-content>{emoji}<span "
        f"class=chatlog__poll-answer-text>{text}</span></div>{votes}</div>"
        for emoji, text, votes in (
            ("<img class=chatlog__poll-answer-emoji alt=⛵>", "Kiel &amp; Oslo", ""),
            ("", "Riga", "<span class=chatlog__poll-answer-count>2</span>"),
        )
    )
    poll = f"<div class=chatlog__poll><div class=chatlog__poll-question>Where to?</div>{answers}</div>"
    (found,) = messages(container(FIRST, author("Ann", 1) + poll))
    assert (found.kind, found.content) == ("poll", "Where to?\n- ⛵ Kiel & Oslo\n- Riga (2)")


def test_a_box_alone_is_the_whole_message() -> None:
    """Its title has the class of a message's words; one without words is known by its address."""
    mark = '<div class="chatlog__markdown chatlog__markdown-preserve">'
    box = (
        f"<div class=chatlog__embed><div class=chatlog__embed-title>{mark}Weather</div></div>"
        f"<div class=chatlog__embed-description>{mark}Wind</div></div></div>"
    )
    clip = "<div class=chatlog__embed><video><source src=https://x/sail.mp4></video></div>"
    boxed, moving = messages(
        container(FIRST, author("Ann", 1) + box),
        container(SECOND, author("Ann", 1) + clip),
    )
    assert (boxed.content, boxed.metadata) == ("Weather\nWind", {})
    assert moving.content == "https://x/sail.mp4"


def test_an_answer_to_a_command_names_it_and_stickers_have_names() -> None:
    """Of newer pages, whose titles of stickers are the names alone."""
    asked = (
        "<div class=chatlog__reply><div class=chatlog__reply-author title=bo_99>Bo</div>"
        "<div class=chatlog__reply-content>used /tide</div></div>"
    )
    sticker = "<div class=chatlog__sticker title=Wave><img class=chatlog__sticker--media src=https://x/1></div>"
    told, stuck = messages(
        container(FIRST, asked + author("Helper", 3) + words("High at noon")),
        container(SECOND, author("Bo", 2) + sticker),
    )
    assert (told.content, told.metadata["command"]) == ("High at noon", "/tide Bo")
    assert stuck.content == "[sticker: Wave]"
