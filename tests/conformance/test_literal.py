"""Every algorithm plays the same duels as a literal transcription of its source, given the same draws."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.algorithms import registry
from duelbench.bandits.kernels.posteriors import beta_above_half
from tests.conformance.games import ORACLES, duels_of, main_games
from tests.conformance.literal import d_ts

ROOT = Path(__file__).parents[2]


def test_every_algorithm_has_a_transcription():
    played = {id for id in registry.BUILT_IN if "duels" in registry.get(id).plays}
    assert played == set(ORACLES), "algorithms of scalar bandits have theirs in test_scalar_literal.py"


@pytest.mark.parametrize("id", ORACLES)
def test_plays_the_same_duels_as_the_literal_transcription(id):
    decided = main_games(id, seed=0, horizon=200, standing=ORACLES[id].standing)
    round_by_round = main_games(id, seed=5, horizon=80, standing=False)
    for game in decided + round_by_round:
        assert game.difference(game.expected()) is None


@pytest.mark.thorough
@pytest.mark.parametrize("id", ORACLES)
def test_plays_the_same_duels_in_all_games(id):
    main = set(map(str, main_games(id, seed=0, horizon=3000, standing=ORACLES[id].standing)))
    for game in duels_of(id):
        expected = game.expected()
        assert game.difference(expected) is None
        if str(game) in main:
            assert game.difference_of_the_engine(expected) is None


@pytest.mark.thorough
def test_samples_that_are_drawn_ahead_have_the_law_of_the_transcription_and_rules_answer_when_a_plain_reading_does():
    """Interpreted, in a process of its own: these games set constants that compiled code has in it."""
    command = [sys.executable, "-m", "tests.conformance.games"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 7), (7, 1), (3, 4), (30, 45), (40, 400), (500, 560), (2, 900)])
def test_draws_above_half_have_the_conditional_law_and_are_those_of_the_transcription(a, b):
    rng = np.random.default_rng(20160712)
    draws = np.array([d_ts.beta_above_half(a, b, rng) for _ in range(2000)])
    law = stats.beta(a, b)
    beyond = law.sf(draws) / law.sf(0.5)  # uniform on (0, 1) if the law is right
    assert stats.kstest(beyond, "uniform").pvalue > 1e-3
    rng = np.random.default_rng(20160712)
    assert [beta_above_half(a, b, rng) for _ in range(50)] == draws[:50].tolist()
