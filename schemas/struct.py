"""The base of messages and their parts: structs of msgspec, because memd makes millions of them. Pure.

Compiled code converts and checks them. Values that it refuses go through a pydantic model with the same fields, which
mends what can be mended (a lone surrogate, a zone with seconds) and describes every error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
import orjson
from msgspec.structs import FieldInfo, fields
from pydantic import Field, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema, core_schema

from .model import Model
from .times import is_fixed_offset

S = TypeVar("S", bound="Struct")
_encode = msgspec.json.Encoder().encode
_AT_ONCE = 1000
"""The number of structs that are encoded at once: what is written is thrown away."""


class _ValidatingMeta(type(msgspec.Struct)):
    """Validates the arguments of a constructor; that of msgspec takes any value. `msgspec.convert` calls none."""

    if not TYPE_CHECKING:  # a type checker takes the fields for the parameters

        def __call__(cls, **values: object) -> Struct:
            return cls.model_validate(values)


class Struct(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
    metaclass=_ValidatingMeta,
):
    """The parent of messages and their parts. Frozen; an unknown key is an error; the wire form leaves out defaults."""

    @classmethod
    def model_validate(cls, values: object) -> Self:
        """Return the struct of plain data.

        Raises:
            pydantic.ValidationError: the data is not valid.
        """
        made = structs_of(cls, (values,))
        return made[0] if made else msgspec.convert(dict(_model_of(cls).model_validate(values)), cls)

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Return the struct of its wire form.

        Raises:
            pydantic.ValidationError: the JSON is no valid form of it.
        """
        return cls.model_validate(orjson.loads(data))

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form as plain dicts: RFC 3339 times, nothing that is empty or equal to its default."""
        return orjson.loads(_encode(self))

    def to_json(self) -> bytes:
        """Return one line of JSON in UTF-8, without the newline."""
        return _encode(self)

    @classmethod
    def zones_of(cls, structs: Sequence[Any]) -> set[tzinfo | None]:  # noqa: ARG003 - most have no times
        """Return the zones of all times in structs."""
        return set()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validated(value: object, validate: Callable[[object], Any]) -> Self:
            return value if type(value) is cls else msgspec.convert(dict(validate(value)), cls)

        return core_schema.no_info_wrap_validator_function(
            validated,
            handler.generate_schema(_model_of(cls)),
            serialization=core_schema.plain_serializer_function_ser_schema(cls.to_wire),
        )


def structs_of(struct: type[S], values: object) -> tuple[S, ...] | None:
    """Return valid structs of a list of plain data; None if any value must be mended or refused."""
    try:
        made = msgspec.convert(values, tuple[struct, ...])
        for begin in range(0, len(made), _AT_ONCE):
            _encode(made[begin : begin + _AT_ONCE])  # fails for lone surrogates and subclasses of str
    except (msgspec.ValidationError, UnicodeEncodeError, TypeError):
        return None
    return made if all(map(is_fixed_offset, struct.zones_of(made))) else None


@cache
def _model_of(struct: type[Struct]) -> type[Model]:
    """Return the pydantic model with the fields of a struct."""
    types: dict[str, Any] = {field.name: (field.type, _default(field)) for field in fields(struct)}
    return create_model(struct.__name__, __base__=Model, __doc__=struct.__doc__, __module__=struct.__module__, **types)


def _default(field: FieldInfo) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        return Field(default_factory=field.default_factory)
    return ... if field.required else field.default
