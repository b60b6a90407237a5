"""Secrets of every type: what is shown, told and logged has "•••" in their place."""

import json
import logging

import pytest
from pydantic import JsonValue

from sayso.tools.masking import MASK, Mask, Secrets

CFG: JsonValue = {"host": "db.local", "auth": [{"code": 7319, "word": "hunter22"}], "tls": True}
ARGUMENTS: dict[str, JsonValue] = {
    "user": "ada",
    "password": "s3cret-Ω\n",
    "pin": 987654321,
    "cvv": 123,
    "rate": 12.75,
    "cfg": CFG,
    "flag": True,
    "nothing": None,
}
NAMES = [name for name in ARGUMENTS if name != "user"]


@pytest.fixture
def mask() -> Mask:
    return Mask(NAMES, ARGUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        "wrong pin 987654321!",
        "wrong pin 987,654,321",
        "pin=987654321.0",
        "cvv (123) refused",
        "rate 12.75 is too high",
        "code 7319",
        "word='hunter22'",
        f"cannot use {CFG!r}",
        f"cannot use {json.dumps(CFG)}",
        f"password {ARGUMENTS['password']}",
        f"password {ARGUMENTS['password']!r}",
        f"password {json.dumps(ARGUMENTS['password'])}",
    ],
)
def test_each_leaf_is_masked_in_a_text_by_its_own_words(mask: Mask, text: str):
    said = mask.text(text)
    assert MASK in said
    for leaf in ("987", "123", "12.75", "7319", "hunter22", "s3cret"):
        assert leaf not in said


def test_short_leaves_are_masked_where_the_whole_argument_is_told():
    value: JsonValue = {"a": 1, "b": [2, "xö"]}
    mask = Mask(["cfg"], {"cfg": value})
    forms = [str(value)] + [
        json.dumps(value, separators=separators, ensure_ascii=ascii)
        for separators in (None, (",", ":"))
        for ascii in (True, False)
    ]
    for form in forms:
        assert mask.text(f"no use for {form}.") == f"no use for {MASK}."
    assert mask.text("1 of 2 tries, xö") == "1 of 2 tries, xö"


@pytest.mark.parametrize(
    "text", ["True story", "None of them, null", "order 1234 of 41239876543210", "at 0.5", "ada"]
)
def test_what_only_looks_alike_stays(mask: Mask, text: str):
    assert mask.text(text) == text


def test_arguments_are_masked_whole_by_their_names(mask: Mask):
    shown = mask.object(ARGUMENTS)
    assert shown == {"user": "ada", "nothing": None} | dict.fromkeys(
        [name for name in NAMES if name != "nothing"], MASK
    )


def test_values_are_found_under_other_names_and_as_other_types(mask: Mask):
    told: JsonValue = {
        "echo": [987654321, "987654321", 987654321.0, {"7319": "x"}],
        "used": {"host": "db.local", "tls": True},
        "flag_again": True,
        "count": 5,
    }
    assert mask.value(told) == {
        "echo": [MASK, MASK, MASK, {MASK: "x"}],
        "used": {"host": MASK, "tls": True},
        "flag_again": True,
        "count": 5,
    }


def test_a_text_of_digits_is_found_as_a_number():
    mask = Mask(["pin"], {"pin": "0987654"})
    assert mask.value({"a": "0987654"}) == {"a": MASK}
    assert Mask(["pin"], {"pin": "987654"}).value({"a": 987654}) == {"a": MASK}


def test_errors_are_logged_without_them(mask: Mask, caplog: pytest.LogCaptureFixture):
    secrets = Secrets()
    secrets.add(mask)
    try:
        try:
            raise KeyError(CFG["auth"])  # type: ignore[index, call-overload]
        except KeyError as exc:
            raise ValueError(f"no {ARGUMENTS['pin']} {ARGUMENTS['cfg']}") from exc
    except ValueError as exc:
        secrets.log(logging.getLogger("test"), "it failed", exc)
    assert "it failed" in caplog.text
    for leaf in ("987654321", "hunter22", "7319", "db.local"):
        assert leaf not in caplog.text


def test_nothing_declared_changes_nothing():
    mask = Mask((), ARGUMENTS)
    assert not mask.hides
    assert mask.text("987654321") == "987654321"
    assert mask.value(ARGUMENTS) == ARGUMENTS


def test_an_error_that_cannot_say_what_it_is_is_told_all_the_same() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert "Mute: (its words could not be read: ValueError)" in Secrets().redacted(Mute())


def test_a_short_secret_is_found_in_texts_from_four_letters_on():
    mask = Mask(["long", "short"], {"long": "abcd", "short": "abc"})
    assert mask.text("abcd") == MASK
    assert mask.text("abc") == "abc"
