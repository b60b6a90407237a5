"""What a search over cards compares: what was shown and what was said, and no form's values."""

from sayso.core.digest import JsonObject
from sayso.store.search_text import words_in


def test_what_a_person_said_is_found_and_what_they_filled_in_is_not() -> None:
    card: JsonObject = {"card": "form", "title": "Address", "response_schema": {"a": "hidden"}}
    data: JsonObject = {"additional_notes": "Ring twice", "values": {"street": "Elm"}}
    found = words_in(card, {"user_message": "Yes, please", "response_data": data}, "desk")
    for words in ("desk", "address", "ring twice", "yes, please"):
        assert words in found
    for words in ("elm", "hidden", "form"):
        assert words not in found
    assert "address" in words_in(card, {"user_message": None, "response_data": None})
