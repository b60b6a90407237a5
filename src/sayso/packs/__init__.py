"""Agents that are ready to use, built on the public API like any user's."""
