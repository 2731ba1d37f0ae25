"""A short message that asks without a question mark is known as a question, in six languages; what tells is not."""

from __future__ import annotations

from memd.memory.search_types import ChunkRef
from memd.tests.cases import check_all

ASKS = (
    "how was your weekend", "Whats that", "hey how are you doing", "do you know her number", "what about Friday,",
    "was war nochmal unser wlan passwort", "Wo ist der Schlüssel", "hast du das Brot", "wie viele kommen",
    "donde estas", "¿qué hora es", "cuánto costó", "ne zaman geliyorsun", "geldin mi", "何時ですか",
    "où est la clef", "Qu'est-ce que tu fais", "ok?", "really?!?",
)  # fmt: skip
TELLS = (
    "what a day", "when I was young", "which is why I left", "How nice", "whatever you like", "I know what it is",
    "how are you. I slept well.", "Was für ein Tag", "Wie schön", "was", "que bueno", "kimse yok", "ですかね、たぶん",
    "how are you doing " + "and so on " * 12,
)  # fmt: skip


def _ref(text: str) -> ChunkRef:
    return ChunkRef(1, b"", 1, 1, 1, "Ann", ending=text)


def test_questions_need_no_mark() -> None:
    """The message after one mostly has the answer."""

    def check(text: str) -> None:
        assert _ref(text).asks

    check_all(ASKS, check)


def test_what_tells_is_no_question() -> None:
    """Exclamations, subordinate clauses, longer messages, and those that go on to tell something."""

    def check(text: str) -> None:
        assert not _ref(text).asks

    check_all(TELLS, check)
