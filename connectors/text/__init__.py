"""From bytes to text, lines, HTML, JSON, CSV and XML; nothing here knows a format."""
