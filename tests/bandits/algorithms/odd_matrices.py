"""Matrices with one winner, several and none, with ties and without chance, and what must not change on any of them."""

import numpy as np

import duelbench

MATRICES = {
    "two arms": [[0.5, 0.7], [0.3, 0.5]],
    "condorcet winner": [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]],
    "one winner that loses a duel": [
        [0.5, 0.8, 0.8, 0.8, 0.3],
        [0.2, 0.5, 0.7, 0.2, 0.8],
        [0.2, 0.3, 0.5, 0.8, 0.8],
        [0.2, 0.8, 0.2, 0.5, 0.2],
        [0.7, 0.2, 0.2, 0.8, 0.5],
    ],
    "three winners": [[0.5, 0.2, 0.8, 0.8], [0.8, 0.5, 0.2, 0.8], [0.2, 0.8, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]],
    "cycle": [[0.5, 0.8, 0.3, 0.8], [0.2, 0.5, 0.7, 0.4], [0.7, 0.3, 0.5, 0.6], [0.2, 0.6, 0.4, 0.5]],
    "cyclic": [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]],
    "quarters": [[0.5, 0.25, 0.75, 0.75], [0.75, 0.5, 0.75, 0.25], [0.25, 0.25, 0.5, 0.5], [0.25, 0.75, 0.5, 0.5]],
    "a tie at the top": [[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]],
    "all equal": np.full((4, 4), 0.5),
    "deterministic order": np.triu(np.ones((5, 5)), 1) + 0.5 * np.eye(5),
    "deterministic cycle": [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]],
}


def assert_standing_decisions_change_no_bit(algorithm, horizon, matrices=MATRICES, **options):
    """Of the traces of one run on each of the matrices."""
    for run, name in enumerate(matrices):
        on, off = (
            duelbench.simulate(
                algorithm,
                MATRICES[name],
                horizon=horizon,
                run=run,
                shuffle_arms=True,
                standing_decisions=standing,
                **options,
            )
            for standing in (True, False)
        )
        assert on.regret.tobytes() == off.regret.tobytes(), name
        assert np.array_equal(on.duels, off.duels) and np.array_equal(on.recommended, off.recommended), name
