"""Chats with language models: the exports of ChatGPT, Claude, Gemini, Grok, DeepSeek and Open WebUI, and sessions of coding agents."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "chatgpt",
        rank=220,
        connector=f"{__name__}.chatgpt:ChatGPTConnector",
        reads="ChatGPT: the data export (conversations.json)",
        leaves_out="answers that were made anew, pictures and sounds",
        own_files=("chat.html",),
    ),
    Format(
        "claude",
        rank=230,
        connector=f"{__name__}.claude:ClaudeConnector",
        reads="Claude: the data export (conversations, projects, memories)",
        leaves_out="artifacts as pages of their own, pictures",
        pieces=r"(?:conversations|design_chats|memories|projects|users)-\d{3,}",  # beside a manifest
    ),
    Format(
        "gemini",
        rank=240,
        connector=f"{__name__}.gemini:GeminiConnector",
        reads="Gemini: My Activity of Google Takeout as JSON or HTML, conversations of Workspace accounts",
        leaves_out="which prompts were one conversation, where Google does not tell",
    ),
    Format(
        "grok",
        rank=242,
        connector=f"{__name__}.other_models:GrokConnector",
        reads="Grok: the data export (prod-grok-backend.json)",
        leaves_out="pictures, projects, tasks",
    ),
    Format(
        "deepseek",
        rank=244,
        connector=f"{__name__}.other_models:DeepSeekConnector",
        reads="DeepSeek: the data export (conversations.json)",
        leaves_out="answers that were made anew, files",
    ),
    Format(
        "openwebui",
        rank=246,
        connector=f"{__name__}.other_models:OpenWebUIConnector",
        reads="Open WebUI: exported chats (JSON)",
        leaves_out="answers that were made anew, files",
    ),
    Format(
        "claude_code",
        rank=248,
        connector=f"{__name__}.agent_sessions:ClaudeCodeConnector",
        reads="Claude Code: sessions (.jsonl in ~/.claude/projects)",
        leaves_out="what the agents of a session say to each other",
    ),
    Format(
        "codex",
        rank=249,
        connector=f"{__name__}.agent_sessions:CodexConnector",
        reads="Codex: sessions (rollout-….jsonl in ~/.codex/sessions)",
        leaves_out="instructions that the program writes in the user's name",
    ),
    Format(
        "gemini_cli",
        rank=252,
        connector=f"{__name__}.agent_sessions:GeminiCLIConnector",
        reads="Gemini CLI: sessions (in ~/.gemini/tmp)",
        leaves_out="what was taken back, messages of the program",
    ),
    Format(
        "copilot_cli",
        rank=254,
        connector=f"{__name__}.agent_sessions:CopilotCLIConnector",
        reads="Copilot CLI: sessions (events.jsonl in ~/.copilot/session-state)",
        leaves_out="what the program notes about itself",
    ),
)
