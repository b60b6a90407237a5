"""The parts of a message that are not the person's own words now: quotes, mails, logs, JSON."""

from __future__ import annotations

import re

from sayso.reading.lexicon import Lexicon

#: A shorter quotation is a name or a title: the film "The Load".
_LONG_QUOTE = 4
_QUOTE = re.compile(r"[\"“„«「『]([^\"“”„»「」『』]{1,600})[\"”“»」』]")
_SENTENCE_END = re.compile(r"[.!?\n。！？]")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_JSON = re.compile(r"[{\[]\s*[\"'{\[\w][^\n]*?[:=][\s\S]*?[}\]]")
#: A subject line that says it is forwarded: what follows is somebody's mail too.
_FORWARDED = re.compile(
    r"(?:^|\n)[^\S\n]*(?:fwd?|tr|wg|rv|enc|i|doorst|转发|転送)\s*[:：][\s\S]*", re.IGNORECASE
)
_LINE = re.compile(r"[^\n]+")
#: What lies between two columns; after a sentence it is a wide gap: "Not that one.   It's 466."
_GAP = r"(?:\t|(?<![.!?]) {3,})"
#: A line that somebody else wrote, or of a table.
_QUOTED_LINE = re.compile(rf"\s*(?:>|\|)|\s*\S+(?: \S+)*{_GAP}\S+(?: \S+)*{_GAP}\S")
#: Everything after it is somebody's mail.
_MAIL = re.compile(
    r"(?:^|\n)[^\S\n]*(?:-{2,}.{0,40}-{2,}\s*$|(?:from|subject|to|sent|date|cc|von|betreff|an|de|objet|à|"
    r"asunto|para|assunto|da|oggetto|van|onderwerp|发件人|主题|收件人|差出人|件名|宛先)\s*[:：][^\n]*\n"
    r"\s*(?:from|subject|to|sent|date|cc|von|betreff|an|gesendet|datum|de|objet|à|envoyé|asunto|para|"
    r"enviado|assunto|da|oggetto|a|data|van|aan|onderwerp|发件人|主题|收件人|日期|差出人|件名|宛先|日時)"
    r"\s*[:：])[\s\S]*|(?:^|\n)[^\n]{0,80}\b(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto|"
    r"schreef)\s*:\s*(?:\n|$)[\s\S]*",
    re.IGNORECASE | re.MULTILINE,
)
_LOG_LINE = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\s+\S|"
    r"\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b|"
    r"Traceback|\$ |\w+@\w+:|\[\w+\] )|.*\b(?:log|logs|output|stdout|stderr|error|exception)\b\s*:"
    r"|.*\b\w+=\S+\s+\w+=\S+.*\b(?:error|log)\b"
)
#: "Tom: I want …": a line of somebody else's, as in a pasted chat. "Destination: Rome" is none.
_NAME = r"[A-ZÀ-Ý][\w.'-]{1,20}"
_NAMED_LINE = re.compile(rf"\s*(?:\[[^\]]{{1,20}}\]\s*)?@?{_NAME}(?: {_NAME})?\s?[:：]\s*(.+)")


def pasted_spans(text: str, lex: Lexicon) -> list[tuple[int, int]]:
    """Return where the message repeats what somebody or something else said."""
    whole = (_FENCE, _JSON, _MAIL, _FORWARDED)
    found = [m.span() for pattern in whole for m in pattern.finditer(text)]
    found += [m.span() for m in _QUOTE.finditer(text) if _is_of_others(m, text, lex)]
    found += [line.span() for line in _LINE.finditer(text) if _is_of_another(line[0], lex)]
    return [*found, *_reported(text, lex)]


def _is_of_another(line: str, lex: Lexicon) -> bool:
    if _QUOTED_LINE.match(line) or _LOG_LINE.match(line):
        return True
    named = _NAMED_LINE.match(line)
    return named is not None and bool(lex.any_of("clauses.speaking").search(named[1].casefold()))


def _is_of_others(quote: re.Match[str], text: str, lex: Lexicon) -> bool:
    """Return whether a quotation is no name: it is long, or gives a number beside other words, or
    somebody says it."""
    lead = _SENTENCE_END.split(text[: quote.start()])[-1]
    beside = re.search(r"\w", lead) is not None and re.search(r"\d", quote[1]) is not None
    says = lex.any_of("clauses.saying").search(lead) is not None
    return _is_long(quote[1], lex) or beside or says


def _is_long(quote: str, lex: Lexicon) -> bool:
    return len(quote.split()) >= _LONG_QUOTE if lex.spaced else len(quote) >= 2 * _LONG_QUOTE


def _reported(text: str, lex: Lexicon) -> list[tuple[int, int]]:
    """Return what follows a colon after a word of saying, to the end of its paragraph: "the mail
    says: …"."""
    after = lex.form(r"<clauses.saying>[^.!?\n:：]{0,30}[:：]([^\n]+(?:\n[^\n]+)*)")
    return [m.span(1) for m in after.finditer(text)]
