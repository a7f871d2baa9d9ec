"""Faults in what plays scalar bandits: SAVAGE for any decision, the decisions, the baselines."""

from tests.mutants.mutant import Mutant

SAVAGE = [
    Mutant(
        "scalar_decisions.py",
        "return high[e] <= other_low or other_high <= low[e]",
        "return high[e] <= other_low",
        "the best arm is not independent",
    ),
    Mutant("savage.py", "loss > 0.0 or not state.self_duels", "loss > 0.0", "f(mu^) though it has left the box"),
    Mutant(
        "savage.py",
        "tolerance=epsilon,\n        samples",
        "tolerance=0.0,\n        samples",
        "epsilon is forgotten",
    ),
    Mutant(
        "savage.py",
        'until_empty=accept == "empty"',
        "until_empty=False",
        "accept is forgotten",
    ),
    Mutant(
        "savage.py",
        "math.pi**2 * n_parameters / 3 / delta",
        "math.pi**2 * n_parameters / 6 / delta",
        "anytime: 6 for 3",
    ),
    Mutant("savage.py", "delta), 2.0", "delta), 1.0", "anytime: t for t^2"),
    Mutant("savage.py", "math.log(2 * n_parameters * horizon / ", "math.log(n_parameters * horizon / ", "NT for 2NT"),
    Mutant(
        "parameter_sets.py",
        "return math.sqrt(log_term / (2 * samples))",
        "return math.sqrt(log_term / samples)",
        "factor 2 missing",
    ),
    Mutant("parameter_sets.py", "low = max(low, former_low)", "low = low", "lower ends are not nested"),
    Mutant("parameter_sets.py", "high = min(high, former_high)", "high = high", "upper ends are not nested"),
    Mutant(
        "parameter_sets.py",
        "(explored.place[0].sweep + 1) % test_every",
        "explored.place[0].sweep % test_every",
        "tests a sweep late",
    ),
    Mutant(
        "savage.py",
        "state.means[e] = explored.ones[e] / explored.samples[e]",
        "state.means[e] = (explored.ones[e] + 1) / (explored.samples[e] + 2)",
        "means drawn to 1/2",
    ),
    Mutant("scalar_decisions.py", "d = (sure + possible) // 2", "d = sure", "the lowest count instead of the middle"),
    Mutant(
        "scalar_decisions.py",
        "possible += high[i] > decision.above and low[i] < decision.below",
        "possible += high[i] > decision.above",
        "arms above the interval may be within",
    ),
    Mutant(
        "scalar_decisions.py",
        "is_outside = high[e] <= decision.above or low[e] >= decision.below",
        "is_outside = high[e] <= decision.above",
        "arms above the interval are never sure",
    ),
    Mutant(
        "scalar_decisions.py",
        "return is_outside or (low[e] > decision.above and high[e] < decision.below)",
        "return is_outside",
        "arms within the interval are never sure",
    ),
    Mutant(
        "scalar_decisions.py",
        "above >= decision.m + 1 or below >= low.size - decision.m",
        "above >= decision.m or below >= low.size - decision.m",
        "m arms above are enough",
    ),
    Mutant(
        "scalar_decisions.py",
        "above >= decision.m + 1 or below >= low.size - decision.m",
        "above >= decision.m + 1",
        "the m best never leave W",
    ),
    Mutant(
        "scalar_decisions.py",
        "may_be = high[i] <= enough_above or enough_below <= low[i]",
        "may_be = high[i] <= enough_above",
        "the m best are not looked at",
    ),
    Mutant(
        "scalar_decisions.py",
        "cost = max(0.0, (after if high[d] >= at else at) - low[d])",
        "cost = max(0.0, at - low[d])",
        "an arm is compared with itself",
    ),
    Mutant("scalar_decisions.py", "if high[d] >= sure_above:", "if False:", "a rigged arm costs nothing"),
    Mutant("scalar_decisions.py", "max(cost, min(high[d], at))", "cost + at", "a rigged arm costs both"),
    Mutant(
        "scalar_decisions.py",
        "        if own < loss:\n            return highest, own\n",
        "",
        "only the highest lower bound",
    ),
    Mutant(
        "scalar_decisions.py",
        "if values[e] < before:\n            decision.leader",
        "if values[e] < 0:\n            decision.leader",
        "the leader stays whatever it loses",
    ),
    Mutant(
        "scalar_decisions.py",
        "(values[e] == values[leader] and e < leader)",
        "(values[e] == values[leader] and e > leader)",
        "of equal means the last",
    ),
    Mutant(
        "scalar_decisions.py",
        "if was_above == (values[e] > mark",
        "if True or (values[e] > mark",
        "f of the rigged bandit stays",
    ),
    Mutant(
        "scalar_decisions.py",
        "decision.inside[0] -= int(",
        "decision.inside[0] -= 0 * int(",
        "nothing goes out of the interval",
    ),
    Mutant("exploration/dispatch.py", "return decide(decision, values)", "return True", "f of your own decision is 1"),
    Mutant("exploration/dispatch.py", "            drop(explored, e)", "            pass", "no tests of your own"),
    Mutant(
        "exploration/dispatch.py",
        "rules.get(name, answer)",
        'rules.get(name, answer) if name != "bound" else answer',
        "no bounds",
    ),
    Mutant(
        "exploration/dispatch.py",
        "rules.get(name, answer)",
        'rules.get(name, answer) if name != "independent" else answer',
        "no independence of your own",
    ),
    Mutant(
        "exploration/dispatch.py",
        'say."""\n    return True\n\n\n@_question(KERNEL_OPTIONS)\ndef revise',
        'say."""\n    return False\n\n\n@_question(KERNEL_OPTIONS)\ndef revise',
        "tests are always left out",
    ),
]

SAVAGE_SAMPLING = [
    Mutant("parameter_sets.py", "low = max(0.0, mean - c)", "low = mean - c", "intervals reach below 0"),
    Mutant("parameter_sets.py", "high = min(1.0, mean + c)", "high = mean + c", "intervals reach above 1"),
    Mutant("savage_sampling.py", "if t > 1 and core.final", "if core.final", "a test before the first sample"),
    Mutant(
        "savage_sampling.py",
        "max(1, n_unseen * simulations // moves)",
        "n_unseen * simulations // moves",
        "no walk at all",
    ),
    Mutant("savage_sampling.py", "        restart(twin, point)\n", "", "walks go on from the last point's f"),
]

ROUND_ROBIN = [
    Mutant(
        "scalar_baselines.py",
        "return (t - 1) % state.seen.means.size, 0, 1",
        "return t % state.seen.means.size, 0, 1",
        "begins with the second",
    ),
    Mutant("scalar_baselines.py", "seen.ones[arm] += ones", "seen.ones[arm] += zeros", "ones and zeros swapped"),
    Mutant(
        "scalar_baselines.py", "seen.samples[arm] += ones + zeros", "seen.samples[arm] += ones", "zeros do not count"
    ),
    Mutant("scalar_baselines.py", "np.full(n_arms, 0.5),", "np.zeros(n_arms),", "0 before the first sample"),
    Mutant("scalar_baselines.py", "    follow(seen.decision, seen.means, arm, before)\n", "", "f is not followed"),
    Mutant(
        "scalar_baselines.py",
        'def explored_without_end(state):\n    """All arms, without end."""\n    return state.seen.means.size',
        'def explored_without_end(state):\n    """All arms, without end."""\n    return 0',
        "nothing explored",
    ),
]

UCB1 = [
    Mutant("scalar_baselines.py", "math.sqrt(2 * math.log(t - 1))", "math.sqrt(math.log(t - 1))", "factor 2 missing"),
    Mutant(
        "scalar_baselines.py", "math.sqrt(2 * math.log(t - 1))", "math.sqrt(2 * math.log(t))", "t counts this round too"
    ),
    Mutant(
        "scalar_baselines.py",
        "= 1 / math.sqrt(state.seen.samples[first])",
        "= 1 / state.seen.samples[first]",
        "n for its root",
    ),
    Mutant("scalar_baselines.py", "if index > highest:", "if index >= highest:", "of equals the last"),
    Mutant("scalar_baselines.py", "index = value + width * state.spread[i]", "index = value", "no width"),
    Mutant("scalar_baselines.py", "if state.asked[i] < fewest:", "if state.asked[i] <= fewest:", "the last arm first"),
    Mutant("scalar_baselines.py", "seen.ones[arm] += ones", "seen.ones[arm] += zeros", "ones and zeros swapped"),
]

UCB1_WRAPPED = [
    Mutant(
        "scalar_decisions.py",
        "return 0.0 if is_among_best else values[e]",
        "return values[e] if is_among_best else 0.0",
        "worth turned round",
    ),
    Mutant(
        "scalar_baselines.py", "np.full(n_arms, math.inf), True)", "np.full(n_arms, math.inf), False)", "not wrapped"
    ),
    Mutant(
        "scalar_decisions.py",
        "is_among_best = values[e] > mark or (values[e] == mark and e < pivot)",
        "is_among_best = values[e] > mark",
        "equals are not ranked",
    ),
    Mutant(
        "scalar_decisions.py",
        "is_among_best = values[e] > mark or",
        "is_among_best = values[e] >= mark or",
        "the right arm is worth nothing too",
    ),
    Mutant("scalar_baselines.py", "math.sqrt(2 * math.log(t - 1))", "math.sqrt(math.log(t - 1))", "factor 2 missing"),
    Mutant("scalar_baselines.py", "index = value + width * state.spread[i]", "index = value", "no width"),
]

ELIMINATION = [
    Mutant(
        "scalar_baselines.py", "if highest - value < 2 * alpha:", "if highest - value < alpha:", "alpha for 2 alpha"
    ),
    Mutant(
        "scalar_baselines.py",
        "(log_term + 2 * math.log(sweep)) / sweep",
        "(log_term + math.log(sweep)) / sweep",
        "t for t^2",
    ),
    Mutant("scalar_baselines.py", "math.log(const * n_arms / ", "math.log(n_arms / ", "c missing"),
    Mutant("scalar_baselines.py", "math.log(const * n_arms / ", "math.log(const / ", "N missing"),
    Mutant("scalar_baselines.py", "(1 / horizon if delta is None else delta)", "(1 / horizon)", "delta is forgotten"),
    Mutant("scalar_baselines.py", "if kept == 1:", "if kept == 2:", "ends with two arms"),
    Mutant(
        "scalar_baselines.py",
        "place.sweep += 1\n        place.cursor = 0\n        _eliminate(state)",
        "place.cursor = 0\n        _eliminate(state)\n        place.sweep += 1",
        "the sweep before",
    ),
    Mutant(
        "scalar_baselines.py",
        "state.final[0] = announced(seen.decision, seen.means)",
        "state.final[0] = state.active[0]",
        "the last arm is the decision",
    ),
]

ELIMINATION_WRAPPED = [
    Mutant(
        "scalar_baselines.py",
        "        value = worth(seen.decision, seen.means, i) if state.wrapped else seen.means[i]\n        if highest",
        "        value = seen.means[i]\n        if highest",
        "means against the best worth",
    ),
    Mutant(
        "scalar_baselines.py",
        "highest = max(highest, worth(seen.decision, seen.means, i) if state.wrapped else seen.means[i])",
        "highest = max(highest, seen.means[i])",
        "worth against the best mean",
    ),
    Mutant("scalar_decisions.py", "return 0.0 if is_among_best else values[e]", "return values[e]", "not wrapped"),
    Mutant(
        "scalar_baselines.py", "if highest - value < 2 * alpha:", "if highest - value < alpha:", "alpha for 2 alpha"
    ),
    Mutant(
        "scalar_baselines.py",
        "(log_term + 2 * math.log(sweep)) / sweep",
        "(log_term + math.log(sweep)) / sweep",
        "t for t^2",
    ),
    Mutant("scalar_baselines.py", "math.log(const * n_arms / ", "math.log(n_arms / ", "c missing"),
]
