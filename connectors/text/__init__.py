"""The steps from bytes to text, lines, HTML, JSON, CSV and XML; independent of formats."""
