"""What `sayso ask` refuses before anything is asked."""

import httpx
import pytest

from sayso.cli.ask import AskOptions, _body
from sayso.client import api
from sayso.client.connection import Client, Place, _reaching
from sayso.core.errors import InvalidInput


@pytest.mark.parametrize("kind", ["notice", "choose", "form"])
def test_a_command_runs_only_where_something_is_approved(kind: api.AskKind):
    given = AskOptions(
        title="Hello",
        kind=kind,
        options=["a"],
        form=None,
        arguments=[],
        context=[],
        editable=[],
        attachments=[],
        assignees=[],
        tool=None,
        expires=None,
        key=None,
        command="true",
        idempotent=False,
    )
    with pytest.raises(InvalidInput, match="approves nothing"):
        _body(given, "Hello")


def test_what_cannot_be_sent_is_no_server_that_is_away():
    place = Place("http://127.0.0.1:1", None)
    ask = api.open_ask({"kind": "approve", "title": "caf\udce9"}, idempotency_key="k")
    with pytest.raises(InvalidInput, match="cannot be sent"):
        Client(place).send(ask)
    with pytest.raises(InvalidInput, match="cannot be sent"), _reaching(place):
        raise httpx.LocalProtocolError("Illegal header value b'a\\nb'.")
