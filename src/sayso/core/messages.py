"""What the server says to people: a code with parameters, and its English text.

`src/sayso/locales/` has one catalogue per language of the page; the page and the terminal say a
message in the reader's language by its code, and everything else keeps the English. What the gate
says within a conversation it says in the person's language: `locales/spoken/` has those sentences
in all that it understands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from sayso.core.digest import JsonObject

SOURCE = "en"
LANGUAGES = (SOURCE, "zh-Hans")
#: The languages with a catalogue of the gate's own sentences only.
SPOKEN_ONLY = ("de", "fr", "es", "pt", "it", "nl", "ja")

#: `{name}`, `{names, or}`, `{at, time}`, `{n, plural, one {# row} other {# rows}}`. A list without
#: a form is joined by "and". `messages.ts` reads the same forms.
_PLACE = re.compile(r"\{(\w+)(?:, plural, one \{([^{}]*)\} other \{([^{}]*)\}|, (\w+))?\}")


def _forms(
    *words: str, comma: str = ", ", semicolon: str = "; "
) -> dict[str, tuple[str, str, str]]:
    and_two, and_last, or_two, or_last = words
    return {
        "and": (and_two, comma, and_last),
        "or": (or_two, comma, or_last),
        "comma": (comma, comma, comma),
        "items": (semicolon, semicolon, semicolon),
        "spaced": (" ", " ", " "),
    }


#: How a list is joined: between two, between the first of many, before the last of many (CLDR).
_JOINED = {
    "en": _forms(" and ", ", and ", " or ", ", or "),
    "de": _forms(" und ", " und ", " oder ", " oder "),
    "fr": _forms(" et ", " et ", " ou ", " ou "),
    "es": _forms(" y ", " y ", " o ", " o "),
    "pt": _forms(" e ", " e ", " ou ", " ou "),
    "it": _forms(" e ", " e ", " o ", " o "),
    "nl": _forms(" en ", " en ", " of ", " of "),
    "zh-Hans": _forms("和", "和", "或", "或", comma="、", semicolon="；"),
    "ja": _forms("と", "、", "または", "、または", comma="、", semicolon="；"),
}
#: The forms of a place that join a list otherwise than by "and".
_LIST_OF = {"or": "or", "quoted": "or", "comma": "comma", "items": "items", "spaced": "spaced"}
_QUOTED = {
    "en": "'{}'",
    "de": "„{}“",
    "fr": "« {} »",
    "es": "«{}»",
    "pt": "«{}»",
    "it": "«{}»",
    "nl": "'{}'",
    "zh-Hans": "“{}”",
    "ja": "「{}」",
}
#: Languages that count without a plural.
_ONE_FORM = ("zh-Hans", "ja")


#: What the server writes into columns that hold no codes: how a run, a card or a call ended.
_STORED = (
    "run.started_over",
    "run.asker_gone",
    "run.nobody_answered",
    "run.superseded",
    "run.result_came",
    "answer.not_approved",
    "call.denied",
    "call.taken_back",
    "effect.never_began",
    "effect.left_behind",
    "effect.skipped",
    "effect.not_reported",
)


class Message(str):
    """An English text that knows its code and parameters. It is text wherever text is stored."""

    code: str
    params: JsonObject

    def __new__(cls, text: str, code: str, params: JsonObject) -> Message:
        made = super().__new__(cls, text)
        made.code, made.params = code, params
        return made

    def __getnewargs__(self) -> tuple[str, str, JsonObject]:  # type: ignore[override]  # of ours
        return str(self), self.code, self.params

    def as_json(self) -> JsonObject:
        return {"code": self.code, "params": self.params, "text": str(self)}


def message(code: str, **params: JsonValue) -> Message:
    """Say this. Raises KeyError for a code or a parameter that the English catalogue lacks."""
    given: JsonObject = {name: _plain(value) for name, value in params.items()}
    return Message(_filled(catalogue(SOURCE)[code], given, SOURCE), code, given)


def recalled(text: str | None) -> str | None:
    """Return a text from a column that holds no codes: as the message it was, where it is a
    sentence without parameters that the server stores in one."""
    if text is None or isinstance(text, Message):
        return text
    code = _stored().get(text)
    return message(code) if code is not None else text


@cache
def _stored() -> Mapping[str, str]:
    return {catalogue(SOURCE)[code]: code for code in _STORED}


def coded(text: str | None) -> JsonObject:
    """`code` and `params` of a text; nothing where it is not the server's own."""
    if not isinstance(text, Message):
        return {}
    return {"code": text.code, "params": text.params} if text.params else {"code": text.code}


def text_of(
    code: object, params: object, language: str = SOURCE, *, part: str = "", stored: str
) -> str:
    """Return what a code says in this language, or a part of what it says ("title"). `stored`,
    the English text beside the code, where this version does not know the code or its
    parameters."""
    if not isinstance(code, str) or language == SOURCE:
        return stored
    pattern = catalogue(language).get(f"{code}.{part}" if part else code)
    if pattern is None:
        return stored
    try:
        return _filled(pattern, params if isinstance(params, Mapping) else {}, language)
    except KeyError:
        return stored


def spoken(text: str, language: str) -> str:
    """Return a text as it is said to a person of this language. Outside the page's own language it
    keeps no code, so that the page shows what was said."""
    if not isinstance(text, Message) or language in ("", SOURCE):
        return text
    known = "zh-Hans" if language == "zh" else language
    return text_of(text.code, text.params, known, stored=str(text))


class Saying(BaseModel):
    """What says the texts of a card: "gate.confirm" has "gate.confirm.title" and others."""

    model_config = ConfigDict(frozen=True)

    code: str
    params: JsonObject = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """All that one code says on a card ("title", "message"): in English, with the code, or in
    another language that a person speaks."""

    says: Saying | None
    texts: Mapping[str, str]

    def __getitem__(self, part: str) -> str:
        return self.texts[part]


def parts_of(code: str, language: str = SOURCE, /, **params: JsonValue) -> Parts:
    """Return the parts of this code. Raises KeyError for a parameter that it lacks."""
    given: JsonObject = {name: _plain(value) for name, value in params.items()}
    start = f"{code}."
    found = {k.removeprefix(start): v for k, v in catalogue(SOURCE).items() if k.startswith(start)}
    texts = {part: _filled(pattern, given, SOURCE) for part, pattern in found.items()}
    if language in ("", SOURCE):
        return Parts(Saying(code=code, params=given), texts)
    own = "zh-Hans" if language == "zh" else language
    said = {part: text_of(code, given, own, part=part, stored=t) for part, t in texts.items()}
    return Parts(None, said)


def field_error(path: str, said: str) -> JsonObject:
    """Return what is wrong with one field of what was sent."""
    return {"path": path, "message": str(said), **coded(said)}


def detail_coded(detail: str) -> JsonObject:
    """`detail_code` and `params` of what an error says happened, whose own `code` is another."""
    said = coded(detail)
    return {("detail_code" if name == "code" else name): value for name, value in said.items()}


def paragraphs(texts: Sequence[str]) -> JsonObject:
    """Return what a message carries beside its text where the server speaks in it: each
    paragraph, with its code where it has one."""
    return {"said": [{"text": str(text), **coded(text)} for text in texts]}


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return all that can be said in this language, by code; empty for a language that has none."""
    if language not in (*LANGUAGES, *SPOKEN_ONLY):
        return {}
    folder = files("sayso") / "locales"
    if language in SPOKEN_ONLY:
        folder = folder / "spoken"
    text = (folder / f"{language}.json").read_text(encoding="utf-8")
    return cast("dict[str, str]", json.loads(text))


def places_in(pattern: str) -> list[str]:
    """Return the parameters that a pattern names."""
    return sorted({match[1] for match in _PLACE.finditer(pattern)})


def language_of(tag: str) -> str:
    """Return the language with a catalogue that a tag or a POSIX locale means: "zh_CN.UTF-8"."""
    parts = re.split(r"[-_.@]", tag.lower())
    is_traditional = not {"hant", "tw", "hk", "mo"}.isdisjoint(parts)
    return "zh-Hans" if parts[0] == "zh" and not is_traditional else SOURCE


class Said(BaseModel):
    """A body with a text that may be the server's own: `code` and `params` stand beside it."""

    model_config = ConfigDict(frozen=True)
    #: The field that holds the text.
    text_field: ClassVar[str]

    code: str | None = None
    params: JsonObject | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_code(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        return {**coded(recalled(given.get(cls.text_field))), **given}


def _plain(value: JsonValue) -> JsonValue:
    """Return a parameter as it is sent; a message within a message keeps its code."""
    if isinstance(value, Message):
        return value.as_json()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _filled(pattern: str, params: Mapping[str, JsonValue], language: str) -> str:
    def put(match: re.Match[str]) -> str:
        name, one, other, form = match.groups()
        value = params[name]
        if other is not None:
            text = one if value == 1 and language not in _ONE_FORM else other
            return text.replace("#", _text(value, language))
        if form == "time":
            return f"{str(value)[:10]} {str(value)[11:16]} UTC"
        texts = [_text(each, language) for each in (value if isinstance(value, list) else [value])]
        if form == "quoted":
            texts = [_QUOTED[language].format(text) for text in texts]
        said = _joined(texts, _JOINED[language][_LIST_OF.get(form, "and")])
        return said[:1].upper() + said[1:] if form == "capital" else said

    return _PLACE.sub(put, pattern)


def _joined(texts: Sequence[str], by: tuple[str, str, str]) -> str:
    two, first, last = by
    return two.join(texts) if len(texts) < 3 else first.join(texts[:-1]) + last + texts[-1]


def _text(value: JsonValue, language: str) -> str:
    if isinstance(value, Mapping):
        stored = str(value.get("text") or "")
        return text_of(value.get("code"), value.get("params"), language, stored=stored)
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)
