"""The formats that memd reads, one folder each: its connector, and everything that is known of the format."""
