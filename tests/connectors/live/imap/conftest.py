"""A Dovecot for each file of tests, and an account on it for each test."""

from __future__ import annotations

from collections.abc import Generator
from hashlib import sha256

import pytest

from memd.tests.connectors.live.imap.dovecot import Account, Dovecot


@pytest.fixture(scope="module")
def dovecot(tmp_path_factory: pytest.TempPathFactory) -> Generator[Dovecot]:
    """A server."""
    with Dovecot(tmp_path_factory.mktemp("dovecot")) as found:
        yield found


@pytest.fixture
def account(dovecot: Dovecot, request: pytest.FixtureRequest) -> Account:
    """An empty account of this test's own."""
    return Account(dovecot, f"ann-{sha256(request.node.name.encode()).hexdigest()[:8]}")
