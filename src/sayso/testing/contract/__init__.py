"""The parts of the adapter contract: its tools, its other processes, and its cases by theme."""
