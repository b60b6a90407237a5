"""The feed: how new events reach the clients that are connected."""

from sayso.feed.local import LocalFeed, LocalSubscription

__all__ = ["LocalFeed", "LocalSubscription"]
