"""Media types of what the API answers."""

JSON = "application/json"
LINES = "application/jsonl"
EVENTS = "text/event-stream"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus' text format."""
