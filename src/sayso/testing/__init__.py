"""Shipped for tests: ours, and those of applications and adapters."""
