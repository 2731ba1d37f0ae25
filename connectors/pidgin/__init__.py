"""Pidgin: the conversations that it and other programs with libpurple (Finch, Gaim, bitlbee) log as text and HTML."""

from .connector import PidginConnector

__all__ = ["PidginConnector"]
