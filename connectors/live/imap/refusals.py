"""Map a refusal of the server to an error of the right class. No I/O."""

from __future__ import annotations

import re

from ....schemas.errors import SourceError
from ...errors import AuthorizationError, RateLimitError, UnavailableError
from .responses import Status

THROTTLED = frozenset({"LIMIT", "UNAVAILABLE", "INUSE", "THROTTLED", "OVERQUOTA"})
"""Codes of a server that wants to be asked later. Only Gmail says OVERQUOTA to one who reads: of its limit of bytes a day."""
_LONGEST = 200
_ADDRESS = re.compile(r"[^\s<>()\"']+@[^\s<>()\"']+")


class CommandRefusedError(UnavailableError):
    """The server refused a command. ``code`` is the reason, if the server gave it: NONEXISTENT, NOPERM."""

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


def is_throttled(status: Status) -> bool:
    """Return whether the server demands that the client retry later."""
    return status.kind != "OK" and status.code is not None and status.code.name in THROTTLED


def refused_command(doing: str, status: Status) -> SourceError:
    """Return the error for a command that ended with NO or BAD. It contains only the code, since the text may name a
    folder.

    Args:
        doing: the command's name.
        status: its end.
    """
    code = status.code.name if status.code else ""
    if is_throttled(status):
        return RateLimitError(f"the server wants to be asked later: [{code}] for {doing}")
    if status.kind == "NO" and code in ("AUTHORIZATIONFAILED", "PRIVACYREQUIRED", "EXPIRED"):
        return AuthorizationError(f"the server does not permit {doing}: [{code}]")
    return CommandRefusedError(f"the server refused {doing}" + (f" [{code[:40]}]" if code else ""), code=code)


def refused_login(status: Status, user: str = "", hint: str = "") -> SourceError:
    """Return the error for a refused login. It quotes the server's text, often the only explanation, but without
    addresses and the account's name.
    """
    if status.kind == "NO" and not (status.code and status.code.name in (*THROTTLED, "SERVERBUG")):
        return AuthorizationError(f"the server refused the login{_quoted(status, user)}", hint=hint)
    return refused_command("the login", status)


def goodbye(status: Status, user: str = "") -> SourceError:
    """Return the error for a connection that the server closes by itself."""
    if status.code and status.code.name in THROTTLED:
        return RateLimitError(f"the server wants to be asked later{_quoted(status, user)}")
    return UnavailableError(f"the server closed the connection{_quoted(status, user)}")


def _quoted(status: Status, user: str) -> str:
    """Return the server's message to people, without addresses and the account's name, since it goes into logs."""
    text = _ADDRESS.sub("…", "".join(each if each.isprintable() else " " for each in status.text[: 4 * _LONGEST]))
    if user:
        text = re.sub(re.escape(user), "…", text, flags=re.IGNORECASE)
    text = " ".join(text.split())
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    message = f"[{status.code.name[:40]}] {short}" if status.code else short
    return f': "{message.strip()}"' if message.strip() else ""
