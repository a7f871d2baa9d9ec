"""The `duelbench` command: registers the commands and turns errors into one line and an exit code."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from duelbench.cli.algorithms.check import check
from duelbench.cli.algorithms.list_ import list_
from duelbench.cli.algorithms.new import new
from duelbench.cli.compare import compare
from duelbench.cli.doctor import doctor
from duelbench.cli.export import export
from duelbench.cli.leaderboard import leaderboard
from duelbench.cli.live.live import live
from duelbench.cli.live.rank import rank
from duelbench.cli.matrix.commands import matrix
from duelbench.cli.matrix.show import show
from duelbench.cli.merge import merge
from duelbench.cli.plot import plot
from duelbench.cli.report import report
from duelbench.cli.run import INTERRUPTED, run
from duelbench.cli.schema import schema
from duelbench.cli.slurm import slurm
from duelbench.cli.status import status
from duelbench.cli.streams import keeping_output_for_say, open_streams
from duelbench.cli.verify import verify
from duelbench.errors import FULL_DISK, DuelbenchError, InputError
from duelbench.version import VERSION

# \b keeps a paragraph's line breaks.
HELP = """Dueling bandits: run experiments, and find the best of several options.

\b
Examples:
  duelbench run paper:wu2016/1a --scale quick
  duelbench plot results/
  duelbench show cyclic
"""

EPILOG = """
\b
Exit codes:
  0 done                          3 some runs failed
  1 a fault of duelbench          4 results are incomplete or damaged
  2 the input is wrong            130 interrupted
"""


class Commands(TyperGroup):
    """The group of all commands; only their results go to standard output."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name, and make its output go where it belongs."""
        _refuse_empty(args)
        name, command, others = super().resolve_command(ctx, args)
        _refuse_repeated(command, ctx, others)
        if command is not None and command.callback is not None:
            command.callback = keeping_output_for_say()(command.callback)
        return name, command, others

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands in the help, grouped by purpose."""
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit=70)) for name in commands])

    def invoke(self, ctx: Any) -> Any:
        """Run the command; messages of pydantic lose their prefix."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # which pydantic adds
            raise


def _refuse_empty(args: list[str]) -> None:
    """Refuse empty arguments: an unset shell variable would mean the working folder."""
    for before, argument in pairwise(args):
        option, equals, value = argument.partition("=")
        if not argument or (option.startswith("--") and equals and not value):
            raise InputError(f"{option or before}: the argument is empty; give a value, or leave it out")


def _refuse_repeated(command: Any, ctx: Any, args: list[str]) -> None:
    """Refuse an option that is given twice and can have one value: one of the two would be lost."""
    while hasattr(command, "commands"):
        command, args = command.commands.get(args[0]) if args else None, args[1:]
    if command is None:
        return
    parser = command.make_parser(ctx)
    parser.allow_interspersed_args = command.allow_interspersed_args
    try:
        _, _, order = parser.parse_args(list(args))
    except Exception:  # the command itself says what is wrong
        return
    for option in order:
        is_single = option.param_type_name == "option" and not option.multiple and not option.is_flag
        if is_single and order.count(option) > 1:
            raise InputError(f"{max(option.opts, key=len)} is given twice; it has one value: leave one out")


app = typer.Typer(
    name="duelbench",
    cls=Commands,
    help=HELP,
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"duelbench {VERSION}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that come before the command."""


COMMANDS: dict[str, dict[str, Any]] = {
    "Experiments": {"run": run, "status": status, "slurm": slurm, "merge": merge, "schema": schema},
    "Results": {
        "plot": plot,
        "report": report,
        "compare": compare,
        "export": export,
        "verify": verify,
        "leaderboard": leaderboard,
    },
    "Judging": {"live": live, "rank": rank},
    "Matrices": {"show": show, "matrix": matrix},
    "Algorithms and plug-ins": {"list": list_, "new": new, "check": check},
    "Trouble": {"doctor": doctor},
}
"""Heading in the help -> name -> command, or the group of commands."""

for _commands in COMMANDS.values():
    for _name, _command in _commands.items():
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name)
        else:
            app.command(_name)(_command)


def main() -> None:
    """Entry point of the `duelbench` command."""
    open_streams()
    os.environ["MPLBACKEND"] = "agg"  # commands draw files, whatever a notebook has set for the processes it starts
    try:
        try:
            with _raising_at_ctrl_c():
                app()
        finally:
            sys.stdout.flush()  # raises here if the disk is full, not when Python exits
    except DuelbenchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        if error.filename is not None or error.errno not in FULL_DISK:
            raise
        sys.stdout = None
        print(f"error: standard output cannot be written: {error.strerror}", file=sys.stderr)
        sys.exit(DuelbenchError.exit_code)


@contextlib.contextmanager
def _raising_at_ctrl_c() -> Iterator[None]:
    """Inside the block, Ctrl-C raises `KeyboardInterrupt`; afterwards it ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
