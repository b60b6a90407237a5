"""How long a thread could have run while no processor was free: that is the machine's fault.

Linux counts it for each thread (`/proc/self/task/ID/schedstat`: nanoseconds of running, of waiting
for a processor, and turns; Documentation/scheduler/sched-stats.rst of the kernel)."""

from __future__ import annotations

from pathlib import Path


def starved_seconds(thread_id: int) -> float:
    """Return the seconds that this thread of this process has waited for a processor so far; 0
    where the system does not tell."""
    try:
        counted = Path(f"/proc/self/task/{thread_id}/schedstat").read_text().split()
    except OSError:
        return 0.0
    return int(counted[1]) / 1e9
