"""What no server may be started with."""

import pytest
from pydantic import SecretStr, ValidationError

from sayso.settings import Settings


@pytest.mark.parametrize("wrong", ["", "whsec_", "whsec_!!!!", "zz", "whsec_eHh4eA=="])
def test_a_secret_of_webhooks_that_anybody_has_is_refused(wrong: str):
    with pytest.raises(ValidationError, match="16 bytes"):
        Settings(webhook_secret=SecretStr(wrong))


@pytest.mark.parametrize("right", ["whsec_MDEyMzQ1Njc4OWFiY2RlZg==", "MDEyMzQ1Njc4OWFiY2RlZg=="])
def test_a_secret_of_webhooks_may_have_its_name_before_it(right: str):
    Settings(webhook_secret=SecretStr(right))
