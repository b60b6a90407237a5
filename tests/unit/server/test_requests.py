"""Times that no calendar in UTC has, and files that are not whole."""

import pytest
from pydantic import ValidationError

from sayso.server.requests import AskBody, FileBody, SnoozeBody

LAST = "9999-12-31T23:59:59-14:00"


def test_a_time_after_the_last_day_is_refused_before_it_is_stored():
    with pytest.raises(ValidationError, match="until"):
        SnoozeBody.model_validate({"until": LAST})
    with pytest.raises(ValidationError, match="expires_at"):
        AskBody.model_validate({"kind": "approve", "title": "Deploy?", "expires_at": LAST})
    assert SnoozeBody.model_validate({"until": "9998-12-31T23:59:59Z"}).until.year == 9998


def test_a_file_is_whole_or_refused():
    for broken in ("!!!!", "é", "YWJj?", "YWJ"):
        with pytest.raises(ValidationError, match="base64"):
            FileBody.model_validate({"name": "a.txt", "content": broken})
    folded = FileBody.model_validate({"name": "a.txt", "content": "YWJj\nZGVm\n"})
    assert folded.content == b"abcdef"
