"""dueling-bandit 0.1.2 from PyPI: "Double Thompson Sampling agent for dueling bandits" (`pip install dueling-bandit`)."""

from dueling_bandit.agents import DoubleThompsonSamplingAgent

name = "dueling-bandit 0.1.2, DoubleThompsonSamplingAgent"
claims = "d-ts"


def new(n_arms, horizon, seed):
    return Turns(DoubleThompsonSamplingAgent(n_arms, seed))


class Turns:
    """The agent, asked for a pair and told who has won."""

    def __init__(self, agent):
        self.choose = agent.select_pair
        self.agent = agent

    def observe(self, first, second, first_won):
        self.agent.update(first, second, first if first_won else second)
