"""IMAP4rev1 (RFC 3501) as a client that only reads. The files that read responses do no I/O.

``frames`` cuts bytes into responses, ``values`` and ``responses`` take a response apart, ``reader`` is both;
``body_structure``, ``uid_set`` and ``mailbox_names`` read single values.
"""

from .reader import ResponseReader

__all__ = ["ResponseReader"]
