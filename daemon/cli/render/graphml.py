"""The graph as GraphML (http://graphml.graphdrawing.org/specification.html), for programs that draw and count graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 has no way to write; U+FFFD stands for them."""
_NODE = {"id": "string", "name": "string", "kind": "string", "basis": "string", "count": "int", "messages": "string"}
_EDGE = {"kind": "string", "count": "int", "first": "string", "last": "string", "messages": "string", "facts": "string"}


def graphml_lines(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield a document with all nodes and edges; ids of messages and facts are divided by blanks.

    Edges are directed, since readers refuse both in one graph: `writes_with` says the same in both directions.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for domain, columns in (("node", _NODE), ("edge", _EDGE)):
        for name, kind in columns.items():
            yield f'  <key id="{domain}-{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph id="memd" edgedefault="directed">'
    numbers: dict[str, int] = {}
    for node in body["nodes"]:
        numbers[node["id"]] = len(numbers)
        yield f'    <node id="n{numbers[node["id"]]}">{_data("node", _NODE, node)}</node>'
    for number, edge in enumerate(body["edges"]):
        ends = f'source="n{numbers[edge["source"]]}" target="n{numbers[edge["target"]]}"'
        yield f'    <edge id="e{number}" {ends}>{_data("edge", _EDGE, edge)}</edge>'
    yield "  </graph>"
    yield "</graphml>"


def _data(domain: str, columns: Mapping[str, str], values: Mapping[str, Any]) -> str:
    return "".join(f'<data key="{domain}-{name}">{_text(values[name])}</data>' for name in columns)


def _text(value: Any) -> str:  # noqa: ANN401 - of JSON
    text = " ".join(value) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType]
    # A carriage return would be read as a line feed.
    return escape(_NO_XML.sub("\ufffd", text)).replace("\r", "&#13;")
