"""One request to a provider: a form is posted, redirects are not followed, and the size of the answer is limited."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from ....schemas.errors import ConfigError
from ....schemas.secret_urls import usable_url
from ...errors import UnavailableError, UntrustedCertificateError
from .grants import Reply

PATIENCE_S = 20.0
LARGEST = 256 * 1024


class _FollowNothing(HTTPRedirectHandler):
    """Secrets go to the address that was named, and to no other."""

    def redirect_request(self, *_args: object, **_more: object) -> None:
        """Return None, so that a redirect is not followed."""


def post(url: str, form: Mapping[str, str], ca_file: Path | None = None) -> Reply:
    """Post a form; for a worker thread. An answer with a status of an error is an answer, too.

    Args:
        url: of the provider.
        form: by name.
        ca_file: certificates in PEM that are trusted beside the system's: the provider may be the user's own, or not.

    Raises:
        ConfigError: secrets cannot be sent to this address, or the certificates cannot be read.
        UntrustedCertificateError: nobody who is trusted signed the certificate; nothing was sent.
        UnavailableError: there is no whole answer.
    """
    if not usable_url(url):
        raise ConfigError("the address of a provider must begin with https://")
    request = Request(  # noqa: S310 - the scheme was looked at
        url, urlencode(form).encode(), {"Accept": "application/json", "User-Agent": "memd"}, method="POST"
    )
    opener = build_opener(_FollowNothing, HTTPSHandler(context=_context(ca_file)))
    try:
        with opener.open(request, timeout=PATIENCE_S) as answer:
            return _reply(answer.status, answer.headers, answer)
    except HTTPError as error:
        with error:
            return _reply(error.code, error.headers, error)
    except (URLError, OSError, http.client.HTTPException, socket.gaierror) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise UntrustedCertificateError(
                "the certificate of the provider of the login is not trusted",
                hint="if it is your own provider, let ca_file name the certificate of who signed it",
            ) from None
        raise UnavailableError(f"the provider of the login cannot be reached: {type(reason).__name__}") from None


def _context(ca_file: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError):
            problem = "the certificates of ca_file cannot be read"
            raise ConfigError(problem, hint="ca_file names a file of certificates in PEM") from None
    return context


def _reply(status: int, headers: Any, body: IO[bytes]) -> Reply:  # noqa: ANN401 - as the library names them
    try:
        content = body.read(LARGEST + 1)
    except (OSError, http.client.HTTPException):
        raise UnavailableError("the provider of the login ended its answer early") from None
    if len(content) > LARGEST:
        raise UnavailableError("the provider of the login answers without end")
    return Reply(status, {str(name).lower(): str(value) for name, value in headers.items()}, content)
