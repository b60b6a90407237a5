"""How segments of work find a worker."""
