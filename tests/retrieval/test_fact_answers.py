"""Facts beside the hits of a question: those that answer it, the attribute that is asked for first, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.question.people import capitals
from memd.memory.retrieval.fact_answers import asked_attributes, fact_question, in_order
from memd.memory.search_types import FactFilter
from memd.schemas import ConversationDocument, Fact, Query
from memd.tests.cases import for_each

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
SAID = [
    ("Bob", "I live in Oslo, near the harbour"),
    ("Bob", "I am allergic to peanuts"),
    ("Ann", "I live in Rome"),
    ("Bob", "I work as a nurse"),
    ("Bob", "Paella night at the harbour was fun, I bought a red bicycle"),
    *[("Ann", f"see you on day {number}, we talk about the harbour and the boats") for number in range(60)],
    ("Bob", "I'm flying to Lima in March"),
    ("Bob", "I moved to Bergen last week, now I live in Bergen"),
]


NAMESAKES = [
    ("Anna Berg", "I live in Graz"),
    ("Anna Berg", "My sister Hanna lives in Oslo."),
    ("Bob Lee", "I live in Porto. I am 41 years old. I have two kids, Lea and Max."),
    ("Bob Lee Jr", "I live in Boston"),
    ("Bob", "I live in Dublin"),
    ("Anna Lind", "I live in Kiel"),
    ("Anna Berg", "I moved to Vienna, so now I live in Vienna"),
]


def talk(said: Sequence[tuple[str, str]] = SAID) -> ConversationDocument:
    """A chat of people who state some things in passing."""
    return ConversationDocument.model_validate(
        {
            "id": "chat:two",
            "conversation": {
                "source": "chat",
                "people": tuple({speaker: None for speaker, _ in said}),
                "user": said[0][0],
                "conversation": tuple(
                    {"speaker": speaker, "content": text, "time": START + timedelta(hours=number)}
                    for number, (speaker, text) in enumerate(said)
                ),
            },
        }
    )


@asynccontextmanager
async def told(folder: Path, said: Sequence[tuple[str, str]] = SAID) -> AsyncGenerator[EvolvingMemory]:
    """A memory that holds such a chat and the facts that the rules read in it."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), RulesExtractor())
        await memory.start()
        await memory.store([talk(said)])
        while (await memory.fact_service.extract_pending("run")).documents:
            pass
        yield memory


@for_each(
    [
        ("where does Bob live?", "home"),
        ("Where is Ann living now", "home"),
        ("wo wohnt Bob?", "home"),
        ("¿dónde vive Bob?", "home"),
        ("what is Bob's job?", "occupation"),
        ("where does Bob work?", "employer"),
        ("was ist Bobs Beruf", "occupation"),
        ("how old is Bob", "age"),
        ("when is Bob's birthday?", "birthday"),
        ("is Bob allergic to anything?", "allergy"),
        ("who is Bob's wife?", "partner"),
        ("does Bob have kids", "child"),
        ("what are Ann's hobbies?", "hobby"),
        ("which languages does Ann speak?", "language"),
        ("is Ann married?", "partner"),
        ("is Ann single?", "partner"),
        ("ist Ann geschieden?", "partner"),
        ("¿está soltera Ann?", "partner"),
        ("¿está casada Ann?", "partner"),
        ("where was Ann born?", "origin"),
        ("wo ist Ann geboren?", "origin"),
        ("¿dónde nació Ann?", "origin"),
        ("wo hat Ann gewohnt?", "home"),
        ("wo hat Ann gelebt?", "home"),
        ("wo hat Bob gearbeitet?", "employer"),
        ("¿dónde estuvo Ann?", "location"),
        ("what did they say Ann drove?", "car"),
        ("which language was it that Ann spoke?", "language"),
        ("Elif nerede oturuyor?", "home"),
        ("Elif nereye taşındı?", "home"),
        ("Elif nerede?", "location"),
        ("Bora nereli?", "origin"),
        ("Ali'nin işi ne?", "occupation"),
        ("Ayşe kaç yaşında?", "age"),
        ("Elif evli mi?", "marital_status"),
        ("Zeynep'in köpeği var mı?", "pet"),
        ("Ali'nin hobileri neler?", "hobby"),
        ("Ali hasta mı?", "health"),
        ("Mert gelecek ay ne yapacak?", "plan"),
        ("健はどこに住んでいますか", "home"),
        ("健はどこで働いていますか", "employer"),
        ("由美は何歳ですか", "age"),
        ("由美の誕生日はいつですか", "birthday"),
        ("健は結婚していますか", "partner"),
        ("健の趣味は", "hobby"),
        ("健は犬を飼っていますか", "pet"),
    ]
)
def test_a_question_names_the_attribute_that_it_asks_for(question: str, attribute: str) -> None:
    """In English, German, Spanish, Turkish and Japanese."""
    assert attribute in asked_attributes(question)


@for_each(
    [
        ("Anne nerede oturuyor?", {"anne"}, {"home"}),
        ("Anne'nin annesi kim?", {"anne"}, {"parent"}),
        ("Wo wohnt Frau Weber?", {"frau", "weber"}, {"home"}),
        ("Wie heisst Frau Webers Hund?", {"frau"}, {"name", "pet"}),
        ("wo wohnt seine frau?", {"frau"}, {"home", "partner"}),
    ]
)
def test_a_name_asks_for_no_attribute(question: str, said: set[str], attributes: set[str]) -> None:
    """Anne is no mother in Turkish, where she is named; a word in small letters may be no name."""
    assert asked_attributes(question, said) == attributes
    assert fact_question(question, ["Anne Weber"], said=said).attributes == attributes


def test_a_question_about_something_else_names_none() -> None:
    """Words that attributes share with other things are few."""
    assert asked_attributes("what did we say about the harbour?") == frozenset()
    assert "home" not in asked_attributes("where is the receipt?")
    assert "health" not in asked_attributes("¿hasta cuándo trabaja Ana?")
    assert asked_attributes("did Anne go there several times?") == frozenset()
    assert asked_attributes("会議はいつですか") == frozenset()
    assert asked_attributes("toplantı ne zaman başladı?") == frozenset()


@for_each(["where was Ann born?", "wo wurde Ann geboren?", "wo ist Ann geboren?", "¿dónde nació Ann?"])
def test_the_place_of_a_birth_is_no_birthday(question: str) -> None:
    """And no place where somebody is now."""
    assert asked_attributes(question) == {"origin"}
    assert "birthday" in asked_attributes("when was Ann born?")
    assert "birthday" in asked_attributes("where was Ann born, and when is her birthday?")


FACTS = {
    "books": ("John", "likes", "books about history"),
    "pizza": ("John", "likes", "pizza with mushrooms"),
    "home": ("John", "home", "Oslo"),
    "age": ("John", "age", "41"),
    "wife": ("John", "partner", "Ann"),
    "sister": ("John", "sibling", "Mia"),
    "sister's home": ("John's sister", "home", "Rome"),
    "chess": ("Alex", "hobby", "chess"),
    "dog": ("Alex", "pet", "a dog called Rex"),
    "denied": ("Alex", "hobby", "tennis"),
}


@for_each(
    [
        ("What pizza does John like?", ["pizza"]),
        ("What does John like?", ["books", "pizza"]),
        ("Welche Bücher mag John?", []),
        ("what sports does Alex play?", ["chess", "denied"]),
        ("where does John live?", ["home"]),
        ("where does John's sister live?", ["sister", "sister's home"]),
        ("who is John's sister?", ["sister"]),
        ("¿dónde vive la hermana de John?", ["sister"]),
        ("wo wohnt Johns Schwester?", ["sister", "sister's home"]),
        ("does Alex have a dog?", ["dog"]),
        ("when did John move to Oslo?", ["home"]),
        ("what does Ann like?", []),
        ("who is Ann married to?", ["wife"]),
        ("how old is John, and does he have a dog?", ["age"]),
        ("did John say anything about mushrooms?", ["pizza"]),
        ("John", ["age", "books", "home", "pizza", "sister", "wife"]),
        ("what did John say about the harbour?", []),
    ]
)
def test_an_attribute_that_is_asked_for_is_told_and_no_other(question: str, told: list[str]) -> None:
    """Of likes and hobbies those of the topic; of whom is named, not of their sister, nor of who likes them."""
    names = [name for name in ("John", "Alex", "Ann") if name in question]
    asked = fact_question(question, names, speakers=frozenset({"john", "alex", "ann"}))
    facts = {
        name: Fact.model_construct(
            id=uuid4(),
            subject=subject,
            attribute=attribute,
            value=value,
            content="",
            negated=name == "denied",
            evidence=(),
        )
        for name, (subject, attribute, value) in FACTS.items()
    }
    kept = {name: fact for name, fact in facts.items() if asked.names(fact) and asked.asks_for(fact)}
    assert sorted(kept) == told
    assert [fact.negated for fact in in_order(reversed(kept.values()), asked)] == sorted(
        fact.negated for fact in kept.values()
    )


@pytest.mark.slow
@pytest.mark.anyio
async def test_facts_are_shown_that_answer_and_no_others(tmp_path: Path) -> None:
    """Of whom the question names, by attribute or by words; never because they hang on a message that was found."""
    async with told(tmp_path) as memory:

        async def shown(question: str, **more: object) -> list[tuple[str, str]]:
            asked = Query.model_validate({"text": question, **more})
            return [(fact.attribute, fact.value) for fact in (await memory.query(asked)).facts]

        assert (await shown("where does Bob live?"))[0] == ("home", "Bergen")
        assert ("allergy", "peanuts") not in await shown("where does Bob live?")
        assert ("home", "Rome") not in await shown("where does Bob live?")
        both = await shown("where does Bob live?", superseded=True)
        assert both[0] == ("home", "Bergen")
        assert "Oslo" in both[1][1]
        assert (await shown("what is Bob's job?"))[0] == ("occupation", "nurse")
        assert ("allergy", "peanuts") in await shown("can I cook something with peanuts?")
        assert all(attribute != "occupation" for attribute, _ in await shown("what did we say about the harbour?"))
        assert all("bicycle" not in value for _, value in await shown("how was the paella night?"))
        then = await shown("where does Bob live?", as_of="2024-01-16T00:00:00Z")
        assert "Oslo" in then[0][1]
        for of_then in ("where did Bob live on 15 January 2024?", "wo wohnte Bob am 15. Januar 2024?"):
            assert [value for attribute, value in await shown(of_then) if attribute == "home"] == [then[0][1]]
        for of_now in (
            "where will Bob live in 2124?",
            "where has Bob lived since January 2024?",
            "where does Bob live now, he said something on 15 January 2024?",
            "wo wohnt Bob, der am 15. Januar 2024 etwas sagte?",
            "¿dónde vive Bob desde enero de 2024?",
        ):
            assert [value for attribute, value in await shown(of_now) if attribute == "home"] == ["Bergen"], of_now
        for early in ("where did Bob live before January 2024?", "where did Bob live in 2022?"):
            assert [value for attribute, value in await shown(early) if attribute == "home"] == [then[0][1]], early
        assert await shown("where did Bob live?", as_of="2022-01-01T00:00:00Z") == []


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_namesake_is_somebody_else(tmp_path: Path) -> None:
    """A whole name means whom it is the name of; a part that fits several means each of these, and nobody else. A first name
    that is the whole name of one may mean the others, too: they come behind.
    """
    expected: dict[str, tuple[str, list[str]]] = {
        "where does Anna Berg live?": ("Vienna", []),
        "where does Bob Lee live?": ("Porto", []),
        "where does Bob Lee Jr live?": ("Boston", []),
        "where does Bob live?": ("Dublin", ["Boston", "Porto"]),
        "does Bob Lee drink coffee?": ("", []),
        "how old is Bob Lee?": ("41", []),
    }
    async with told(tmp_path, NAMESAKES) as memory:
        values = {
            question: [fact.value for fact in (await memory.query(Query(text=question))).facts] or [""]
            for question in expected
        }
        assert {question: (first, sorted(others)) for question, (first, *others) in values.items()} == expected
        either = (await memory.query(Query(text="where does Anna live?"))).facts
        assert sorted(fact.value for fact in either) == ["Kiel", "Vienna"]


@pytest.mark.anyio
@pytest.mark.slow
async def test_what_was_said_again_is_told_with_when_it_was_first_said(tmp_path: Path) -> None:
    """Nobody told since when it holds, so that it also answers for a time before; a beginning that was told is none of these."""
    said = [
        ("Ann", "I live in Rome"),
        ("Bob", "I've lived in Oslo since 2023"),
        ("Ann", "hi"),
        ("Ann", "I live in Rome"),
        ("Bob", "I live in Oslo"),
    ]
    async with told(tmp_path, said) as memory:
        for question in ("where does Ann live?", "where did Ann live in 2022?"):
            (fact,) = (await memory.query(Query(text=question))).facts
            assert (fact.value, fact.first_observed_at, fact.observed_at) == ("Rome", START, START + timedelta(hours=3))
        (fact,) = (await memory.query(Query(text="where does Bob live?"))).facts
        assert fact.first_observed_at is None
        assert (await memory.query(Query(text="where did Bob live in 2022?"))).facts == ()
        listed = {each.fact.value: each.fact for _, each in await memory.fact_reader.facts(FactFilter())}
        assert listed["Rome"].first_observed_at == START
        assert "first_observed_at" not in listed["Oslo"].to_wire()
        assert all(check.severity == "ok" for check in await memory.check())


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_held_then_stands_before_what_was_told_later(tmp_path: Path) -> None:
    """What was told later may have held at the time that is meant; what is known for it did."""
    said = ["I work at Acme", *["see you"] * 24 * 60, "I work as a nurse"]
    async with told(tmp_path, [("Bob", text) for text in said]) as memory:
        found = (await memory.query(Query(text="what was Bob's job in January 2024?"))).facts
        assert [(fact.attribute, fact.value) for fact in found] == [("employer", "Acme"), ("occupation", "nurse")]


@pytest.mark.anyio
@pytest.mark.slow
async def test_facts_are_shown_of_those_who_are_asked_about(tmp_path: Path) -> None:
    """What is known of each of several people answers, of a time before anything was told what each said first; a question that
    names somebody of whom nothing is known is not answered by what is known of others.
    """
    homes = {
        "where do Ann and Bob live?": ["Bergen", "Rome"],
        "where did Bob and Ann live in 2022?": ["Oslo", "Rome"],
        "where did Bob and Ann live on 15 January 2024?": ["Oslo", "Rome"],
    }
    homes_and_allergies = {
        "where does Bert live?": [],
        "So, where does Bert live?": [],
        "what is Bert's job, and is Bert allergic?": [],
        "who lives in Rome?": ["Rome"],
        "who is allergic to Peanuts?": ["peanuts"],
        "where do we live?": ["Bergen"],
        "WHERE DO WE LIVE?": ["Bergen"],
    }
    async with told(tmp_path) as memory:

        async def values(question: str, *attributes: str) -> list[str]:
            facts = (await memory.query(Query(text=question, limit=10))).facts
            return sorted(fact.value for fact in facts if fact.attribute in attributes)

        assert {question: await values(question, "home") for question in homes} == homes
        found = {question: await values(question, "home", "allergy") for question in homes_and_allergies}
        assert found == homes_and_allergies


def test_words_with_a_capital_may_be_names() -> None:
    """Not the first of a sentence, not those of a question in capitals; nouns of a German question name nobody."""
    assert capitals("Where does Bert Olsen live? Does He know? - And You") == ("Bert", "Olsen")
    assert capitals("WHERE DOES BERT LIVE?") == ()
    assert capitals("¿Dónde vive Íñigo?") == ("Íñigo",)
    assert capitals("Bert?") == ()
    nobody = set[str]()
    for asked, strangers in (
        ("where does Bert Olsen live?", {"bert"}),
        ("what is Bert's age, and that of Ida?", {"bert", "ida"}),
        ("what is the WiFi code of the USA?", nobody),
        ("where does my cousin Bert live?", nobody),
        ("wo hat der Zahnarzt seine Praxis?", nobody),
        ("Где живёт сестра Марины?", nobody),
        ("What Is My Home Address?", nobody),
    ):
        assert fact_question(asked, (), capitals=capitals(asked)).strangers == strangers, asked


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_question_is_answered_in_its_language(tmp_path: Path) -> None:
    """What is known of somebody answers whatever the language of the message was."""
    expected = {
        "Elif nerede oturuyor?": "Bursa",
        "Elif'in alerjisi var mı?": "peanuts",
        "健はどこに住んでいますか": "Osaka",
        "健の仕事は何ですか": "nurse",
        "where does Elif live?": "Bursa",
    }
    said = [
        ("Elif", "I live in Bursa"),
        ("健", "I live in Osaka"),
        ("健", "I work as a nurse"),
        ("Elif", "I am allergic to peanuts"),
    ]
    async with told(tmp_path, said) as memory:
        found = {question: (await memory.query(Query(text=question))).facts for question in expected}
        assert {question: facts[0].value for question, facts in found.items() if facts} == expected


@pytest.mark.anyio
async def test_a_month_shows_nothing_of_who_is_called_so(tmp_path: Path) -> None:
    """It is a time there; asked for by name, what is known of her is shown."""
    async with told(tmp_path, [("May Chan", "I live in Hull"), ("Ann", "I live in Rome")]) as memory:
        assert not (await memory.query(Query(text="what happened in May 2024?"))).facts
        for question in ("May", "where does May live?"):
            assert [each.value for each in (await memory.query(Query(text=question))).facts] == ["Hull"]


@pytest.mark.anyio
async def test_a_misspelled_name_is_told_with_those_like_it(tmp_path: Path) -> None:
    """Only where the question names nobody, and the word stands in no hit."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.store([talk([("Priya Raman", "I live in Oslo, Prisma is a shop"), ("Ann", "hello Oslo")])])
        for question, meant in (
            ("where does Prija live?", ("Priya Raman",)),
            ("where does Priya live?", ()),
            ("what is Prisma?", ()),
            ("where does Zoltan live?", ()),
            ("where do Priya and Ann live?", ()),
        ):
            assert (await memory.query(Query(text=question))).did_you_mean == meant, question


@pytest.mark.anyio
async def test_a_former_home_is_not_the_present_one(tmp_path: Path) -> None:
    """Somebody who never moved has no former home."""
    async with told(tmp_path, [*SAID[:3], SAID[-1]]) as memory:
        for question, homes in (
            ("where did Bob live before?", ["Oslo"]),
            ("where does Bob live?", ["Bergen"]),
            ("where did Ann live before?", []),
        ):
            result = await memory.query(Query(text=question))
            assert (question, [fact.value for fact in result.facts]) == (question, homes)


@pytest.mark.anyio
async def test_a_sister_is_no_brother(tmp_path: Path) -> None:
    """A word for both of them asks for either."""
    said = [
        ("Ann", "My sister Mia lives in Rome."),
        ("Ann", "I have a dog called Rex"),
        ("Ann", "My wife Eva is a nurse"),
    ]
    async with told(tmp_path, said) as memory:
        for question, values in (
            ("does Ann have a brother?", []),
            ("who is Ann's sister?", ["Mia"]),
            ("does Ann have a brother or a sister?", ["Mia"]),
            ("does Ann have siblings?", ["Mia"]),
            ("hat Ann einen Bruder?", []),
            ("does Ann have a cat?", []),
            ("does Ann have pets?", ["dog Rex"]),
            ("who is Ann's husband?", []),
            ("¿quiénes son los hermanos de Ann?", ["Mia"]),
        ):
            result = await memory.query(Query(text=question))
            assert (question, [fact.value for fact in result.facts]) == (question, values)
