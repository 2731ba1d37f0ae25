"""A standalone parser of mailboxes.

It needs no other part of memd::

from memd.connectors.formats.mail.mailbox import parse_message, split_mbox

with open("mail.mbox", "rb") as stream:
        for raw in split_mbox(stream):
            mail = parse_message(raw.data, envelope=raw.envelope)
            print(mail.subject, mail.reply_text)

`raw_messages` reads any container (mbox, .eml, .emlx), `parse_message` parses one mail, `segment_text` splits its text,
`html_to_text` converts HTML; `threads_of` groups mails into threads. docs/mail.md describes all of it.
"""

from ...text.html.quoted import HtmlText, html_to_text
from .containers import raw_messages
from .content import MailError
from .headers import Address, Headers
from .mbox import RawMail, split_mbox
from .message import MailMessage, parse_message
from .segments import MailSegment, segment_text
from .threads import MailThread, threads_of

__all__ = [
    "Address",
    "Headers",
    "HtmlText",
    "MailError",
    "MailMessage",
    "MailSegment",
    "MailThread",
    "RawMail",
    "html_to_text",
    "parse_message",
    "raw_messages",
    "segment_text",
    "split_mbox",
    "threads_of",
]
