"""Code that the model wrote."""

from autogen_agentchat.agents import CodeExecutorAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


class Calculator(CodeExecutor):
    """Runs nothing; says what it was given."""

    component_type = "code_executor"

    async def execute_code_blocks(self, code_blocks: list[CodeBlock], cancellation_token):
        return CodeResult(exit_code=0, output=f"ran {code_blocks[0].code}")

    async def start(self): ...

    async def stop(self): ...

    async def restart(self): ...


coder = CodeExecutorAgent(
    "coder",
    code_executor=Calculator(),
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
)
team = RoundRobinGroupChat([coder], termination_condition=MaxMessageTermination(2))
app = App(team, policies=[Rule(tool="execute_code", then=Verdict.ASK)])
PLAY = {
    "answer": "```python\nprint(6 * 7)\n```",
    "answers": [{"decision": "approve"}],
    "says": "print(6 * 7)",
}
