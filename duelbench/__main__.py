"""`python -m duelbench`, and the `duelbench` command."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # While the rest is loaded, Ctrl-C ends Python silently; after that, `main` handles it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from duelbench.cli.app import main

if __name__ == "__main__":
    main()
