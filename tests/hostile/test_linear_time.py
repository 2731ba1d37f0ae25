"""Work grows with the input and no faster: each hostile input is doubled, and counted steps are compared.

Two measures, because neither sees everything, and none of them depends on what else the machine does:

- Lines of Python that run, counted by a trace function. Exact and repeatable, but a regular expression or a copy of a
  text is one line, however long it takes.
- Processor time of this process alone, which a timer of the system counts, with a limit that is about ten times
  what linear work needs. The inputs are so long that work with their square would need far more.
"""

from __future__ import annotations

import io
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import BinaryIO
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.jsondocs.connector import DocumentsConnector
from memd.connectors.formats.jsondocs.sniff import document_score
from memd.connectors.formats.notes.detection import written_by_program
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.opening.member_subset import MemberSubset
from memd.connectors.opening.zip_directory import _extras  # pyright: ignore[reportPrivateUsage]
from memd.connectors.reading.detection import rank
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.registry import default_connectors as connectors
from memd.memory.chunking.registry import chunker
from memd.memory.extraction.proposal import Proposal
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.verify import verify
from memd.memory.extraction.window import Line, Window
from memd.memory.llm.redaction import RedactionSettings, Redactor
from memd.memory.question.times import times_in
from memd.memory.text.analyzer import query_terms, terms
from memd.schemas.errors import SourceError
from memd.schemas.fact import ExtractorInfo
from memd.tests.cases import for_each
from memd.tests.executed_lines import executed_lines

CPU_SECONDS = 5
"""Of processor time for an input of `LARGE` characters; linear work takes less than 0.6, quadratic work ten or more."""
LARGE = 120_000
LONG_CPU_SECONDS = 30
"""Of processor time for the longest input of a case; linear work takes less than three."""
GROWTH = 2.3
"""How many times the steps may be that twice the input takes."""
REDACTOR = Redactor(RedactionSettings(emails=True, phones=True))
OPTIONS = ReadOptions(zone=ZoneInfo("UTC"))


@dataclass(frozen=True)
class Case:
    """One hostile input of any length, and who has to deal with it."""

    make: Callable[[int], str]
    """The input of about so many characters."""
    run: Callable[[str], object]
    small: int = 4_000
    """Characters of the smaller input whose steps are counted; 0 where work is bounded, not in proportion."""
    large: int = 1_000_000
    """Characters of the longest input."""


def steps(case: Case, length: int) -> int:
    """The lines of Python that an input of this length takes."""
    text = case.make(length)
    return executed_lines(lambda: case.run(text))


class TooMuchProcessorTime(BaseException):
    """The limit is reached. Regular expressions look for signals while they search, so they end, too."""


@contextmanager
def processor_time(seconds: float) -> Generator[None]:
    """End what takes longer. Only the time counts in which this process itself computes."""

    def over(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TooMuchProcessorTime

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass(frozen=True)
class Held:
    """A file in memory."""

    name: str
    data: bytes

    @property
    def locator(self) -> str:
        """Its name."""
        return self.name

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.data)

    def open(self) -> BinaryIO:
        """All of it."""
        return io.BufferedReader(io.BytesIO(self.data))


def source(name: str, text: str) -> MemberSubset:
    """A source with one file in memory."""
    return MemberSubset(name, name, (Held(name, text.encode("utf-8", "surrogatepass")),))


def chat(text: str) -> int:
    """Read it as a chat."""
    return sum(1 for _ in WhatsAppConnector().read(source("WhatsApp Chat with Bob.txt", text), OPTIONS))


def documents(text: str) -> int:
    """Read it as documents."""
    return sum(1 for _ in DocumentsConnector().read(source("x.jsonl", text), OPTIONS))


def file(name: str) -> Callable[[str], object]:
    """Recognise it by a file of this name, and read it."""

    def run(text: str) -> object:
        try:
            return sum(1 for _ in read_records(source(name, text), OPTIONS))
        except SourceError as error:
            return str(error)

    return run


def recognised(text: str) -> object:
    """Ask every connector; each looks at the beginning only."""
    return rank(source("x.txt", text), connectors())


def json_likeness(text: str) -> float:
    """The look for JSON, at everything: a beginning is cut by those who ask."""
    return document_score(text.encode())


def machines_text(text: str) -> object:
    """The look for files of programs, at everything."""
    return written_by_program(text)


def extra_fields(text: str) -> int:
    """The extra fields of a member in an archive's directory."""
    return sum(1 for _ in _extras(text.encode()))


def redacted(text: str) -> None:
    """Hide everything that can be hidden, and put it back."""
    redaction = REDACTOR.begin([text])
    assert redaction.restore(redaction.hide(text)) == text


def redacted_again(text: str) -> None:
    """Hide what another text shows to be secret where nothing but its letters tells."""
    redaction = REDACTOR.begin([text, text.replace("pin=", "")])
    assert "abc1234" not in redaction.hide(text.replace("pin=", ""))


def read_by_rules(text: str) -> object:
    """What the rules make of one message, verified."""
    line = Line(1, UUID(int=1), "m", "Ann", text, datetime(2024, 1, 15, tzinfo=UTC))
    return RulesExtractor().read(Window(UUID(int=2), "d", "s", "t", "Ann", ("Ann", "Bob"), (line,)))


def pass_the_gates(text: str) -> object:
    """What the gates say of a proposal of a model that quotes the end of one message."""
    line = Line(1, UUID(int=1), "m", "Ann", text, datetime(2024, 1, 15, tzinfo=UTC))
    window = Window(UUID(int=2), "d", "s", "t", "Ann", ("Ann", "Bob"), (line,))
    content, quote = "Ann lives in Berlin since 2020.", "I live in Berlin"
    proposal = Proposal("Ann", "home", "Berlin", content, (1,), quote, "Ann", valid_from="2020-01-01")
    return verify(proposal, window, ExtractorInfo(name="llm", model="made-up"))


def analysed(text: str) -> None:
    """The terms of a text, and of a question."""
    terms(text)
    query_terms(text)


def times_named(question: str) -> object:
    """Find the times that a question names."""
    return times_in(question, datetime(2024, 8, 14, 15, tzinfo=UTC))


class _Tokens:
    """One token for every six characters, blanks or not."""

    max_tokens = 512

    @staticmethod
    def count_many(texts: Sequence[str]) -> list[int]:
        """Of each."""
        return [-(-len(text) // 6) for text in texts]

    @staticmethod
    def token_offsets(text: str) -> list[tuple[int, int]]:
        """All."""
        return [(at, min(at + 6, len(text))) for at in range(0, len(text), 6)]


def cut(text: str) -> None:
    """Cut it by strategies that together look at everything but code."""
    for name in ("message", "recursive", "headers", "semantic"):
        chunker(name, _Tokens()).spans(text)


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A text of one piece over and over."""
    return lambda length: before + unit * (length // len(unit)) + after


def numbered(unit: str, before: str = "") -> Callable[[int], str]:
    """The same with another number in each piece."""
    return lambda length: before + "".join(unit.replace("#", str(n)) for n in range(length // (len(unit) + 3)))


HEAD = "".join(f"15/01/2024, 11:{n:02} - Ann: hello\n15/01/2024, 11:{n:02} - Bob: hi\n" for n in range(10))
IOS = "".join(f"[15/01/2024, 11:{n:02}:00] Ann: hello\n" for n in range(20))
PREFIX = "15/01/2024, 12:00 - "
JALALI = "".join(f"{n:02}/01/1403, 11:00 - Ann: hello\n" for n in range(1, 21))
MARK = "\u200e"
MAIL = (
    "From: Ann <a@x.org>\nSubject: s\nDate: Fri, 01 Mar 2024 10:00:00 +0000\nContent-Type: text/html\n\n<p>hello</p><p "
)

CASES: dict[str, Case] = {
    "chat: impossible dates": Case(repeated("45/13/2024, 11:00 - Bob: x\n", HEAD), chat),
    "chat: impossible times": Case(repeated("15/01/2024, 99:00 - Bob: x\n", HEAD), chat),
    "chat: impossible dates from the start": Case(repeated("45/13/2024, 11:00 - Bob: x\n"), chat),
    "chat: days of another calendar": Case(repeated("31/02/1403, 11:00 - Bob: x\n", JALALI), chat),
    "chat: impossible and real": Case(
        repeated("45/13/2024, 11:00 - Bob: x\n" * 9 + "15/01/2024, 12:00 - Ann: a\n", HEAD), chat
    ),
    "chat: pasted from another": Case(
        numbered(f"03/01/2020, 12:00 - Eve#: x\n01/01/2019, 12:00 - Eve#: x\n{PREFIX}Ann: a\n", HEAD),
        chat,
        small=32_000,
    ),
    "chat: days backwards": Case(
        lambda length: (
            HEAD
            + "".join(
                f"{28 - n % 28:02}/{12 - n // 28 % 12:02}/{2024 - n // 336 % 15}, 12:00 - Ann: x\n"
                for n in range(length // 27)
            )
        ),
        chat,
        small=64_000,
    ),
    "chat: headers of another template": Case(repeated("15/01/24 11:00 - x\n", HEAD), chat),
    "chat: continuation lines": Case(repeated("x\n", HEAD), chat),
    "chat: continuation lines like captions": Case(repeated("x)\n", HEAD), chat),
    "chat: empty lines": Case(repeated("\n", HEAD), chat),
    "chat: one long line": Case(repeated("x", HEAD), chat),
    "chat: blanks": Case(repeated(" ", HEAD + PREFIX + "Ann: "), chat),
    "chat: senders": Case(numbered(f"{PREFIX}P#: hi\n", HEAD), chat),
    "chat: senders with a colon in the name": Case(numbered(f"{PREFIX}P#: x: hi\n" * 5, HEAD), chat, small=32_000),
    "chat: sentences about senders": Case(
        numbered(f"{PREFIX}A#: hi\n{PREFIX}A#: hi\n{PREFIX}B# b c d e: hi\n", HEAD), chat, small=64_000
    ),
    "chat: quotes in place of a sender": Case(numbered(f"{PREFIX}{'“' * 120}#: hi\n", HEAD), chat),
    "chat: direction marks": Case(repeated(MARK, IOS), chat),
    "chat: direction marks before brackets": Case(repeated(f"{MARK}[{MARK}", IOS), chat),
    "chat: direction marks in a header": Case(repeated(MARK, IOS + "[15/01/2024,"), chat),
    "chat: direction marks in a body": Case(repeated(MARK, IOS + "[15/01/2024, 11:00:00] Ann: ", "x"), chat),
    "chat: lines of direction marks": Case(repeated(MARK * 300 + "\n", IOS), chat),
    "chat: a file's name without end": Case(repeated("a.b (", HEAD + PREFIX + "Ann: ", ")\n"), chat),
    "chat: maps": Case(repeated("https://maps.google.com/?q=", HEAD + PREFIX + "Ann: "), chat),
    "chat: edited": Case(repeated("<This message was edited>", HEAD + PREFIX + "Ann: "), chat),
    "chat: dates in a body": Case(repeated("IMG-2024-20", HEAD + PREFIX + "Ann: "), chat),
    "documents: empty lines, then text": Case(repeated("\n", after="x"), documents),
    "documents: broken lines": Case(repeated('{"id":"a","content":"b",}\n', '{"id":"a","content":"b"}\n'), documents),
    "documents: a list of broken ones": Case(repeated('{"id":"a","content":"b",}\n,', "[\n"), documents),
    "documents: broken, then empty lines": Case(repeated("\n", '[\n{"id":"a" x\n'), documents),
    "documents: nested": Case(lambda length: '{"a":[1,' * (length // 11) + "]}" * (length // 11), documents, small=0),
    "documents: open braces": Case(repeated("{"), documents),
    "documents: open brackets": Case(repeated("["), documents),
    "documents: open quotes": Case(repeated('{"a'), documents),
    "documents: escapes without end": Case(repeated('\\"', '{"id":"'), documents),
    "documents: heads that never end": Case(repeated('{"id":"' + "a" * 16_000, "[\n"), documents, 64_000, 16_000_000),
    "sniffing: empty lines": Case(repeated("\n"), json_likeness),
    "sniffing: lines of brackets": Case(repeated("[\n"), json_likeness),
    "sniffing: open braces": Case(repeated("{"), json_likeness),
    "sniffing: nested": Case(repeated('{"a":'), json_likeness),
    "sniffing: escaped quotes": Case(repeated('\\"', '{"'), json_likeness),
    "sniffing: a backslash at the end": Case(repeated('\\"', '{"', "\\"), json_likeness),
    "sniffing: open quotes": Case(repeated('"'), json_likeness),
    "sniffing: ends of objects": Case(repeated("}" + " " * 99), json_likeness),
    "sniffing: an address without end": Case(repeated("a@", "From "), machines_text),
    "sniffing: brackets": Case(repeated("[", after="1"), machines_text),
    "sniffing: a bracket and blanks": Case(repeated("\n", "[ "), machines_text),
    "sniffing: 100,000 empty lines": Case(repeated("\n", after="x"), recognised, large=100_000),
    "sniffing: many braces": Case(repeated("{"), recognised, large=100_000),
    "sniffing: a line of digits": Case(repeated("1 "), recognised, large=100_000),
    "archive: extra fields": Case(repeated("ab\0\0"), extra_fields),
    "redaction: names without a value": Case(repeated("pin="), redacted, small=1_500, large=100_000),
    "redaction: names and blanks": Case(repeated("pin" + " " * 30), redacted, small=1_500, large=100_000),
    "redaction: passwords": Case(numbered("pin=1234# "), redacted, small=3_000, large=200_000),
    "redaction: one password": Case(repeated("pin=1234 "), redacted, small=1_500, large=200_000),
    "redaction: passwords, then they alone": Case(
        numbered("pin=abc1234# "), redacted_again, small=1_500, large=200_000
    ),
    "redaction: one password, then it alone": Case(
        repeated("pin=abc1234 "), redacted_again, small=1_500, large=200_000
    ),
    "redaction: keys without anything between": Case(
        repeated("AKIAABCDEFGHIJKLMNOP"), redacted, small=1_500, large=100_000
    ),
    "redaction: the beginnings of keys": Case(repeated("sk-"), redacted, small=1_500, large=100_000),
    "redaction: tokens in parts": Case(repeated("eyJaaaaaaaa."), redacted, small=1_500, large=100_000),
    "redaction: private keys": Case(
        repeated("-----BEGIN A PRIVATE KEY-----END "), redacted, small=1_500, large=100_000
    ),
    "redaction: addresses with a password": Case(repeated("://a:b1@"), redacted, small=1_500, large=100_000),
    "redaction: addresses without end": Case(repeated("://a:"), redacted, small=1_500, large=100_000),
    "redaction: mail addresses": Case(repeated("a@b.cc "), redacted, small=1_500, large=100_000),
    "redaction: one long mail address": Case(repeated("b.", "a@"), redacted, small=1_500, large=100_000),
    "redaction: a name of a mail address": Case(repeated("a."), redacted, small=1_500, large=100_000),
    "redaction: cards": Case(repeated("4111 1111 1111 1111 "), redacted, small=1_500, large=100_000),
    "redaction: digits apart": Case(repeated("1 2 3 4 5 "), redacted, small=1_500, large=100_000),
    "redaction: accounts": Case(repeated("DE89 3704 0044 0532 0130 00 "), redacted, small=1_500, large=100_000),
    "redaction: phones": Case(repeated("+49 171 1234567, "), redacted, small=1_500, large=100_000),
    "redaction: placeholders": Case(numbered("[password-#] pin=1234# "), redacted, small=1_500, large=100_000),
    "rules: addresses": Case(numbered("my address is 1# Main Street, "), read_by_rules, large=16_000),
    "rules: mail addresses": Case(repeated("my email is ann.bee@example.org, "), read_by_rules, large=16_000),
    "rules: numbers": Case(repeated("my phone number is 030 1234567, "), read_by_rules, large=16_000),
    "rules: no stop": Case(repeated("I live in Berlin and "), read_by_rules, large=32_000),
    "rules: since and since": Case(repeated("seit wieder endlich jetzt ", "ich bin "), read_by_rules, large=32_000),
    "rules: with and since": Case(repeated("con alguien desde ahora ", "vivimos "), read_by_rules, large=32_000),
    "rules: fillers": Case(repeated(" lol", "I live in Rome"), read_by_rules, large=32_000),
    "gates: blank lines": Case(repeated(" \n", after="I live in Berlin"), pass_the_gates, small=1_000, large=16_000),
    "gates: labels": Case(
        repeated("Tom Ann Bo\n", after="I live in Berlin"), pass_the_gates, small=1_000, large=16_000
    ),
    "gates: quotes": Case(repeated("'a \"b ", after="I live in Berlin"), pass_the_gates, small=1_000, large=16_000),
    "gates: separators": Case(
        repeated(", and so ", after="I live in Berlin"), pass_the_gates, small=1_000, large=16_000
    ),
    "rules: joined by and": Case(repeated("and French ", "I speak French "), read_by_rules, large=32_000),
    "rules: opening words": Case(repeated("so, ", after="I live in Berlin"), read_by_rules, large=32_000),
    "rules: blanks": Case(repeated(" ", "I live in", "Berlin"), read_by_rules, large=32_000),
    "rules: blanks in a phrase": Case(repeated(" ", "my dog", "Rex"), read_by_rules, large=32_000),
    "rules: animals": Case(numbered("my dog Rex# is here. "), read_by_rules, large=16_000),
    "rules: no subject": Case(repeated("moved to Rome. "), read_by_rules, large=16_000),
    "rules: lines": Case(repeated("\n", after="I live in Rome"), read_by_rules, large=16_000),
    "rules: brackets": Case(repeated("()", "my "), read_by_rules, large=32_000),
    "rules: open brackets": Case(repeated("my ("), read_by_rules, large=32_000),
    "rules: quotes": Case(repeated("'a ", "I live "), read_by_rules, large=32_000),
    "rules: dates": Case(repeated("on monday ", "I moved to Rome "), read_by_rules, large=32_000),
    "rules: ranges": Case(repeated("from 1 to ", "I lived in Rome "), read_by_rules, large=32_000),
    "rules: days": Case(repeated("monday ", "I live in "), read_by_rules, large=32_000),
    "rules: letters": Case(repeated("a", "I live "), read_by_rules, large=32_000),
    "rules: names": Case(repeated("Aa ", "I work at "), read_by_rules, large=8_000),
    "rules: family": Case(repeated("my sister's sister's "), read_by_rules, large=16_000),
    "terms: apostrophes": Case(repeated("a'"), analysed, large=200_000),
    "terms: accents": Case(repeated("\u0300", "a"), analysed, large=200_000),
    "terms: one word": Case(repeated("a"), analysed, large=200_000),
    "terms: many words": Case(numbered("word# "), analysed, large=200_000),
    "terms: German": Case(repeated("ich wohne nicht "), analysed, large=200_000),
    "terms: digits": Case(repeated("1 2-"), analysed, large=200_000),
    "terms: Han": Case(repeated("\u4e2d"), analysed, large=200_000),
    "terms: Hangul": Case(repeated("\uac00"), analysed, large=200_000),
    "terms: ligatures": Case(repeated("\ufdfa"), analysed, large=100_000),
    "times: years": Case(repeated("2022 ", "wo war Ann "), times_named, large=100_000),
    "times: ranges without an end": Case(repeated("2022 - "), times_named, large=100_000),
    "times: months without blanks": Case(repeated("5月"), times_named, large=100_000),
    "times: a long word beside a year": Case(repeated("a", "wo war ", ", 2022"), times_named, large=100_000),
    "chunks: one line": Case(repeated("x"), cut, small=12_000, large=200_000),
    "chunks: words": Case(repeated("word "), cut, small=12_000, large=200_000),
    "chunks: blanks": Case(repeated(" ", "x", "x"), cut, small=12_000, large=200_000),
    "chunks: marks": Case(repeated("!", "x", "x"), cut, small=12_000, large=200_000),
    "chunks: accents": Case(repeated("\u0301", "e"), cut, small=12_000, large=200_000),
    "chunks: flags": Case(repeated("\U0001f1e9"), cut, small=12_000, large=200_000),
    "chunks: fences": Case(repeated("```\n"), cut, small=12_000, large=200_000),
    "chunks: fences that do not close": Case(repeated("~~~\n```\n"), cut, small=12_000, large=200_000),
    "chunks: headings": Case(repeated("# a\n"), cut, small=12_000, large=200_000),
    "chunks: marks of headings": Case(repeated("#", "# ", " x\n"), cut, small=12_000, large=200_000),
    "chunks: underlines": Case(repeated("a\n===\n"), cut, small=12_000, large=200_000),
    "chunks: blank lines": Case(repeated(" \n", after="x"), cut, small=12_000, large=200_000),
    "note: braces": Case(repeated("{\n"), file("x.md")),
    "note: wiki links that never end": Case(repeated("[["), file("x.md")),
    "note: link targets that never end": Case(repeated("](a("), file("x.md")),
    "note: links with blanks": Case(repeated("](" + " " * 20), file("x.md")),
    "note: addresses": Case(repeated("http://"), file("x.md")),
    "note: backticks": Case(lambda length: "".join("`" * (n % 99) + "a" for n in range(length // 50)), file("x.md")),
    "note: marks of a heading": Case(repeated("#", "# ", " x\n"), file("x.md")),
    "note: tags of digits": Case(repeated("1", "x #"), file("x.md")),
    "note: tags with slashes": Case(repeated("#/-"), file("x.md")),
    "note: fences": Case(repeated("~~~\n```\n"), file("x.md")),
    "note: blanks before a fence": Case(repeated("\t" * 200 + "\n"), file("x.md")),
    "note: front matter without end": Case(repeated("a: b\n", "---\n"), file("x.md")),
    "note: front matter of brackets": Case(
        lambda length: f"---\n{'[' * 4_000}\n---\n{'a' * length}", file("x.md"), small=0
    ),
    "note: front matter of keys": Case(lambda length: f"+++\n{'a=[' * 4_000}\n+++\n{'a' * length}", file("x.md")),
    "note: a date of blanks": Case(
        lambda length: f"---\ndate: '2024-01-01{' ' * 30_000}x'\n---\n{'a' * length}", file("x.md")
    ),
    "note: blank lines": Case(repeated(" \n", after="x"), file("x.md")),
    "note: an underline": Case(repeated(" ", "a\n=", "x"), file("x.md")),
    "page: attributes": Case(numbered("a#=1 ", "<p>hello words</p><p "), file("x.html"), small=0, large=3_000_000),
    "page: attributes of the body": Case(numbered("<body a#=1>", "<p>hello words</p>"), file("x.html"), small=0),
    "page: choices": Case(repeated("<option>x", "<p>hello words</p><select>"), file("x.html"), small=0),
    "page: fonts": Case(numbered("<p><font color=#>x", "<p>hello words</p>"), file("x.html"), small=0),
    "page: comments without end": Case(repeated("<!-", "<p>hello words</p>"), file("x.html"), small=0),
    "page: quotes": Case(repeated("<p a='", "<p>hello words</p>"), file("x.html"), small=0),
    "mail: attributes": Case(numbered("a#=1\n", MAIL), file("x.eml"), small=0, large=3_000_000),
    "mail: fonts": Case(numbered("<p><font color=#>x\n", MAIL), file("x.eml"), small=0),
}


COUNTED = [name for name, case in CASES.items() if case.small]


def check_growth(case: Case) -> None:
    """Compare the steps of an input and of one twice as long, once everything of the longer one is loaded and remembered."""
    case.run(case.make(2 * case.small))
    once, twice = steps(case, case.small), steps(case, 2 * case.small)
    assert twice <= GROWTH * once + 200, f"{once:,} steps, then {twice:,}"


def check_time(work: Callable[[], object], seconds: float) -> None:
    """Fail if the work takes longer."""
    try:
        with processor_time(seconds):
            work()
    except TooMuchProcessorTime:
        pytest.fail(f"takes more than {seconds} seconds")


@for_each(COUNTED)
def test_twice_the_input_takes_twice_the_steps(name: str) -> None:
    """Counted in lines of Python, so the answer is the same on every machine and under any load."""
    check_growth(CASES[name])


@for_each(CASES)
def test_a_long_input_is_done_with_in_time(name: str) -> None:
    """The work inside of regular expressions and copies, which are one step each."""
    case = CASES[name]
    # The reading of messages is slow, and no longer input is read as one; its work is counted in steps, too.
    text = case.make(min(case.large, LARGE) if case.large >= 100_000 else case.large // 2)
    check_time(lambda: case.run(text), CPU_SECONDS)


@pytest.mark.long
@for_each(CASES)
def test_the_longest_input_is_done_with_in_time(name: str) -> None:
    """Also the work whose square is small until an input is very long, as that of copying."""
    case = CASES[name]
    text = case.make(case.large)
    check_time(lambda: case.run(text), LONG_CPU_SECONDS)
