"""``duelbench check``: check whether the algorithms of a plug-in keep the contract."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from duelbench.cli.options import PlugInFile
from duelbench.cli.streams import say
from duelbench.common.words import counted
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.bandits.algorithms.contract import Algorithm


def check(plug_in: PlugInFile) -> None:
    """Check the algorithms of a plug-in, and name each mistake.

    \b
    Example:
      duelbench check commit.py

    Plays them in a process of its own, with several seeds, standing decisions, odd matrices, late outcomes and short
    horizons; compiled ones also interpreted. A round that takes longer than 10 seconds (the first compiled one 120)
    ends the checks. Exit code 2 means that something is wrong; remarks do not count.
    """
    from duelbench.bandits.algorithms import registry
    from duelbench.bandits.kernels.interpreting import is_interpreted

    algorithms = [registry.get(id) for id in registry.load_plug_in(plug_in)]
    are_compiled = any(algorithm.compiled for algorithm in algorithms) and not is_interpreted()
    if are_compiled:  # interpreted first: then Python names the lines of mistakes
        _check(algorithms, plug_in, True, "; it was not run compiled")
    _check(algorithms, plug_in, is_interpreted())


def _check(algorithms: "Sequence[Algorithm]", plug_in: str, interpret: bool, hint: str = "") -> None:
    """Check algorithms, and print each finding at once.

    Raises
    ------
    InputError
        If something is wrong.
    """
    from duelbench.experiments.plugins.checking import CHECKS, findings

    n_wrong = 0
    for algorithm in algorithms:
        way = ""
        if algorithm.compiled:
            way = ", interpreted" if interpret else ", compiled (some seconds)"
        say(f"{algorithm.id}{way}")
        n_made = 0
        for finding in findings(algorithm, interpret):
            n_made += 1
            n_wrong += finding.outcome == "wrong"
            message = f"\n          {finding.message}" if finding.message else ""
            say(f"  {finding.outcome:<6}  {finding.check}{message}", flush=True)
        if n_made < len(CHECKS):
            say(f"  {len(CHECKS) - n_made} more checks follow when this is fixed")
    if n_wrong:
        raise InputError(f"{plug_in}: {counted(n_wrong, 'check')} found something wrong{hint}")
