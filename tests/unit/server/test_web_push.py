"""What is sent to a push service, against the standards' own examples."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from sayso.core.errors import InvalidInput
from sayso.server.web_push import (
    PushKey,
    check_browser_keys,
    decoded,
    encrypted,
    new_push_key,
)

# RFC 8291, section 5 and appendix A.
BROWSER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
PUSHED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6T"
    "lzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4"
    "a-fN"
)


def test_it_is_encrypted_as_the_standard_shows():
    own = ec.derive_private_key(int.from_bytes(decoded(SENDER), "big"), ec.SECP256R1())
    words = b"When I grow up, I want to be a watermelon"
    assert encrypted(words, BROWSER, AUTH, salt=decoded(SALT), own=own) == decoded(PUSHED)
    assert encrypted(words, BROWSER, AUTH) != encrypted(words, BROWSER, AUTH)


def test_a_key_is_the_same_when_it_is_read_again():
    text = new_push_key()
    key = PushKey.read(f"{text}\n")
    assert key.public == PushKey.read(text).public
    assert (len(decoded(key.public)), decoded(key.public)[0]) == (65, 4)
    header = key.authorization(
        "https://push.example:444/send/x?y", datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert b'"aud":"https://push.example:444"' in decoded(header.split(".")[1])
    assert b"sub" not in decoded(header.split(".")[1])
    with_contact = PushKey.read(text, "mailto:a@b.example")
    claims = with_contact.authorization("https://p.example/", datetime.now(UTC)).split(".")[1]
    assert b'"sub":"mailto:a@b.example"' in decoded(claims)


@pytest.mark.parametrize("text", ["", "no key", "AA"])
def test_what_is_no_key_is_said(text: str):
    with pytest.raises(InvalidInput, match="cannot be read"):
        PushKey.read(text)


@pytest.mark.parametrize(("p256dh", "auth"), [("", AUTH), (AUTH, AUTH), (BROWSER, SENDER)])
def test_keys_that_nothing_can_be_encrypted_for_are_refused(p256dh: str, auth: str):
    check_browser_keys(BROWSER, AUTH)
    with pytest.raises(InvalidInput):
        check_browser_keys(p256dh, auth)
