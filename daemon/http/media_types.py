"""The media types of the API's answers."""

JSON = "application/json"
LINES = "application/jsonl"
EVENTS = "text/event-stream"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
"""The text format of Prometheus."""
