"""`python -m sayso` is `sayso`."""

from sayso.cli import main

main()
