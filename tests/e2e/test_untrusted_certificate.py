"""`memd sources add` with a server whose certificate nobody who is trusted has signed."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.tests.connectors.live.imap.scripted_server import certificate

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow


def test_an_untrusted_certificate_is_told_as_nothing_read(memd: Memd, tmp_path: Path) -> None:
    """Not as partly done; the hint says what to set."""
    _, context = certificate(tmp_path, "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with suppress(OSError):
                while True:  # until the listener is shut down
                    connection, _ = listener.accept()
                    with suppress(OSError), context.wrap_socket(connection, server_side=True):
                        pass

        threading.Thread(target=answer, daemon=True).start()
        port = str(listener.getsockname()[1])
        words = ["sources", "add", "imap", "ann@127.0.0.1", "--port", port, "--yes"]
        refused = memd(*words, stdin=b"x\n")
        listener.shutdown(socket.SHUT_RDWR)
    assert (refused.returncode, b"not trusted" in refused.stderr, b"ca_file" in refused.stderr) == (3, True, True)
