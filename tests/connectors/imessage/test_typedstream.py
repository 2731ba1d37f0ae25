"""Attributed strings of Messages, as NSArchiver writes them, with the attributes that its versions know."""

from __future__ import annotations

from memd.connectors.formats.imessage.typedstream import attributed_text, heard_words
from memd.tests.cases import for_each
from memd.tests.connectors.imessage.databases import counted, database, messages, read, said, stream

MARK = "\N{OBJECT REPLACEMENT CHARACTER}"
NUMBER = b"\x92\x84\x84\x84\x08NSNumber\x00\x84\x84\x07NSValue\x00\x94\x84\x01*\x84\x99\x99"
PART = {"__kIMMessagePartAttributeName": NUMBER + b"\x00\x86\x86"}
LINK = (
    b"\x92\x84\x84\x84\x05NSURL\x00\x94\x84\x01c\x00\x92\x84\x96\x96" + counted("https://x.org/NSString") + b"\x86\x86"
)
OTHER_STRING = b"\x92\x84\x84\x84\x0fNSMutableString\x01\x96\x96"


@for_each(
    [
        ("0123456789", {}),
        (f"{MARK}35123", {"__kIMFileTransferGUIDAttributeName": "at_0_G"}),
        (MARK, {"__kIMInlineMediaWidthAttributeName": NUMBER + b"\x81\xdc\x05\x86\x86"}),
        (f"{MARK}Two {MARK}of them", {"__kIMFilenameAttributeName": "a NSString.jpeg"}),
        ("Ann, come", {"__kIMMentionConfirmedMention": "+4912345"}),
        ("Your code is 123456", {"__kIMOneTimeCodeAttributeName": "123456"}),
        ("https://x.org/NSString", {"__kIMLinkAttributeName": LINK}),
        ("ann@x.org or +49 123 45", {"__kIMDataDetectedAttributeName": LINK}),
        ("Tomorrow at five", {"__kIMCalendarEventAttributeName": b"\x92\x85"}),
        (
            "\N{WAVING HAND SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4} bold",
            {"__kIMTextBoldAttributeName": NUMBER + b"\x01\x86\x86"},
        ),
        ("\u200f\u202eweird\u2066 text\0", {"__kIMTextEffectAttributeName": NUMBER + b"\x05\x86\x86"}),
        ("\N{REPLACEMENT CHARACTER}", {"__kIMBaseWritingDirectionAttributeName": NUMBER + b"\xff\x86\x86"}),
        ("x" * 300 + " +\x86\x84", {"__kIMTextUnderlineAttributeName": NUMBER + b"\x01\x86\x86"}),
    ]
)
def test_the_text_is_read_whatever_attributes_follow(text: str, attributes: dict[str, str | bytes]) -> None:
    """Files, mentions, codes, links, dates, styles and effects: objects that hold strings of their own."""
    for mutable in (False, True):
        assert attributed_text(stream(text, mutable=mutable, attributes={**attributes, **PART})) == text


@for_each(["Yes", "I come at nine. \N{SAILBOAT}", "word " * 60])
def test_what_a_device_heard_in_a_voice_message_is_its_text(heard: str) -> None:
    """In place of the placeholder, however the class of the string is written."""
    for value in (heard, OTHER_STRING + counted(heard) + b"\x86"):
        body = stream(
            MARK, attributes={"__kIMFileTransferGUIDAttributeName": "F2", "IMAudioTranscription": value, **PART}
        )
        sound = {"guid": "F2", "filename": "Audio.caf", "mime_type": "audio/x-caf"}
        data = database([said("A", None, is_audio_message=1, attributedBody=body)], files=[(1, sound)])
        (found,) = messages(read({"chat.db": data}))
        assert (found.content, found.attachments[0].name) == (heard, "Audio.caf")
    assert heard_words(stream(MARK, attributes={"IMAudioTranscription": b"\x92\x85"})) == ""
    assert heard_words(stream(MARK)) == ""
