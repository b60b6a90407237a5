"""The examples of frameworks do what they say, in a process of their own, without any key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sayso

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("script", "needs", "typed", "told"),
    [
        ("autogen_agent.py", "autogen_agentchat", "y\n", "The letter to Ada Berg is on its way."),
        ("pydantic_ai_agent.py", "pydantic_ai", "Mara!\ny\n", '"Mara!". 24 euros were charged.'),
        ("pydantic_ai_agent.py", "pydantic_ai", "Hm\nn\ntoo dear\n", "The reason: too dear."),
        (
            "autogen_agent.py",
            "autogen_agentchat",
            "n\nshe has called\n",
            "The reason: she has called.",
        ),
        ("ag2_agent.py", "ag2", "basil\n8\n", "basil had 8 litres."),
        (
            "ag2_agent.py",
            "ag2",
            "figs\n3\n",
            "figs had 3 litres. A person changed litres from 8 to 3",
        ),
        ("ag2_agent.py", "ag2", "figs\n0\n", "The tap stays closed"),
        ("strands_agent.py", "strands", "it is lost\n\n", "12 euros were charged for the atlas."),
        (
            "agent_framework_agent.py",
            "agent_framework",
            "11\n",
            "Rolf is expected at 11:00. A person changed hour from 9 to 11",
        ),
        ("agent_framework_agent.py", "agent_framework", "0\nno vet\n", "The reason: no vet."),
    ],
)
def test_an_example_plays_its_part_in_a_terminal(
    script: str, needs: str, typed: str, told: str, tmp_path: Path
) -> None:
    pytest.importorskip(needs)
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / script)],
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(Path(sayso.__file__).parents[1])},
    )
    assert ran.returncode == 0, ran.stderr
    assert told in ran.stdout
    assert ran.stderr == ""
