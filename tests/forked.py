"""A fork of the test's process, as a tool makes one with `multiprocessing`."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def forked_child() -> Iterator[None]:
    """A child that has begun, and stays until the end."""
    begun, begin = os.pipe()
    over, end = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forking beside threads: this child runs none
        child = os.fork()
    if child == 0:
        os.write(begin, b"x")
        os.read(over, 1)
        os._exit(0)
    try:
        os.read(begun, 1)
        yield
    finally:
        os.write(end, b"x")
        os.waitpid(child, 0)
        for descriptor in (begun, begin, over, end):
            os.close(descriptor)
