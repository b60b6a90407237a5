"""Adapters: one file per agent framework, imported only when an agent of that framework is there."""
