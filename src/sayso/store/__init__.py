"""The store: the one place that speaks SQL."""
