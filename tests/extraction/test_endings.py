"""Endings that are told by a name alone: they end what is known, and say nothing where nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest

from memd.memory.extraction.rules.endings import ENDINGS
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.statement_json import statement_from_json, statement_to_json
from memd.memory.facts.value_types import is_kind_of
from memd.tests.cases import for_each
from memd.tests.extraction.cases import windows_of_wire
from memd.tests.extraction.labelled_conversations import LabelledMessage, wire_of
from memd.tests.facts.labelled import resolve_all

SPEAKER = "Dana"


def said(*messages: tuple[str, str]) -> list[Statement]:
    """The statements of messages of one person, each on a day of its own."""
    found: list[Statement] = []
    for number, (day, text) in enumerate(messages):
        time = datetime.fromisoformat(f"{day}T12:00:00+00:00")
        document = wire_of(f"chat{number}", SPEAKER, (LabelledMessage(f"m{number}", SPEAKER, text, time),))
        for window in windows_of_wire(document):
            found += RulesExtractor().read(window).statements
    return found


def present(statements: Sequence[Statement], attribute: str) -> list[tuple[str, bool]]:
    """Values of the facts of an attribute that hold in 2030, and whether they are denied."""
    moment = datetime.fromisoformat("2030-01-01T00:00:00+00:00")
    return [
        (fact.value, fact.negated)
        for fact in resolve_all(statements)
        if fact.attribute == attribute and (fact.valid_to is None or fact.valid_to > moment)
    ]


@for_each(
    [
        ("this is our dog Bess", "Bess died last night", "pet"),
        ("we have a cat named Olive", "we gave Olive away, my daughter is allergic", "pet"),
        ("my husband Arthur built this table", "Arthur passed away on Tuesday", "partner"),
        ("my girlfriend Cerys is a vet", "Cerys left me", "partner"),
        ("I'm studying marine biology at Plymouth", "I graduated yesterday!!", "study"),
        ("Unser Kater heißt Mikesch", "Mikesch ist gestern gestorben", "pet"),
        ("mi gata se llama Luna", "se nos murió Luna anoche", "pet"),
        ("mi novia Catalina cocina muy bien", "Catalina y yo terminamos", "partner"),
        ("I'm studying nursing in Truro", "passed everything! no more nursing school", "study"),
        ("ich studier jetzt Jura in Passau", "hab das jurastudium abgebrochen", "study"),
        ("ich studier jetzt Medizin", "hab mein Medizinstudium geschmissen", "study"),
        ("I own a little bookshop in Hay", "closed the shop for good yesterday", "possession"),
        ("ja ich rauch noch immer", "hab mit dem Rauchen aufgehört", "habit"),
        ("I work at Tesco", "I quit my job yesterday", "employer"),
        ("I work at Tesco", "I got laid off last week", "employer"),
        ("ich arbeite bei Bosch", "ich bin gestern gefeuert worden", "employer"),
        ("ich arbeite bei Bosch", "hab heute meinen Job gekündigt", "employer"),
        ("trabajo en Zara", "ayer dejé mi trabajo", "employer"),
        ("trabajo en Zara", "me han despedido del trabajo", "employer"),
        ("I swim in the loch every morning", "given up the loch swimming", "habit"),
    ]
)
@pytest.mark.slow
def test_an_ending_ends_what_is_known(known: str, ending: str, attribute: str) -> None:
    """Whichever of both is read first; before that it held."""
    before = said(("2020-01-01", known))
    assert [negated for _, negated in present(before, attribute)] == [False], present(before, attribute)
    both = said(("2020-01-01", known), ("2024-01-01", ending))
    assert not [value for value, negated in present(both, attribute) if not negated]
    assert present(both[::-1], attribute) == present(both, attribute)


@pytest.mark.parametrize(
    "text", ["Bess died last night", "Arthur passed away on Tuesday", "Luna murió ayer", "we gave Olive away"]
)
def test_an_ending_of_nothing_known_makes_no_fact(text: str) -> None:
    """Somebody else's dog, a neighbour, a character of a series."""
    statements = said(("2024-01-01", text))
    assert statements
    assert all(each.of_known and each.negated for each in statements)
    assert resolve_all(statements) == []


def test_another_of_that_name_stays() -> None:
    """Only what has the name is ended."""
    told = said(
        ("2020-01-01", "we have a cat named Salt"),
        ("2021-01-01", "we have a cat named Pepper"),
        ("2022-01-01", "we had to put Salt down"),
    )
    assert [value for value, negated in present(told, "pet") if not negated] == ["cat Pepper"]


@for_each(
    [
        "Bess died, didn't she?",
        "Bess died in Elden Ring",
        "Bess was put to sleep for her dental",
        "We lost Bess last night at the park but found her",
        "Arthur died laughing",
        "Arthur's died again, he needs a new phone",
        "Arthur passed on dessert",
        "I left Arthur at the airport",
        "Arthur left me no milk",
        "Arthur left me this morning for work",
        "Arthur moved out at 16",
        "I finished my course today, antibiotics are grim",
        "Mikesch ist nicht gestorben",
        "Jonas ist vor Lachen gestorben",
        "Luna murió de risa",
        "Catalina y yo terminamos el trabajo",
        "Catalina me dejó el coche",
        "me jubilo en 2040",
        "If I quit my job, who pays",
        "I almost quit my job",
        "I lost the job to Tim",
        "I got fired up for the match",
        "in the film I got fired",
        "I wish I had quit my job",
        "Ich wurde gestern aus dem Krankenhaus entlassen",
        "ich habe meinen Job nicht gekündigt",
        "no dejé mi trabajo",
        "me despidieron con flores en el aeropuerto",
    ]
)
def test_what_ends_nothing(text: str) -> None:
    """Questions, laughter, games, what is left somewhere or put off, and what did not happen."""
    assert said(("2024-01-01", text)) == []


@for_each(
    [
        "my wife Anna isn't my wife anymore",
        "my boyfriend Jake and I are no longer together",
        "our cat Salt didn't make it",
        "my girlfriend Anna left me",
        "mein Hund Rex lebt nicht mehr",
        "mi novia Ana ya no es mi novia",
        "I have a dog, Bess. RIP Bess",
        "I have a dog, Bess. We lost her in June",
        "I have a cat, Olive. Gave Olive away in May",
        "I have a cat, Olive. She's not with us any more",
        "Wir haben eine Katze, Minka. Leider ist sie tot",
        "tengo un perro, Toby. Se nos fue en enero",
    ]
)
def test_who_is_named_and_taken_away_is_nobody_s_present(text: str) -> None:
    """What a sentence, or the next one, says of one's own may end it."""
    assert [each for each in said(("2024-01-01", text)) if not each.negated] == []


def test_who_does_not_do_something_is_named_all_the_same() -> None:
    """A negation after the name says nothing of who it is."""
    (statement,) = said(("2024-01-01", "my girlfriend Cami doesn't answer the phone"))
    assert (statement.attribute, statement.value) == ("partner", "Cami")


def test_who_is_back_has_carried_no_later_plan_out() -> None:
    """A move, and what is yet to come, stay planned."""
    moving = said(("2024-01-01", "we're moving to Spain in June"), ("2024-02-01", "back from Spain, what a trip"))
    assert [fact for fact in resolve_all(moving) if fact.attribute == "plan"]
    assert not [fact for fact in resolve_all(moving) if fact.attribute == "plan" and fact.negated]


def test_a_store_keeps_that_it_only_ends() -> None:
    """As JSON and back; other statements are written as before."""
    (statement, *_) = said(("2024-01-01", "Bess died last night"))
    assert statement_from_json(statement_to_json(statement)) == statement
    (other,) = said(("2024-01-01", "I live in Hull"))
    assert "of_known" not in statement_to_json(other)


def test_every_row_only_ends() -> None:
    """No row of the table states anything by itself."""
    assert all(row.negated and row.of_known and row.example for row in ENDINGS)


def test_an_ending_of_a_kind_ends_no_other_thing() -> None:
    """A shop is no workshop, and who gives up one subject goes on with the other."""
    for known, ending, attribute in (
        ("I have a workshop", "closed the shop for good yesterday", "possession"),
        ("I'm studying geology", "no more nursing school", "study"),
        ("ich rauche noch", "hab mit dem Trinken aufgehört", "habit"),
    ):
        before = present(said(("2020-01-01", known)), attribute)
        assert before, known
        after = present(said(("2020-01-01", known), ("2024-01-01", ending)), attribute)
        assert [each for each in after if not each[1]] == before


@for_each(
    [
        ("shop", "little bookshop in Hay", True),
        ("the shop", "bookshop", True),
        ("studio", "yoga studio", True),
        ("house", "summer-house", True),
        ("der Laden", "Blumenladen", True),
        ("shop", "workshop", False),
        ("house", "greenhouse", False),
        ("Haus", "Gewächshaus", False),
        ("room", "mushroom", False),
    ]
)
def test_a_thing_called_by_its_kind(kind: str, thing: str, named: bool) -> None:
    """By a word of its own or the second part of a compound, with an article or without; not by any ending of a word."""
    assert is_kind_of(kind, thing) is named


@for_each(
    [
        ("I live in Bolton-on-sea", "*Bolton. just Bolton", "home", "Bolton"),
        ("I work at Gregs", "Greggs*", "employer", "Greggs"),
        ("ich wohn in Bad Hamburg", "Homburg!! Bad Homburg, blöde Autokorrektur", "home", "Bad Homburg"),
        ("I was born on 9 August 1990", "typo!! 1991, I'm not that old", "birthday", "1991-08-09"),
        ("mi cumple es el 3 de junio", "digo julio!! el 3 de julio", "birthday", "--07-03"),
    ]
)
def test_a_correction_replaces_what_was_typed_wrongly(slip: str, correction: str, attribute: str, value: str) -> None:
    """In the next message of the same person; whichever is read first."""
    time = datetime.fromisoformat("2024-01-01T12:00:00+00:00")
    messages = tuple(
        LabelledMessage(f"m{number}", SPEAKER, text, time.replace(minute=number))
        for number, text in enumerate((slip, correction))
    )
    statements = [
        each
        for window in windows_of_wire(wire_of("chat", SPEAKER, messages))
        for each in RulesExtractor().read(window).statements
    ]
    assert present(statements, attribute) == present(statements[::-1], attribute) == [(value, False)]


@pytest.mark.parametrize(
    "later",
    ["sorry, I live in Bolton, too far", "* I live in Bolton", "*waves* I live in Bolton", "I live in *Bolton*"],
)
def test_what_is_like_another_value_replaces_it_only_as_a_correction(later: str) -> None:
    """An apology is none, nor is a bullet of a list, or a star around a word."""
    found = said(("2020-01-01", "I live in Bolton-on-sea"), ("2021-01-01", later))
    assert ("Bolton-on-sea", False) in present(found, "home")


def test_a_capital_word_beside_a_typo_is_no_employer() -> None:
    """Only what stands alone before what was to blame."""
    time = datetime.fromisoformat("2024-01-01T12:00:00+00:00")
    texts = ("I work at Tesco", "Cheers! Tess, typo queen of the office")
    messages = tuple(
        LabelledMessage(f"m{number}", SPEAKER, text, time.replace(minute=number)) for number, text in enumerate(texts)
    )
    windows = windows_of_wire(wire_of("chat", SPEAKER, messages))
    assert present([each for window in windows for each in RulesExtractor().read(window).statements], "employer") == [
        ("Tesco", False)
    ]


@pytest.mark.parametrize(
    ("known", "ending", "attribute"),
    [
        ("my girlfriend Cerys is a vet", "Cerys is gone, the house is so peaceful!", "partner"),
        ("this is our dog Rex", "Rex is gone. Garden is peaceful", "pet"),
    ],
)
def test_who_is_only_out_stays(known: str, ending: str, attribute: str) -> None:
    """A quiet house is no death."""
    before = present(said(("2020-01-01", known)), attribute)
    assert before
    assert present(said(("2020-01-01", known), ("2024-01-01", ending)), attribute) == before


def test_what_an_april_fool_took_back_was_never_said() -> None:
    """However many words follow."""
    time = datetime.fromisoformat("2024-04-01T12:00:00+00:00")
    for after, stated in (("APRIL FOOLS you absolute melts. who'd let me teach yoga", 0), ("it starts in August", 1)):
        texts = ("handed in my notice at Argos", after)
        messages = tuple(
            LabelledMessage(f"m{number}", SPEAKER, text, time.replace(minute=number))
            for number, text in enumerate(texts)
        )
        windows = windows_of_wire(wire_of("chat", SPEAKER, messages))
        assert sum(len(RulesExtractor().read(window).statements) for window in windows) == stated


@for_each(
    [
        ("I quit my job at Tesco last week", "2024-05-06"),
        ("Yesterday I quit my job", "2024-05-14"),
        ("I got laid off two weeks ago", "2024-05-01"),
        ("ich hab gestern meinen Job gekündigt", "2024-05-14"),
        ("ich habe vor zwei Wochen meinen Job gekündigt", "2024-05-01"),
        ("vor zwei Wochen hab ich meinen Job gekündigt", "2024-05-01"),
        ("ayer dejé mi trabajo", "2024-05-14"),
        ("me despidieron del trabajo hace dos semanas", "2024-05-01"),
        ("I quit my job", "2024-05-15"),
        ("I no longer work at Tesco, we meet on Friday", "2024-05-15"),
    ]
)
def test_something_ends_when_its_ending_says(ending: str, day: str) -> None:
    """By words of time before it, inside it or right behind it; else on the day on which it is told."""
    found = resolve_all(said(("2024-01-01", "I work at Tesco"), ("2024-05-15", ending)))
    ends = [fact.valid_to for fact in found if fact.value == "Tesco" and not fact.negated]
    assert [end and end.date().isoformat() for end in ends] == [day]
