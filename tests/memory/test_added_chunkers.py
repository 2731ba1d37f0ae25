"""Strategies of other packages: chosen by name, checked, and named where they break the rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import EntryPoint, EntryPoints
from typing import cast
from uuid import UUID

import pytest

from memd.memory.chunking import registry
from memd.memory.chunking.chunker import Chunker, TextSpan
from memd.memory.chunking.document_chunker import DocumentChunker
from memd.memory.chunking.message import MessageChunker
from memd.memory.chunking.settings import ChunkingSettings
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.records import StoredDocument, StoredMessage
from memd.schemas import ConversationMessage
from memd.schemas.errors import ConfigError
from memd.tests.cases import check_all

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
TOKENIZER = BundledEmbedder()
KEY = UUID(int=1)


class Lines(Chunker):
    """A strategy of one's own: lines, or what the test wants."""

    name = "lines"
    rules = 1

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """One span for each half."""
        del reserves
        return [[TextSpan(0, 4, 1), TextSpan(4, len(text), 1)] for text in texts]


class Gap(Lines):
    """Leaves the middle out."""

    name = "gap"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """The first word alone."""
        del reserves
        return [[TextSpan(0, 4, 1)] for _ in texts]


class Outside(Lines):
    """Reaches beyond the text."""

    name = "outside"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """More than there is."""
        del reserves
        return [[TextSpan(0, len(text) + 1, 1)] for text in texts]


class Backwards(Lines):
    """Goes back."""

    name = "backwards"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """All of it, and then the first word again."""
        del reserves
        return [[TextSpan(0, len(text), 1), TextSpan(0, 4, 1)] for text in texts]


class Failing(Lines):
    """Fails with the text in its error."""

    name = "failing"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Nothing."""
        del reserves
        raise ValueError(texts[0])


class Unmakeable(Lines):
    """Cannot be made."""

    name = "unmakeable"

    def __init__(self, tokenizer: object) -> None:
        del tokenizer
        raise RuntimeError


class Uncounted(Lines):
    """Counts its tokens in words."""

    name = "uncounted"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """A span without a number of tokens."""
        del reserves
        return [[TextSpan(0, len(text), cast("int", "many"))] for text in texts]


class Negative(Lines):
    """Counts less than no token."""

    name = "negative"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """A span of -1 tokens."""
        del reserves
        return [[TextSpan(0, len(text), -1)] for text in texts]


class Untitled(Lines):
    """Has no sections."""

    name = "untitled"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """A span whose section is nothing."""
        del reserves
        return [[TextSpan(0, len(text), 1, cast("str", None))] for text in texts]


class Leaving(Lines):
    """Ends the process."""

    name = "leaving"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Nothing."""
        raise SystemExit(len(texts) + len(reserves))


class Unversioned(Lines):
    """Has no version."""

    name = "unversioned"

    @property
    def version(self) -> str:
        """None."""
        raise KeyError


class Far(MessageChunker):
    """Reads the whole conversation, and says that it reads one message beside each."""

    name = "far"
    reach = 1

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """All of them."""
        del at, sizes
        return range(len(messages))


class Elsewhere(Far):
    """Does not read the message itself."""

    name = "elsewhere"

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """None."""
        del messages, sizes
        return range(at, at)


class Lost(Far):
    """Fails at each message."""

    name = "lost"

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """Nothing."""
        raise IndexError(messages[at].content, sizes)


class Unreaching(Far):
    """Does not say how far it reads."""

    name = "unreaching"
    reach = cast("int", "all")


NO_CLASS = "neither"


_ADDED: tuple[type[Chunker], ...] = (
    Lines, Gap, Outside, Backwards, Failing, Unmakeable, Uncounted, Negative, Untitled, Leaving, Unversioned,
    Far, Elsewhere, Lost, Unreaching,
)  # fmt: skip


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other packages that name strategies, most of them broken."""
    classes = {each.name: each.__name__ for each in _ADDED}
    values = {name: f"{__name__}:{value}" for name, value in classes.items()}
    values |= {"missing": "nowhere.at_all:Chunker", "no-class": f"{__name__}:NO_CLASS", "renamed": f"{__name__}:Lines"}
    added = EntryPoints(EntryPoint(name, value, registry.ENTRY_POINTS) for name, value in values.items())

    def entry_points(group: str) -> EntryPoints:
        return added.select(group=group)

    monkeypatch.setattr(registry, "entry_points", entry_points)


@pytest.mark.usefixtures("packages")
def test_another_package_adds_a_strategy() -> None:
    """It is chosen by the name of its entry point, and cuts; the broken ones beside it break nothing."""
    chunker = DocumentChunker(TOKENIZER, ChunkingSettings(texts="lines"))
    document = StoredDocument(KEY, "a.txt", "files", "", "text")
    assert [(each.start, each.end, each.strategy) for each in chunker.text(document, "one two")] == [
        (0, 4, "lines"),
        (4, 7, "lines"),
    ]


@pytest.mark.usefixtures("packages")
def test_a_broken_strategy_is_named() -> None:
    """The error says which strategy and what is wrong with it, and no word of the text."""
    words = {
        "missing": "cannot be imported: ModuleNotFoundError",
        "no-class": "is not a Chunker",
        "renamed": "has another name in its class",
        "unmakeable": "fails when it is made: RuntimeError",
        "gap": "leaves out a part of the text",
        "outside": "gives a span outside of its text",
        "backwards": "gives spans that do not ascend",
        "failing": "fails: ValueError",
        "uncounted": "gives a span whose numbers are none",
        "negative": "gives a span whose numbers are none",
        "untitled": "gives a section that is no short text",
        "leaving": "fails: SystemExit",
        "unversioned": "fails when it is made: KeyError",
        "unreaching": "has a reach that is no number of messages",
    }

    def check(name: str) -> None:
        with pytest.raises(ConfigError) as caught:
            registry.spans_of(registry.chunker(name, TOKENIZER), ["one two"])
        assert caught.value.message == f"the chunking strategy {name!r} {words[name]}" or (
            name == "no-class" and words[name] in caught.value.message
        )
        assert "two" not in f"{caught.value.message} {caught.value.hint}"

    check_all(words, check)


@pytest.mark.usefixtures("packages")
def test_neighbours_of_another_package_stay_within_its_reach() -> None:
    """Chunks beyond it would keep the words of a forgotten message: such a strategy is refused, and named."""
    words = {
        "far": "gives neighbours beyond its reach",
        "elsewhere": "gives neighbours that are no range around the message",
        "lost": "fails: IndexError",
    }
    rows = [
        StoredMessage(
            UUID(int=number), KEY, number, ConversationMessage(speaker="Ann", content=f"two {number}", time=START)
        )
        for number in range(4)
    ]

    def check(name: str) -> None:
        chunker = DocumentChunker(TOKENIZER, ChunkingSettings(conversations=name))
        with pytest.raises(ConfigError) as caught:
            chunker.conversation(rows, "tests")
        assert caught.value.message == f"the chunking strategy {name!r} {words[name]}"

    check_all(words, check)
