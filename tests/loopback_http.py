"""The HTTP server of the stand-ins: clients may go when they like, and nothing is printed of it from another thread."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class LoopbackHTTPServer(ThreadingHTTPServer):
    """Listens on a loopback port, a thread for each connection.

    Args:
        handler: answers the requests.
        port: 0 for any that is free.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of errors but for clients that are gone. Python 3.11 parses code to print a traceback, and parsing in two
        threads at once is a SystemError there.
        """
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
