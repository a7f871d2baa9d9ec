"""Runs a result again, from its file and its experiment's manifest."""

import os
from pathlib import Path

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import AnyProblem
from duelbench.bandits.simulation.simulate import simulate_terms
from duelbench.bandits.simulation.terms import Identity, Terms
from duelbench.bandits.simulation.trace import Trace
from duelbench.errors import IncompleteResults, InputError
from duelbench.experiments.results import manifest
from duelbench.experiments.results.store import DamagedResult, read_run


def rerun(path: str | os.PathLike[str]) -> Trace:
    """Run a result file again: the trace is the same to the last bit in the same environment (versions, processor).

    An algorithm of your own must be loaded first (`duelbench.load_plug_in`).

    Parameters
    ----------
    path : path
        A file such as ``run-00003.npz``, in its place in the folder of an experiment, whose manifest has the matrix.

    Raises
    ------
    InputError
        When the file is damaged or not a result, its experiment has no manifest with its problem, or the algorithm is
        not loaded or has changed since.

    Examples
    --------
    >>> rerun("results/no-such-experiment/rucb/run-00000.npz")
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: results/no-such-experiment/rucb/run-00000.npz: there is no such file
    """
    path = Path(path)
    if path.is_file() and path.suffix != ".npz":
        raise InputError(f"{path}: is not a result; name the file of a run, run-NNNNN.npz in an experiment's folder")
    try:
        result = read_run(path)
    except DamagedResult as error:
        raise InputError(f"{path}: {error.reason}") from None
    identity = result.identity
    problem = _problem(path, identity)
    check_playable(path, identity, problem)
    return simulate_terms(Terms.of(identity, problem, result.trace.rounds.tolist()), result.run)


def check_playable(path: Path, identity: Identity, problem: AnyProblem) -> None:
    """Refuse a run of the file ``path`` if its algorithm is not loaded or has changed."""
    if not registry.is_known(identity.algorithm):
        raise InputError(
            f"{path}: was made by the plug-in '{identity.algorithm}', which is not loaded: name its file, or call"
            " duelbench.load_plug_in('its_file.py') first"
        )
    algorithm = registry.get(identity.algorithm)
    if algorithm.trace_version != identity.trace_version:
        raise InputError(
            f"{path}: was made by version {identity.trace_version} of {algorithm.id}'s traces, which this duelbench "
            f"cannot repeat: it has version {algorithm.trace_version}"
        )
    decision = problem.decision if isinstance(problem, ScalarBandit) else None
    if registry.code_of(algorithm, decision) != identity.code:
        raise InputError(f"{path}: was made by other code of the plug-in {algorithm.id} than the one that is loaded")
    try:
        algorithm.resolve(identity.parameters)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _problem(path: Path, identity: Identity) -> AnyProblem:
    """Read the problem of a result from the manifest in a folder above it."""
    folder = next((above for above in path.absolute().parents if (above / manifest.FILE).is_file()), None)
    if folder is None:
        raise InputError(f"{path}: no folder above it has a {manifest.FILE}, which holds its matrix")
    try:
        cells = manifest.open_results(folder).cells
    except IncompleteResults as error:
        raise InputError(str(error)) from None
    for cell in cells:
        if cell.identity.matrix == identity.matrix:
            return cell.matrix
    raise InputError(f"{path}: its problem is none of those in {folder / manifest.FILE}")
