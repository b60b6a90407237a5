"""Tools: framework-neutral functions, the seam they pass through, and the context they work in."""
