"""The steps that verbs share, each within the caller's transaction."""
