"""The gate: an expensive action waits until all it needs is known and a person has said go."""

from sayso.gate.fields import Ask, Requirements

__all__ = ["Ask", "Requirements"]
