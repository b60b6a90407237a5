"""What an agent is called to which the application gives no name."""

import re

#: What a framework makes up anew in each process (Agent Framework, of a workflow or an agent
#: without a name): the next process would not know as its own what belongs to such a name.
_MADE_UP = re.compile(r"(^|[-_ ])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def agent_name(agent: object) -> str:
    """Return the agent's own name, its application's, its function's, or its class's."""
    named = getattr(agent, "name", None) or getattr(agent, "app_name", None)
    lasting = _MADE_UP.sub("", str(named or getattr(agent, "__name__", None) or ""))
    return lasting or type(agent).__name__


def is_made_up(name: str) -> bool:
    return _MADE_UP.search(name) is not None
