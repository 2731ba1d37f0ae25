"""Chats with language models: the exports of ChatGPT, Claude and Gemini."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "chatgpt",
        rank=220,
        connector=f"{__name__}.chatgpt:ChatGPTConnector",
        reads="ChatGPT: the data export (conversations.json)",
        leaves_out="answers that were made anew, pictures and sounds",
        own_page="chat.html",
    ),
    Format(
        "claude",
        rank=230,
        connector=f"{__name__}.claude:ClaudeConnector",
        reads="Claude: the data export (conversations, projects, memories)",
        leaves_out="artifacts as pages of their own, pictures",
    ),
    Format(
        "gemini",
        rank=240,
        connector=f"{__name__}.gemini:GeminiConnector",
        reads="Gemini: My Activity of Google Takeout as JSON or HTML, conversations of Workspace accounts",
        leaves_out="which prompts were one conversation, where Google does not tell",
    ),
)
