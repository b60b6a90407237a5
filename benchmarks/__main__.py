"""`make bench`: every benchmark in turn. Name some to run only those: `python -m benchmarks answer
stream`."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "answer",
    "asks",
    "stream",
    "reconnect",
    "waiting_runs",
    "long_chat",
    "adapters",
    "turns",
    "startup",
    "long_message",
    "tool_ui",
)


def main() -> int:
    wanted = sys.argv[1:] or ALL
    for name in wanted:
        if name not in ALL:
            print(f"There is no benchmark '{name}'. There are: {', '.join(ALL)}.", file=sys.stderr)
            return 2
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
