"""Says how the identities of two runs differ."""

from typing import Any

from duelbench.bandits.simulation.terms import SETTINGS, Identity


def differences(old: Identity, new: Identity, in_world: bool = False) -> list[str]:
    """Return the changes from ``old`` to ``new``, in words; ``in_world`` says whether both problems are worlds.

    Examples
    --------
    >>> import dataclasses
    >>> old = Identity("a", 5, "rucb", {"alpha": 0.51}, 1, 10**5, 2, "c", ("copeland",), 7)
    >>> differences(old, dataclasses.replace(old, horizon=10**6, parameters={"alpha": 0.6}))
    ['alpha changed from 0.51 to 0.6', 'horizon changed from 1e5 to 1e6']
    """
    if old.algorithm != new.algorithm:
        return [f"algorithm changed from {old.algorithm} to {new.algorithm}"]
    changes = []
    if old.matrix != new.matrix:
        problem = "world" if in_world else "matrix"
        if not in_world and new.decision is not None:
            problem = "scalar bandit"
        changes.append(f"the {problem} changed")
    values = [
        (name, old.parameters.get(name), new.parameters.get(name)) for name in {**old.parameters, **new.parameters}
    ]
    values += [(name, getattr(old, name), getattr(new, name)) for name in ("horizon", "seed", "regret")]
    for name, default in SETTINGS.items():
        values.append((name, old.settings.get(name, default), new.settings.get(name, default)))
    for name, before, now in values:
        if before != now and name == "cut_at_checkpoints":
            changes.append(f"checkpoints are {'' if now else 'no '}budgets now")
        elif before != now:
            changes.append(f"{name} changed from {_words(before)} to {_words(now)}")
    if old.checkpoints != new.checkpoints and old.horizon == new.horizon:
        changes.append("the checkpoints changed")
    if old.trace_version != new.trace_version:
        changes.append(f"{new.algorithm}'s traces changed in version {new.trace_version}")
    if old.code != new.code:
        both_plug_ins = old.code and new.code
        changes.append("the plug-in's code changed" if both_plug_ins else f"{old.algorithm} is another algorithm now")
    if old.format != new.format:
        changes.append(f"the results format changed from {old.format} to {new.format}")
    return changes


def _words(value: Any) -> str:
    """Return a value as in a spec: 100000 as 1e5."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value >= 1000:
        digits = str(value).rstrip("0")
        if len(digits) == 1:
            return f"{digits}e{len(str(value)) - 1}"
    return str(value)
