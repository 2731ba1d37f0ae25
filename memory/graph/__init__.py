"""People, places, organisations and things, and what connects them: derived from facts and messages, stored nowhere."""
