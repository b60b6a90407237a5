"""How readers learn that new events are there."""
