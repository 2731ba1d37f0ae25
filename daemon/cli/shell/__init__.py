"""What shells and `man` know of the command: completion scripts and a page, made of its parser."""
