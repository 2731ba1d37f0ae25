"""Prints which real servers are available to the tests, and which tests are left out without them: the end of `make test`."""

from __future__ import annotations

from memd.tests.connectors.live.imap import cyrus, dovecot, greenmail
from memd.tests.mcp import conformance
from memd.tests.systemd.machine import obstacle
from memd.tests.weaviate_server import node

if __name__ == "__main__":
    lines = [
        dovecot.why_not() or "available to the tests: Dovecot",
        cyrus.why_not() or "available to the tests: Cyrus",
        greenmail.why_not() or "available to the tests: GreenMail",
        node.why_not() or "available to the tests: Weaviate",
        conformance.why_not() or "available to the tests: the conformance suite of the Model Context Protocol",
        f"NOT TESTED under a systemd of its own: {why}" if (why := obstacle()) else "available to the tests: systemd",
    ]
    print(*lines, sep="\n")  # noqa: T201 - for whoever runs it
