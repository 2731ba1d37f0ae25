"""What a question asks for besides its topic, by the words of six languages."""

from __future__ import annotations

from memd.memory.question.asking import asking_of
from memd.tests.cases import for_each


@for_each(
    [
        ("latest message from Bert", "newest"),
        ("my next appointment", "next"),
        ("when is the next hike?", "next"),
        ("when's the next time I see Ann?", "next"),
        ("nächster Termin", "next"),
        ("wann ist die nächste Wanderung?", "next"),
        ("próxima cita", "next"),
        ("¿cuándo es la próxima fiesta?", "next"),
        ("prochain rendez-vous", "next"),
        ("quand est la prochaine fête ?", "next"),
        ("sonraki randevum ne zaman?", "next"),
        ("次の予定は？", "next"),
        ("次の試験はいつですか", "next"),
        ("what did Bert say next?", "best"),
        ("who lives next door?", "best"),
        ("when did Bert last write?", "newest"),
        ("what was the last thing Bert said?", "newest"),
        ("the first mention of the boat", "oldest"),
        ("when did Bert first talk about the boat?", "oldest"),
        ("who first mentioned the pump?", "oldest"),
        ("Wann hat Bert zuletzt geschrieben?", "newest"),
        ("Was hat Bert als Letztes gesagt?", "newest"),
        ("die erste Nachricht von Bert", "oldest"),
        ("¿Cuál fue el último mensaje de Ana?", "newest"),
        ("Ayşe en son ne zaman yazdı?", "newest"),
        ("le dernier message de Luc", "newest"),
        ("ボブの最後のメッセージは？", "newest"),
        ("how long did the battery last?", "best"),
        ("what is Bert's last name?", "best"),
        ("at last it works", "best"),
        ("what is the first name of Ann's dog?", "best"),
        ("where does Bert live?", "best"),
    ]
)
def test_an_order_by_time(question: str, order: str) -> None:
    """By its words, unless they mean something else."""
    assert asking_of(question).order == order


@for_each(
    [
        ("how often did Bert mention the pump?", True),
        ("how many mails did Bert send?", True),
        ("Wie oft hat Bert abgesagt?", True),
        ("¿Cuántas veces escribió Ana?", True),
        ("Ayşe kaç kez yazdı?", True),
        ("combien de fois Luc a-t-il écrit ?", True),
        ("ボブは何回書きましたか", True),
        ("how many cats does Bert have?", False),
        ("how much is the flat?", False),
    ]
)
def test_a_number_of_messages(question: str, *, counts: bool) -> None:
    """A number of other things is in a message."""
    assert asking_of(question).counts is counts


@for_each(
    [
        ("how many messages did Olu send?", True),
        ("wie viele Mails hat Bert geschickt?", True),
        ("ボブのメールは何通？", True),
        ("how many times did Olu write?", False),
        ("how often did Olu write?", False),
    ]
)
def test_messages_are_counted_as_things(question: str, *, things: bool) -> None:
    """The answer is "6 messages", not "6 times"."""
    assert asking_of(question).counts_things is things


@for_each(
    [
        ("the mail from Bert", ("mail",)),
        ("my note about the boat", ("note",)),
        ("Welche Termine habe ich?", ("event",)),
        ("la foto del perro", ("picture",)),
        ("le PDF du contrat", ("file",)),
        ("ボブのメールは？", ("mail",)),
        ("where is the boat?", ()),
    ]
)
def test_a_kind_of_document(question: str, kinds: tuple[str, ...]) -> None:
    """By its name in the question."""
    assert asking_of(question).kinds == kinds


@for_each(
    [
        ("where do I live?", True),
        ("what is our address?", True),
        ("Wo ist mein Schlüssel?", True),
        ("¿Dónde vivo?", True),
        ("Benim adresim ne?", True),
        ("Où est ma clé ?", True),
        ("私の住所は？", True),
        ("show me the flat", False),
        ("tell me about Bert", False),
        ("Wo wohnt Bert?", False),
    ]
)
def test_a_question_about_the_asker(question: str, *, first: bool) -> None:
    """By its pronouns; "show me" asks about somebody else."""
    assert asking_of(question).first_person is first


@for_each(
    [
        ("what did I promise Ann?", True),
        ("Was habe ich Ann vorgeschlagen?", True),
        ("¿qué le prometí a Ana?", True),
        ("what did Ann promise when I asked?", False),
        ("Was hat Ann gesagt, als ich gefragt habe?", False),
    ]
)
def test_the_words_of_the_asker(question: str, *, own: bool) -> None:
    """The first verb is that of the question."""
    assert asking_of(question).own_words is own
