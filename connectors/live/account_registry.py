"""The kinds of accounts: each folder here that describes one. Imports the standard library alone, for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules

from .. import live
from .account_kind import AccountKind, Flag, Secret
from .oauth.presets import OAUTH_FLAGS


def _kinds() -> Iterator[AccountKind]:
    for module in iter_modules(live.__path__):
        if module.ispkg and (kind := getattr(import_module(f"{live.__name__}.{module.name}"), "ACCOUNT", None)):
            yield kind


ACCOUNT_KINDS: Mapping[str, AccountKind] = {kind.name: kind for kind in _kinds()}
ACCOUNT_FLAGS: Sequence[Flag] = sorted(
    dict.fromkeys(flag for kind in ACCOUNT_KINDS.values() for flag in kind.flags), key=OAUTH_FLAGS.__contains__
)
"""The flags of all kinds, each once; those of the login by OAuth are the last."""
FIRST_SECRETS: tuple[str, ...] = tuple(dict.fromkeys(kind.secrets[0].name for kind in ACCOUNT_KINDS.values()))
"""The names of the secrets that log in."""
MORE_SECRETS: tuple[Secret, ...] = tuple(secret for kind in ACCOUNT_KINDS.values() for secret in kind.secrets[1:])
