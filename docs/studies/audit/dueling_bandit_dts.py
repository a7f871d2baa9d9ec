"""dueling-bandit 0.1.2 from PyPI, "Double Thompson Sampling agent for dueling bandits"."""

from dueling_bandit.agents import DoubleThompsonSamplingAgent

name = "dueling-bandit 0.1.2, `DoubleThompsonSamplingAgent`"
claims = "d-ts"
horizon = 10_000
runs = 20


def play(duel, n_arms, horizon, seed):
    agent = DoubleThompsonSamplingAgent(n_arms, seed)
    for _ in range(horizon):
        first, second = agent.select_pair()
        agent.update(first, second, first if duel(first, second) else second)
