"""The one place that speaks SQL; the store in memory lives beside it."""
