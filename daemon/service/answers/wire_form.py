"""Describes dicts in answers that are the wire form of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema


@dataclass(frozen=True)
class WireOf:
    """The annotation of a dict that is the wire form of a type."""

    type: Any

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.type)
