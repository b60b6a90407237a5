"""The journal of a run: each step has one key, text is said once, and what changed is told."""

from __future__ import annotations

import orjson
import pytest

from sayso.core.cards import FieldMistake
from sayso.core.errors import CallNeverRan, ReplayDiverged, StateUnreadable
from sayso.tools.journal import JOURNAL_VERSION, Journal, Refusal
from sayso.tools.suspension import StepFailed


def again(journal: Journal) -> Journal:
    """As the next segment reads it."""
    return Journal.load(journal.dump())


def test_equal_steps_have_keys_of_their_own_and_come_back_in_their_order() -> None:
    live = Journal()
    steps = [live.reach("", "call", "pay", {"n": n}) for n in (1, 1, 2)]
    steps.append(live.reach("", "call", "buy", {"n": 1}))
    steps.append(live.reach("inner>", "call", "pay", {"n": 1}))
    keys = [step.key for step in steps]
    assert len(set(keys)) == 5
    assert [key[-2:] for key in keys] == ["#0", "#1", "#0", "#0", "#0"]
    steps[0].finish("paid")
    steps[1].fail(ValueError("no"))
    replayed = again(live)
    back = [replayed.reach("", "call", "pay", {"n": n}) for n in (1, 1, 2)]
    assert [step.key for step in back] == keys[:3]
    assert [step.done for step in back] == [True, True, False]
    assert back[0].outcome() == "paid"
    with pytest.raises(StepFailed, match="ValueError: no"):
        back[1].outcome()
    assert back[2].outcome() is None
    assert replayed.reach("", "call", "buy", {"n": 1}).key == keys[3]
    assert replayed.reach("", "ask", "", None).title == "ask"
    assert keys[2] == "call:492208a1aa0bfc1d#0", "runs that wait have it in their rows"


def test_a_step_that_is_another_one_now_is_named_and_nothing_is_done_after_it() -> None:
    live = Journal()
    live.reach("pay>", "call", "look", {})
    replayed = again(live)
    with pytest.raises(ReplayDiverged, match="The agent, at 'pay', now reaches ask where") as said:
        replayed.reach("pay>", "ask", "", {})
    assert "it had call 'look'" in str(said.value)
    assert said.value.context == {"path": "pay>"}
    with pytest.raises(ReplayDiverged, match="now reaches call 'look' where it had the same with"):
        again(live).reach("pay>", "call", "look", {"n": 1})
    for late in (
        lambda: replayed.reach("", "call", "look", {}),
        lambda: replayed.say("", "x"),
        lambda: replayed.check_all_passed(""),
    ):
        with pytest.raises(ReplayDiverged):
            late()


def test_a_step_that_its_caller_gave_up_stays_given_up() -> None:
    live = Journal()
    step = live.reach("", "call", "look", {})
    assert not step.was_cut
    step.cut()
    replayed = again(live).reach("", "call", "look", {})
    assert (replayed.was_cut, replayed.done) == (True, True)


def test_what_was_said_is_not_said_again() -> None:
    live = Journal()
    assert [live.say("", "Hello "), live.say("", "Ann")] == ["Hello ", "Ann"]
    replayed = again(live)
    assert [replayed.say("", "Hel"), replayed.say("", "lo Ann!")] == ["", "!"]
    third = again(replayed)
    assert [third.say("", "Hello Ann!"), third.say("", "?")] == ["", "?"]


def test_other_words_and_words_left_out_are_told() -> None:
    live = Journal()
    live.say("", "Hello Ann")
    assert orjson.loads(live.dump())["paths"][""]["said"] == 9
    with pytest.raises(ReplayDiverged, match="The agent says other words than before"):
        again(live).say("", "Hello Ben")
    with pytest.raises(ReplayDiverged, match="before it has said what it had said"):
        again(live).reach("", "call", "look", {})
    with pytest.raises(ReplayDiverged, match="ends or waits without saying"):
        again(live).check_all_passed("")
    assert again(live).dump() == live.dump(), "what was not said again yet is still owed"


def test_words_half_said_are_forgotten() -> None:
    live = Journal()
    live.say("", "whole. ")
    live.mark_whole("")
    live.say("", "and ha")
    live.break_off()
    replayed = again(live)
    assert replayed.say("", "whole. other words") == "other words"
    unmarked = Journal()
    unmarked.say("", "half")
    unmarked.break_off()
    assert again(unmarked).say("", "anything") == "anything"
    stepped = Journal()
    stepped.say("", "first. ")
    stepped.reach("", "call", "look", {})
    stepped.say("", "half")
    stepped.break_off()
    owed = again(stepped)
    assert owed.say("", "first. ") == ""
    owed.reach("", "call", "look", {})
    assert owed.say("", "new") == "new"


def test_a_scope_has_to_come_back_to_where_it_was_and_what_is_within_it_alone_not() -> None:
    live = Journal()
    for path in ("", "pay>", "pay>look>", "pay>~0"):
        live.reach(path, "call", "look", {})
    live.check_all_passed("")
    replayed = again(live)
    with pytest.raises(ReplayDiverged, match="without reaching call 'look'"):
        replayed.check_all_passed("")
    inner = again(live)
    with pytest.raises(ReplayDiverged, match="at 'pay'"):
        inner.check_all_passed("pay>")
    reached = again(live)
    reached.reach("pay>", "call", "look", {})
    reached.check_all_passed("pay>")
    reached.check_all_passed("buy>")
    with pytest.raises(ReplayDiverged):
        reached.check_all_passed("pay>look>")


def test_a_body_that_has_ended_leaves_no_steps() -> None:
    live = Journal()
    for path in ("", "pay>", "pay>look>", "buy>"):
        live.reach(path, "call", "look", {})
    live.paused = {"pay": 1, "buy": 2}
    live.forget("pay>")
    kept = orjson.loads(live.dump())
    assert set(kept["paths"]) == {"", "buy>"}
    assert live.paused == {"buy": 2}
    live.forget("none>")


def test_all_of_it_is_kept() -> None:
    live = Journal()
    live.called = {"b", "a"}
    live.results = {"a": {"value": 1}}
    live.paused, live.stale = {"a": 1}, {"b": 2}
    live.refused = {"a": Refusal(3, (FieldMistake(path="n", message="no"),))}
    live.history_at, live.history = 7, [{"role": "user"}]
    assert again(live) == live
    assert orjson.loads(live.dump())["called"] == ["a", "b"]
    assert Journal.load(None) == Journal.load(b"") == Journal()


def test_tasks_in_a_journal_of_an_older_version_keep_their_names() -> None:
    old = orjson.loads(Journal().dump())
    assert old.pop("naming") == 2
    assert again(Journal.load(orjson.dumps(old))).naming == 1


@pytest.mark.parametrize("raw", [b"x", b"[]", b"{}", b'{"version": 1}'])
def test_what_cannot_be_read_is_told(raw: bytes) -> None:
    with pytest.raises(StateUnreadable, match="cannot be read"):
        Journal.load(raw)


def test_a_journal_of_another_version_is_told() -> None:
    assert JOURNAL_VERSION == 1
    with pytest.raises(StateUnreadable, match="has version 2; this Sayso reads 1"):
        Journal.load(Journal().dump().replace(b'"version":1', b'"version":2'))


def test_a_call_that_was_taken_for_another_is_named() -> None:
    live = Journal()
    first, second = (live.reach("", "call", name, {}) for name in ("pay", "buy"))
    again(live)
    second.key = first.key
    with pytest.raises(CallNeverRan, match="The call 'buy' never ran") as said:
        again(live)
    assert said.value.context == {"never_ran": "buy", "ran": "pay"}
    third = live.reach("", "call", "pay", {})
    second.key, third.key = "other", first.key
    again(live)  # an equal call may share its key
