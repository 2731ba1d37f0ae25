"""IMAP4rev1 (RFC 3501) as a client that only reads.

Without I/O: ``frames`` cuts bytes into responses, ``values`` and ``responses`` take a response apart, ``reader`` is both;
``body_structure``, ``uid_set`` and ``mailbox_names`` read single values; ``commands`` writes commands; ``refusals`` turns a
refusal into an error; ``cursor`` is how far an account was read; ``large_mails`` leaves files out; ``mails`` makes documents.
With I/O: ``transport`` (TCP, TLS, compression), ``connection`` (commands, answers, IDLE), ``login``, ``folders``,
``open_folder``, ``fetching`` and ``window`` (what is new), ``account_owner`` (whose account it is), ``connector``.
"""
