"""Links are symmetric and bounded, what changes is found without looking at everything, and contexts are short."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.evolution.links import (
    LONGEST_CONTEXT,
    MOST_CONTEXT,
    MOST_KEYWORDS,
    MOST_TOPICS,
    Link,
    Linkable,
    changed_links,
    context,
    keywords_of,
    links_between,
    links_of,
    lookup_in,
    tags_of,
)
from memd.schemas.keys import uuid5

KEYS = [uuid5("fact", str(number)) for number in range(14)]
NAMES = ["Ana", "Ben", "Sam", "Rex"]
WORDS = [f"word{number}" for number in range(6)]


@st.composite
def linkable(draw: st.DrawFn, key: UUID) -> Linkable:
    """A fact among few people, words and messages, so that links are many."""
    return Linkable(
        key=key,
        subject=draw(st.sampled_from(NAMES)),
        value=draw(st.sampled_from([*NAMES, "Porto", "a dog"])),
        content=draw(st.sampled_from(["Ana is here.", "Ben has a dog.", "x" * 390])),
        keywords=draw(st.frozensets(st.sampled_from(WORDS), max_size=4)),
        messages=draw(st.frozensets(st.sampled_from([uuid5("m", str(n)) for n in range(12)]), max_size=2)),
        active=draw(st.booleans()),
        superseded_by=draw(st.none() | st.sampled_from(KEYS)),
    )


@st.composite
def memory(draw: st.DrawFn, most: int = 14) -> dict[UUID, Linkable]:
    """Some facts by key."""
    chosen = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=most))
    return {key: draw(linkable(key)) for key in chosen}


def from_scratch(facts: dict[UUID, Linkable]) -> dict[UUID, tuple[Link, ...]]:
    """The links of all of them."""
    return links_of(facts.values(), lookup_in(facts.values()))


@given(memory())
def test_links_stand_at_both_facts_and_topics_are_bounded(facts: dict[UUID, Linkable]) -> None:
    """A link from one fact is a link from the other; no more topics are kept than facts name."""
    found = from_scratch(facts)
    pairs = {(key, link.kind, link.other, link.weight) for key, links in found.items() for link in links}
    assert pairs == {(other, kind, key, weight) for key, kind, other, weight in pairs}
    assert all(key != other for key, _, other, _ in pairs)
    topics = sum(kind == "shared-topic" for _, kind, _, _ in pairs) / 2
    assert topics <= MOST_TOPICS * len(facts)


@given(memory(), st.integers(0, 14))
def test_the_links_of_some_are_their_links_among_all(facts: dict[UUID, Linkable], count: int) -> None:
    """Asked for some facts only, the answer is the same as for all."""
    some = sorted(facts)[:count]
    found = links_of([facts[key] for key in some], lookup_in(facts.values()))
    assert found == {key: links for key, links in from_scratch(facts).items() if key in some}


@given(memory(), memory(most=4), st.sets(st.sampled_from(KEYS), max_size=4))
def test_what_changes_is_found_as_from_scratch(
    facts: dict[UUID, Linkable], fresh: dict[UUID, Linkable], gone: set[UUID]
) -> None:
    """Links and contexts kept from before, with those that are named as changed, are those of everything anew."""
    now = {key: fact for key, fact in (facts | fresh).items() if key not in gone}
    touched = {key for key in facts.keys() | now.keys() if facts.get(key) != now.get(key)}
    before = {key: facts[key] for key in touched if key in facts}
    after = {key: now[key] for key in touched if key in now}
    changed = changed_links(before, after, lookup_in(now.values()))
    kept = {key: links for key, links in from_scratch(facts).items() if key in now}
    assert kept | changed == from_scratch(now)
    assert set(changed) <= set(now)
    contexts = {key: contextual(facts, key, links) for key, links in kept.items() if key not in changed}
    assert contexts == {key: contextual(now, key, kept[key]) for key in contexts}


def contextual(facts: dict[UUID, Linkable], key: UUID, links: tuple[Link, ...]) -> str:
    """The context of a fact in a memory."""
    return context(facts[key], [(link, facts[link.other]) for link in links])


@given(memory())
def test_a_context_is_short_and_never_the_facts_own_words(facts: dict[UUID, Linkable]) -> None:
    """It holds few neighbours, no more characters than allowed, and nothing that the fact says itself."""
    for key, links in from_scratch(facts).items():
        told = contextual(facts, key, links)
        assert len(told) <= LONGEST_CONTEXT + MOST_CONTEXT
        assert facts[key].content not in told


def test_links_are_of_the_right_kinds() -> None:
    """Ben's dog is Rex; Rex is ill: about. Told in one message: same evidence. Two words in common: a topic."""
    message = uuid5("m")
    pet = Linkable(KEYS[0], "Ben", "Rex", "Ben's dog is Rex.", frozenset({"dog", "rex"}), frozenset({message}))
    ill = Linkable(KEYS[1], "rex", "ill", "Rex is ill.", frozenset({"dog", "rex", "ill"}), frozenset({message}))
    old = Linkable(KEYS[2], "Ben", "Milo", "Ben's dog is Milo.", frozenset({"milo"}), frozenset(), False, KEYS[0])
    assert {link.kind for link in links_between(pet, ill)} == {"about", "same-evidence", "shared-topic"}
    assert links_between(pet, old) == [Link("supersedes", KEYS[2])]
    assert context(pet, [(link, ill) for link in links_between(pet, ill)]) == "Rex is ill."
    assert context(pet, [(Link("same-evidence", KEYS[2]), old)]) == ""


def test_keywords_come_from_the_extractor_or_from_the_content() -> None:
    """Stems without stop words, folded and few; what an extractor gave counts before the content."""
    assert keywords_of("I have been running with the dogs") >= {"run", "dog"}
    assert "with" not in keywords_of("I have been running with the dogs")
    assert "dog" not in keywords_of("I have been running with the dogs", ["Marathon"])
    assert keywords_of("Wir wohnen in Köln") == keywords_of("wir WOHNEN in Koln")
    assert len(keywords_of(" ".join(f"word{number}" for number in range(50)))) == MOST_KEYWORDS
    assert tags_of("Work", ["work ", "Career", ""]) == ("career", "work")
