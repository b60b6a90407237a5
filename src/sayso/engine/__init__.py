"""Use cases: start, segment, answer, expire, cancel, recover; the world is met through ports."""
