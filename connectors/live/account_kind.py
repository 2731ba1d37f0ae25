"""The description of a kind of account, which lies with each kind.

Every start of `memd` imports it, so it uses the standard library alone, and tuples, which are made faster than data classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple


class Flag(NamedTuple):
    """A flag of `memd sources` that makes a setting of an account."""

    option: str
    """The flag as it is written: ``--ca-file``."""
    setting: str
    """The key that it sets in a table ``[[sources]]``."""
    help: str
    """The text of `memd sources add --help`; empty if the flag only changes an account."""
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    holds: Literal["text", "number", "file", "texts"] = "text"
    """The type of the value; a flag of several texts is repeated."""
    help_of_change: str = ""
    """The text of `memd sources set --help`, if it is another."""
    required: bool = False
    """True if the setting has no default."""

    @property
    def attribute(self) -> str:
        """Return the name of its value among the parsed arguments."""
        return self.option.removeprefix("--").replace("-", "_")


FOLDER = Flag(
    "--folder", "folders", "read this folder (of Slack: conversation) alone; may be repeated", "NAME", holds="texts"
)
API_URL = Flag(
    "--api-url", "api_url", "a Bot API server of your own, instead of Telegram's; of Slack, its Web API", "URL"
)

TOKEN_FILE = Flag(
    "--token-file", "token_file", "", "FILE", holds="file", help_of_change="read the token from this file at each login"
)


class Secret(NamedTuple):
    """A secret of an account, which is never in the configuration; the setting ``<name>_file`` names a file that holds it."""

    name: str
    where: str
    """A description of the secret and the place to find it, for the prompt."""
    title: str = ""
    """The name for people, if it is another."""
    help: str = ""
    """The text of the flag ``--<name>-file``; the first secret of each kind needs none."""


class AccountKind(NamedTuple):
    """One kind of account. Two accounts of a kind are the same if ``host``, ``user`` and ``api_url`` are: else a cursor and a
    stored secret are invalid.
    """

    name: str
    title: str
    """The name for people: ``mail by IMAP``."""
    settings: str
    """The model of its keys in a table ``[[sources]]``, besides those that every source has: ``module:class``."""
    connector: str
    """The function that makes a connector from settings, secrets by name and read options: ``module:function``."""
    secrets: tuple[Secret, ...]
    """Its secrets. `memd sources login` asks for the first, without which no login is possible."""
    oauth_secrets: tuple[str, ...] = ()
    """The names of its secrets if it logs in by OAuth, instead of ``secrets``; empty if it cannot."""
    flags: tuple[Flag, ...] = ()
    locate: Callable[[str, str], Mapping[str, Any]] | None = None
    """A function that returns the settings which WHERE and ``--host`` name; none if they name no account. Without a
    function, WHERE is only a name.
    """
    example: str = ""
    """An example of WHERE, for a hint."""
    schedule: str = ""
    """The default schedule; empty: every night."""
    one_connector: bool = False
    """True if the same connector is watched and pulled, because pulling needs what watching has received."""
    part: str = "folder"
    """The name for people of a part of an account."""
    manifest: str = ""
    """The path of a file that describes the app to register with the service; ``--manifest`` prints it."""

    @property
    def secret_names(self) -> tuple[str, ...]:
        """Return the names of its secrets if it does not log in by OAuth."""
        return tuple(each.name for each in self.secrets)
