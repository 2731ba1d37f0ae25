"""Nothing that must not leave the machine does, and putting back gives the original to the letter."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.llm.redaction import RedactionSettings, Redactor, merged
from memd.memory.llm.secret_detectors import iban, looks_random, luhn
from memd.schemas.errors import ExtractionError
from memd.tests.cases import for_each

ALL = Redactor(RedactionSettings(emails=True, phones=True))
PLAIN = Redactor(RedactionSettings())
PLACEHOLDER = re.compile(r"\[[a-z]+-\d+\]")


def with_check_digit(body: str) -> str:
    """A number with its Luhn digit."""
    return next(body + str(digit) for digit in range(10) if luhn(body + str(digit)))


def account(country: str, body: str) -> str:
    """An IBAN with its check digits."""
    return next(f"{country}{check:02}{body}" for check in range(2, 99) if iban(f"{country}{check:02}{body}"))


cards = st.from_regex(r"[3-6][0-9]{14}", fullmatch=True).filter(lambda body: len(set(body)) > 2).map(with_check_digit)
spaced_cards = cards.map(lambda card: " ".join(card[at : at + 4] for at in range(0, 16, 4)))
ibans = st.builds(account, st.sampled_from(["DE", "GB", "FR"]), st.from_regex(r"[0-9]{18}", fullmatch=True))
spaced_ibans = ibans.map(lambda each: " ".join(each[at : at + 4] for at in range(0, len(each), 4)))
letters = string.ascii_letters + string.digits
keys = st.builds(
    "{}{}".format,
    st.sampled_from(["sk-", "ghp_", "hf_", "xoxb-", "npm_", "sk_live_"]),
    st.text(alphabet=letters, min_size=36, max_size=40),
)
passwords = st.text(alphabet=letters, min_size=8, max_size=16).filter(lambda text: any(map(str.isdigit, text)))
fillers = st.text(alphabet="ab c.,:;-[]()\n\\|1/é", max_size=20)


@pytest.mark.slow
def test_what_is_repeated_thousands_of_times_is_hidden_each_time() -> None:
    """However often a secret stands there alone, or a key after a key with nothing between."""
    for shown, again in (("pin=abc1234 ", "abc1234 "), ("AKIAABCDEFGHIJKLMNOP",) * 2):
        text = again * 5_000
        redaction = PLAIN.begin([shown, text])
        hidden = redaction.hide(text)
        assert shown[-8:].strip() not in hidden
        assert redaction.restore(hidden) == text


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            fillers,
            st.one_of(
                cards, spaced_cards, ibans, spaced_ibans, keys, passwords.map("my password: {}".format),
                st.just("ann@example.org"), st.just("+49 170 1234567"),
            ),
        ),
        min_size=1,
        max_size=4,
    ),
    fillers,
)  # fmt: skip
def test_hiding_and_restoring_are_inverse(pieces: list[tuple[str, str]], end: str) -> None:
    """Whatever is mixed with whatever: no secret is found in what is sent, and it all comes back."""
    text = " ".join(f"{before} {secret}" for before, secret in pieces) + " " + end
    redaction = ALL.begin([text])
    sent = redaction.hide(text)
    assert redaction.restore(sent) == text
    for between in PLACEHOLDER.split(sent):
        assert not ALL.matches([between])[0]


@given(st.lists(st.one_of(cards, spaced_cards, ibans, spaced_ibans, keys), min_size=1, max_size=3), st.booleans())
def test_none_of_the_values_is_in_what_is_sent(secrets: list[str], quoted: bool) -> None:
    """Not one of the letters in their order, wherever the value stands."""
    texts = [f"here: {secret}, ok? 12/27" if not quoted else f'"{secret}"' for secret in secrets]
    redaction = PLAIN.begin(texts)
    sent = "\n".join(redaction.hide(text) for text in texts)
    assert not any(secret in sent for secret in secrets)
    assert redaction.restore(sent) == "\n".join(texts)


@given(st.text(alphabet="[]card-key123456789 .4\n", max_size=60))
def test_texts_that_look_like_placeholders_come_back_as_they_were(text: str) -> None:
    """A placeholder that stands in the text is never used for something else."""
    whole = text + " 4111 1111 1111 1111"
    redaction = ALL.begin([whole])
    assert redaction.restore(redaction.hide(whole)) == whole


@for_each(
    [
        ("card 4111 1111 1111 1111 12/27", "card [card-1] 12/27"),
        ("card 4111-1111-1111-1111 and 4111-1111-1111-1111", "card [card-1] and [card-1]"),
        ("4111111111111112 has a wrong digit", "4111111111111112 has a wrong digit"),
        ("DE89 3704 0044 0532 0130 00 for rent", "[iban-1] for rent"),
        ("de89370400440532013000", "[iban-1]"),
        ("DE88 3704 0044 0532 0130 00", "DE88 3704 0044 0532 0130 00"),
        ("the wifi password is Tulip2024!", "the wifi password is [password-1]"),
        ("Passwort: abc123 ok", "Passwort: [password-1] ok"),
        ("my pin is 4821", "my pin is [password-1]"),
        ("https://ann:s3cret@example.org/x", "https://ann:[password-1]@example.org/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- bye", "[key-1] bye"),
        ("AKIAIOSFODNN7EXAMPLE", "[key-1]"),
        ("d41d8cd98f00b204e9800998ecf8427e", "[key-1]"),
        ("Zq3vX9kLm2PwT7sRb4Yc", "[key-1]"),
    ]
)
def test_what_is_hidden_by_itself(text: str, sent: str) -> None:
    """Without any setting; a wrong check digit is no card and no account."""
    redaction = PLAIN.begin([text])
    assert redaction.hide(text) == sent
    assert redaction.restore(sent) == text


@for_each(
    [
        "see https://www.example.com/2024/01/some-long-article-title-here-2024",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "the password is on the fridge",
        "what a token of love",
        "on 2024-01-15 12:01 at home",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "call +49 170 1234567 or write ann@example.org",
        "1111111111111111",
        "I have 12345678901234567890 stars",
    ]
)
def test_what_stays(text: str) -> None:
    """Links, words, dates, long numbers; people's addresses and numbers unless they are to be hidden."""
    assert PLAIN.begin([text]).hide(text) == text


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("call +49 170 1234567!", "call [phone-1]!"),
        ("(030) 123 45 67 or 0170/1234567", "[phone-1] or [phone-2]"),
        ("ann.b+x@mail.example.org.", "[email-1]."),
        ("on 2024-01-15 12:01 or 15.01.2024 we pay 1.000.000 for 12 of 100", None),
    ],
)
def test_what_is_hidden_on_request(text: str, sent: str | None) -> None:
    """Telephone numbers and e-mail addresses; dates are neither."""
    assert ALL.begin([text]).hide(text) == (text if sent is None else sent)


def test_patterns_of_ones_own() -> None:
    """The whole match, or its group `hide`, also in a lookbehind; one that matches nothing hides nothing."""
    redactor = Redactor(
        RedactionSettings(patterns=(r"Project \w+", r"badge (?P<hide>\d+)", r"x*", r"(?<=(?P<hide>[A-Z]{3})) room"))
    )
    text = "Project Tulip needs badge 12 of the ABC room"
    assert redactor.begin([text]).hide(text) == "[own-1] needs badge [own-2] of the [own-3] room"
    assert redactor.fingerprint != PLAIN.fingerprint


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            fillers,
            st.one_of(cards, spaced_cards, ibans, spaced_ibans, keys, passwords.map("my password: {}".format)),
        ),
        min_size=1,
        max_size=3,
    ),
    st.lists(
        st.one_of(
            st.sampled_from(
                [r"\d{4}", r"[A-Z]{2}\d\d", r"(?i)pass\w+", r"my (?P<hide>\w+)", r"[:-]", r"\w{1,3}", r"\d+ \d", r"sk-\w{2}", r"."]
            ),
            st.text(alphabet=letters, min_size=1, max_size=2).map(re.escape),
        ),
        min_size=1,
        max_size=3,
    ),
)  # fmt: skip
def test_a_pattern_of_the_user_never_uncovers_what_is_hidden_without_it(
    pieces: list[tuple[str, str]], patterns: list[str]
) -> None:
    """Each character that is hidden without the patterns is hidden with them, and everything comes back."""
    text = " ".join(f"{before} {secret}" for before, secret in pieces)
    redactor = Redactor(RedactionSettings(patterns=tuple(patterns)))
    secrets, spans = merged(PLAIN.matches([text])[0]), merged(redactor.matches([text])[0])
    hidden = {at for start, end, _ in spans for at in range(start, end)}
    assert hidden >= {at for start, end, _ in secrets for at in range(start, end)}
    redaction = redactor.begin([text])
    sent = redaction.hide(text)
    assert redaction.restore(sent) == text
    assert not any(text[start:end] in sent for start, end, _ in secrets)


@pytest.mark.slow
def test_a_pattern_that_takes_exponential_time_is_refused() -> None:
    """Nothing is sent, and the error holds nothing of the text."""
    redactor = Redactor(RedactionSettings(patterns=(r"(a+)+b",)))
    assert redactor.begin(["aab"]).hide("aab") == "[own-1]"
    with pytest.raises(ExtractionError, match="redact_patterns") as error:
        redactor.begin(["a" * 60])
    assert "aaa" not in f"{error.value!r} {error.value.__cause__!r}"


@for_each(
    [
        ("card 4111 1111 1111 1111", (r"\b1111\b",), "card [card-1]"),
        ("card 4111 1111 1111 1111", (r"card \d+",), "[card-1]"),
        ("password: tulip2024 ok", ("pass",), "[own-1]word: [password-1] ok"),
        ("DE89 3704 0044 0532 0130 00 x", (r"0130 00 x",), "[iban-1]"),
        ("call 0170 1234567", (r"1234",), "call 0170 [own-1]567"),
    ]
)
def test_matches_that_overlap_are_hidden_as_one(text: str, patterns: tuple[str, ...], sent: str) -> None:
    """Under the kind of the surest; a built-in detector is surer than a pattern of the user."""
    redaction = Redactor(RedactionSettings(patterns=patterns)).begin([text])
    assert redaction.hide(text) == sent
    assert redaction.restore(sent) == text


def test_a_secret_within_a_match_of_the_user_is_one_elsewhere() -> None:
    """The password alone is known, not only the longer text that a pattern of the user hides with it."""
    texts = ["wifi password: tulip2024", "I type tulip2024 here"]
    redaction = Redactor(RedactionSettings(patterns=(r"wifi.*",))).begin(texts)
    assert [redaction.hide(text) for text in texts] == ["[password-1]", "I type [password-2] here"]


def test_a_secret_is_one_wherever_it_stands() -> None:
    """Known as a password in one message, it is hidden in the next."""
    texts = ["my password: tulip2024, remember", "so I type tulip2024?"]
    redaction = PLAIN.begin(texts)
    assert [redaction.hide(text) for text in texts] == [
        "my password: [password-1] remember",
        "so I type [password-2]?",
    ]
    assert redaction.restored({"facts": [{"quote": "I type [password-2]", "n": 1}]}) == {
        "facts": [{"quote": "I type tulip2024", "n": 1}]
    }


def test_hiding_can_be_turned_off() -> None:
    """For a model on one's own machine."""
    text = "4111 1111 1111 1111"
    assert Redactor(RedactionSettings(enabled=False)).begin([text]).hide(text) == text


def test_disorder_is_measured() -> None:
    """Random letters, not words, not counting."""
    assert looks_random("Zq3vX9kLm2PwT7sRb4Yc")
    assert not looks_random("Aa1Aa1Aa1Aa1Aa1Aa1Aa1")
    assert not looks_random("thequickbrownfoxjumps")


@pytest.mark.slow
@pytest.mark.parametrize("size", [20_000])
def test_long_texts_take_no_longer_than_their_length_asks(size: int) -> None:
    """Runs that almost match, of any kind, end: none of the patterns goes back and forth without bound."""
    for run in ("1", "1 ", "a1", "Ab1", "eyJaaaaaaaa.", "DE89 ", "a@", "-----BEGIN PRIVATE KEY", "password: "):
        text = (run * size)[:size]
        redaction = ALL.begin([text])
        assert redaction.restore(redaction.hide(text)) == text
