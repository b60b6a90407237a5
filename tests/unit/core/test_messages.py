"""What the server says: a code with its parameters, beside the text."""

from __future__ import annotations

from sayso.core.messages import coded, message


def test_a_text_of_the_server_names_its_code_and_only_what_it_has() -> None:
    assert coded(message("call.denied")) == {"code": "call.denied"}
    assert coded(message("push.many", n=2)) == {"code": "push.many", "params": {"n": 2}}
    assert coded("somebody's own words") == coded(None) == {}
