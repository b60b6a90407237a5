"""A function that checks the answer."""

from pydantic_ai import Agent, ModelRetry

agent = Agent("openai-chat:gpt-5-mini", name="desk")


@agent.output_validator
def no_empty_words(output: str) -> str:
    if "seven" not in output:
        raise ModelRetry("Name the number.")
    return output


PLAY = {"answer": "It is seven.", "says": "It is seven."}
