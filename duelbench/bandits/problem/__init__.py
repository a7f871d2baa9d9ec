"""The world a bandit lives in: preference matrices, winners, regret. Knows nothing of algorithms."""
