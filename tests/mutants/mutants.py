"""Faults that somebody might put into an algorithm: source mutations, each of one place.

``old`` must stand exactly once in the file; the mutant has ``new`` instead.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One fault in one file of ``duelbench/algorithms``."""

    file: str
    old: str
    new: str
    fault: str


RUCB = [
    Mutant("statistics.py", "wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
    Mutant("rucb.py", "bounds.n_below[i] == 0", "bounds.n_below[i] <= 1", "one certain defeat is forgiven"),
    Mutant("rucb.py", "elif rng.random() >= 0.5:  # line 11", "elif rng.random() >= 0.0:  # line 11", "no coin"),
    Mutant("rucb.py", "if b != NO_ARM and not contender[b]:", "if b != NO_ARM and contender[b]:", "B is kept wrongly"),
    Mutant("statistics.py", "math.sqrt(alpha * log_t / plays)", "math.sqrt(alpha * log_t) / plays", "sqrt(x) / n"),
    Mutant("statistics.py", "largest = 0.5\n", "largest = -1.0\n", "the challenger is never the champion"),
    Mutant("statistics.py", "elif u == largest:", "elif False:", "no tie rule for the challenger"),
    Mutant(
        "rucb.py", "column_crossing(bounds, c) - t", "column_crossing(bounds, c) - t + 1", "stands a round too long"
    ),
    Mutant(
        "rucb.py",
        "math.log(t), state.unplayed, rng)  # line 12",
        "math.log(t + 1), state.unplayed, rng)",
        "t off by one",
    ),
]

DTS = [
    Mutant("dts.py", "sign = rng.random() < above[i, j]", "sign = rng.random() > above[i, j]", "signs turned round"),
    Mutant("dts.py", "fewest = min(fewest, n_below[i])", "fewest = max(fewest, n_below[i])", "C of the worst arms"),
    Mutant("dts.py", "not is_below(state.bounds, a, i, t) and", "True and", "known opponents are not left out"),
    Mutant(
        "dts.py",
        "not is_below(state.bounds, a, i, t) and",
        "not is_below(state.bounds, i, a, t) and",
        "bound of the other side",
    ),
    Mutant(
        "dts.py",
        "            if theta > largest:\n",
        "            if theta < largest or best == a:\n",
        "smallest sample wins",
    ),
    Mutant(
        "dts.py",
        "if candidate[i] and state.votes[i] >= most:",
        "if state.votes[i] >= most:",
        "winners of the vote need not be in C",
    ),
    Mutant("posterior.py", "step = -0.5 * weight", "step = -0.25 * weight", "posterior moves half as far"),
    Mutant(
        "posterior.py", "weight *= (won + lost) / (2.0 * won)", "weight *= (won + lost + 1) / (2.0 * won)", "off by one"
    ),
]

MUTANTS: dict[str, list[Mutant]] = {"rucb": RUCB, "d-ts": DTS}
