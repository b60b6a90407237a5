"""The Python client is made from the OpenAPI document: what is committed is what is generated."""

from scripts import python_client


def test_the_committed_client_is_current() -> None:
    assert python_client.TARGET.read_text() == python_client.written(), (
        "routes or models changed: run `python scripts/python_client.py`"
    )
