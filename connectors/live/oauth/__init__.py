"""OAuth 2.0 as a program on a person's own machine uses it (RFC 8252): who reads an account without knowing its password.

Without I/O: ``grants`` (requests of tokens, their answers and errors), ``authorization`` (RFC 7636 and the address that a browser
opens). With I/O: ``endpoint`` (one request), ``loopback`` and ``device`` (the two ways to log in), ``token_source`` (access tokens
out of a refresh token that changes), ``renewing_account`` (an account that is read with them).
"""

from .device import log_in_by_device
from .grants import Client, Provider, Tokens
from .loopback import log_in_by_browser
from .renewing_account import RenewingAccount
from .token_source import TokenSource

__all__ = ["Client", "Provider", "RenewingAccount", "TokenSource", "Tokens", "log_in_by_browser", "log_in_by_device"]
