"""IMAP4rev1 (RFC 3501) as a client that only reads. It is no kind of source yet: nothing in the daemon uses it.

Without I/O: ``frames`` cuts bytes into responses, ``values`` and ``responses`` take a response apart, ``reader`` is both;
``body_structure``, ``uid_set`` and ``mailbox_names`` read single values; ``commands`` writes commands; ``refusals`` turns a
refusal into an error. With I/O: ``transport`` (TCP, TLS, compression), ``connection`` (commands, answers, IDLE) and ``login``.
"""

from .connection import Connection, Done
from .login import Credentials, open_connection
from .reader import ResponseReader
from .transport import Server

__all__ = ["Connection", "Credentials", "Done", "ResponseReader", "Server", "open_connection"]
