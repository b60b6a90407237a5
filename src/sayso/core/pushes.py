"""Push: a browser that asked to be told what waits for its person, and what it is told."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction
from sayso.core.messages import SOURCE, Message, message, text_of

#: Browsers of one person; the one that came first makes room.
MOST_BROWSERS = 20
#: Cards that one push names; more are only counted.
MOST_CARDS = 20
MOST_TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class PushSubscription:
    """One browser of one person, at the push service of its maker. The keys are the browser's."""

    app_id: str
    id: str
    person: str
    endpoint: str
    p256dh: str
    auth: str
    #: The language of its page.
    language: str = SOURCE
    created_at: datetime
    #: Cards opened until then are known to this person.
    told_until: datetime
    due_at: datetime
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class PushNotice:
    """What one browser is to be told now."""

    to: PushSubscription
    #: Newest first, and no more than MOST_CARDS.
    cards: Sequence[Interaction]
    #: All that wait in this tenant, as its inbox counts them.
    waiting: int
    #: The newest of them, so that a browser can take back what is settled.
    open_ids: Sequence[str]

    @property
    def told_until(self) -> datetime:
        return self.cards[0].created_at

    def as_json(self) -> JsonObject:
        """Titles only: what a card is about stays on the server."""
        first, *others = self.cards
        if others:
            said = message("push.many", n=self.waiting)
        else:
            title = first.title[:MOST_TITLE_CHARACTERS]
            said = message("push.one", title=_in(self.to.language, first.name, title))
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


def id_of(endpoint: str) -> str:
    """Return the name of a browser: one per endpoint, which it does not give away."""
    return hashlib.sha256(endpoint.encode()).hexdigest()


def _in(language: str, name: str, title: str) -> str:
    if not isinstance(name, Message):
        return title
    return text_of(name.code, name.params, language, stored=title)
