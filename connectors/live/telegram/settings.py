"""The settings of a bot of Telegram."""

from __future__ import annotations

from ....schemas.settings import AbsolutePath, PrintableText, Section


class TelegramSettings(Section):
    """A bot of Telegram."""

    api_url: PrintableText | None = None
    """A Bot API server of one's own; by default Telegram's."""
    token_file: AbsolutePath | None = None
    """A file that holds the token of the bot, readable by its owner alone; by default what `memd sources login` stored."""
