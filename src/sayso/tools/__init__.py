"""Tools: declare them, decide whether a call may run, run it, and record what it did."""
