"""A card in the terminal: all of it, and nothing that an agent could use to disguise it."""

import io
from typing import Any

import orjson
import pytest
from rich.console import Console

from sayso.cli.cards import clean, escaped, show

APPROVAL: dict[str, Any] = {
    "interaction_id": "i1",
    "title": "Refund [bold]1001[/bold]",
    "agent_name": "desk",
    "expires_at": None,
    "card": "exchanges",
    "payload": {
        "title": "Refund",
        "agent_message": "May I?",
        "message": "Ready to refund",
        "entity_summary": "Order 1001",
        "entity_details": {"name": "Steel", "nothing": None, "deep": {"a": [1, 2]}},
        "tool_name": "refund",
        "tool_params": {"order": "1001", "amount": 20.5},
        "impact": "Pays 20.50 back",
        "warnings": ["cannot be undone"],
        "attachments": [
            {
                "kind": "file",
                "name": "b\u202eox.png",
                "media_type": "image/png",
                "size": 9,
                "alt": "A box",
            },
            {"kind": "link", "url": "https://shop.example/1001"},
        ],
        "rows": [
            {
                "row_id": "r1",
                "values": {"flow": "Concrete", "amount": 10},
                "warnings": ["no provider"],
            },
            {"row_id": "r2", "values": {"flow": "Steel", "ref": True}, "warnings": []},
        ],
        "sayso": {"digest": "sha256:x"},
    },
}


def shown(it: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    show(console, it)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_everything_under_approval_is_shown():
    text = shown(APPROVAL)
    for words in (
        "Refund [bold]1001[/bold]",
        "May I?",
        "Ready to refund",
        "Order 1001",
        "Steel",
        "nothing",
        '{"a":[1,2]}',
        "1001",
        "20.5",
        "Pays 20.50 back",
        "cannot be undone",
        "r1",
        "Concrete",
        "no provider",
        "r2",
        "yes",
        "refund",
        "b�ox.png (image/png, 9 bytes): A box",
        "• https://shop.example/1001",
    ):
        assert words in text, words


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[2J\x1b[1;1H",
        "\x9b31m",
        "\rRefund 1",
        "\x08\x08\x08",
        "\u202e0001",
        "\u2066x",
        "\x00",
        "\u200b",
    ],
    ids=repr,
)
def test_text_cannot_move_the_cursor_or_turn_round(hostile: str):
    it = {**APPROVAL, "title": hostile, "agent_name": hostile}
    it["payload"] = {
        **APPROVAL["payload"],
        "entity_details": {hostile: hostile},
        "warnings": [hostile],
        "rows": [{"row_id": hostile, "values": {hostile: hostile}, "warnings": [hostile]}],
    }
    text = shown(it)
    assert not [c for c in text if c != "\n" and not c.isprintable()]


def test_plain_text_of_any_language_stays_as_it_is():
    text = "می\u200cخواهم Größe 退款 订单 عربي\n\tüber"
    assert clean(text) == text


def test_what_a_redraw_changed_is_said_first():
    changes = [
        {"path": "details/Amount", "before": 10, "after": 20},
        {"path": "arguments", "before": None, "after": None},
    ]
    text = shown({**APPROVAL, "payload": {**APPROVAL["payload"], "sayso": {"changes": changes}}})
    assert "10 → 20" in text
    assert text.index("details/Amount") < text.index("Ready to refund")


def test_json_for_a_terminal_has_escapes_and_says_the_same():
    said = {"title": "a\x1b]52;\x9b31m\u202egnp.exe\x7f\U000e0041 Zoë 猫", "n": [1]}
    text = escaped(orjson.dumps(said, option=orjson.OPT_INDENT_2))
    assert orjson.loads(text) == said
    assert not set("\x1b\x9b\u202e\x7f\U000e0041") & set(text)
    assert "Zoë 猫" in text
