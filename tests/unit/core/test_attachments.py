"""What may lie beside a card: what a file is, its bytes say; a link is one that nobody mistakes."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from sayso.core.attachments import (
    MOST_ATTACHMENTS,
    MOST_FILE_BYTES,
    File,
    WebLink,
    attached,
    contents,
)
from sayso.core.errors import InvalidInput

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


def test_a_file_is_shown_with_its_kind_its_size_and_its_digest() -> None:
    files: list[File | WebLink] = [
        File(name="box.png", content=PNG, alt=" A broken box "),
        File(name="bill.txt", content=b"%PDF-1.7"),
        WebLink(url="https://shop.example/orders/1001?tab=2"),
    ]
    image, bill, link = attached(files)
    told = image.model_dump(exclude={"digest"})
    assert told == {
        "kind": "file",
        "name": "box.png",
        "media_type": "image/png",
        "size": 14,
        "alt": "A broken box",
    }
    assert bill.model_dump()["media_type"] == "application/pdf"
    assert link.model_dump() == {"kind": "link", "url": "https://shop.example/orders/1001?tab=2"}
    assert contents(files) == {
        image.model_dump()["digest"]: PNG,
        bill.model_dump()["digest"]: b"%PDF-1.7",
    }


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF0000WEBPVP8 ", "image/webp"),
        (b"RIFF0000WAVE", "application/octet-stream"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "application/octet-stream"),
        (b"<html>", "application/octet-stream"),
        (b" %PDF-1.7", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_what_it_is_its_bytes_say_and_not_its_name(content: bytes, kind: str) -> None:
    (file,) = attached([File(name="photo.png", content=content, alt="?")])
    assert file.model_dump()["media_type"] == kind


@pytest.mark.parametrize(
    "given",
    [
        [File(name="box.png", content=PNG, alt="  ")],
        [File(name="a", content=b"x")] * (MOST_ATTACHMENTS + 1),
        [File(name="a", content=b"x" * (MOST_FILE_BYTES + 1))],
        [File(name="a", content=b"x" * MOST_FILE_BYTES)] * 3,
        [WebLink(url="javascript:alert(1)")],
        [WebLink(url="file:///etc/passwd")],
        [WebLink(url="ftp://files.example/box.png")],
        [WebLink(url="https://")],
        [WebLink(url="https://[::1")],
        [WebLink(url="https://bank.example@evil.example/")],
        [WebLink(url="https://b\u0430nk.example/")],
    ],
)
def test_what_cannot_be_shown_is_refused_and_says_why(given: list[File | WebLink]) -> None:
    with pytest.raises(InvalidInput, match="The attachments"):
        attached(given)


@pytest.mark.parametrize("name", ["", "../etc", "a\nb", "x" * 201])
def test_a_name_is_a_name(name: str) -> None:
    with pytest.raises(ValidationError):
        File(name=name, content=b"")
