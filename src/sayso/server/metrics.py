"""What Prometheus reads at /metrics: requests, connections, and the work in progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import Scope

__all__ = ["CONTENT_TYPE_LATEST", "Metrics"]


class Metrics:
    """The server's own registry: two servers in one process do not count each other."""

    def __init__(self, health: Callable[[], Mapping[str, object]]) -> None:
        self.registry = CollectorRegistry()
        self._health = health
        self._requests = Counter(
            "sayso_http_requests",
            "Requests answered, by route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "sayso_http_request_seconds",
            "Time from a request to the end of its answer, by route.",
            ["method", "route"],
            registry=self.registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
        )
        self.connections = Gauge(
            "sayso_connections", "Open live connections.", ["kind"], registry=self.registry
        )
        self.frames = Counter(
            "sayso_frames_sent", "Frames sent to clients.", ["kind"], registry=self.registry
        )
        self.cut_off = Counter(
            "sayso_clients_cut_off",
            "Clients that read too slowly and were told to come back.",
            ["kind"],
            registry=self.registry,
        )
        self._engine = Gauge(
            "sayso_engine", "The engine's own numbers.", ["what"], registry=self.registry
        )

    def count_request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one request, by the pattern of its route, so that ids make no new series."""
        route = getattr(scope.get("route"), "path", None) or "unknown"
        method = scope["method"] if route != "unknown" else "ANY"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """Return the exposition, with the engine's numbers as they are now."""
        for what, value in self._health().items():
            if isinstance(value, int | float):
                self._engine.labels(what).set(float(value))
        return generate_latest(self.registry)
