"""Links are symmetric and bounded, and of the right kinds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.facts.links import (
    MAX_FACTS_PER_KEY,
    MAX_KEYWORDS,
    Linkable,
    keywords_of,
    link_keys_of,
    links_of,
    tags_of,
)
from memd.memory.records import LinkKey
from memd.schemas import FactLink
from memd.schemas.keys import uuid5

KEYS = [uuid5("fact", str(number)) for number in range(60)]
NAMES = ["Ana", "Ben", "Sam", "Rex"]
WORDS = [f"word{chr(97 + number)}" for number in range(6)]
MESSAGES = [uuid5("m", str(number)) for number in range(12)]


def all_links(facts: Iterable[Linkable]) -> dict[UUID, tuple[FactLink, ...]]:
    """The links of facts that are all at hand."""
    keys = {fact.key: link_keys_of(fact) for fact in facts}
    holders: defaultdict[LinkKey, set[UUID]] = defaultdict(set)
    for fact, spots in keys.items():
        for spot in spots:
            holders[spot].add(fact)
    return {fact: links_of(fact, spots, holders) for fact, spots in keys.items()}


@st.composite
def linkable(draw: st.DrawFn, key: UUID) -> Linkable:
    """A fact among few people, words and messages, so that links are many."""
    return Linkable(
        key=key,
        subject=draw(st.sampled_from(NAMES)),
        value=draw(st.sampled_from([*NAMES, "Porto", "a dog"])),
        content=draw(st.sampled_from(["Ana is here.", "Ben has a dog.", "x" * 390])),
        keywords=tuple(draw(st.lists(st.sampled_from(WORDS), max_size=4, unique=True))),
        messages=tuple(draw(st.lists(st.sampled_from(MESSAGES), max_size=2, unique=True))),
        superseded_by=draw(st.none() | st.sampled_from(KEYS)),
    )


@st.composite
def memory(draw: st.DrawFn, most: int = 14) -> dict[UUID, Linkable]:
    """Some facts by key; with a crowd at a few spots, just below and above what still tells something."""
    chosen = draw(st.lists(st.sampled_from(KEYS[:14]), unique=True, max_size=most))
    facts = {key: draw(linkable(key)) for key in chosen}
    for key in islice(
        KEYS[20:],
        draw(st.integers(MAX_FACTS_PER_KEY - 4, MAX_FACTS_PER_KEY + 2)) if most == 14 and draw(st.booleans()) else 0,
    ):
        facts[key] = Linkable(key, "Crowd", "Rex", "a crowd", ("worda", "wordb"))
    return facts


@given(memory())
def test_links_stand_at_both_facts_and_are_bounded(facts: dict[UUID, Linkable]) -> None:
    """A link from one fact is a link from the other, and nobody is linked with more than tell something."""
    found = all_links(facts.values())
    pairs = {(key, link.kind, link.other, link.weight) for key, links in found.items() for link in links}
    assert pairs == {(other, kind, key, weight) for key, kind, other, weight in pairs}
    assert all(key != other for key, _, other, _ in pairs)
    for key, count in Counter(key for key, *_ in pairs).items():
        assert count <= MAX_FACTS_PER_KEY * len(link_keys_of(facts[key]))


def test_links_are_of_the_right_kinds() -> None:
    """Ben's dog is Rex; Rex is ill: about. Told in one message: same evidence. Two words in common: a topic."""
    message = uuid5("m")
    pet = Linkable(KEYS[0], "Ben", "Rex", "Ben's dog is Rex.", ("dog", "walks"), (message,))
    ill = Linkable(KEYS[1], "rex", "ill", "Rex is ill.", ("dog", "walk", "ill"), (message, uuid5("another")))
    old = Linkable(KEYS[2], "Ben", "Milo", "Ben's dog is Milo.", ("milo",), (), superseded_by=KEYS[0])
    found = all_links([pet, ill, old])
    assert {(link.kind, link.other, link.weight) for link in found[pet.key]} == {
        ("about", KEYS[1], 1), ("same-evidence", KEYS[1], 1), ("shared-topic", KEYS[1], 2), ("supersedes", KEYS[2], 1),
    }  # fmt: skip
    assert [link.kind for link in found[old.key]] == ["supersedes"]


def test_a_crowd_tells_nothing() -> None:
    """So many facts about one are linked with what names them, and one more of them are not."""
    naming = Linkable(KEYS[0], "Ben", "Rex", "Ben's dog is Rex.")
    crowd = [Linkable(key, "Rex", f"v{number}", f"c{number}") for number, key in enumerate(KEYS[1:])]
    assert len(all_links([naming, *crowd[:MAX_FACTS_PER_KEY]])[naming.key]) == MAX_FACTS_PER_KEY
    assert all_links([naming, *crowd[: MAX_FACTS_PER_KEY + 1]])[naming.key] == ()


def test_keywords_come_from_the_extractor_or_from_the_content() -> None:
    """Stems without stop words, folded and few; what an extractor gave counts before the content."""
    assert keywords_of("I have been running with the dogs") >= {"run", "dog"}
    assert "with" not in keywords_of("I have been running with the dogs")
    assert "dog" not in keywords_of("I have been running with the dogs", ["Marathon"])
    assert keywords_of("Wir wohnen in Köln") == keywords_of("wir WOHNEN in Koln")
    assert keywords_of("Ann has bought a bicycle", subject="Ann") == {"bought", "bicycl"}
    assert len(keywords_of(" ".join(f"word{number}" for number in range(50)))) == MAX_KEYWORDS
    assert tags_of("Work", ["work ", "Career", ""]) == ("career", "work")
