"""HTML: saved pages (.html, SingleFile) and web archives (.mht, .mhtml)."""

from .connector import HtmlConnector

__all__ = ["HtmlConnector"]
