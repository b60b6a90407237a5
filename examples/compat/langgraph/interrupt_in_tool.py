"""A tool that asks before it acts, and takes edits."""

from langchain.agents import create_agent
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt


@tool
def send_email(to: str, subject: str, body: str) -> str:
    """Send an email to a recipient."""
    response = interrupt(
        {
            "action": "send_email",
            "to": to,
            "subject": subject,
            "body": body,
            "message": "Approve sending this email?",
        }
    )
    if response.get("action") == "approve":
        final_to = response.get("to", to)
        final_subject = response.get("subject", subject)
        return f"Email sent to {final_to} with subject '{final_subject}'"
    return "Email cancelled by user"


agent = create_agent(
    "openai:gpt-5-mini", tools=[send_email], checkpointer=InMemorySaver(), name="desk"
)
PLAY = {
    "calls": [("send_email", {"to": "ana@example.org", "subject": "Hi", "body": "Hello"})],
    "answers": [{"action": "approve", "to": "eva@example.org", "subject": "Hi"}],
    "says": "Email sent to eva@example.org",
}
