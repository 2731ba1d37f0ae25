"""OAuth 2.0 as a program on a person's own machine uses it (RFC 8252): who reads an account without knowing its password.

Without I/O: ``grants`` (requests of tokens, their answers and errors), ``authorization`` (RFC 7636 and the address that a browser
opens). With I/O: ``endpoint`` (one request), ``loopback`` and ``device`` (the two ways to log in), ``token_source`` (access tokens
out of a refresh token that changes), ``renewing_account`` (an account that is read with them).
"""
