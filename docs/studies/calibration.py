"""How far the chances that `duelbench advise` states can be trusted: measured, for docs/studies/advice.md.

``python docs/studies/calibration.py held-back`` draws matrices from the prior, takes blocks of them for advice, and
looks how often the intervals hold the share of all; a number, from 0, asks for one setting only.

``people`` states chances for matrices of people and for printed ones, by the prior and given a few judgements of each
pair, and plays on the matrices themselves, with these judgements and without; names, such as ``arxiv``, ask for some
only.

``prior FILE...`` fits the prior to counts, in any format that `duelbench matrix import` reads counts from.
"""

import sys
from collections.abc import Sequence

import numpy as np

from duelbench.live import beliefs, candidates
from duelbench.live.advice import judge
from duelbench.live.candidates import Played, candidate, play
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.importing import read_counts

ALGORITHMS = ("kelly-elimination", "rucb", "ws-w", "self-sparring", "lucb-borda", "uniform")

SETTINGS = ((4, 50, "small"), (6, 150, "middling"), (8, 200, "middling"), (8, 200, "large"))
"""Arms, duels, gaps."""

HELD_BACK, BLOCK = 20_000, 200

MATRICES = (
    *("people/cemschoice", "people/firstnames", "people/germanparties2009", "people/soundquality"),
    *("people/topmodel2007", "arithmetic8", "mslr5-condorcet", "arxiv", "sushi16", "cyclic", "strong-borda"),
)

PER_PAIR = 10
"""Judgements of each pair in the table that advice is given, which is drawn `TABLES` times."""

TABLES = 10


def held_back(only: str = "") -> None:
    """Coverage of the intervals on blocks of matrices, and of the one of the algorithm advised."""
    print("arms duels gaps     one   all   advised  promised  true")
    for n_arms, duels, gaps in [SETTINGS[int(only)]] if only else SETTINGS:
        matrices = beliefs.prior_matrices(beliefs.GAPS[gaps], n_arms, HELD_BACK, np.random.default_rng(1))
        played = {id: play(candidate(id, 0.05), matrices, [duels], 2) for id in ALGORITHMS}
        truth = judge(played, matrices, [duels])[0]
        holds, promised, true = [], [], []
        for start in range(0, HELD_BACK, BLOCK):
            block = slice(start, start + BLOCK)
            some = {id: _part(one, block) for id, one in played.items()}
            stated = judge(some, matrices[block], [duels])[0]
            inside = {id: line.low <= truth.lines[id].chance <= line.high for id, line in stated.lines.items()}
            holds.append((np.mean(list(inside.values())), all(inside.values()), inside[stated.first]))
            promised.append(stated.lines[stated.first].chance)
            true.append(truth.lines[stated.first].chance)
        shares = "  ".join(f"{100 * share:5.1f}" for share in np.mean(holds, axis=0))
        print(f"{n_arms:4} {duels:5} {gaps:8} {shares}  {np.mean(promised):.3f}  {np.mean(true):.3f}", flush=True)


def _part(played: Played, block: slice) -> Played:
    return Played(played.named[block], played.answered[block], played.duels[block])


def people(*names: str) -> None:
    """Chances stated for a matrix by the prior and by tables of wins, and what they are on the matrix itself.

    In each cell: stated: true; with a table stated: true.
    """
    candidates.INTERPRETED_NUMBERS = 0  # many short games of the same algorithms: compiling is quicker
    print(f"duels: 25 K. matrix {'':20} " + "  ".join(f"{id:^18}" for id in ALGORITHMS))
    for name in names or MATRICES:
        P = PreferenceMatrix.load(f"matrices/{name}.csv").P
        n_arms = len(P)
        duels = 25 * n_arms
        rng = np.random.default_rng(3)
        by_prior = beliefs.prior_matrices(beliefs.PEOPLE, n_arms, 1000, rng)
        tables = [_table(P, rng) for _ in range(TABLES)]
        given = [(beliefs.matrices_given(beliefs.PEOPLE, table, 100, rng), table) for table in tables]
        itself = [(np.array([P] * 100), table) for table in tables]
        shares = []
        for id in ALGORITHMS:
            stated, true = (_chance(id, matrices, duels) for matrices in (by_prior, np.array([P] * 1000)))
            stated_then, true_then = (
                np.mean([_chance(id, matrices, duels, k, table) for k, (matrices, table) in enumerate(games)])
                for games in (given, itself)
            )
            shares.append(f"{100 * stated:.0f}: {100 * true:.0f}; {100 * stated_then:.0f}: {100 * true_then:.0f}")
        print(f"{name:33} " + "  ".join(f"{share:^18}" for share in shares), flush=True)


def _table(P: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Wins of `PER_PAIR` duels of each pair."""
    first, second = np.triu_indices(len(P), 1)
    wins = np.zeros(P.shape)
    wins[first, second] = rng.binomial(PER_PAIR, P[first, second])
    wins[second, first] = PER_PAIR - wins[first, second]
    return wins


def _chance(id: str, matrices: np.ndarray, duels: int, k: int = 0, wins: np.ndarray | None = None) -> float:
    """The share of games in which a winner is named, the k-th time that games are played."""
    played = play(candidate(id, 0.05, wins is not None), matrices, [duels], 4 + k, wins)
    return judge({id: played}, matrices, [duels])[0].lines[id].chance


def prior(*files: str) -> None:
    """The spread of strengths and the noise of each table, where logits of frequencies are taken for normal."""
    spreads = []
    for name in files:
        wins = read_counts(name).wins
        first, second = np.triu_indices(len(wins), 1)
        won, lost = wins[first, second] + 0.5, wins[second, first] + 0.5
        spread, noise = _likeliest(len(wins), np.log(won / lost), 1 / won + 1 / lost)
        spreads.append(spread)
        print(f"{name}: {len(wins)} arms, spread {spread:.2f}, noise {noise:.2f}")
    logs = np.log(spreads)
    print(f"in all: spread {np.exp(logs.mean()):.2f}, standard deviation of its logarithm {logs.std(ddof=1):.2f}")


def _likeliest(n_arms: int, logits: np.ndarray, variances: np.ndarray) -> tuple[float, float]:
    """Of a grid, the spread and the noise that make the logits likeliest."""
    first, second = np.triu_indices(n_arms, 1)
    strengths = np.eye(n_arms)
    shared = (strengths[first] - strengths[second]) @ (strengths[first] - strengths[second]).T
    found: list[tuple[float, float, float]] = []
    for spread in np.geomspace(0.02, 3, 60):
        for noise in (0.0, *np.geomspace(0.01, 2, 60)):
            covariance = spread**2 * shared + np.diag(noise**2 + variances)
            _, log_determinant = np.linalg.slogdet(covariance)
            found.append((-log_determinant - logits @ np.linalg.solve(covariance, logits), spread, noise))
    _, spread, noise = max(found)
    return float(spread), float(noise)


def main(words: Sequence[str]) -> None:
    """What the command line asks for."""
    {"held-back": held_back, "people": people, "prior": prior}[words[0]](*words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
