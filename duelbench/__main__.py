"""`python -m duelbench`."""

from duelbench.cli.app import main

main()
