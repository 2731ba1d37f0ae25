"""Bodies of Slack's messages: markup as people read it, blocks, what apps attach, files, and every subtype."""

from __future__ import annotations

from datetime import UTC, datetime

from memd.connectors.formats.slack.mrkdwn import marked_parts
from memd.schemas import SYSTEM_SPEAKER, Attachment, ConversationMessage, Edit, Reaction, Segment
from memd.tests.cases import for_each
from memd.tests.connectors.slack.exports import (
    START,
    Json,
    codes,
    documents,
    message,
    one,
    read,
    said,
    stamp,
    workspace,
)


def posted(**more: object) -> Json:
    """A message by an app, without a text."""
    return {
        "type": "message",
        "subtype": "bot_message",
        "bot_id": "B01",
        "username": "ci",
        "text": "",
        "ts": stamp(0),
    } | more


@for_each(
    [
        ("<@U0BO> and <@U0BO|old label>", "@Bo Example and @Bo Example"),
        ("<@U0WHO|guest>, <@U0WHO>", "@guest, @U0WHO"),
        ("<#C0GEN|renamed> <#C0GEN> <#C0GEN|> <#C9|other> <#C9>", "#general #general #general #other #C9"),
        ("<!here> <!channel> <!everyone> <!here|@here>", "@here @channel @everyone @here"),
        ("<!subteam^S1|@devs> <!subteam^S1>", "@devs @S1"),
        ("<!date^1392734382^{date} at {time}|Feb 18, 2014>", "Feb 18, 2014"),
        ("<https://e.org/a?b=1&amp;c=2>", "https://e.org/a?b=1&c=2"),
        ("<https://e.org/a|the page>", "the page (https://e.org/a)"),
        ("<https://e.org|e.org> <http://e.org/|e.org>", "https://e.org http://e.org/"),
        ("<mailto:a@e.org|a@e.org> <mailto:a@e.org|write>", "a@e.org write (a@e.org)"),
        ("a &lt;b&gt; &amp;amp; &quot;", "a <b> &amp; &quot;"),
        ("<U0BO|@bo> archived it", "@Bo Example archived it"),
        ("<https://files.slack.com/a.png?t=xoxe-1-2-abc|a.png>", "a.png (https://files.slack.com/a.png)"),
        ("&lt;@U0BO&gt; typed", "<@U0BO> typed"),
        ("*b* _i_ ~s~ `c` :wave::skin-tone-3:", "*b* _i_ ~s~ `c` :wave::skin-tone-3:"),
        ("  spaces  \n\nstay ", "  spaces  \n\nstay "),
        ("<> <|> < lone", "<> <|> < lone"),
        ("<!unknown^x>", "<!unknown^x>"),
    ]
)
def test_markup_reads_as_people_read_it(text: str, shown: str) -> None:
    """Mentions by name, links by words and address, escapes undone once; everything else stays."""
    assert one(message(0, "U0ANN", text)).content == shown


def test_code_and_quotations_are_segments() -> None:
    """Lines that begin with > are quoted, what stands between fences is code; an arrow in a line is neither."""
    found = one(message(0, "U0ANN", "a -&gt; b\n&gt; said\n&gt; he\nno\n```\n&gt; x\n```"))
    assert found.content == "a -> b\n> said\n> he\nno\n```\n> x\n```"
    words = [(each.kind, found.content[each.start : each.end]) for each in found.segments]
    assert words == [("code", "```\n> x\n```"), ("quote", "> said\n> he")]
    assert list(marked_parts("plain")) == []


RICH: list[Json] = [
    {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [
                    {"type": "text", "text": "Hi ", "style": {"bold": True}},
                    {"type": "user", "user_id": "U0BO"},
                    {"type": "text", "text": " in "},
                    {"type": "channel", "channel_id": "C0GEN"},
                    {"type": "text", "text": " "},
                    {"type": "emoji", "name": "wave", "unicode": "1f44b-1f3fd"},
                    {"type": "emoji", "name": "party"},
                    {"type": "link", "url": "https://e.org", "text": "page"},
                    {"type": "broadcast", "range": "here"},
                    {"type": "usergroup", "usergroup_id": "S1"},
                    {"type": "color", "value": "#ff0000"},
                    {"type": "date", "timestamp": 1392734382, "format": "{date}", "fallback": "Feb 18"},
                ],
            },
            {
                "type": "rich_text_list",
                "style": "ordered",
                "indent": 1,
                "offset": 2,
                "elements": [
                    {"type": "rich_text_section", "elements": [{"type": "text", "text": "three"}]},
                    {"type": "rich_text_section", "elements": [{"type": "text", "text": "four"}]},
                ],
            },
            {"type": "rich_text_quote", "elements": [{"type": "text", "text": "old\nwords"}]},
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x < 1"}]},
        ],
    }
]


def test_rich_text_is_read_where_there_is_no_text() -> None:
    """Every element that the app writes, with lists, quotations and code."""
    found = one(message(0, "U0ANN", "", blocks=RICH))
    assert found.content == (
        "Hi @Bo Example in #general \U0001f44b\U0001f3fd:party:page (https://e.org)@here@S1#ff0000Feb 18\n"
        "    3. three\n    4. four\n> old\n> words\n```x < 1```"
    )
    assert [each.kind for each in found.segments] == ["code", "quote"]


def test_layouts_of_apps_are_read() -> None:
    """Of an app's blocks the words of all kinds, and its text where that says something else."""
    blocks: list[Json] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Deploy &amp; go"}},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "by <@U0BO>"},
            "fields": [{"type": "mrkdwn", "text": "*env*"}, {"type": "plain_text", "text": "prod"}],
            "accessory": {"type": "button", "text": {"type": "plain_text", "text": "Undo"}},
        },
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "image", "alt_text": "logo"}, {"type": "mrkdwn", "text": "1 min"}]},
        {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Yes"}}]},
        {"type": "image", "title": {"type": "plain_text", "text": "Graph"}, "alt_text": "x"},
        {"type": "markdown", "text": "**as it is**"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}]]},
        {"type": "call", "call": {"v1": {"name": "Standup", "join_url": "https://call"}}},
        {"type": "video", "title": {"type": "plain_text", "text": "Film"}, "video_url": "https://film"},
    ]
    found = one(posted(text="Deploy finished", blocks=blocks))
    assert found.content == (
        "Deploy finished\nDeploy &amp; go\nby @Bo Example\n*env*\nprod\n[Undo]\n[image: logo] 1 min\n[Yes]\n"
        "[image: Graph]\n**as it is**\na | b\nStandup\nhttps://call\nFilm\nhttps://film"
    )
    assert (found.speaker, found.metadata["bot"]) == ("ci", "B01")


def test_a_text_that_is_made_of_the_blocks_is_not_repeated() -> None:
    """Slack makes a text of several blocks, for notifications: the blocks alone are the message."""
    cell = {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "1"}]}],
    }
    blocks: list[Json] = [
        *message(0, "U0ANN", "Hello there!")["blocks"],
        {"type": "section", "text": {"type": "mrkdwn", "text": "see <https://e.org|this>"}},
        {"type": "table", "rows": [[cell, cell]]},
    ]
    text = "Hello there! see <https://e.org|this>, with interactive elements"
    assert one(message(0, "U0ANN", text, blocks=blocks)).content == "Hello there!\nsee this (https://e.org)\n1 | 1"


def test_unknown_blocks_keep_their_words_and_are_counted() -> None:
    """A block of a kind that came later is not dropped."""
    blocks = [{"type": "hologram", "text": {"type": "plain_text", "text": "Look!"}}, {"type": "rich_text_unknown"}]
    records = read(workspace({"2024-01-15": [posted(blocks=blocks)]}))
    assert [m.content for d in documents(records).values() for m in d.messages] == ["Look!"]
    assert "unknown-block" in codes(records)


def test_what_apps_attach_is_their_text() -> None:
    """Pretext, author, title with its address, text, fields and footer of an app are its own words."""
    attachment = {
        "fallback": "not shown",
        "pretext": "Build:",
        "author_name": "ci",
        "title": "#12",
        "title_link": "https://ci/12",
        "text": "ok &lt;3",
        "fields": [{"title": "Branch", "value": "main", "short": True}, {"title": "", "value": "x"}],
        "footer": "ci.example",
    }
    found = one(posted(attachments=[attachment, {"fallback": "only this"}, {"fallback": "[no preview available]"}]))
    assert found.content == "Build:\nci\n#12 (https://ci/12)\nok <3\nBranch: main\nx\nci.example\nonly this"
    assert found.segments == ()


def test_links_and_shared_messages_are_quoted() -> None:
    """The preview of a link is a quotation, a forwarded message a forward with its author; neither is the speaker's."""
    preview = {"from_url": "https://e.org", "title": "Page", "title_link": "https://e.org", "text": "About it"}
    found = one(message(0, "U0ANN", "<https://e.org>", attachments=[preview]))
    assert found.content == "https://e.org\nPage\nAbout it"
    assert found.segments == (Segment(kind="quote", start=14, end=27),)

    inner = {"message": {"blocks": RICH[:1]}}
    shared = {"is_share": True, "is_msg_unfurl": True, "author_name": "Bo Example", "text": "the plan", "fields": None}
    found = one(message(0, "U0ANN", "see", attachments=[shared]))
    assert (found.content, found.forwarded_from) == ("see\nBo Example\nthe plan", "Bo Example")
    assert [(each.kind, found.content[each.start : each.end]) for each in found.segments] == [
        ("forward", "Bo Example\nthe plan")
    ]
    found = one(message(0, "U0ANN", "", attachments=[{"is_share": True, "message_blocks": [inner]}]))
    assert found.content.startswith("Hi @Bo Example in #general")


@for_each(
    [
        (
            {"id": "F1", "name": "a.png", "mimetype": "image/png", "size": 12, "mode": "hosted"},
            "[photo]",
            Attachment(name="a.png", mime="image/png", size=12, missing=True),
        ),
        (
            {"name": "b.mp4", "mimetype": "video/mp4"},
            "[video]",
            Attachment(name="b.mp4", mime="video/mp4", missing=True),
        ),
        (
            {"name": "v.m4a", "mimetype": "audio/mp4", "subtype": "slack_audio"},
            "[voice message]",
            Attachment(name="v.m4a", mime="audio/mp4", missing=True),
        ),
        (
            {"title": "Report", "mimetype": "application/pdf"},
            "[file]",
            Attachment(name="Report", mime="application/pdf", missing=True),
        ),
        ({"id": "F9", "mode": "tombstone"}, "[deleted file]", Attachment(name="F9", missing=True)),
        ({"title": "Plan", "name": "Canvas", "mode": "quip"}, "[canvas]", Attachment(name="Plan", missing=True)),
    ]
)
def test_files_are_attachments(file: Json, content: str, kept: Attachment) -> None:
    """Name, type and size are kept, never an address; a placeholder stands for what nobody wrote."""
    found = one(message(0, "U0ANN", "", blocks=None, files=[{**file, "url_private": "https://f?t=xoxe-1"}]))
    assert (found.content, found.kind, found.attachments) == (content, "media", (kept,))
    assert b"xoxe" not in found.to_json()


def test_the_words_of_a_voice_message_are_text() -> None:
    """Slack writes what it heard, or the beginning of it."""
    heard = {"status": "complete", "preview": {"content": "meet me at nine", "has_more": False}}
    found = one(message(0, "U0ANN", "", files=[{"name": "v.m4a", "subtype": "slack_audio", "transcription": heard}]))
    assert (found.content, found.kind) == ("meet me at nine", "text")


def test_words_beside_files_are_the_message() -> None:
    """With a text the message is a text; of a snippet the beginning is shown as code."""
    found = one(message(0, "U0ANN", "my cat", files=[{"name": "c.png", "mimetype": "image/png"}]))
    assert (found.content, found.kind, len(found.attachments)) == ("my cat", "text", 1)
    snippet = {"name": "x.py", "mode": "snippet", "mimetype": "text/plain", "preview": "print(1)", "size": 99}
    found = one(message(0, "U0ANN", "run it", files=[snippet]))
    assert found.content == "run it\nprint(1)"
    assert found.segments == (Segment(kind="code", start=7, end=15),)


def test_files_in_the_export_are_not_missing() -> None:
    """Slackdump puts files beside the chats, by their ids."""
    files = workspace({"2024-01-15": [message(0, "U0ANN", "x", files=[{"id": "F0PIC001", "name": "a.png"}])]})
    records = read(files | {"general/attachments/F0PIC001-a.png": b"\x89PNG\0\0\0\0"})
    (day,) = documents(records).values()
    assert day.messages[0].attachments == (Attachment(name="a.png"),)


def test_reactions_have_names() -> None:
    """An emoji and who chose it; where the export names but some, how many there were."""
    reactions = [
        {"name": "+1::skin-tone-2", "users": ["U0BO", "U0CY"], "count": 2},
        {"name": "eyes", "users": ["U0ANN"], "count": 70},
    ]
    found = one(message(0, "U0ANN", "x", reactions=reactions))
    assert found.reactions == (
        Reaction(emoji=":+1::skin-tone-2:", people=("Bo Example", "cy!")),
        Reaction(emoji=":eyes:", people=("Ann",)),
    )
    assert found.metadata == {"reaction_counts": ":eyes: 70"}


def test_edits_are_flagged_with_their_time() -> None:
    """The export has the last wording, and when it was written."""
    found = one(message(0, "U0ANN", "x", edited={"user": "U0ANN", "ts": f"{START + 60}.000000"}))
    assert (found.edited, found.edited_at) == (True, datetime.fromtimestamp(START + 60, UTC))


SYSTEM = [
    *("channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "channel_archive"),
    *("channel_unarchive", "channel_convert_to_private", "channel_posting_permissions", "channel_canvas_updated"),
    *("group_join", "group_leave", "group_topic", "group_purpose", "group_name", "group_archive", "group_unarchive"),
    *("pinned_item", "unpinned_item", "bot_add", "bot_remove", "reminder_add", "joiner_notification"),
    *("reply_broadcast", "app_conversation_join", "tabbed_canvas_updated", "bot_enable", "bot_disable"),
]


@for_each(SYSTEM)
def test_what_nobody_wrote_is_the_systems(subtype: str) -> None:
    """Joins, topics, pins, …: the system speaks, and who did it is told beside it."""
    found = one(message(0, "U0BO", "<@U0BO> did something", subtype=subtype, blocks=None))
    assert (found.speaker, found.kind, found.content) == (SYSTEM_SPEAKER, "system", "@Bo Example did something")
    assert found.metadata == {"subtype": subtype, "actor": "Bo Example"}
    assert one(message(0, "U0BO", "", subtype=subtype, blocks=None)).content == f"[{subtype}]"


@for_each(["me_message", "file_share", "thread_broadcast", "slackbot_response", "file_mention"])
def test_what_somebody_wrote_is_theirs(subtype: str) -> None:
    """Subtypes of words keep their author."""
    found = one(message(0, "U0BO", "waves", subtype=subtype))
    assert (found.speaker, found.kind, found.content) == ("Bo Example", "text", "waves")


def test_unknown_subtypes_are_kept_and_counted() -> None:
    """What came after this list is neither dropped nor taken for ordinary words."""
    records = read(workspace({"2024-01-15": [message(0, "U0BO", "beep", subtype="telepathy")]}))
    (day,) = documents(records).values()
    assert [(m.speaker, m.kind, m.content) for m in day.messages] == [("Bo Example", "unknown", "beep")]
    assert "unknown-subtype" in codes(records)


def test_huddles_are_calls() -> None:
    """Who took part and for how long; the system tells of it."""
    room = {
        "created_by": "U0ANN",
        "date_start": START,
        "date_end": START + 61,
        "participant_history": ["U0ANN", "U0BO"],
    }
    for text, content in (("", "[huddle]"), ("A huddle started", "A huddle started")):
        found = one(message(0, "USLACKBOT", text, subtype="huddle_thread", room=room, blocks=None))
        assert (found.speaker, found.kind, found.content) == (SYSTEM_SPEAKER, "call", content)
        assert found.metadata == {
            "subtype": "huddle_thread",
            "actor": "Ann",
            "participants": "Ann, Bo Example",
            "duration_s": "61",
        }


def test_deleted_messages_are_told() -> None:
    """A tombstone stands for a message that its author deleted; nobody says it."""
    entry = message(0, "USLACKBOT", "This message was deleted.", subtype="tombstone", hidden=True, blocks=None)
    found = one(entry)
    assert (found.speaker, found.kind, found.deleted) == (SYSTEM_SPEAKER, "deleted", True)
    assert found.content == "This message was deleted."


def test_records_of_edits_change_the_message() -> None:
    """Exports of whole workspaces may hold what a message was before: it stays one message, with its older wording."""
    before = message(0, "U0ANN", "at noon")
    after = message(0, "U0ANN", "at one", edited={"user": "U0ANN", "ts": stamp(60)})
    change = {"type": "message", "subtype": "message_changed", "ts": stamp(60), "message": after, "original": before}
    edited_at = datetime.fromtimestamp(START + 60, UTC).replace(microsecond=100)
    for entries in ([before, change], [change], [change, before]):
        found = one_of(entries)
        assert (found.content, found.edited, found.edited_at) == ("at one", True, edited_at)
        assert [edit.content for edit in found.edits] == ["at noon"]
        assert found.id == f"C0GEN:{stamp(0)}"


def test_records_of_deletions_delete_the_message() -> None:
    """The words stay as an older wording."""
    before = message(0, "U0ANN", "secret")
    gone = {
        "type": "message",
        "subtype": "message_deleted",
        "ts": stamp(60),
        "deleted_ts": stamp(0),
        "original": before,
    }
    for entries in ([before, gone], [gone]):
        found = one_of(entries)
        assert (found.speaker, found.content, found.kind, found.deleted) == ("Ann", "[deleted]", "deleted", True)
        assert found.edits == (Edit(content="secret"),)


def one_of(entries: list[Json]) -> ConversationMessage:
    """The one message of these records."""
    (found,) = said(*entries)
    return found


@for_each(
    [
        (posted(text="x"), "ci", "B01"),
        (posted(text="x", username="", bot_profile={"name": "Polly"}), "Polly", "B01"),
        (posted(text="x", username=""), "B01", "B01"),
        (message(0, "U0DEP", "x", bot_id="B02", bot_profile={"name": "Deploy"}), "Deploy", "U0DEP"),
        (message(0, "U0DEP", "x"), "Deploy", "U0DEP"),
        (message(0, "U0ANN", "x", bot_id="B03", bot_profile={"name": "giphy"}), "Ann", ""),
        (message(0, "USLACKBOT", "x"), "Slackbot", "USLACKBOT"),
        (message(0, "U0NEWBOT", "x", bot_id="B04", bot_profile={"name": "New"}), "New", "U0NEWBOT"),
    ]
)
def test_programs_are_named_and_marked(entry: Json, speaker: str, bot: str) -> None:
    """By the name they post under, else their profile; what a person posts by an app is that person's."""
    found = one(entry)
    assert (found.speaker, found.metadata.get("bot", "")) == (speaker, bot)
    assert found.role == ("tool" if bot else None)


def test_comments_on_files_are_their_authors() -> None:
    """Old exports have a comment on a file as a record around it."""
    entry = {
        "type": "message",
        "subtype": "file_comment",
        "ts": stamp(0),
        "text": "<@U0BO> commented on a file: nice",
        "comment": {"id": "Fc1", "user": "U0BO", "comment": "nice", "timestamp": START},
        "file": {"id": "F1", "name": "a.png", "mimetype": "image/png"},
    }
    found = one(entry)
    assert (found.speaker, found.content) == ("Bo Example", "nice")
    assert found.attachments == (Attachment(name="a.png", mime="image/png", missing=True),)


def test_messages_of_nothing_are_kept() -> None:
    """Neither words nor files: a placeholder, and a notice with their number."""
    records = read(workspace({"2024-01-15": [message(0, "U0BO", " ", blocks=[])]}))
    (day,) = documents(records).values()
    assert (day.messages[0].content, day.messages[0].kind) == ("[empty]", "unknown")
    assert "empty-message" in codes(records)


def test_pinned_messages_say_so() -> None:
    """What is pinned is worth more than other words."""
    assert one(message(0, "U0BO", "rules", pinned_to=["C0GEN"])).metadata == {"pinned": "true"}


def test_plans_of_assistants_keep_what_their_tasks_say() -> None:
    """The task, how it went, what came of it, and its sources."""

    def rich(text: str) -> Json:
        return {
            "type": "rich_text",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}],
        }

    task = {
        "type": "task_card",
        "title": "Look up tides",
        "details": rich("two harbours"),
        "output": rich("high at noon"),
        "sources": [{"type": "url", "url": "https://e.org", "text": "table"}],
    }
    found = one(posted(text="", blocks=[{"type": "plan", "title": "The trip", "tasks": [task]}]))
    assert found.content == "The trip\nLook up tides\ntwo harbours\nhigh at noon\ntable (https://e.org)"
