"""Pidgin: the conversations that it and other programs with libpurple (Finch, Adium) log as text, HTML and XML."""

from .connector import PidginConnector

__all__ = ["PidginConnector"]
