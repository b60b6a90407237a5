"""A function that acts on a yes, once, and tells what became of it."""

import sayso


def deploy(version: str) -> None:
    with sayso.ask(
        "Deploy to production?", tool_name="deploy", arguments={"version": version}
    ) as asked:
        asked.result = f"deployed {asked.arguments['version']}"
