"""The client of a running server, for programs outside: `ask`, and the REST API with types."""
