"""`python -m duelbench`, and the `duelbench` command."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C ends Python without a word while it loads the rest; from then on `main` listens.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from duelbench.cli.app import main

if __name__ == "__main__":
    main()
