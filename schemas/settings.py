"""Groups of settings, and the values in them that have rules of their own. No I/O."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError


def _without_nul(value: Path) -> Path:
    """Refuse a NUL, which no system call accepts: the error would come at the first use, far from here."""
    if "\0" in str(value):
        raise ValueError("holds a NUL, which no path may")
    return value


def _absolute(value: Path) -> Path:
    try:
        value = value.expanduser()
    except RuntimeError:
        raise ValueError("begins with ~, and there is no home folder") from None
    if not value.is_absolute():
        raise ValueError("must be an absolute path")
    return value


def _printable(value: str) -> str:
    if not (value.strip() and value.isprintable()):
        raise ValueError("is empty, or has characters that do not print")
    return value


def http_address(value: str, section: str, example: str, *, path: bool = True) -> str:
    """Return the address of a server without a slash at its end.

    Args:
        value: the address as it was set.
        section: the section of the settings, whose keys for the API key an error names.
        example: a usable address.
        path: True if it may have a path.

    Raises:
        ValueError: it is no address of HTTP, or holds a password or a query.
    """
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        raise ValueError("is no address") from None
    if not usable or (parts.path.strip("/") and not path):
        raise ValueError(f"must be an address like {example}")
    if parts.username or parts.password or parts.query:
        raise ValueError(f"must hold no key; set {section}.api_key_file or {section}.api_key_env")
    return value.rstrip("/")


UsablePath = Annotated[Path, AfterValidator(_without_nul)]
"""Any path in a setting, existing or not."""
AbsolutePath = Annotated[UsablePath, AfterValidator(_absolute)]
PrintableText = Annotated[str, AfterValidator(_printable)]


class Section(BaseModel):
    """A group of settings; frozen, and closed: an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse ``true`` for a number, which pydantic would accept as 1."""
        wanted = str(cls.model_fields[str(info.field_name)].annotation) if isinstance(value, bool) else ""
        if re.search(r"\bfloat\b", wanted):
            raise PydanticKnownError("float_type")
        if re.search(r"\bint\b", wanted):
            raise PydanticKnownError("int_type")
        return value
