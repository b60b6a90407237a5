"""The one place that knows HTTP: REST, WebSocket, server-sent events, problem documents."""
