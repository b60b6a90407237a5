"""One event, one item: a person's change of a call is seen, whatever stood there before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from sayso.core.chat_view import ToolCallItem
from sayso.core.events import ChatEvent, ToolCalled, ToolCallStatus, ToolReturned
from sayso.core.reducers import reduce_item

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "ran", "is_changed"),
    [
        ([1], [1], False),
        ([1], 5, True),
        (1, [5], True),
        ({"a": 1}, 5, True),
        (1, True, True),
        (1, 1.0, False),
    ],
)
def test_what_ran_stands_beside_what_was_asked_for(
    asked: JsonValue, ran: JsonValue, is_changed: bool
) -> None:
    call = ToolCalled(tool_call_id="c", name="pay", arguments={"n": asked}, run_id="r")
    end = ToolReturned(tool_call_id="c", status=ToolCallStatus.DONE, arguments={"n": ran})
    item = reduce_item(None, ChatEvent(seq=1, at=NOW, data=call))
    item = reduce_item(item, ChatEvent(seq=2, at=NOW, data=end))
    assert isinstance(item, ToolCallItem)
    assert (item.asked_arguments is not None) is is_changed
