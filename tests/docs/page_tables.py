"""The script of `make page-numbers`, which stands in docs/studies."""

import sys

from tests.statistical.studies import study

if __name__ == "__main__":
    study("page_tables").main(sys.argv[1:])
