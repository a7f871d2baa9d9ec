"""``duelbench check``: whether the algorithms of a plug-in keep the contract."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from duelbench.cli.options import PlugInFile
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm


def check(plug_in: PlugInFile) -> None:
    """Check the algorithms of a plug-in, and name each mistake.

    \b
    Example:
      duelbench check commit.py

    Runs them with several seeds, standing decisions, odd matrices, late outcomes and short horizons; compiled ones also
    interpreted. A round that takes longer than 10 seconds (compiled 120) ends the checks. Exit code 2 means that
    something is wrong; remarks do not count.
    """
    import numba

    from duelbench.algorithms import registry
    from duelbench.kernels.interpreting import interpreted

    algorithms = [registry.get(id) for id in registry.load_plug_in(plug_in)]
    if any(algorithm.compiled for algorithm in algorithms) and not numba.config.DISABLE_JIT:
        with interpreted(math.inf):  # which knows the lines, and does not crash outside of arrays
            _check(algorithms, plug_in, "; it was not run compiled")
    _check(algorithms, plug_in)


def _check(algorithms: "Sequence[Algorithm]", plug_in: str, then: str = "") -> None:
    """Print what is found, as soon as it is.

    Raises
    ------
    InputError
        When something is wrong.
    """
    from duelbench.kernels.interpreting import is_interpreted
    from duelbench.plugins.checking import CHECKS, findings

    n_wrong = 0
    for algorithm in algorithms:
        way = "" if not algorithm.compiled else ", interpreted" if is_interpreted() else ", compiled"
        say(f"{algorithm.id}{way}")
        n_made = 0
        for found in findings(algorithm):
            n_made += 1
            n_wrong += found.outcome == "wrong"
            said = f"\n          {found.message}" if found.message else ""
            say(f"  {found.outcome:<6}  {found.check}{said}", flush=True)
        if n_made < len(CHECKS):
            say(f"  {len(CHECKS) - n_made} more checks follow when this is fixed")
    if n_wrong:
        raise InputError(f"{plug_in}: {n_wrong} check{'s' * (n_wrong > 1)} found something wrong{then}")
