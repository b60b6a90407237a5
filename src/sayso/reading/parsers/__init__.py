"""Typed readings of a person's words: each finds values of one kind, with exactly the words that
say them."""
