"""What the server says: a code with its parameters, beside the text."""

from __future__ import annotations

import pytest

from sayso.core.messages import coded, language_of, message


def test_a_text_of_the_server_names_its_code_and_only_what_it_has() -> None:
    assert coded(message("call.denied")) == {"code": "call.denied"}
    assert coded(message("push.many", n=2)) == {"code": "push.many", "params": {"n": 2}}
    assert coded("somebody's own words") == coded(None) == {}


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh_CN.UTF-8", "zh-Hans"),
        ("zh-Hans", "zh-Hans"),
        ("zh", "zh-Hans"),
        ("zh_TW.UTF-8", "en"),
        ("zh-Hant-HK", "en"),
        ("de_DE.UTF-8@euro", "en"),
        ("C", "en"),
        ("", "en"),
    ],
)
def test_a_locale_means_a_language_that_has_a_catalogue(tag: str, language: str) -> None:
    assert language_of(tag) == language
