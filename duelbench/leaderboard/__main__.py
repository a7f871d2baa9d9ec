"""``python -m duelbench.leaderboard``: make a leaderboard of results."""

import argparse
import shlex
import sys
from contextlib import closing
from pathlib import Path

from duelbench.api import loading
from duelbench.errors import DuelbenchError
from duelbench.execution.progress import Waiting
from duelbench.leaderboard.building import build
from duelbench.leaderboard.page import writing


def main() -> None:
    """Make a leaderboard of the results that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m duelbench.leaderboard", description=__doc__)
    parser.add_argument("results", nargs="+", type=Path, help="results folders, or the specs they came from")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/leaderboard"), help="the folder to write")
    parser.add_argument("--allow-partial", action="store_true", help="take what there is of incomplete results")
    parser.add_argument("--plug-in", action="append", default=[], metavar="FILE", help="load the algorithms in a file")
    asked = parser.parse_args()
    writing.check_folder(asked.output)
    with closing(Waiting()) as waiting:
        experiments, incomplete = loading.read_all(asked.results, asked.plug_in, asked.allow_partial, waiting)
        incomplete.raise_any()
        waiting.doing("ranking")
        summary = build(experiments)
        waiting.doing(f"writing {asked.output}")
        written = writing.write(asked.output, summary, experiments)
    for note in loading.notes_on(experiments):
        print(f"note: {note}", file=sys.stderr)
    print(*written, sep="\n")
    print(f"next: duelbench leaderboard show --summary {shlex.quote(str(written[0]))}")


if __name__ == "__main__":
    try:
        main()
    except DuelbenchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
