"""The plan of a question, and how it is said in plain words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.question.chats import ChatMatcher
from memd.memory.question.people import SpeakerMatcher
from memd.memory.question.plan import QuestionPlan, plan_question
from memd.memory.question.understood import (
    First,
    either_days,
    first_said,
    nothing_of,
    summary_of,
    understood_of,
    words_of,
)
from memd.schemas.query import QuestionPart, Understood
from memd.tests.cases import for_each

NOW = datetime(2026, 11, 26, 20, tzinfo=UTC)
CHATS = ChatMatcher(["Family", "Book Club", "Team Channel", "Ann Lee", "家族", ""], ["ann lee"])
NAMES = SpeakerMatcher(["Alice", "Bert Kunz", "Ann Lee"])


def planned(question: str, *ignore: QuestionPart, me: tuple[str, ...] = ("Alice",)) -> QuestionPlan:
    """The plan for the store of Alice, Bert and Ann."""
    return plan_question(question, NOW, NAMES, me, ignore, chats=CHATS)


@for_each(
    [
        ("what did Bert suggest on 24 November?", "from Bert Kunz · 2026-11-24"),
        ("latest mail from Bert about the pump", "from Bert Kunz · newest first · mail first · about: pump"),
        ("where do I live?", "about you · about: live"),
        ("what did I tell Bert about the boat?", "from Alice · to Bert Kunz · about: boat"),
        ("messages between me and Bert", "from Alice, Bert Kunz · to Bert Kunz"),
        ("how often did Ann mention the pump?", "from Ann Lee · how often · about: pump"),
        ("what do Ann and Bert say of the boat?", "about Ann Lee, Bert Kunz · about: boat"),
        ('the "blue door" of Ann', "from Ann Lee · “blue door” together · about: blue door"),
        ("pump", "about: pump"),
    ]
)
def test_the_plan_in_plain_words(question: str, said: str) -> None:
    """As `--explain` prints it."""
    assert understood_of(planned(question)).words == said


@for_each(
    [
        ("qu'a écrit Bert en dernier ?", "from Bert Kunz · newest first"),
        ("qu’est-ce que Bert a écrit en dernier ?", "from Bert Kunz · newest first"),
        ("quand est-ce que j'ai écrit à Bert la dernière fois ?", "from Alice · to Bert Kunz · newest first"),
        ("combien de fois est-ce que j'ai mentionné d'Angelo ?", "from Alice · how often · about: Angelo"),
        ("qu'est-ce qui s'est passé le 23 janvier 2026 ?", "2026-01-23"),
        ("¿cuándo le escribí a Bert por última vez?", "from Alice · to Bert Kunz · newest first"),
        ("¿cuántos mensajes le mandé a Bert?", "from Alice · to Bert Kunz · how often"),
        ("¿qué sucedió el 23 de enero de 2026?", "2026-01-23"),
        ("Bert'e en son ne zaman yazdım?", "from Alice · to Bert Kunz · newest first"),
        ("Bert'e en son ne zaman mesaj attım?", "from Alice · to Bert Kunz · newest first"),
        ("Bert ile en son ne zaman konuştum?", "from Alice, Bert Kunz · to Bert Kunz · newest first"),
        ("Bert'ten gelen son mesaj", "from Bert Kunz · newest first"),
        ("bana son yazan kim?", "to you · newest first"),
        ("Bert Murat'tan ilk ne zaman bahsetti?", "from Bert Kunz · oldest first · about: Murat"),
        ("Bert kaç defa Murat'tan söz etti?", "from Bert Kunz · how often · about: Murat"),
        ("Bertの最新メッセージ", "from Bert Kunz · newest first"),
        ("最後に私に書いたのは誰ですか", "to you · newest first"),
        ("Bertと最後に話したのはいつですか", "from Alice, Bert Kunz · to Bert Kunz · newest first"),
        ("誕生日はいつですか", "about: 誕生日"),
        ("日本語の試験に合格しましたか", "about: 日本語 試験 合格"),
        ("who messaged me last?", "to you · newest first"),
        ("who did I write to last?", "from Alice · newest first"),
        ("when did I first message Bert?", "from Alice · to Bert Kunz · oldest first"),
        ("what has Bert been saying lately?", "from Bert Kunz"),
        ("Bert'in gönderdiği son mesaj", "from Bert Kunz · newest first"),
        ("Bert Kehl hakkında ne yazmıştı?", "from Bert Kunz · about: Kehl"),
        ("Bertさんが最後に送ってくれたメッセージ", "from Bert Kunz · newest first"),
        ("bert murat'tan ilk ne zaman bahsetti?", "from Bert Kunz · oldest first · about: murat"),
        ("bert'e en son ne zaman yazdım?", "from Alice · to Bert Kunz · newest first"),
        ("when did i last write to bert?", "from Alice · to Bert Kunz · newest first"),
        ("En son kiminle konuştum?", "from Alice · newest first"),
        ("Bertさんと最後に連絡したのはいつですか", "from Alice, Bert Kunz · to Bert Kunz · newest first"),
        ("最後に誰にメッセージを送りましたか", "from Alice · newest first"),
        ("¿Qué dijo todo el mundo el 9 de septiembre de 2026?", "2026-09-09"),
        ("when did Bert last say anything about the boat?", "from Bert Kunz · newest first · about: boat"),
        ("what did everybody write on 9 September 2026?", "2026-09-09"),
        ("was haben die Leute am 9. September 2026 geschrieben?", "2026-09-09"),
        ("Wann haben Bert und ich zuletzt telefoniert?", "from Alice, Bert Kunz · to Bert Kunz · newest first"),
        ("wie viele Mails habe ich verschickt?", "from Alice · how often · mail first"),
    ]
)
def test_words_that_ask_are_no_topic(question: str, said: str) -> None:
    """Verbs of saying in any person, elisions, endings behind an apostrophe, and words for everybody."""
    assert words_of(planned(question)) == said


@for_each(
    [
        "Tom dün ne yazdı?",
        "Tom ne dedi?",
        "Tom yesterday",
        "Tom gestern",
        "Tom's last mail",
        "Tom'un son mesajı",
        "tom dün ne yazdı?",
        "qu’a dit tom hier ?",
    ]
)
def test_a_short_name_at_the_beginning(question: str) -> None:
    """Tom is a word of Swedish and Czech, but not in a question in another language."""
    plan = plan_question(question, NOW, SpeakerMatcher(["Alice", "Tom Ray"]), ["Alice"])
    assert (plan.mention.preferred, plan.subject) == ({"Tom Ray"}, ())


PARTS: dict[QuestionPart, tuple[str, Callable[[QuestionPlan], object]]] = {
    "person": ("what did Bert say on 24 November?", lambda plan: plan.mention.preferred),
    "chat": ("the party in the family group", lambda plan: plan.chats),
    "time": ("what did Bert say on 24 November?", lambda plan: plan.times),
    "order": ("latest message from Bert", lambda plan: plan.order != "best"),
    "kind": ("the mail from Bert", lambda plan: plan.kinds),
    "me": ("where do I live?", lambda plan: plan.mention.asker),
    "phrase": ('the "blue door"', lambda plan: plan.phrases),
}


def test_each_part_may_be_ignored() -> None:
    """And is there otherwise; a number is a part of the order."""
    for part, (question, is_there) in PARTS.items():
        assert is_there(planned(question)), part
        assert not is_there(planned(question, part)), part
    assert set(PARTS) == set(get_args(QuestionPart))
    assert not planned("how often did Bert write?", "order").counts


def test_the_words_of_an_ignored_part_are_a_topic() -> None:
    """They are searched as any other word, and a question of nothing else asks for them."""
    assert planned("the notes of Bert", "kind").subject == ("notes",)
    assert not planned("the notes of Bert").subject
    assert planned("the latest notes", "order", "kind").subject == ("latest", "notes")
    assert planned("notes of yesterday").of_times_alone
    assert not planned("notes of yesterday", "kind").of_times_alone
    assert planned('what is "Bert Kunz" like?', "phrase").mention.preferred == {"Bert Kunz"}


def test_a_feast_is_known_without_its_accents() -> None:
    """A question for a number means any year; the days of a feast that the moon decides are about right."""
    for feast in ("Año Nuevo", "Ano Nuevo", "año nuevo"):
        assert not planned(f"¿cuántas veces escribió Bert en {feast}?").times
    assert words_of(planned("what did Bert say at Eid?")) == "from Bert Kunz · about 2026-03-19 to 2026-03-22"
    assert nothing_of(planned("what did Bert say at Eid?")).endswith(" (about 2026-03-19 to 2026-03-22); the nearest:")
    assert "about 2" not in words_of(planned("what did Bert say at Easter?"))


@for_each(
    [
        ("what do I have on 11/12?", ["11/12 is read as 11 December, not as 12 November"]),
        ("the mail of 3/4/2025", ["3/4/2025 is read as 3 April, not as 4 March"]),
        ("what was in Nov 25?", ["nov 25 is read as November 2025, not as 25 November"]),
        ("what was on Nov 25?", []),
        ("the mail of 3-4-25", ["3-4-25 is read as 3 April, not as 4 March"]),
        ("the mails of 11/11, 13/12 and 12/25/2024", []),
        ("the mails of 2025-03-04 and 3.4.2025", []),
        ("the invoice 3/4", []),
    ]
)
def test_a_date_that_may_be_another_one_is_told(question: str, notices: list[str]) -> None:
    """A day with slashes has the day first, unless there is no such month; with dots always."""
    assert list(either_days(planned(question))) == notices


@for_each(
    [
        ("what did Zebulon say on Thursday?", True), ("latest message from Zebulon", True), ("what did I tell Zebulon?", True),
        ("Was hat Zebulon am Donnerstag gesagt?", True), ("Was schrieb Zebulon?", True), ("¿Qué dijo Zebulon el jueves?", True),
        ("le dernier message de Zebulon", True), ("dün Zebulon ne dedi?", True),
        ("what did Bert say of Zebulon?", False), ("where is the Zebulon?", False), ("WHAT DID ZEBULON SAY?", False),
        ("what did Mum say?", False), ("what did NASA say?", False), ("what did Annas say?", False), ("mails from Monday", False),
        ("Was hat Oma geschrieben?", False), ("mensajes de Navidad", False), ("Annem ne dedi?", False),
    ]
)  # fmt: skip
def test_a_person_whom_nobody_is_called(question: str, unknown: bool) -> None:
    """A name where a person speaks or is spoken to; no relative, no day, no form of a known name, and no name elsewhere."""
    assert (planned(question).unknown == ("Zebulon",)) == unknown
    assert bool(planned(question).unknown) == unknown
    assert not planned(question, "person").unknown


def test_i_without_a_user() -> None:
    """Nobody is meant, and the plan says so."""
    plan = planned("where do I live?", me=())
    assert plan.anonymous
    assert not plan.mention.about
    assert not planned("where does Bert live?", me=()).anonymous


def test_somebody_else_is_asked_about_beside_me() -> None:
    """Ann, not the user."""
    plan = planned("what did Ann tell me about my flight?")
    assert plan.mention.preferred == {"Ann Lee"}
    assert not plan.mention.asker


def test_whom_the_user_calls_mum() -> None:
    """Is the person meant, if the store tells."""
    relatives = {"mum": frozenset({"Ann Lee"})}
    plan = plan_question("what did mum say?", NOW, NAMES, ("Alice",), (), relatives)
    assert plan.mention.preferred == {"Ann Lee"}
    assert not planned("what did mum say?").mention.preferred


def test_a_year_behind_a_name_is_a_preference() -> None:
    """It restricts nothing: it may be a number."""
    plan = planned("how was the Kieler Woche 2025?")
    assert [each.start.year for each in plan.years] == [2025]
    assert not plan.times
    assert not planned("what is in Room 2525?").years


def test_what_looks_like_a_time_is_told() -> None:
    """A day that no month has."""
    assert understood_of(planned("what was on 31.2.?")).unread == ("31.2.",)


def test_nothing_of_a_day() -> None:
    """By its weekday; the year only if it is another one."""
    assert nothing_of(planned("what did Bert say on 24 November?")) == (
        "nothing from Bert Kunz on Tuesday 24 November; the nearest:"
    )
    assert nothing_of(planned("what did Bert say on 24 November 2024?")) == (
        "nothing from Bert Kunz on Sunday 24 November 2024; the nearest:"
    )


def test_the_summary_of_an_order_and_of_a_number() -> None:
    """In one line; of a topic the hits tell when."""
    first, last = datetime(2024, 3, 3, 9, 5, tzinfo=UTC), datetime(2026, 11, 26, 18, 4, tzinfo=UTC)
    latest, often = planned("when did Bert last write?"), planned("how often did Bert write?")
    assert first_said(latest, First(last, "Bert Kunz"), filtered=False) == (
        "Bert Kunz last wrote on 26 November 2026, 18:04"
    )
    assert summary_of(often, 12, first, last) == "12 times: 3 March 2024, 09:05 to 26 November 2026, 18:04"
    assert summary_of(often, 1, last, last) == "once: 26 November 2026, 18:04"
    assert summary_of(often, 0, None, None) == "never"
    assert summary_of(latest, None, first, last) is None


@for_each(
    [
        ("when did I last write to Bert?", "Alice", "you last wrote to Bert Kunz on 3 March 2024, 09:05"),
        ("when did I last talk to Bert?", "Alice", "you and Bert Kunz last wrote on 3 March 2024, 09:05"),
        ("when did Bert and I last speak?", "Alice", "you and Bert Kunz last wrote on 3 March 2024, 09:05"),
        ("the last message to me", "Ann Lee", "Ann Lee last wrote to you on 3 March 2024, 09:05"),
        ("when did Ann last write to Bert?", "Ann Lee", "Ann Lee last wrote to Bert Kunz on 3 March 2024, 09:05"),
        (
            "latest message from Bert about the pump",
            "Bert Kunz",
            "the newest about pump: Bert Kunz, 3 March 2024, 09:05",
        ),
        ("my first mail about the pump", "Alice", "the first mail about pump: you, 3 March 2024, 09:05"),
        ("the latest note", "", "the newest note: 3 March 2024, 09:05"),
    ]
)
def test_the_first_in_one_line(question: str, speaker: str, said: str) -> None:
    """With the one who wrote it, and to whom."""
    assert first_said(planned(question), First(datetime(2024, 3, 3, 9, 5, tzinfo=UTC), speaker), filtered=False) == said


def test_the_first_where_a_filter_leaves_out_others() -> None:
    """Says nothing of all messages of a person; a group is told."""
    at = datetime(2024, 3, 3, 9, 5, tzinfo=UTC)
    assert first_said(planned("when did Bert last write?"), First(at, "Bert Kunz"), filtered=True) == (
        "the newest: Bert Kunz, 3 March 2024, 09:05"
    )
    assert first_said(planned("when did I last write to Bert?"), First(at, "Alice", in_group=True), filtered=False) == (
        "you last wrote to Bert Kunz in a group on 3 March 2024, 09:05"
    )


def test_what_was_never_said() -> None:
    """By the words that no message has."""
    never = summary_of(planned("how often did Bert mention pumps?"), 0, None, None, never=True)
    assert never == "never: no message from Bert Kunz has “pumps”"
    never = summary_of(planned("when did I last write to Bert about pumps?"), None, None, None, never=True)
    assert never == "never: no message from you to Bert Kunz has “pumps”"


@for_each(
    [
        ("what did Ann write to Bert?", {"Ann Lee"}, {"Bert Kunz"}),
        ("the last mail to Bert", {"Alice"}, {"Bert Kunz"}),
        ("what did I tell Bert about Ann?", {"Alice"}, {"Bert Kunz"}),
        ("die letzte Nachricht an Bert", {"Alice"}, {"Bert Kunz"}),
        ("Was hat Ann an Bert geschrieben?", {"Ann Lee"}, {"Bert Kunz"}),
        ("el último mensaje a Bert", {"Alice"}, {"Bert Kunz"}),
        ("le dernier message à Bert", {"Alice"}, {"Bert Kunz"}),
        ("Bert'e son mesaj", {"Alice"}, {"Bert Kunz"}),
        ("Bertへの最後のメッセージ", {"Alice"}, {"Bert Kunz"}),
        ("the last message to me", set[str](), {"Alice"}),
        ("die letzte Nachricht an mich", set[str](), {"Alice"}),
        ("el último mensaje para mí", set[str](), {"Alice"}),
        ("le dernier message pour moi", set[str](), {"Alice"}),
        ("bana gelen son mesaj", set[str](), {"Alice"}),
        ("私への最後のメッセージ", set[str](), {"Alice"}),
        ("when did I last speak with Bert?", {"Alice", "Bert Kunz"}, {"Bert Kunz"}),
        ("Wann habe ich zuletzt mit Bert gesprochen?", {"Alice", "Bert Kunz"}, {"Bert Kunz"}),
        ("¿cuándo hablé con Bert por última vez?", {"Alice", "Bert Kunz"}, {"Bert Kunz"}),
        ("quand ai-je parlé avec Bert pour la dernière fois ?", {"Alice", "Bert Kunz"}, {"Bert Kunz"}),
        ("en son ne zaman Bert ile konuştum?", {"Alice", "Bert Kunz"}, {"Bert Kunz"}),
        ("最後にBertと話したのはいつ？", {"Alice", "Bert Kunz"}, {"Bert Kunz"}),
        ("who went to Bert?", {"Bert Kunz"}, set[str]()),
    ]
)
def test_who_wrote_to_whom(question: str, writers: set[str], addressed: set[str]) -> None:
    """By the word beside the name, or by the verb."""
    mention = planned(question).mention
    assert (mention.preferred, mention.addressed) == (writers, addressed)


def test_names_in_a_row() -> None:
    """Are asked about each; one who mentions another is not."""
    assert planned("how often did Ann and Bert mention the pump?").mention.jointly
    assert not planned("how often did Ann mention Bert?").mention.jointly


@for_each(
    [
        ("Was hat das gekostet?", set[str]()),
        ("Das ist es", set[str]()),
        ("Was hat Das gesagt?", {"Das"}),
        ("what did das say?", {"Das"}),
        ("what did Eve Last say?", {"Eve Last"}),
        ("latest message from Eve Last", {"Eve Last"}),
        ("Was hat Eve Last zuletzt gesagt?", {"Eve Last"}),
    ]
)
def test_names_that_are_words(question: str, people: set[str]) -> None:
    """Of the language of the question, or words of order."""
    plan = plan_question(question, NOW, SpeakerMatcher(["Das", "Eve Last", "Bert"]))
    assert plan.mention.preferred == people
    assert plan.order == ("newest" if "latest" in question or "zuletzt" in question else "best")


@for_each(["last week", "letzte Woche", "la semana pasada", "geçen hafta", "先週"])
def test_a_time_alone_is_no_order(question: str) -> None:
    """Its "last" belongs to the week."""
    assert understood_of(planned(question)).words == "2026-11-16 to 2026-11-22"


@for_each(
    [
        ("what did Bert say in the first week of June 2026?", "from Bert Kunz · 2026-06-01 to 2026-06-07"),
        ("what did Bert say on the first day of May 2026?", "from Bert Kunz · 2026-05-01"),
        ("what did Bert say in the first half of 2025?", "from Bert Kunz · 2025-01-01 to 2025-06-30"),
        ("the first message of May 2026", "2026-05-01 to 2026-05-31 · oldest first"),
        ("日本語の試験は？", "about: 日本語 試験"),
        ("毎日の散歩は？", "about: 毎日 散歩"),
    ]
)
def test_the_words_of_a_date_are_no_order(question: str, words: str) -> None:
    """Nor is a part of a word a day."""
    assert understood_of(planned(question)).words == words


@for_each(
    [
        ("the party in the family group", "in Family · about: party"),
        ("what did Bert say in the Book Club?", "from Bert Kunz · in Book Club"),
        ("the deployment, team channel", "in Team Channel · about: deployment"),
        ("die Party im Book Club", "in Book Club · about: Party"),
        ("la fiesta en el grupo de Family", "in Family · about: fiesta"),
        ("la fête dans le groupe Family", "in Family · about: fête"),
        ("Family grubunda parti", "in Family · about: parti"),
        ("家族グループのパーティー", "in 家族 · about: パーティー"),
        ("the family of Bert", "from Bert Kunz · about: family"),
        ("what did Ann Lee say in the chat?", "from Ann Lee"),
        ("a book about a club", "about: book club"),
    ]
)
def test_a_chat_by_its_title(question: str, said: str) -> None:
    """Beside a word that makes it a chat; a chat called like a person is that person."""
    assert understood_of(planned(question)).words == said


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    """And the same text has the same plan."""
    assert understood_of(planned(text)) == understood_of(planned(text))


def test_each_field_of_what_was_understood_says_its_part() -> None:
    """One question for each field, and no field says anything where the question says nothing of it."""
    silent = {
        "speakers": (), "about": (), "chats": (), "times": (), "unread": (), "order": "best", "counts": False, "kinds": (), "phrases": (),
        "anonymous": False,
    }  # fmt: skip
    bert = ("Bert Kunz",)
    said: dict[str, dict[str, object]] = {
        "what did Bert suggest?": {"speakers": bert, "about": bert},
        "what do Ann and Bert say of the boat?": {"about": ("Ann Lee", "Bert Kunz")},
        "what did I tell Bert about the boat?": {"speakers": ("Alice",), "about": bert},
        "the pump in the family group": {"chats": ("Family",)},
        "the pump on 31.2.": {"unread": ("31.2.",)},
        "the newest pump message": {"order": "newest"},
        "the first message about the pump": {"order": "oldest"},
        "how often was the pump mentioned?": {"counts": True},
        "the mail about the pump": {"kinds": ("mail",)},
        "the note about the pump": {"kinds": ("note",)},
        "the photo of the pump": {"kinds": ("picture",)},
        'the "blue door"': {"phrases": ("blue door",)},
        "pump": {},
    }
    for question, fields in said.items():
        shown = understood_of(planned(question)).model_dump(exclude={"words"})
        assert shown == silent | fields, question
    assert understood_of(planned("where do I live?", me=())).anonymous
    (time,) = understood_of(planned("the pump on 24 November")).times
    assert (time.words, time.start, time.end) == (
        "on 24 november",
        datetime(2026, 11, 24, tzinfo=UTC),
        datetime(2026, 11, 25, tzinfo=UTC),
    )
    assert {*silent, "words"} == set(Understood.model_fields)
