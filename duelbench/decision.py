"""The former place of `duelbench.problem.decision_rule`; it goes with the next version."""

from duelbench.former_names import former

__getattr__ = former(__name__, ["duelbench.problem.decision_rule"])
