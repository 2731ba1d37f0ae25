"""Small files of offices as programs write them: PDF, DOCX, EPUB."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def pdf(pages: Sequence[str], info: str = "") -> bytes:
    """A PDF whose pages show these lines."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{4 + 2 * i} 0 R' for i in range(len(pages)))}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        shown = "BT /F1 12 Tf 72 720 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in page.split("\n")) + " ET"
        resources = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {resources} /Contents {5 + 2 * number} 0 R >>".encode())
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream".encode())
    objects.append(f"<< {info} >>".encode())
    data = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = (
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    )
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode() + table + trailer.encode()


def packed(parts: Mapping[str, str]) -> bytes:
    """An archive of these parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """A DOCX with this body; other parts by their names without folder and ending."""
    named = {f"word/{name}.xml": text for name, text in parts.items() if name != "core"}
    core = {"docProps/core.xml": parts["core"]} if "core" in parts else {}
    return packed({"[Content_Types].xml": "<Types/>", "word/document.xml": document_of(body), **named, **core})


def document_of(body: str) -> str:
    """The main part of a DOCX."""
    return f'<?xml version="1.0" encoding="UTF-8"?><w:document {W}><w:body>{body}</w:body></w:document>'


def epub(chapters: Mapping[str, str], said: str = "") -> bytes:
    """A book of these chapters."""
    items = "".join(
        f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(chapters)
    )
    order = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"{said}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/b.opf": opf}
    return packed({**parts, **{f"OEBPS/{name}": text for name, text in chapters.items() if text}})
