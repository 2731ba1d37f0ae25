"""Chats with language models: the exports of ChatGPT, Claude and Gemini."""

from .chatgpt import ChatGPTConnector
from .claude import ClaudeConnector
from .gemini import GeminiConnector

__all__ = ["ChatGPTConnector", "ClaudeConnector", "GeminiConnector"]
