"""``python -m tests.mutants``: see `tests.mutants.trying`."""

import sys

from tests.mutants.trying import main

if __name__ == "__main__":
    sys.exit(main())
