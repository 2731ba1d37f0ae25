"""Secrets that somebody gives a command: one line of a file or of standard input."""

from __future__ import annotations

import sys

from ..arguments import UsageError

_LONGEST = 64 * 1024


def read_secret(path: str, what: str, where: str = "") -> str:
    """Read a secret from the only line of a file; ``-`` is standard input.

    Raises:
        UsageError: there is none.
    """
    try:
        if path == "-":
            text = sys.stdin.read(_LONGEST)
        else:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the light path
                text = file.read(_LONGEST)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"what was given as the {what} is no text") from None
    return usable_secret(text, what, where)


def usable_secret(text: str, what: str, where: str = "") -> str:
    """One line without its end; ``where`` it is found is told where there is none.

    Raises:
        UsageError: it is none.
    """
    secret = text.removesuffix("\n").removesuffix("\r")
    if not secret.strip() or not secret.isprintable():
        hint = "it stands alone on one line, or is typed when it is asked for"
        raise UsageError(f"there is no {what}", f"{where}; {hint}" if where else hint)
    return secret
