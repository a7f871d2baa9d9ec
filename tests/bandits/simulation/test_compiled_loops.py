"""Names of loops: algorithms share one exactly if the same compiled code plays them."""

from collections import defaultdict

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.kernels.decorators import classes_in
from duelbench.bandits.simulation.compiled_loops import loop_name


def test_algorithms_of_one_loop_have_states_of_the_same_classes():
    classes = defaultdict(set)
    for id in registry.BUILT_IN:
        algorithm = registry.get(id)
        if "duels" in algorithm.plays:
            state = algorithm.start(5, 1000, np.random.default_rng(0), True, **algorithm.resolve({}))
            classes[loop_name(algorithm)].add(tuple(classes_in(state)))
    assert all(len(states) == 1 for states in classes.values())
    assert loop_name(registry.get("d-ts")) == loop_name(registry.get("d-ts-pure"))
