"""Transcripts and captions of video calls: WebVTT, SubRip, SBV, and the text forms of Google Meet, Otter and Zoom."""

from .connector import TranscriptsConnector

__all__ = ["TranscriptsConnector"]
