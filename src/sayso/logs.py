"""Log lines of Sayso: named events with facts, through the standard library's loggers.

A library stays silent until its host application configures `logging`; `sayso serve` does so for
itself (cli/serving.py).
"""

from __future__ import annotations

import logging

import structlog

# Without a handler of its own the standard library would print our warnings to stderr.
logging.getLogger("sayso").addHandler(logging.NullHandler())


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return a logger whose calls are `log.info("event", fact=…)`. The facts are attributes of the
    standard LogRecord, as with `extra=`."""
    wrapped: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.render_to_log_kwargs,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    return wrapped
