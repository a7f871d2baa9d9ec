"""The script of `make changing-worlds`, which stands in docs/studies."""

import sys

from tests.statistical.studies import study

if __name__ == "__main__":
    study("changing_worlds").main(sys.argv[1:])
