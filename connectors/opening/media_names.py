"""The type of a file that came with a message, by its name, and the placeholder for it. Pure."""

from __future__ import annotations

from urllib.parse import unquote

# The types that matter to a reader; other files have none.
_TYPES = {
    "image": "avif bmp gif heic jpeg jpg png svg webp",
    "video": "3gp avi m4v mkv mov mp4 webm",
    "audio": "aac flac m4a mp3 ogg opus wav",
}
_SPELLINGS = {"jpg": "jpeg", "svg": "svg+xml", "mov": "quicktime", "mp3": "mpeg", "3gp": "3gpp"}
_MIMES = {
    ending: f"{kind}/{_SPELLINGS.get(ending, ending)}" for kind, endings in _TYPES.items() for ending in endings.split()
}
_WORDS = {"image": "[photo]", "video": "[video]", "audio": "[audio]"}


def mime_of(name: str) -> str | None:
    """Return the type of a picture, sound or film by the ending of its name; None for other files."""
    return _MIMES.get(name.rpartition(".")[2].casefold())


def word_of(mime: str | None) -> str:
    """Return the placeholder text of a message that consists of a file alone."""
    return _WORDS.get((mime or "").partition("/")[0], "[file]")


def name_in(address: str) -> str:
    """Return the name of the file that a path or an address leads to."""
    path = address.partition("?")[0].partition("#")[0] if is_remote(address) else address
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return unquote(name) if is_remote(address) else name


def is_remote(address: str) -> bool:
    """Return whether an address points outside the export."""
    return address.startswith(("http://", "https://"))
