"""``python -m tests.mutants``: see `tests.mutants.trying`."""

import os
import sys

os.environ["NUMBA_DISABLE_JIT"] = "1"  # compiled code would be that of the sources as they are

from tests.mutants.trying import main

if __name__ == "__main__":
    sys.exit(main())
