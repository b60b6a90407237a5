"""Times that no calendar in UTC has."""

import pytest
from pydantic import ValidationError

from sayso.server.requests import AskBody, SnoozeBody

LAST = "9999-12-31T23:59:59-14:00"


def test_a_time_after_the_last_day_is_refused_before_it_is_stored():
    with pytest.raises(ValidationError, match="until"):
        SnoozeBody.model_validate({"until": LAST})
    with pytest.raises(ValidationError, match="expires_at"):
        AskBody.model_validate({"kind": "approve", "title": "Deploy?", "expires_at": LAST})
    assert SnoozeBody.model_validate({"until": "9998-12-31T23:59:59Z"}).until.year == 9998
