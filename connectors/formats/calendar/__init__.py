"""Calendars (.ics): each event, with all its times, is one timeline."""

from .connector import CalendarConnector

__all__ = ["CalendarConnector"]
