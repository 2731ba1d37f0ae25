"""The settings of a workspace of Slack."""

from __future__ import annotations

from ....schemas.settings import AbsolutePath, PrintableText, Section


class SlackSettings(Section):
    """A workspace of Slack."""

    folders: tuple[str, ...] = ()
    """Names or ids of conversations that alone are read; by default all that the person is a member of."""
    api_url: PrintableText | None = None
    """The Web API; by default Slack's."""
    token_file: AbsolutePath | None = None
    """A file that holds the token of a person, readable by its owner alone; by default what `memd sources login` stored."""
    app_token_file: AbsolutePath | None = None
    """A file that holds the token of an app (``xapp-``), with which it is told at once what happens."""
