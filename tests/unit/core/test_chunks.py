"""A piece of an answer says who speaks, where that is not the run's own agent."""

from sayso.core.tasks import text_chunk


def test_who_speaks_is_told_where_it_is_another() -> None:
    assert text_chunk("t", "Hello").metadata == {}
    assert text_chunk("t", "Hello", "helper").metadata == {"agent_name": "helper"}
