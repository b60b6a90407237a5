"""Whether the audit is what was written: seals against lines, lines against their keys and one
another, and rows against lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from pydantic import JsonValue, ValidationError

from sayso.core.audit import (
    AuditKeys,
    AuditLine,
    AuditReport,
    BrokenChain,
    KeptHead,
    Seal,
)
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError
from sayso.core.interactions import InteractionResponse
from sayso.core.ports import Clock
from sayso.store import audited_rows, tables
from sayso.store.codec import instant, load
from sayso.store.mapping import seal_from
from sayso.store.transaction import Row, Statement, Transaction, audit_keys, one, param, rows

_a, _c, _s = tables.audit.c, tables.chat.c, tables.seal.c
_i, _e, _r = tables.interaction.c, tables.effect.c, tables.run.c

# Read at once: a tenant's whole audit does not fit in memory.
_STRETCH = 1000

_SEALS = Statement(
    sa.select(tables.seal)
    .where(_s.app_id == param("app"), _s.number > param("after"))
    .order_by(_s.number)
    .limit(_STRETCH)
)
_HASH = Statement(
    sa.select(_a.hash).where(
        _a.app_id == param("app"), _a.chat_id == param("chat"), _a.number == param("at")
    )
)
_KNOWN = sa.union(
    sa.select(_c.id.label("id")).where(_c.app_id == param("app"), _c.id > param("after")),
    sa.select(_a.chat_id).where(_a.app_id == param("app"), _a.chat_id > param("after")),
).subquery()
_CHATS = Statement(sa.select(_KNOWN.c.id).order_by(_KNOWN.c.id).limit(_STRETCH))
_HEAD = Statement(
    sa.select(_c.audit_number, _c.audit_hash, _c.head).where(
        _c.app_id == param("app"), _c.id == param("chat")
    )
)
_CHAIN = Statement(
    sa.select(tables.audit)
    .where(_a.app_id == param("app"), _a.chat_id == param("chat"), _a.number > param("after"))
    .order_by(_a.number)
    .limit(_STRETCH)
)
_CARDS = Statement(
    sa.select(*audited_rows.INTERACTION_COLUMNS).where(
        _i.app_id == param("app"), _i.chat_id == param("chat")
    )
)
_EFFECTS = Statement(
    sa.select(*audited_rows.EFFECT_COLUMNS)
    .join_from(tables.run, tables.effect, sa.and_(_e.app_id == _r.app_id, _e.run_id == _r.id))
    .where(_r.app_id == param("app"), _r.chat_id == param("chat"))
)
_RULES = Statement(
    sa.select(*audited_rows.RULE_COLUMNS).where(
        tables.standing_rule.c.app_id == param("app"),
        tables.standing_rule.c.chat_id == param("chat"),
    )
)

_SETTLED = frozenset(
    {"completed", "rejected", "dismissed", "expired", "cancelled", "superseded"}
)  # of a card
_PREFERENCE = "preference."


def verify_audit(
    clock: Clock, app_id: str, *, against: KeptHead | None = None
) -> Transaction[AuditReport]:
    audit = _Audit(app_id, (yield from audit_keys()))
    yield from audit.check_seals(against)
    yield from audit.check_chats()
    return audit.report(clock.now())


class _Doubt(Exception):
    """Here something does not fit."""

    def __init__(self, number: int, detail: str) -> None:
        self.number, self.detail = number, detail


@dataclass(slots=True)
class _LastLines:
    """What the lines of a chat say last of each card, effect and choice, with their numbers."""

    cards: dict[str, tuple[int, Row, JsonObject]] = field(default_factory=dict)
    effects: dict[tuple[str, str, int], tuple[int, Row, JsonObject]] = field(default_factory=dict)
    rules: dict[str, tuple[int, Row, JsonObject]] = field(default_factory=dict)
    choices: dict[str, tuple[int, JsonValue]] = field(default_factory=dict)

    def take(self, line: Row) -> None:
        action, body = str(line["action"]), _object(line["body"])
        kind, _, what = action.partition(".")
        if kind == "interaction" and what in _SETTLED:
            self.cards[line["subject"]] = (line["number"], line, body)
        elif kind == "effect" and isinstance(attempt := body.get("attempt"), int):
            place = (str(body.get("run_id")), line["subject"], attempt)
            self.effects[place] = (line["number"], line, body)
        elif kind == "rule":
            self.rules[line["subject"]] = (line["number"], line, body)
        elif action.startswith(_PREFERENCE):
            self.choices[action.removeprefix(_PREFERENCE)] = (line["number"], body.get("value"))


class _Audit:
    """One walk through a tenant's audit."""

    def __init__(self, app_id: str, keys: AuditKeys) -> None:
        self._app_id, self._keys = app_id, keys
        self._broken: list[BrokenChain] = []
        self._lines = self._unsealed = self._without_key = 0
        self._older = self._older_unsealed = 0
        self._missing_keys: set[str] = set()
        self._oldest_unsealed: datetime | None = None
        self._seal: Seal | None = None
        self._began: datetime | None = None
        #: The last sealed line of each chat; and of those that the first seals took in.
        self._sealed: dict[str, int] = {}
        self._taken_in: dict[str, int] = {}
        #: What a seal knows of a chat and is no longer there.
        self._lost: dict[str, int] = {}

    def report(self, now: datetime) -> AuditReport:
        oldest = self._oldest_unsealed
        return AuditReport(
            broken=self._broken,
            lines=self._lines,
            unsealed=self._unsealed,
            unsealed_seconds=(now - oldest).total_seconds() if oldest is not None else 0.0,
            without_key=self._without_key,
            missing_keys=sorted(self._missing_keys),
            older_than_key=self._older,
            older_unsealed=self._older_unsealed,
            seal=self._seal,
        )

    # ── seals ──

    def check_seals(self, against: KeptHead | None) -> Transaction[None]:
        missing = against
        while found := (
            yield from rows(
                _SEALS, app=self._app_id, after=self._seal.number if self._seal is not None else 0
            )
        ):
            for row in found:
                seal = seal_from(row)
                self._check_seal(seal)
                if KeptHead(number=seal.number, hash=seal.hash) == missing:
                    missing = None
                yield from self._check_sealed(seal)
                self._seal = seal
        if missing is not None:
            self._doubt("", missing.number, "The seals do not lead to the head that was kept.")

    def _check_seal(self, seal: Seal) -> None:
        expected, previous = (
            (self._seal.number + 1, self._seal.hash) if self._seal is not None else (1, "")
        )
        key = self._keys.get(seal.key_id)
        if seal.number != expected:
            self._doubt("", expected, "A seal is missing.")
        elif key is None:
            self._lacks(seal.key_id)
        elif seal != seal.after(previous, key):
            self._doubt("", seal.number, "This seal was not written with the key.")

    def _check_sealed(self, seal: Seal) -> Transaction[None]:
        self._began = self._began or seal.at
        for chat_id, end in seal.heads.items():
            found = yield from one(_HASH, app=self._app_id, chat=chat_id, at=end.number)
            if found is None or found["hash"] != end.hash:
                self._lost.setdefault(chat_id, end.number)
            self._sealed[chat_id] = end.number
            if seal.at == self._began:
                self._taken_in[chat_id] = end.number

    # ── lines ──

    def check_chats(self) -> Transaction[None]:
        after = ""
        while found := (yield from rows(_CHATS, app=self._app_id, after=after)):
            for row in found:
                yield from self._check_chat(row["id"])
            after = found[-1]["id"]
        for chat_id, number in sorted(self._lost.items()):
            self._doubt(chat_id, number, "A seal knows this line; it is gone.")

    def _check_chat(self, chat_id: str) -> Transaction[None]:
        told = _LastLines()
        try:
            yield from self._check_lines(chat_id, told)
            yield from self._check_rows(chat_id, told)
        except _Doubt as doubt:
            self._doubt(chat_id, doubt.number, doubt.detail)
            self._lost.pop(chat_id, None)
        if chat_id in self._lost:
            self._doubt(chat_id, self._lost.pop(chat_id), "A seal knows another line here.")

    def _check_lines(self, chat_id: str, told: _LastLines) -> Transaction[None]:
        number, previous, is_keyed = 0, "", False
        while lines := (yield from rows(_CHAIN, app=self._app_id, chat=chat_id, after=number)):
            for line in lines:
                number += 1
                if line["number"] != number:
                    raise _Doubt(number, "A line is missing.")
                is_keyed = self._check_line(line, previous, is_keyed=is_keyed)
                previous = line["hash"]
                told.take(line)
        head = yield from one(_HEAD, app=self._app_id, chat=chat_id)
        if head is None:
            raise _Doubt(number, "Its chat is gone.")
        if number < head["audit_number"]:
            raise _Doubt(number + 1, "The last lines are missing.")
        if (number, previous) != (head["audit_number"], head["audit_hash"]):
            raise _Doubt(number, "The chat's own head names another last line.")
        _check_choices(_object(head["head"]).get("preferences"), told)

    def _check_line(self, line: Row, previous: str, *, is_keyed: bool) -> bool:
        """Check one line, and return whether it has a key. Raises _Doubt."""
        number, chat_id, key_id = line["number"], line["chat_id"], line["key_id"]
        self._lines += 1
        key = self._keys.get(key_id) if key_id is not None else None
        if key_id is None:
            self._take_older(chat_id, number, is_keyed=is_keyed)
        elif number > self._sealed.get(chat_id, 0):
            self._unsealed += 1
            at = instant(line["at"])
            self._oldest_unsealed = min(self._oldest_unsealed or at, at)
        if key_id is not None and key is None:
            self._lacks(key_id)
        elif line["hash"] != _line(line).link(previous, key):
            raise _Doubt(number, "This line was changed, or not written with the key.")
        return key_id is not None

    def _take_older(self, chat_id: str, number: int, *, is_keyed: bool) -> None:
        """Count a line without a key; it is as old as it says only if the first seals know it.
        Raises _Doubt."""
        self._older += 1
        if is_keyed or (self._seal is not None and number > self._taken_in.get(chat_id, 0)):
            raise _Doubt(number, "This line has no key, though lines had one when it was written.")
        if self._seal is None:
            self._older_unsealed += 1

    # ── rows ──

    def _check_rows(self, chat_id: str, told: _LastLines) -> Transaction[None]:
        cards = yield from rows(_CARDS, app=self._app_id, chat=chat_id)
        for row in cards:
            line = told.cards.pop(row["id"], None)
            if line is not None:
                self._compare(line, _card_as_told(row), audited_rows.interaction(row))
                if not _fits(row["decision"], line[2].get("response")):
                    raise _Doubt(line[0], f"The row of {row['id']} has another decision.")
            elif row["state"] != "pending":
                raise _Doubt(0, f"Card {row['id']} is {row['state']}, and no line says so.")
        effects = yield from rows(_EFFECTS, app=self._app_id, chat=chat_id)
        for row in effects:
            line = told.effects.pop((row["run_id"], row["key"], row["attempt"]), None)
            if line is not None:
                self._compare(line, _effect_as_told(row), audited_rows.effect(row))
            elif row["state"] != "started":
                raise _Doubt(0, f"Effect {row['key']} is {row['state']}, and no line says so.")
        for row in (yield from rows(_RULES, app=self._app_id, chat=chat_id)):
            line = told.rules.pop(row["id"], None)
            if line is None:
                raise _Doubt(0, f"Rule {row['id']} is there, and no line says so.")
            self._compare(line, {}, audited_rows.rule(row))
        left_over = (*told.cards.values(), *told.effects.values(), *told.rules.values())
        for number, left, _ in left_over:
            raise _Doubt(number, f"{left['subject']}, of which this line tells, is gone.")

    def _compare(
        self, told: tuple[int, Row, JsonObject], row: JsonObject, bound_row: JsonObject
    ) -> None:
        """Raise _Doubt where the row is not what its line says, in words or by its keyed hash."""
        number, line, body = told
        said = {"actor": line["actor"], "at": line["at"], **body}
        for name, value in row.items():
            if name in said and said[name] != value:
                raise _Doubt(number, f"The row of {line['subject']} has another {name}.")
        key = self._keys.get(line["key_id"]) if line["key_id"] is not None else None
        if key is not None and body.get("row") != audited_rows.seal(bound_row, key):
            raise _Doubt(number, f"The row of {line['subject']} was changed.")

    # ── what is found ──

    def _doubt(self, chat_id: str, number: int, detail: str) -> None:
        self._broken.append(BrokenChain(chat_id=chat_id, number=number, detail=detail))

    def _lacks(self, key_id: str) -> None:
        self._without_key += 1
        self._missing_keys.add(key_id)


def _line(row: Row) -> AuditLine:
    return AuditLine(
        app_id=row["app_id"],
        chat_id=row["chat_id"],
        number=row["number"],
        at=instant(row["at"]),
        actor=row["actor"],
        action=row["action"],
        subject=row["subject"],
        body=row["body"],
    )


def _card_as_told(row: Row) -> JsonObject:
    """Return the row of a card in the words of its line."""
    response = _response(row["response"])
    return {
        "run_id": row["run_id"],
        "task_id": row["task_id"],
        "ui_tool_id": row["ui_tool_id"],
        "tool_call_id": row["tool_call_id"],
        "tool_name": _object(row["proposal"]).get("tool_name"),
        "state": row["state"],
        "actor": row["settled_by"],
        "at": row["settled_at"],
        "shown_digest": row["digest"],
        "revision": row["revision"],
        "response": response.model_dump(mode="json", exclude_none=True) if response else None,
    }


def _fits(decision: str | None, response: JsonValue) -> bool:
    """Return whether the decision that lists show is that of the answer, as far as it does not
    depend on how a version reads its rows: that is for the keyed hash of the row."""
    if not isinstance(response, dict):
        return decision is None
    if not response.get("approved"):
        return decision == "reject"
    data = response.get("response_data")
    has_rows = isinstance(data, dict) and ("approved_rows" in data or data.get("rejected_rows"))
    return decision == "approve" or (bool(has_rows) and decision is not None)


def _effect_as_told(row: Row) -> JsonObject:
    names = ("run_id", "attempt", "tool_call_id", "tool_name", "shown_digest", "executed_digest")
    return {"state": row["state"], **{name: row[name] for name in names}}


def _check_choices(preferences: JsonValue, told: _LastLines) -> None:
    """Check what a chat may do unasked: that is somebody's word, too. Raises _Doubt."""
    known = preferences if isinstance(preferences, dict) else {}
    for name in {**told.choices, "always_allow": None}:
        number, value = told.choices.get(name, (0, None))
        if known.get(name) != value:
            raise _Doubt(number, f"The chat's {name} is not what the lines say.")


def _response(text: str) -> InteractionResponse | None:
    try:
        return InteractionResponse.model_validate(load(text))
    except (ValueError, ValidationError, SaysoError):
        return None


def _object(text: str) -> JsonObject:
    try:
        found = load(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
