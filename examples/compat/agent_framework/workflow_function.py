"""A workflow that is a function."""

from agent_framework import workflow


@workflow
async def desk(text: str) -> str:
    return text.upper()


agent = desk
PLAY = {"refused": True}
