"""What servers say: sessions written by hand after the RFCs and the shapes of Dovecot, Cyrus, GreenMail and Gmail."""

from __future__ import annotations


def literal(data: bytes, mark: bytes = b"") -> bytes:
    """Bytes with their number before them."""
    return mark + b"{%d}\r\n" % len(data) + data


HEADERS = b"Message-ID: <a@example.org>\r\nDate: Mon, 1 Jan\r\n\r\n"

DOVECOT = (
    b"* OK [CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ AUTH=PLAIN AUTH=XOAUTH2] Dovecot ready.\r\n"
    b"a1 OK [CAPABILITY IMAP4rev1 SASL-IR ENABLE IDLE UIDPLUS ESEARCH CONDSTORE QRESYNC LIST-STATUS SPECIAL-USE "
    b"COMPRESS=DEFLATE LITERAL+ NOTIFY] Logged in\r\n"
    b"* ENABLED CONDSTORE QRESYNC\r\n"
    b"a2 OK Enabled (0.001 + 0.000 secs).\r\n"
    b'* LIST (\\HasNoChildren \\Sent) "/" Sent\r\n'
    b"* STATUS Sent (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 1700000001 HIGHESTMODSEQ 7)\r\n"
    b'* LIST (\\HasChildren) "." "Arbeit &- Reise.&ANw-bersicht"\r\n'
    b"* LIST (\\NoSelect \\HasNoChildren) NIL " + literal(b'Odd "name') + b"\r\n"
    b"a3 OK List completed.\r\n"
    b"* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft $Forwarded)\r\n"
    b"* OK [PERMANENTFLAGS ()] Read-only mailbox.\r\n"
    b"* 3 EXISTS\r\n* 0 RECENT\r\n"
    b"* OK [UIDVALIDITY 1700000001] UIDs valid\r\n* OK [UIDNEXT 12] Predicted next UID\r\n"
    b"* OK [HIGHESTMODSEQ 18446744073709551615] Highest\r\n"
    b"* VANISHED (EARLIER) 1:4,7,9:10\r\n"
    b"* 1 FETCH (UID 5 FLAGS (\\Seen NonJunk) MODSEQ (24))\r\n"
    b"a4 OK [READ-ONLY] Examine completed (0.001 + 0.000 secs).\r\n"
    b'* 1 FETCH (UID 5 RFC822.SIZE 421 BODYSTRUCTURE (("text" "plain" ("charset" "utf-8") NIL NIL "8bit" 12 1 NIL NIL NIL '
    b'NIL)("text" "html" ("charset" "utf-8") NIL NIL "quoted-printable" 120 4 NIL ("inline" NIL) NIL NIL) "alternative" '
    b'("boundary" "b1") NIL NIL NIL))\r\n'
    b"* 2 FETCH (UID 6 BODY[HEADER.FIELDS (MESSAGE-ID DATE)] "
    + literal(HEADERS)
    + b" BODY[1]<0> "
    + literal(b"Hi \xc3\xa4\r\n{5}\r\n")
    + b")\r\n"
    b'* 3 FETCH (UID 8 BINARY[1.2] ~{4}\r\n\x00)\r\n BODY[2] NIL BODY[3] "a \\"quote\\" and \\\\")\r\n'
    b"a5 OK Fetch completed.\r\n"
    b'* ESEARCH (TAG "a6") UID MIN 5 COUNT 3 ALL 5:6,8\r\n'
    b"a6 OK Search completed.\r\n"
    b"+ idling\r\n* OK Still here\r\n* 4 EXISTS\r\na7 OK Idle completed.\r\n"
    b"a8 NO [LIMIT] Too many {5}\r\n"
    b"* BYE [UNAVAILABLE] Server shutting down.\r\n"
)

CYRUS = (
    b"* OK [CAPABILITY IMAP4rev1 LITERAL- ID ENABLE AUTH=PLAIN SASL-IR] imap.example.org Cyrus IMAP 3.6.1 server ready\r\n"
    b"C1 OK [CAPABILITY IMAP4rev1 OBJECTID CONDSTORE QRESYNC ESEARCH] User logged in SESSIONID=<x-1-2-3>\r\n"
    b"* STATUS INBOX (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 170 MAILBOXID (\xf0\x9f\x01x))\r\n"
    b'* STATUS "Work Items" (MESSAGES 1 MAILBOXID (2eb8-fa_1))\r\n'
    b"* OK [HIGHESTMODSEQ 9] Ok\r\n* OK [MAILBOXID (2eb8-fa_1)] Ok\r\n"
    b'* 1 FETCH (UID 1 EMAILID (Mabc) THREADID NIL ENVELOPE ("Mon, 15 Jan 2024 12:00:00 +0000" '
    + literal(b'Sub "ect')
    + b' ((NIL NIL "ann" "example.org")) NIL NIL (("Bob" NIL "bob" "example.org")) NIL NIL NIL "<m1@example.org>"))\r\n'
    b"C2 OK Completed (0.000 sec)\r\n"
)

GREENMAIL = (
    b"* OK IMAP4rev1 Server GreenMail v2.1.7 ready\r\n"
    b"* CAPABILITY IMAP4rev1 LITERAL+ UIDPLUS SORT IDLE MOVE QUOTA\r\n"
    b"g1 OK CAPABILITY completed.\r\n"
    b"g2 NO LOGIN failed. Invalid login/password for user id alice\r\n"
    b"* SEARCH 1 2 3 7\r\ng3 OK SEARCH completed.\r\n* SEARCH\r\ng4 OK SEARCH completed.\r\n"
    b"* SEARCH 4 2 (MODSEQ 917162500)\r\n"
    b"* 2 FETCH (FLAGS (\\Recent \\Seen) UID 2)\r\n"
    b"* 1 EXPUNGE\r\n"
    b"g5 BAD Command argument error\r\n"
)

GMAIL = (
    b"* OK Gimap ready for requests from 192.0.2.1 abc\r\n"
    b'* LIST (\\All \\HasNoChildren) "/" "[Gmail]/Alle Nachrichten"\r\n'
    b'* 7 FETCH (X-GM-THRID 1278455344230334865 X-GM-MSGID 1278455344230334866 X-GM-LABELS ("\\\\Inbox" "\\\\Sent" '
    b"Muy&AOE- {5}\r\n(odd) caf\xc3\xa9) UID 41 BODY[] {0}\r\n)\r\n"
    b"+ eyJzdGF0dXMiOiI0MDAifQ==\r\n+\r\n"
    b"g1 NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)\r\n"
    b'* 8 FETCH (UID 42 BODYSTRUCTURE (("text" "plain"))\r\n'
    b"g2 OK Success\r\n"
)

ALL = {"dovecot": DOVECOT, "cyrus": CYRUS, "greenmail": GREENMAIL, "gmail": GMAIL}
