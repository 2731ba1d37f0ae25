"""The base of all models: frozen, closed, with valid Unicode strings and a JSON form without empty values."""

from __future__ import annotations

from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, core_schema

from .wording import NOT_BLANK


def valid_unicode(value: object) -> object:
    """Replace each lone surrogate by U+FFFD; values other than strings are returned unchanged."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


class _ValidUnicode:
    """Makes a string field take any string, by `valid_unicode`.

    pydantic sees by itself that a string has no lone surrogate, but only when it has to measure it; Python is called
    for the others alone. A call for every string was a tenth of reading an export.
    """

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        mended = core_schema.no_info_before_validator_function(valid_unicode, core_schema.str_schema())
        measured = core_schema.str_schema(min_length=0)
        return core_schema.union_schema([measured, mended], mode="left_to_right", custom_error_type="string_type")

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string"}


Text = Annotated[str, _ValidUnicode()]
Words = Annotated[Text, StringConstraints(strip_whitespace=True, pattern=NOT_BLANK)]
"""A text that is not blank, without blanks around it."""
Metadata = dict[Text, Text]


class Model(BaseModel):
    """The parent of all nouns. Frozen; an unknown key is an error; the wire form leaves out what is empty."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def to_wire(self) -> dict[str, Any]:
        """The JSON form as plain dicts: RFC 3339 times, nothing that is empty or equal to its default."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def to_json(self) -> bytes:
        """One line of JSON in UTF-8, without the newline."""
        return orjson.dumps(self.to_wire())

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Validate JSON of this noun's own wire form.

        Raises:
            pydantic.ValidationError: the JSON is no valid form of it.
        """
        return cls.model_validate(orjson.loads(data))
