"""What the words of a slot tell: its name and its label, its question and why it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sayso.reading.lexicon import LANGUAGES, lexicon, lexicon_for, likely_lexicons
from sayso.reading.normalize import plain

#: A question begins with its question word, and what leads up to it: "to whom", "à qui".
_OPENING = 3
#: A field, or a question, for an address of mail; not for what a mail says.
_MAIL = re.compile(
    r"(?:mail|correo|courriel)(?: address)?$|mail ?adres"
    r"|(?:address|adresse|indirizzo|endereço)\W.*mail"
    r"|(?:correo|endereço) ele[ct]|メールアドレス|邮箱"
)


@dataclass(frozen=True, slots=True)
class SlotWords:
    """`own` are its name and its label, `every` also its question and why it is asked: small words,
    a space between two."""

    own: str
    every: str
    question: str

    def says(self, words: str) -> bool:
        """Return whether one of its own words is in this list of a language."""
        return _says(words, self.own)

    def says_anywhere(self, words: str) -> bool:
        return _says(words, self.every)

    @property
    def names_mail(self) -> bool:
        return _MAIL.search(self.own) is not None

    @property
    def asks_for_mail(self) -> bool:
        return self.names_mail or _MAIL.search(_apart(self.question)) is not None

    @property
    def asks_for_name(self) -> bool:
        """Return whether it asks for a person, or what something is called: "What is your pet
        called?"."""
        words = plain(self.question)
        called = lexicon_for(words).any_of("kinds.called").search(words)
        return called is not None or self._asks_who(words)

    @property
    def asks_how_many(self) -> bool:
        """Return whether a question asks for a number of several: "how many", "número de personas",
        and not "número de vuelo", nor "a nombre de quién"."""
        return any(
            re.search(
                rf"(?<!\w){phrase} (?!qui)(?:\w*[seni](?!\w)(?<! the)|(?<=many )\w)", self.every
            )
            for phrase in _number_of(self.every)
        )

    @property
    def asks_for_number(self) -> bool:
        """Return whether it asks for the number that something has: "the number of the meter"."""
        text = _apart(self.question)
        return any(f"{phrase} " in text for phrase in _number_of(text))

    @property
    def counts_people(self) -> bool:
        if self.says("values.people"):
            return True
        says_people = self.says_anywhere("values.people") or self.says_anywhere("values.solo")
        return says_people and not _says_unit(self.own) and "room" not in self.own

    @property
    def says_unit(self) -> bool:
        return _says_unit(self.every)

    @property
    def nouns(self) -> tuple[str, ...]:
        """The nouns that a slot counts: rooms for "number of rooms"."""
        words = []
        for lex in map(lexicon, LANGUAGES):
            named = {unit for word, unit in lex.units.items() if _is_said(word, self.every)}
            words += [word for word, unit in lex.units.items() if unit in named]
        units = (form for word in words for form in _forms(word))
        return tuple(dict.fromkeys((*self.about, *units)))

    @property
    def about(self) -> tuple[str, ...]:
        """Its own words, by which a message refers to it, each followed by its other form."""
        words = [word for word in self.own.split() if word not in _generic() and len(word) > 2]
        return tuple(dict.fromkeys(form for word in words for form in _forms(word)))

    def _asks_who(self, words: str) -> bool:
        """Return whether a person is asked for: "Who is driving?", "Für wen ist der Termin?"."""
        opening = " ".join(self.question.split()[:_OPENING])
        return any(
            lex.any_of("kinds.who").search(opening if lex.spaced else self.question)
            for lex in likely_lexicons(words)
        )


def slot_words(name: str, label: str, question: str, why: str) -> SlotWords:
    own = f"{name} {label}"
    return SlotWords(_apart(own), _apart(f"{own} {question} {why}"), question)


def _number_of(text: str) -> set[str]:
    return {
        word for lex in likely_lexicons(text) for word in lex.words("kinds", "count") if " " in word
    }


def _forms(word: str) -> tuple[str, ...]:
    if word.endswith("s") and len(word) > 3:
        return (word, word[:-1])
    return (word, word + "s")


def _says(words: str, text: str) -> bool:
    return any(lexicon(code).any_of(words).search(text) for code in LANGUAGES)


def _says_unit(text: str) -> bool:
    return any(
        _is_said(word, text)
        for code in LANGUAGES
        for word, unit in lexicon(code).units.items()
        if unit != "year" and word != "day"
    )


def _is_said(word: str, text: str) -> bool:
    return f" {word} " in f" {text} "


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(w for code in LANGUAGES for w in lexicon(code).words("values", "generic"))


def _apart(text: str) -> str:
    """Return the words of a text one by one, whatever joins them: "bookTrip", "book_trip"."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.sub(r"[_\W]+", " ", apart.casefold()).split())
