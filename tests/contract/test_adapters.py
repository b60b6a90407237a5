"""The adapters of no framework pass the contract."""

from pathlib import Path

from sayso.testing.adapter_contract import AdapterContract

BUILDERS = Path(__file__).with_name("builders.py")


class TestFunction(AdapterContract):
    builder = f"{BUILDERS}:function"
    arguments_are_text = False


class TestScripted(AdapterContract):
    builder = f"{BUILDERS}:scripted"
    arguments_are_text = False
