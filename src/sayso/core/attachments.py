"""Evidence beside a card: files that are kept by their digest, and links.

What a file is, its bytes say and nobody else: only an image of four kinds is ever drawn. Its digest
is part of what was shown, so the record says what was on the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sayso.core.digest import content_digest
from sayso.core.errors import InvalidInput

#: How many a card may have, and how large one and all of them may be.
MOST_ATTACHMENTS = 10
MOST_FILE_BYTES = 5_000_000
MOST_BYTES = 10_000_000

PDF = "application/pdf"
#: Of any other kind: nothing but a download.
UNKNOWN = "application/octet-stream"
_MAGIC = MappingProxyType(
    {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"%PDF-": PDF}
    | dict.fromkeys((b"GIF87a", b"GIF89a"), "image/gif")
)
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})

_Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f/\\]+$")
]
_Alt = Annotated[str, StringConstraints(max_length=1000)]
_Url = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\s\x00-\x1f\x7f]+$")]


class File(BaseModel):
    """A file to be shown beside a card. `alt` says what an image shows, to those who do not see
    it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    content: bytes = Field(repr=False)
    alt: _Alt = ""


class WebLink(BaseModel):
    """An address to be shown beside a card, whole. Nobody but the reader opens it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: _Url


class AttachedFile(BaseModel):
    """A file, as its card shows it."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["file"] = "file"
    name: str
    media_type: str
    size: int
    digest: str
    alt: str | None = None


class AttachedLink(BaseModel):
    model_config = ConfigDict(frozen=True)

    kind: Literal["link"] = "link"
    url: str


Attached = Annotated[AttachedFile | AttachedLink, Field(discriminator="kind")]


def attached(given: Sequence[File | WebLink]) -> list[AttachedFile | AttachedLink]:
    """Return how a card shows these. Raises InvalidInput."""
    if len(given) > MOST_ATTACHMENTS:
        raise _invalid(f"are more than {MOST_ATTACHMENTS}")
    if sum(len(one.content) for one in given if isinstance(one, File)) > MOST_BYTES:
        raise _invalid(f"are larger than {MOST_BYTES // 1_000_000} MB together")
    return [_file(one) if isinstance(one, File) else _link(one) for one in given]


def contents(given: Sequence[File | WebLink]) -> Mapping[str, bytes]:
    """Return what is to be kept of them, by its digest."""
    return {content_digest(one.content): one.content for one in given if isinstance(one, File)}


def media_type(content: bytes) -> str:
    """Return what these bytes are, by how they begin."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((type_ for magic, type_ in _MAGIC.items() if content.startswith(magic)), UNKNOWN)


def _file(file: File) -> AttachedFile:
    type_ = media_type(file.content)
    if len(file.content) > MOST_FILE_BYTES:
        raise _invalid(
            f"have '{file.name}', which is larger than {MOST_FILE_BYTES // 1_000_000} MB"
        )
    if type_ in IMAGES and not file.alt.strip():
        raise _invalid(
            f"have '{file.name}', an image without `alt`",
            fix="Say in `alt` what it shows, for those who do not see it.",
        )
    return AttachedFile(
        name=file.name,
        media_type=type_,
        size=len(file.content),
        digest=content_digest(file.content),
        alt=file.alt.strip() or None,
    )


def _link(link: WebLink) -> AttachedLink:
    try:
        parts = urlsplit(link.url)
    except ValueError:
        parts = urlsplit("")
    host = parts.hostname or ""
    if not host.isascii() or not host or parts.scheme not in ("http", "https"):
        raise _invalid(
            f"have '{link.url}', which is no link",
            fix="Give an http or https address; write a host of other letters as `xn--…`.",
        )
    if parts.username is not None or parts.password is not None:
        raise _invalid(f"have '{host}' with a name or password before it")
    return AttachedLink(url=link.url)


def _invalid(what: str, *, fix: str | None = None) -> InvalidInput:
    errors = [{"path": "attachments", "message": what}]
    return InvalidInput(f"The attachments {what}.", fix=fix, context={"errors": errors})
