"""Says what real servers the tests ran against, and what they left out because it is not here: the last words of `make test`."""

from __future__ import annotations

from memd.tests.connectors.live.imap import cyrus, dovecot, greenmail
from memd.tests.systemd.machine import obstacle
from memd.tests.weaviate_server import node

if __name__ == "__main__":
    lines = [
        dovecot.why_not() or "tested against Dovecot",
        cyrus.why_not() or "tested against Cyrus",
        greenmail.why_not() or "tested against GreenMail",
        node.why_not() or "tested against Weaviate",
        f"NOT TESTED under a systemd of its own: {why}" if (why := obstacle()) else "tested under systemd",
    ]
    print(*lines, sep="\n")  # noqa: T201 - for whoever runs it
