"""What people who are away are told of what waits for them: by their browsers' push services, by
mail, or by a webhook of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction
from sayso.core.messages import SOURCE, Message, message, text_of

#: Browsers, addresses and webhooks of one person; the one that came first makes room.
MOST_BROWSERS = 20
#: Cards that one notice names; more are only counted.
MOST_CARDS = 20
MOST_TITLE_CHARACTERS = 200


MAILTO = "mailto:"


class Carrier(StrEnum):
    """What brings a notice."""

    PUSH = "push"
    MAIL = "mail"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushSubscription:
    """One place where a person is told: a browser, at the push service of its maker (the keys are
    the browser's), a mail address (`mailto:…`), or a webhook of their own."""

    app_id: str
    id: str
    person: str
    endpoint: str
    p256dh: str = ""
    auth: str = ""
    #: Where this person opens this server, without a slash at its end; a browser knows it.
    page: str = ""
    #: The language of its page.
    language: str = SOURCE
    created_at: datetime
    #: Cards opened until then are known to this person.
    told_until: datetime
    due_at: datetime
    attempts: int = 0

    @property
    def carrier(self) -> Carrier:
        if self.endpoint.startswith(MAILTO):
            return Carrier.MAIL
        return Carrier.PUSH if self.p256dh else Carrier.WEBHOOK


@dataclass(frozen=True, slots=True)
class PushNotice:
    """What one place is to be told now."""

    to: PushSubscription
    #: Newest first, and no more than MOST_CARDS.
    cards: Sequence[Interaction]
    #: All that wait in this tenant, as its inbox counts them.
    waiting: int
    #: The newest of them, so that a browser can take back what is settled.
    open_ids: Sequence[str]
    #: Nothing that was opened, handed over or put off until then is told again.
    told_until: datetime
    #: Who left the one card for this person.
    handed_by: str | None = None

    @property
    def id(self) -> str:
        """The same when the same is told again, so that a receiver takes it once."""
        return f"{self.to.id[:32]}.{int(self.told_until.timestamp() * 1_000_000)}"

    def as_json(self) -> JsonObject:
        """Titles only: what a card is about stays on the server."""
        first, *others = self.cards
        if others:
            said = message("push.many", n=self.waiting)
        else:
            title = _in(self.to.language, first.name, first.title[:MOST_TITLE_CHARACTERS])
            if self.handed_by is None:
                said = message("push.one", title=title)
            else:
                said = message("push.handed", person=self.handed_by, title=title)
        return {
            "title": text_of(said.code, said.params, self.to.language, stored=str(said)),
            "path": "/inbox" if others else f"/i/{first.id}",
            "tag": first.id,
            "waiting": self.waiting,
            "open": [*self.open_ids],
        }


@dataclass(frozen=True, slots=True)
class DuePushes:
    """What is to be told now, and in how many seconds a browser that failed is due again."""

    notices: Sequence[PushNotice]
    next_in: float | None = None


def id_of(endpoint: str, person: str = "") -> str:
    """Return the name of a place: one per browser, and per address of a person. It gives the
    endpoint away to nobody."""
    named = f"{endpoint}\n{person}" if person else endpoint
    return hashlib.sha256(named.encode()).hexdigest()


def _in(language: str, name: str, title: str) -> str:
    if not isinstance(name, Message):
        return title
    return text_of(name.code, name.params, language, stored=title)
