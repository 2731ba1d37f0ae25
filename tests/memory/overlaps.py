"""One small chat as each format writes it: a thread, an edit and a change of day, for exports that overlap.

A writer gets the numbers of the messages that an export shows, and of those that were written when it was made: the first
message of a thread tells of it only once somebody answered, an edited message is read as it stood then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from memd.connectors.connector import Connector
from memd.connectors.formats.discord.connector import DiscordConnector
from memd.connectors.formats.google_chat.connector import GoogleChatConnector
from memd.connectors.formats.irc.connector import IrcConnector
from memd.connectors.formats.kakaotalk.connector import KakaoTalkConnector
from memd.connectors.formats.line.connector import LineConnector
from memd.connectors.formats.llm_chats.claude import ClaudeConnector
from memd.connectors.formats.mail.connector import MailConnector
from memd.connectors.formats.matrix.connector import MatrixConnector
from memd.connectors.formats.mattermost.connector import MattermostConnector
from memd.connectors.formats.messenger.connector import MessengerConnector
from memd.connectors.formats.pidgin.connector import PidginConnector
from memd.connectors.formats.qq.connector import QQConnector
from memd.connectors.formats.rocketchat.connector import RocketChatConnector
from memd.connectors.formats.signal.connector import SignalConnector
from memd.connectors.formats.slack.connector import SlackConnector
from memd.connectors.formats.teams.connector import TeamsConnector
from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.connectors.formats.wechat.connector import WeChatConnector
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.formats.x.connector import XConnector
from memd.connectors.formats.zulip.connector import ZulipConnector
from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.google_chat import exports as google_chat
from memd.tests.connectors.llm_chats import test_claude as claude
from memd.tests.connectors.mail import reading as mails
from memd.tests.connectors.matrix import exports as matrix
from memd.tests.connectors.mattermost import test_mattermost as mattermost
from memd.tests.connectors.messenger import exports as messenger
from memd.tests.connectors.qq import test_qq as qq
from memd.tests.connectors.rocketchat import test_rocketchat as rocketchat
from memd.tests.connectors.signal import exports as signal
from memd.tests.connectors.slack import exports as slack
from memd.tests.connectors.teams import exports as teams
from memd.tests.connectors.telegram import exports as telegram
from memd.tests.connectors.wechat import test_wechat as wechat
from memd.tests.connectors.x import exports as x
from memd.tests.connectors.zulip import test_zulip as zulip

WORDS = ("hello", "Who brings cake?", "noise", "I do", "at noon", "Me too", "see you")
ROOT, ANSWERS, EDITED, EDIT_SHOWS = 1, (3, 5), 4, 6
"""Which message begins the thread, which belong to it, which is edited, and with which message the edit shows."""
TWO_DAYS = (0, 1, 2, 3, 1500, 1501, 1502)
"""Minutes of the messages, of writers that count on into the next day."""
Files = Mapping[str, bytes]
Write = Callable[[Sequence[int], Collection[int]], Files]


def text_of(number: int, written: Collection[int]) -> str:
    """The wording of a message when these were written."""
    return "at one" if number == EDITED and EDIT_SHOWS in written else WORDS[number]


def is_edited(number: int, written: Collection[int]) -> bool:
    """Whether the message reads otherwise than at first."""
    return number == EDITED and EDIT_SHOWS in written


def answered(number: int, written: Collection[int]) -> bool:
    """Whether somebody answered it by then."""
    return number == ROOT and not set(ANSWERS).isdisjoint(written)


def write_slack(shown: Sequence[int], written: Collection[int]) -> Files:
    """Slack: a thread's replies lie in the files of their days."""
    days: dict[str, list[Any]] = {}
    for number in shown:
        seconds, words = TWO_DAYS[number] * 60, text_of(number, written)
        if answered(number, written):
            there = [TWO_DAYS[each] * 60 for each in ANSWERS if each in written]
            made = slack.root(seconds, "U0ANN", words, there)
        elif number in ANSWERS:
            more = {"subtype": "thread_broadcast"} if number == ANSWERS[-1] else {}
            made = slack.reply(seconds, "U0BO", words, TWO_DAYS[ROOT] * 60, **more)
        else:
            made = slack.message(seconds, "U0ANN", words)
        if is_edited(number, written):
            made["edited"] = {"user": "U0ANN", "ts": slack.stamp(TWO_DAYS[EDIT_SHOWS] * 60)}
        day = datetime.fromtimestamp(slack.START + seconds, UTC).date().isoformat()
        days.setdefault(day, []).append(made)
    return slack.workspace(days)


def write_discord(shown: Sequence[int], written: Collection[int]) -> Files:
    """DiscordChatExporter: answers name what they answer."""
    made: list[Any] = []
    for number in shown:
        time = (datetime(2024, 1, 15, 12, tzinfo=UTC) + timedelta(minutes=TWO_DAYS[number])).isoformat()
        more: dict[str, Any] = {"timestampEdited": "2024-01-16T14:00:00+00:00"} if is_edited(number, written) else {}
        if number in ANSWERS:
            target = str(900000000000000000 + ROOT)
            more |= {"type": "Reply", "reference": {"messageId": target, "channelId": discord.CHANNEL, "guildId": None}}
        author = discord.BO if number in ANSWERS else discord.ANN
        made.append(discord.message(number, author, text_of(number, written), time, **more))
    return {"harbour.json": discord.encoded(discord.export(*made))}


def write_telegram(shown: Sequence[int], written: Collection[int]) -> Files:
    """A group of Telegram."""
    made: list[Any] = []
    for number in shown:
        more: dict[str, Any] = {"reply_to_message_id": ROOT + 10} if number in ANSWERS else {}
        if is_edited(number, written):
            at = telegram.START + TWO_DAYS[EDIT_SHOWS] * 60
            more |= {
                "edited": datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S"),
                "edited_unixtime": str(at),
            }
        at = telegram.START + TWO_DAYS[number] * 60
        who = {"who": "Bob", "peer": "user2"} if number in ANSWERS else {}
        made.append(telegram.said(number + 10, text_of(number, written), at=at, **who, **more))
    chat = telegram.chat(made, name="Harbour", kind="private_supergroup", number=77)
    return {"result.json": telegram.written(chat)}


def write_topics(shown: Sequence[int], _: Collection[int]) -> Files:
    """A forum of Telegram: the first message begins a topic, and all others answer it."""
    made: list[Any] = []
    for number in shown:
        at = telegram.START + TWO_DAYS[number] * 60
        if number == ROOT:
            made.append({**telegram.done(number + 10, "topic_created", title="Cake"), "date_unixtime": str(at)})
            continue
        more: dict[str, Any] = {"reply_to_message_id": ROOT + 10} if number in ANSWERS else {}
        made.append(telegram.said(number + 10, WORDS[number], at=at, **more))
    chat = telegram.chat(made, name="Forum", kind="private_supergroup", number=78)
    return {"result.json": telegram.written(chat)}


def write_mattermost(shown: Sequence[int], written: Collection[int]) -> Files:
    """A bulk export of Mattermost: replies lie within their post, so that no export has them alone."""
    made: list[Any] = []
    for number in shown:
        if number in ANSWERS:
            continue
        more: dict[str, Any] = {}
        if is_edited(number, written):
            more["edit_at"] = mattermost.START + TWO_DAYS[EDIT_SHOWS] * 60_000
        if number == ROOT:
            more["replies"] = [
                {
                    "user": "bo",
                    "message": WORDS[each],
                    "create_at": mattermost.START + TWO_DAYS[each] * 60_000,
                    "edit_at": 0,
                }
                for each in ANSWERS
                if each in written
            ]
        made.append(mattermost.said(TWO_DAYS[number], "ann", text_of(number, written), **more))
    return {"import.jsonl": mattermost.written(*made)}


def write_zulip(shown: Sequence[int], written: Collection[int]) -> Files:
    """An organisation of Zulip; a topic is a thread."""
    made: list[Any] = []
    for number in shown:
        sent: dict[str, Any] = {"date_sent": zulip.START + TWO_DAYS[number] * 60}
        if is_edited(number, written):
            sent["last_edit_time"] = zulip.START + TWO_DAYS[EDIT_SHOWS] * 60
        topic = "Cake" if number in (ROOT, *ANSWERS) else "Boats"
        made.append(zulip.said(number + 10, 11, text_of(number, written), topic=topic, **sent))
    return zulip.export(*made)


def write_rocketchat(shown: Sequence[int], written: Collection[int]) -> Files:
    """A dump of Rocket.Chat: the first message of a thread counts its replies."""
    made: list[Any] = []
    for number in shown:
        more: dict[str, Any] = {"tmid": f"m{TWO_DAYS[ROOT]}"} if number in ANSWERS else {}
        if answered(number, written):
            last = rocketchat.Moment(rocketchat.START + TWO_DAYS[ANSWERS[-1]] * 60_000)
            more |= {"tcount": len(ANSWERS), "tlm": last, "replies": ["u2"]}
        if is_edited(number, written):
            more["editedAt"] = rocketchat.Moment(rocketchat.START + TWO_DAYS[EDIT_SHOWS] * 60_000)
        user = rocketchat.BO if number in ANSWERS else rocketchat.ANN
        made.append(rocketchat.said(TWO_DAYS[number], user, text_of(number, written), **more))
    return rocketchat.dump(*made)


def write_matrix(shown: Sequence[int], _: Collection[int]) -> Files:
    """A room of Matrix: an edit is an event of its own, so no message here is edited."""
    made: list[Any] = []
    for number in shown:
        related: dict[str, Any] = {}
        if number in ANSWERS:
            related = {"m.relates_to": {"rel_type": "m.thread", "event_id": f"$e{TWO_DAYS[ROOT]}"}}
        made.append(matrix.said(TWO_DAYS[number], matrix.ANN, WORDS[number], **related))
    return {"export.json": matrix.written(matrix.export(*made))}


def write_google_chat(shown: Sequence[int], written: Collection[int]) -> Files:
    """A space of Google Chat."""
    made: list[Any] = []
    for number in shown:
        topic = f"m{ROOT}" if number in ANSWERS else ""
        more = {"updated_date": "Monday, January 15, 2024 at 1:00:00\u202fPM UTC"} if is_edited(number, written) else {}
        creator = google_chat.BO if number in ANSWERS else google_chat.ANN
        made.append(google_chat.said(number, creator, text_of(number, written), topic, **more))
    return {name: google_chat.written(value) for name, value in google_chat.space(*made).items()}


def write_teams(shown: Sequence[int], written: Collection[int]) -> Files:
    """A personal account of Teams."""
    made: list[Any] = []
    for number in shown:
        more = {"edittime": "1705324000000"} if is_edited(number, written) else {}
        made.append(teams.skype(number, teams.BO, text_of(number, written), **more))
    return {"messages.json": teams.written(teams.history(*made))}


def write_messenger(shown: Sequence[int], _: Collection[int]) -> Files:
    """Messenger, which tells no edit."""
    return {
        messenger.PLACE: messenger.written(
            messenger.chat(*(messenger.said(TWO_DAYS[number] * 60, messenger.ANN, WORDS[number]) for number in shown))
        )
    }


def write_signal(shown: Sequence[int], _: Collection[int]) -> Files:
    """An export of Signal."""
    return {"main.jsonl": signal.export(*(signal.item(TWO_DAYS[number], WORDS[number]) for number in shown))}


def write_x(shown: Sequence[int], _: Collection[int]) -> Files:
    """Direct messages of X."""
    made = [x.sent(number, x.BO, WORDS[number]) for number in shown]
    account = x.assigned("account", [{"account": {"accountId": x.ANN, "username": "ann", "accountDisplayName": "Ann"}}])
    return {"data/account.js": account, "data/direct-messages.js": x.talks(*made)}


def write_wechat(shown: Sequence[int], _: Collection[int]) -> Files:
    """WeFlow's file of a chat of WeChat."""
    return {"chat.json": wechat.export(*(wechat.message(number, WORDS[number]) for number in shown)).encode()}


def write_qq(shown: Sequence[int], _: Collection[int]) -> Files:
    """QQChatExporter's file."""
    return {"chat.json": qq.export(*(qq.message(number, WORDS[number]) for number in shown)).encode()}


def write_claude(shown: Sequence[int], _: Collection[int]) -> Files:
    """A chat with Claude."""
    made = [claude.message(f"m{number}", "human", WORDS[number], number) for number in shown]
    files = {"conversations.json": [claude.conversation(*made)], "users.json": claude.USERS}
    return {name: orjson.dumps(value) for name, value in files.items()}


def write_mail(shown: Sequence[int], _: Collection[int]) -> Files:
    """A mailbox: a chain of answers, each naming only the mail before it."""
    made: list[bytes] = []
    for number in shown:
        time = datetime(2025, 4, 7, 12, tzinfo=UTC) + timedelta(minutes=TWO_DAYS[number])
        fields = {"Message_ID": f"<m{number}@x>", "Date": time.strftime("%a, %d %b %Y %H:%M:%S +0000")}
        if number:
            fields["In_Reply_To"] = f"<m{number - 1}@x>"
        made.append(mails.mail(f"{WORDS[number]}\n", **fields))
    return {"mail": mails.mbox(*made)}


def _time(number: int, pattern: str) -> str:
    return (datetime(2024, 1, 15, 12, tzinfo=UTC) + timedelta(minutes=TWO_DAYS[number])).strftime(pattern)


def write_whatsapp(shown: Sequence[int], _: Collection[int]) -> Files:
    """WhatsApp, which has no ids."""
    lines = [f"{_time(number, '%d/%m/%Y, %H:%M')} - Ann: {WORDS[number]}\n" for number in shown]
    return {"WhatsApp Chat with Ann.txt": "".join(lines).encode()}


def write_line(shown: Sequence[int], _: Collection[int]) -> Files:
    """LINE, which has no ids and a line for each day."""
    lines, day = ["[LINE] Chat history with Ann\n", "Saved on: 01/17/2024, 12:00\n"], ""
    for number in shown:
        if (today := _time(number, "%a, %m/%d/%Y")) != day:
            lines.append(f"\n{today}\n")
            day = today
        lines.append(f"{_time(number, '%H:%M')}\tAnn\t{WORDS[number]}\n")
    return {"[LINE] Chat history with Ann.txt": "".join(lines).encode()}


def write_kakaotalk(shown: Sequence[int], _: Collection[int]) -> Files:
    """A table of KakaoTalk, which has seconds and no ids."""
    lines = [f'{_time(number, "%Y-%m-%d %H:%M:%S")},"Ann","{WORDS[number]}"\n' for number in shown]
    return {"KakaoTalk_Chat_Harbour_2024-01-17-12-00-00.csv": ("Date,User,Message\n" + "".join(lines)).encode()}


def write_pidgin(shown: Sequence[int], _: Collection[int]) -> Files:
    """A log of Pidgin whose lines all have their days, as those of late messages have."""
    lines = ["Conversation with ann at 2024-01-15 08:00:00 on bo (jabber)\n"]
    lines += [f"({_time(number, '%Y-%m-%d %H:%M:%S')}) ann: {WORDS[number]}\n" for number in shown]
    return {"2024-01-15.080000.txt": "".join(lines).encode()}


def write_irc(shown: Sequence[int], _: Collection[int]) -> Files:
    """A log of WeeChat."""
    lines = [f"{_time(number, '%Y-%m-%d %H:%M:%S')}\tann\t{WORDS[number]}\n" for number in shown]
    return {"irc.libera.#harbour.weechatlog": "".join(lines).encode()}


WRITERS: dict[str, tuple[Connector, Write]] = {
    "slack": (SlackConnector(), write_slack),
    "discord": (DiscordConnector(), write_discord),
    "telegram": (TelegramConnector(), write_telegram),
    "telegram topics": (TelegramConnector(), write_topics),
    "mattermost": (MattermostConnector(), write_mattermost),
    "zulip": (ZulipConnector(), write_zulip),
    "rocketchat": (RocketChatConnector(), write_rocketchat),
    "matrix": (MatrixConnector(), write_matrix),
    "google_chat": (GoogleChatConnector(), write_google_chat),
    "teams": (TeamsConnector(), write_teams),
    "messenger": (MessengerConnector(), write_messenger),
    "signal": (SignalConnector(), write_signal),
    "x": (XConnector(), write_x),
    "wechat": (WeChatConnector(), write_wechat),
    "qq": (QQConnector(), write_qq),
    "claude": (ClaudeConnector(), write_claude),
    "mail": (MailConnector(), write_mail),
    "whatsapp": (WhatsAppConnector(), write_whatsapp),
    "line": (LineConnector(), write_line),
    "kakaotalk": (KakaoTalkConnector(), write_kakaotalk),
    "pidgin": (PidginConnector(), write_pidgin),
    "irc": (IrcConnector(), write_irc),
}
