"""A skill, whose script runs after an approval."""

from agent_framework import Agent, InlineSkill, SkillFrontmatter, SkillsProvider
from agent_framework.openai import OpenAIChatClient

deployment = InlineSkill(
    frontmatter=SkillFrontmatter(name="deployment", description="Deploys an application"),
    instructions="Run the deploy script.",
)


@deployment.script
def deploy(version: str, environment: str = "staging") -> str:
    """Deploy a version."""
    return f"deployed {version} to {environment}"


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    context_providers=[SkillsProvider(source=[deployment])],
)
PLAY = {
    "calls": [
        ("load_skill", {"skill_name": "deployment"}),
        (
            "run_skill_script",
            {"skill_name": "deployment", "script_name": "deploy", "args": {"version": "2.5"}},
        ),
    ],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "deployed 2.5 to staging",
}
