"""Tampering is found: a real database, changed behind our back with plain SQL, is never whole."""

import copy
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.audit import (
    AuditKey,
    AuditKeys,
    AuditLine,
    AuditReport,
    AuditResult,
    KeptHead,
)
from sayso.core.digest import chain
from sayso.core.effects import EffectEnd, EffectStart, EffectState
from sayso.core.errors import InvalidInput
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.store.codec import instant
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, SAVED, Story, approval, called, no, yes

KEYS = AuditKeys.read("the key of this test: 32 characters")
MALLORY = AuditKey.of("the key of somebody else entirely")

Raw = sqlite3.Connection
Tampering = Callable[[Raw], None]


class Past:
    """Three chats with answers, an effect and a rule; two seals, a later one for the second."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "sayso.db"
        self.clock = FakeClock()
        self.store = SqlStore.sqlite(self.path, clock=self.clock, keys=KEYS)
        self.chats: list[str] = []
        self.heads: list[str] = []

    async def tell(self) -> None:
        await self.store.open()
        story = Story(self.store, self.clock)
        fence, waited = await story.waiting(approval("a"), approval("b"), approval("c"))
        await story.answer(waited.interactions[0], yes(waited.interactions[0]), by="ada")
        await story.answer(waited.interactions[1], no(waited.interactions[1]), by="ben")
        self.chats.append(fence.chat_id)
        self.chats.append(await self._acts(story))
        await self._seal()
        fence, waited = await story.waiting(approval("d", offers=True))
        card = waited.interactions[0]
        always = yes(card).model_copy(
            update={"metadata": {**yes(card).metadata, "always_allow": True}}
        )
        await story.answer(card, always, by="cleo")
        self.chats.append(fence.chat_id)
        await self._seal()
        await self.store.close()

    async def _acts(self, story: Story) -> str:
        claimed = await story.begin()
        start = EffectStart(
            key="refund:1001",
            attempt=1,
            tool_name="refund",
            arguments={"order": 1001, "pin": 1234},
            tool_call_id="call-1",
            shown_digest="sha256:shown",
            executed_digest="sha256:executed",
        )
        await self.store.record(claimed.fence, [called("call-1", claimed.fence)])
        await self.store.start_effect(claimed.fence, start, SAVED)
        end = EffectEnd(state=EffectState.DONE, result={"refunded": 10})
        told = ToolReturned(tool_call_id="call-1", status=ToolCallStatus.DONE, result="ok")
        await self.store.end_effect(claimed.fence, "refund:1001", 1, end, [told])
        return claimed.fence.chat_id

    async def _seal(self) -> None:
        await self.store.seal_audit()
        seal = await self.store.audit_head(APP)
        assert seal is not None
        self.heads.append(seal.head)
        self.clock.advance(seconds=60)


@pytest.fixture(scope="module")
async def told(tmp_path_factory: pytest.TempPathFactory) -> Past:
    past = Past(tmp_path_factory.mktemp("told"))
    await past.tell()
    return past


@pytest.fixture
def past(told: Past, tmp_path: Path) -> Past:
    """The same past for each test, in a file of its own."""
    mine = copy.copy(told)
    mine.path, mine.clock = tmp_path / told.path.name, copy.copy(told.clock)
    shutil.copy(told.path, mine.path)
    return mine


async def verified(past: Past, against: str | None = None, keys: AuditKeys = KEYS) -> AuditReport:
    store = SqlStore.sqlite(past.path, clock=past.clock, keys=keys)
    await store.open()
    try:
        kept = KeptHead.read(against) if against is not None else None
        return await store.verify_audit(APP, against=kept)
    finally:
        await store.close()


async def test_what_nobody_touched_is_whole(past: Past):
    report = await verified(past)
    assert report.result is AuditResult.WHOLE
    assert report.seal is not None
    assert (report.lines, report.unsealed, report.seal.number) == (5, 0, 2)
    for head in past.heads:
        assert (await verified(past, against=head)).result is AuditResult.WHOLE


# ── what somebody with the file and without the key can do ──


def sql(*statements: str) -> Tampering:
    def run(raw: Raw) -> None:
        for statement in statements:
            assert raw.execute(statement).rowcount > 0, "this must change something"

    return run


def set_head_back(raw: Raw) -> None:
    """The chat's own head names the last line that is there."""
    raw.execute(
        "UPDATE chat SET audit_number = (SELECT count(*) FROM audit WHERE chat_id = chat.id), "
        "audit_hash = coalesce((SELECT hash FROM audit WHERE chat_id = chat.id "
        "ORDER BY number DESC LIMIT 1), '')"
    )


def cut_off(raw: Raw) -> None:
    sql("DELETE FROM audit WHERE number = 2 AND action = 'interaction.rejected'")(raw)
    set_head_back(raw)


def recompute(raw: Raw, key: AuditKey | None, key_id: str | None = None) -> None:
    """All chains anew, over the lines as they are now."""
    lines = raw.execute("SELECT * FROM audit ORDER BY chat_id, number").fetchall()
    last: dict[str, str] = {}
    for row in lines:
        line = AuditLine(
            **{n: row[n] for n in ("app_id", "chat_id", "number", "actor", "action", "subject")},
            at=instant(row["at"]),
            body=row["body"],
        )
        last[row["chat_id"]] = line.link(last.get(row["chat_id"], ""), key)
        raw.execute(
            "UPDATE audit SET hash = ?, key_id = ? WHERE position = ?",
            [last[row["chat_id"]], key.id if key is not None else key_id, row["position"]],
        )
    set_head_back(raw)


def other_actors(key: AuditKey | None, key_id: str | None = None) -> Tampering:
    def run(raw: Raw) -> None:
        sql("UPDATE audit SET actor = 'mallory'", "UPDATE interaction SET settled_by = 'mallory'")(
            raw
        )
        recompute(raw, key, key_id)

    return run


def without_chat(raw: Raw) -> None:
    (chat_id,) = raw.execute("SELECT chat_id FROM effect").fetchone()
    for table in ("audit", "interaction", "effect", "run", "event", "item"):
        raw.execute(f"DELETE FROM {table} WHERE chat_id = ?", [chat_id])
    raw.execute("DELETE FROM chat WHERE id = ?", [chat_id])


def swapped(raw: Raw) -> None:
    one, two = raw.execute(
        "SELECT position, actor, action, subject, body FROM audit ORDER BY position LIMIT 2"
    ).fetchall()
    for a, b in ((one, two), (two, one)):
        raw.execute(
            "UPDATE audit SET actor = ?, action = ?, subject = ?, body = ? WHERE position = ?",
            [b["actor"], b["action"], b["subject"], b["body"], a["position"]],
        )


def chats_exchanged(raw: Raw) -> None:
    """Two chats give one another all that they were told, each chain whole in itself."""
    (one,), (two,) = raw.execute(
        "SELECT chat_id FROM audit WHERE number = 1 ORDER BY position LIMIT 2"
    ).fetchall()
    for table in ("audit", "interaction", "effect", "run"):
        for old, new in ((one, "?"), (two, one), ("?", two)):
            raw.execute(f"UPDATE {table} SET chat_id = ? WHERE chat_id = ?", [new, old])
    set_head_back(raw)


def answer_of(**changed: object) -> Tampering:
    def run(raw: Raw) -> None:
        (text,) = raw.execute(
            "SELECT response FROM interaction WHERE state = 'rejected'"
        ).fetchone()
        raw.execute(
            "UPDATE interaction SET response = ? WHERE state = 'rejected'",
            [json.dumps(json.loads(text) | changed)],
        )

    return run


def forged_line(raw: Raw) -> None:
    """One more line, as versions before the key would have written it."""
    row = raw.execute("SELECT * FROM audit ORDER BY position LIMIT 1").fetchone()
    head = raw.execute("SELECT * FROM chat WHERE id = ?", [row["chat_id"]]).fetchone()
    number = head["audit_number"] + 1
    entry = {"number": number, "at": "", "actor": "ada", "action": "x", "subject": "y", "body": ""}
    raw.execute(
        "INSERT INTO audit (app_id, chat_id, number, at, actor, action, subject, body, hash) "
        "VALUES (?, ?, ?, ?, 'ada', 'interaction.completed', 'y', '{}', ?)",
        [APP, row["chat_id"], number, row["at"], chain(head["audit_hash"], entry)],
    )
    set_head_back(raw)


def rule_added(raw: Raw) -> None:
    for row in raw.execute("SELECT id, head FROM chat").fetchall():
        head = json.loads(row["head"])
        head["preferences"] = {"always_allow": ["refund", "wire_money"]}
        raw.execute("UPDATE chat SET head = ? WHERE id = ?", [json.dumps(head), row["id"]])


def rules_that_are_a_list(raw: Raw) -> None:
    for row in raw.execute("SELECT id, head FROM chat").fetchall():
        head = {**json.loads(row["head"]), "preferences": ["always_allow"]}
        raw.execute("UPDATE chat SET head = ? WHERE id = ?", [json.dumps(head), row["id"]])


def as_if_from_before_the_key(raw: Raw) -> None:
    sql("DELETE FROM seal")(raw)
    other_actors(None)(raw)


def signed_by_mallory(raw: Raw) -> None:
    sql("DELETE FROM seal")(raw)
    other_actors(MALLORY)(raw)


def approval_invented(raw: Raw) -> None:
    row = dict(raw.execute("SELECT * FROM interaction WHERE state = 'completed'").fetchone())
    row |= {"id": "invented", "call_key": "invented"}
    marks = ", ".join("?" * len(row))
    raw.execute(f"INSERT INTO interaction ({', '.join(row)}) VALUES ({marks})", [*row.values()])


BROKEN, TAIL, UNKNOWN = (
    AuditResult.BROKEN,
    AuditResult.UNSEALED_TAIL,
    AuditResult.NOT_CHECKABLE,
)
TAMPERINGS: dict[str, tuple[Tampering, AuditResult]] = {
    "an actor changed": (sql("UPDATE audit SET actor = 'mallory' WHERE number = 1"), BROKEN),
    "a body changed": (sql("UPDATE audit SET body = replace(body, 'refund', 'x')"), BROKEN),
    "a time changed": (sql("UPDATE audit SET at = at + 1 WHERE number = 1"), BROKEN),
    "a line deleted": (sql("DELETE FROM audit WHERE number = 1"), BROKEN),
    "the last line deleted": (sql("DELETE FROM audit WHERE number = 2"), BROKEN),
    "the last line deleted and the head set back": (cut_off, BROKEN),
    "the head's own hash changed": (sql("UPDATE chat SET audit_hash = 'x'"), BROKEN),
    "actors changed and the chain recomputed": (other_actors(None), BROKEN),
    "the same under our key's name": (other_actors(None, KEYS.current.id), BROKEN),
    "the same with another key": (other_actors(MALLORY), BROKEN),
    "a whole chat removed": (without_chat, BROKEN),
    "two lines swapped": (swapped, BROKEN),
    "two chats exchanged": (chats_exchanged, BROKEN),
    "a forged line": (forged_line, BROKEN),
    "who settled changed": (
        sql("UPDATE interaction SET settled_by = 'mallory' WHERE settled_by = 'ada'"),
        BROKEN,
    ),
    "when changed": (
        sql("UPDATE interaction SET settled_at = settled_at - 1 WHERE settled_by = 'ada'"),
        BROKEN,
    ),
    "a decision changed": (
        sql("UPDATE interaction SET decision = 'approve' WHERE decision = 'reject'"),
        BROKEN,
    ),
    "a state changed": (
        sql("UPDATE interaction SET state = 'completed' WHERE state = 'rejected'"),
        BROKEN,
    ),
    "an answer taken back": (
        sql("UPDATE interaction SET state = 'pending' WHERE state = 'rejected'"),
        BROKEN,
    ),
    "an answer changed": (answer_of(approved=True), BROKEN),
    "a reason changed": (answer_of(user_message="Fine"), BROKEN),
    "what the card said changed": (
        sql("UPDATE interaction SET card = replace(card, '1001', '1002') WHERE state <> 'pending'"),
        BROKEN,
    ),
    "what was proposed changed": (
        sql(
            "UPDATE interaction SET proposal = replace(proposal, '1001', '1002') "
            "WHERE state <> 'pending'"
        ),
        BROKEN,
    ),
    "what was proposed is no JSON any more": (
        sql("UPDATE interaction SET proposal = '{' WHERE state <> 'pending'"),
        BROKEN,
    ),
    "what was proposed is a text": (
        sql("UPDATE interaction SET proposal = '5' WHERE state <> 'pending'"),
        BROKEN,
    ),
    "an answered card removed": (sql("DELETE FROM interaction WHERE state = 'completed'"), BROKEN),
    "an approval invented": (approval_invented, BROKEN),
    "what ran changed": (sql("UPDATE effect SET executed_digest = 'sha256:other'"), BROKEN),
    "its arguments changed": (
        sql("UPDATE effect SET arguments = replace(arguments, '1001', '1002')"),
        BROKEN,
    ),
    "a secret argument changed": (
        sql("UPDATE effect SET arguments = replace(arguments, '1234', '4321')"),
        BROKEN,
    ),
    "its result changed": (sql("UPDATE effect SET result = '{}'"), BROKEN),
    "its end changed": (sql("UPDATE effect SET state = 'failed'"), BROKEN),
    "an effect removed": (sql("DELETE FROM effect"), BROKEN),
    "a rule added": (rule_added, BROKEN),
    "rules that are a list": (rules_that_are_a_list, BROKEN),
    "a seal changed": (sql("UPDATE seal SET at = at + 1 WHERE number = 2"), BROKEN),
    "the first seal removed": (sql("DELETE FROM seal WHERE number = 1"), BROKEN),
    "the last seal removed": (sql("DELETE FROM seal WHERE number = 2"), TAIL),
    "all seals removed": (sql("DELETE FROM seal"), TAIL),
    "made look older than the key": (as_if_from_before_the_key, UNKNOWN),
    "written anew with another key": (signed_by_mallory, UNKNOWN),
}


@pytest.mark.parametrize("what", TAMPERINGS)
async def test_tampering_is_found(past: Past, what: str):
    tamper, expected = TAMPERINGS[what]
    with closing(sqlite3.connect(past.path)) as raw:
        raw.row_factory = sqlite3.Row
        tamper(raw)
        raw.commit()
    report = await verified(past)
    assert (report.result, report.as_json()["intact"]) == (expected, False), report


@pytest.mark.parametrize(
    ("statement", "number", "detail"),
    [
        ("DELETE FROM seal WHERE number = 1", 1, "A seal is missing."),
        ("UPDATE seal SET at = at + 1 WHERE number = 2", 2, "This seal was not written with"),
        ("DELETE FROM audit WHERE number = 1", 1, "A line is missing."),
        ("DELETE FROM audit WHERE number = 2", 2, "The last lines are missing."),
        ("DELETE FROM chat", 2, "Its chat is gone."),
        ("UPDATE chat SET audit_hash = 'x'", 2, "The chat's own head names another last line."),
        (
            "UPDATE chat SET audit_number = audit_number - 1 WHERE audit_number > 0",
            2,
            "The chat's own head names another last line.",
        ),
        ("UPDATE chat SET head = '{' WHERE head LIKE '%always%'", 2, "always_allow is not what"),
        (
            "UPDATE interaction SET proposal = replace(proposal, '\"refund\"', '\"wire\"')",
            1,
            "has another tool_name.",
        ),
        ("UPDATE interaction SET response = '{' WHERE settled_by = 'ada'", 1, "another response."),
        ("UPDATE interaction SET response = '5' WHERE settled_by = 'ada'", 1, "another response."),
        ("UPDATE audit SET at = at + 1", 1, "This line was changed, or not written with the key."),
        ("DELETE FROM interaction WHERE state = 'completed'", 1, "this line tells, is gone."),
        ("UPDATE interaction SET settled_by = 'x' WHERE settled_by = 'ada'", 1, "another actor."),
        ("UPDATE interaction SET settled_at = 1 WHERE settled_by = 'ada'", 1, "has another at."),
        ("UPDATE interaction SET tool_call_id = 'x'", 1, "has another tool_call_id."),
        ("UPDATE interaction SET ui_tool_id = 'x'", 1, "has another ui_tool_id."),
        ("UPDATE interaction SET revision = 9", 1, "has another revision."),
        ("UPDATE interaction SET response = NULL", 1, "has another response."),
        ("UPDATE interaction SET proposal = NULL", 1, "has another tool_name."),
        ("UPDATE interaction SET digest = NULL", 1, "has another shown_digest."),
        ("UPDATE interaction SET card = replace(card, '1001', '1')", 1, "was changed."),
        ("UPDATE interaction SET state = 'expired' WHERE state = 'pending'", 0, "no line says so."),
        ("UPDATE effect SET state = 'failed'", 1, "has another state."),
        ("UPDATE effect SET tool_name = 'x'", 1, "has another tool_name."),
        ("UPDATE effect SET shown_digest = 'x'", 1, "has another shown_digest."),
        ("UPDATE effect SET result = '{}'", 1, "was changed."),
        ("UPDATE effect SET attempt = 2", 0, "is done, and no line says so."),
    ],
)
async def test_what_does_not_fit_is_named(past: Past, statement: str, number: int, detail: str):
    with closing(sqlite3.connect(past.path)) as raw:
        sql(statement)(raw)
        raw.commit()
    broken = (await verified(past)).broken
    assert (broken[0].number, detail in broken[0].detail) == (number, True), broken
    assert len({one.chat_id for one in broken}) == len(broken), "the first thing in each chat"


async def test_who_has_the_key_cannot_change_what_is_sealed(past: Past):
    with closing(sqlite3.connect(past.path)) as raw:
        raw.row_factory = sqlite3.Row
        sql("UPDATE audit SET actor = 'mallory' WHERE action LIKE 'preference.%'")(raw)
        recompute(raw, KEYS.current)
        raw.commit()
    (broken,) = (await verified(past)).broken
    assert broken.chat_id == past.chats[2]
    assert (broken.number, broken.detail) == (2, "A seal knows another line here.")


async def test_what_has_no_key_is_found_at_its_first_line_after_the_first_seal(past: Past):
    with closing(sqlite3.connect(past.path)) as raw:
        raw.row_factory = sqlite3.Row
        sql("DELETE FROM seal WHERE number = 2")(raw)
        recompute(raw, None)
        raw.commit()
    store = SqlStore.sqlite(past.path, clock=past.clock, keys=KEYS)
    await store.open()
    await store.seal_audit()
    broken = (await store.verify_audit(APP)).broken
    await store.close()
    assert [one.chat_id for one in broken] == past.chats
    assert [one.number for one in broken] == [2, 1, 1]
    assert [one.detail.partition(",")[0] for one in broken] == [
        *["A seal knows another line here."] * 2,
        "This line has no key",
    ]


async def test_a_rule_that_no_line_tells_of_is_of_no_line(past: Past):
    with closing(sqlite3.connect(past.path)) as raw:
        raw.row_factory = sqlite3.Row
        rule_added(raw)
        raw.commit()
    broken = {one.chat_id: one.number for one in (await verified(past)).broken}
    assert broken == {past.chats[0]: 0, past.chats[1]: 0, past.chats[2]: 2}


async def test_a_chat_whose_head_knows_no_rules_may_have_none(past: Past):
    with closing(sqlite3.connect(past.path)) as raw:
        sql("UPDATE chat SET head = '[]' WHERE head NOT LIKE '%always%'")(raw)
        raw.commit()
    assert (await verified(past)).result is AuditResult.WHOLE


@pytest.mark.parametrize("sealed_before", [True, False])
async def test_a_line_without_a_key_is_no_older_than_the_first_seal(
    past: Past, sealed_before: bool
):
    """A chat that began after the first seal, or whose lines had a key already."""
    with closing(sqlite3.connect(past.path)) as raw:
        raw.row_factory = sqlite3.Row
        sql("DELETE FROM seal" if not sealed_before else "DELETE FROM seal WHERE number = 2")(raw)
        forged_line(raw)
        raw.commit()
    store = SqlStore.sqlite(past.path, clock=past.clock, keys=KEYS)
    await store.open()
    if sealed_before:
        await store.seal_audit()
    report = await store.verify_audit(APP)
    await store.close()
    assert "This line has no key" in " ".join(one.detail for one in report.broken)


async def test_going_back_to_an_earlier_day_is_found_by_a_head_kept_elsewhere(past: Past):
    """Without one it cannot be: the file is what it was that day, to the last byte."""
    with closing(sqlite3.connect(past.path)) as raw:
        chat_id = past.chats[-1]
        for table in ("audit", "interaction", "run", "event", "item"):
            raw.execute(f"DELETE FROM {table} WHERE chat_id = ?", [chat_id])
        raw.execute("DELETE FROM chat WHERE id = ?", [chat_id])
        raw.execute("DELETE FROM seal WHERE number = 2")
        raw.commit()
    assert (await verified(past)).result is AuditResult.WHOLE
    assert (await verified(past, against=past.heads[0])).result is AuditResult.WHOLE
    assert (await verified(past, against=past.heads[1])).result is AuditResult.BROKEN


async def test_a_head_of_another_history_is_found(past: Past, tmp_path: Path):
    other = Past(tmp_path / "other")
    other.clock.advance(seconds=1)
    await other.tell()
    assert (await verified(past, against=other.heads[1])).result is AuditResult.BROKEN


@pytest.mark.parametrize("text", ["", "0.", "1", "x.y", f"0.{'0' * 64}", f"1.{'0' * 63}"])
def test_what_is_no_head_is_told(text: str):
    with pytest.raises(InvalidInput, match="not a head"):
        KeptHead.read(text)


async def test_without_its_key_it_is_not_checkable(past: Past):
    report = await verified(past, keys=AuditKeys(MALLORY))
    assert report.result is AuditResult.NOT_CHECKABLE
    assert list(report.missing_keys) == [KEYS.current.id]
    assert report.without_key == 5 + 2


async def test_a_former_key_still_checks_what_it_wrote(past: Past):
    keys = AuditKeys(MALLORY, former=(KEYS.current,))
    store = SqlStore.sqlite(past.path, clock=past.clock, keys=keys)
    await store.open()
    story = Story(store, past.clock)
    _, waited = await story.waiting(approval("e"))
    await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    await store.seal_audit()
    await store.close()
    assert (await verified(past, keys=keys)).result is AuditResult.WHOLE
    assert (await verified(past)).result is AuditResult.NOT_CHECKABLE


async def test_lines_that_are_not_sealed_in_time_are_told(past: Past):
    store = SqlStore.sqlite(past.path, clock=past.clock, keys=KEYS)
    await store.open()
    story = Story(store, past.clock)
    _, waited = await story.waiting(approval("e"))
    await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert (await store.verify_audit(APP)).result is AuditResult.WHOLE, "a moment is allowed"
    past.clock.advance(seconds=50)
    _, waited = await story.waiting(approval("f"))
    await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    past.clock.advance(seconds=10)
    report = await store.verify_audit(APP)
    assert (report.result, report.unsealed) == (AuditResult.UNSEALED_TAIL, 2)
    assert report.unsealed_seconds == 60
    await store.seal_audit()
    assert (await store.verify_audit(APP)).result is AuditResult.WHOLE
    await store.close()


async def test_lines_older_than_the_key_are_vouched_for_from_the_first_seal_on(past: Past):
    def as_version_1_left_it(raw: Raw) -> None:
        """Its lines had no key, and vouched for no row."""
        for row in raw.execute("SELECT position, body FROM audit").fetchall():
            body = {name: part for name, part in json.loads(row["body"]).items() if name != "row"}
            raw.execute(
                "UPDATE audit SET body = ? WHERE position = ?",
                [json.dumps(body), row["position"]],
            )
        raw.execute("DELETE FROM seal")
        recompute(raw, None)

    with closing(sqlite3.connect(past.path)) as raw:
        raw.row_factory = sqlite3.Row
        as_version_1_left_it(raw)
        raw.commit()
    before = await verified(past)
    assert (before.result, before.older_unsealed) == (AuditResult.NOT_CHECKABLE, 5)
    store = SqlStore.sqlite(past.path, clock=past.clock, keys=KEYS)
    await store.open()
    await store.seal_audit()
    story = Story(store, past.clock)
    _, waited = await story.waiting(approval("e"))
    await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    await store.seal_audit()
    await store.close()
    after = await verified(past)
    assert (after.result, after.older_than_key) == (AuditResult.WHOLE, 5)
    copied = past.path.with_name("copy.db")
    shutil.copy(past.path, copied)
    rows = {
        "UPDATE interaction SET settled_by = 'mallory' WHERE settled_by = 'ben'": 2,
        "UPDATE interaction SET decision = 'approve' WHERE decision = 'reject'": 2,
        "UPDATE effect SET executed_digest = 'x' WHERE executed_digest IS NOT NULL": 1,
        "DELETE FROM audit WHERE number = 2": 0,
    }
    for statement, number in rows.items():
        shutil.copy(copied, past.path)
        with closing(sqlite3.connect(past.path)) as raw:
            assert raw.execute(statement).rowcount > 0
            set_head_back(raw)
            raw.commit()
        first, *_ = (await verified(past)).broken
        assert first.number == number, (statement, first)


def test_a_key_that_can_be_guessed_is_refused_and_none_is_ever_shown():
    with pytest.raises(InvalidInput, match="fewer than 16"):
        AuditKeys.read("fifteen letters")
    assert AuditKeys.read("sixteen letters!").former == ()
    secret = "a secret of twenty-one"
    keys = AuditKeys.read(f"{secret} now,\n{secret} before\n")
    assert len(keys.former) == 1
    assert "secret" not in repr(keys)
    assert keys.get(keys.former[0].id) == keys.former[0]
    assert keys.get("unknown") is None
