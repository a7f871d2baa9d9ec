"""``duelbench check``: whether the algorithms of a plug-in keep the contract."""

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from duelbench.cli.folders import PlugInFile
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm


def check(plug_in: PlugInFile) -> None:
    """Say what is wrong with algorithms of a plug-in, and where.

    \b
    Example:
      duelbench check commit.py

    They play small games: seeds, standing decisions, odd matrices, late outcomes, short horizons. Compiled ones play
    them interpreted, too. Exit code 2 says that something is wrong; a remark alone is not.
    """
    import numba

    from duelbench.algorithms import registry

    algorithms = [registry.get(id) for id in registry.load_plug_in(plug_in)]
    if any(algorithm.compiled for algorithm in algorithms) and not numba.config.DISABLE_JIT:
        _check_interpreted(plug_in)
    n_wrong = sum(_check(algorithm) for algorithm in algorithms)
    if n_wrong:
        raise InputError(f"{plug_in}: {n_wrong} check{'s' * (n_wrong > 1)} found something wrong")


def _check_interpreted(plug_in: str) -> None:
    """Check in a process that compiles nothing: it names the lines of mistakes, and survives a wrong index."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    command = [sys.executable, "-m", "duelbench", "check", plug_in]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    say(done.stdout, end="", flush=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1].removeprefix("error: ")
        raise InputError(f"{reason}; the compiled code was not run")


def _check(algorithm: "Algorithm") -> int:
    """Print what is found, as soon as it is; how many checks found something wrong."""
    import numba

    from duelbench.plugins.checking import CHECKS, findings

    way = "" if not algorithm.compiled else ", interpreted" if numba.config.DISABLE_JIT else ", compiled"
    say(f"{algorithm.id}{way}")
    n_made = n_wrong = 0
    for found in findings(algorithm):
        n_made += 1
        n_wrong += found.verdict == "wrong"
        said = f"\n          {found.said}" if found.said else ""
        say(f"  {found.verdict:<6}  {found.check}{said}", flush=True)
    if n_made < len(CHECKS):
        say(f"  {len(CHECKS) - n_made} more checks follow when this is fixed")
    return n_wrong
