"""Faults in algorithms: scalar bandits."""

MUTANTS = {
    "savage": {
        "scalar_decisions.py": [
            ("high[e] <= other_low or other_high <= low[e]", "high[e] <= other_low", "the best arm is not independent"),
            ("d = (sure + possible) // 2", "d = sure", "the lowest count instead of the middle"),
            (" decision.above and low[i] < decision.below", " decision.above", "arms above the interval may be within"),
            ("decision.above or low[e] >= decision.below", "decision.above", "arms above the interval are never sure"),
            (
                "return is_outside or (low[e] > decision.above and high[e] < decision.below)",
                "return is_outside",
                "arms within the interval are never sure",
            ),
            (" + 1 or below >= low.size - decision.m", " or below >= low.size - decision.m", "m arms above are enough"),
            (" >= decision.m + 1 or below >= low.size - decision.m", " >= decision.m + 1", "the m best never leave W"),
            ("[i] <= enough_above or enough_below <= low[i]", "[i] <= enough_above", "the m best are not looked at"),
            ("0.0, (after if high[d] >= at else at) - low[d])", "0.0, at - low[d])", "an arm is compared with itself"),
            ("if high[d] >= sure_above:", "if False:", "a rigged arm costs nothing"),
            ("max(cost, min(high[d], at))", "cost + at", "a rigged arm costs both"),
            ("        if own < loss:\n            return optimistic, own\n", "", "only the highest lower bound"),
            ("if values[e] < before else d", "if values[e] < 0 else d", "the leader stays whatever it loses"),
            (
                "return e if values[e] > values[d] or",
                "return e if values[e] >= values[d] or",
                "of equal means the last",
            ),
            ("was_above == (values[e] > mark", "(True or values[e] > mark", "f of the rigged bandit stays"),
            ("comes_in - int(", "comes_in - 0 * int(", "nothing goes out of the interval"),
        ],
        "savage.py": [
            ("loss > 0.0 or not state.self_duels", "loss > 0.0", "f(mu^) though it has left the box"),
            ("tolerance=epsilon", "tolerance=0.0", "epsilon is forgotten"),
            ('else accept == "empty"', "else False", "accept is forgotten"),
            ("math.pi**2 * len(arms) / 3 / failure", "math.pi**2 * len(arms) / 6 / failure", "anytime: 6 for 3"),
            ("failure), 2.0", "failure), 1.0", "anytime: t for t^2"),
            ("math.log(2 * len(arms) * horizon / ", "math.log(len(arms) * horizon / ", "NT for 2NT"),
            (
                "state.means[e] = explored.ones[e] / explored.samples[e]",
                "state.means[e] = (explored.ones[e] + 1) / (explored.samples[e] + 2)",
                "means drawn to 1/2",
            ),
        ],
        "parameter_sets.py": [
            ("return math.sqrt(log_term / (2 * samples))", "return math.sqrt(log_term / samples)", "factor 2 missing"),
            ("low = max(low, former_low)", "low = low", "lower ends are not nested"),
            ("high = min(high, former_high)", "high = high", "upper ends are not nested"),
            ("(explored.place[0].sweep + 1) % ", "explored.place[0].sweep % ", "tests a sweep late"),
        ],
        "exploration/dispatch.py": [
            (
                'before``."""\n    return decide(decision, values)',
                'before``."""\n    return True',
                "f is 1 from the second sample",
            ),
            ("            drop(explored, e)", "            pass", "no tests of your own"),
            ("rules.get(name, answer)", 'rules.get(name, answer) if name != "bound" else answer', "no bounds"),
            ("(name, answer)", '(name, answer) if name != "independent" else answer', "no independence of your own"),
            (
                "    drop_independent(decision, explored)\n    return True",
                "    drop_independent(decision, explored)\n    return False",
                "exploration never ends",
            ),
        ],
    },
    "round-robin": {
        "scalar_baselines.py": [
            (" (t - 1) % state.seen.means.size, 0, 1", " t % state.seen.means.size, 0, 1", "begins with the second"),
            ("seen.ones[arm] += ones", "seen.ones[arm] += zeros", "ones and zeros swapped"),
            ("seen.samples[arm] += ones + zeros", "seen.samples[arm] += ones", "zeros do not count"),
            ("np.full(n_arms, 0.5)", "np.zeros(n_arms)", "0 before the first sample"),
            ("seen.announced[0] = follow(seen", "_ = follow(seen", "f is not followed"),
            ('All arms."""\n    return state.seen.means.size', 'All arms."""\n    return 0', "nothing explored"),
        ],
    },
    "ucb1": {
        "scalar_baselines.py": [
            ("math.sqrt(2 * math.log(t - 1))", "math.sqrt(math.log(t - 1))", "factor 2 missing"),
            ("math.sqrt(2 * math.log(t - 1))", "math.sqrt(2 * math.log(t))", "t counts this round too"),
            ("= 1 / math.sqrt(state.seen.samples[first])", "= 1 / state.seen.samples[first]", "n for its root"),
            ("if index > highest:", "if index >= highest:", "of equals the last"),
            (" + width * state.spread[i]", "", "no width"),
            ("if state.chosen[i] < fewest:", "if state.chosen[i] <= fewest:", "the last arm first"),
            ("seen.ones[arm] += ones", "seen.ones[arm] += zeros", "ones and zeros swapped"),
        ],
    },
    "ucb1-wrapped": {
        "scalar_decisions.py": [
            (" 0.0 if is_among_best else values[e]", " values[e] if is_among_best else 0.0", "worth turned round"),
            (" and e < d)\n    return 0", " and e == d)\n    return 0", "equals are not ranked"),
            ("best = values[e] > values", "best = values[e] >= values", "the right arm is worth nothing too"),
        ],
        "scalar_baselines.py": [
            ("partial(start_ucb, wrapped=True)", "partial(start_ucb, wrapped=False)", "not wrapped"),
            ("math.sqrt(2 * math.log(t - 1))", "math.sqrt(math.log(t - 1))", "factor 2 missing"),
            (" + width * state.spread[i]", "", "no width"),
        ],
    },
    "elimination": {
        "scalar_baselines.py": [
            ("i) < 2 * alpha:", "i) < alpha:", "alpha for 2 alpha"),
            ("log_term + 2 * math.log", "log_term + math.log", "t for t^2"),
            ("math.log(const * n_arms / ", "math.log(n_arms / ", "c missing"),
            ("math.log(const * n_arms / ", "math.log(const / ", "N missing"),
            ("(1 / horizon if delta is None else delta)", "(1 / horizon)", "delta is forgotten"),
            ("if kept == 1:", "if kept == 2:", "ends with two arms"),
            (
                "place.sweep += 1\n        place.cursor = 0\n        _eliminate(state)",
                "place.cursor = 0\n        _eliminate(state)\n        place.sweep += 1",
                "the sweep before",
            ),
            (" = state.seen.announced[0]\n\n", " = state.active[0]\n\n", "the last arm is the decision"),
        ],
    },
    "elimination-wrapped": {
        "scalar_baselines.py": [
            ("highest - _value(state.seen, i)", "highest - state.seen.means[i]", "means against the best worth"),
            ("_value(state.seen, state.active[a])", "state.seen.means[state.active[a]]", "worth against the best mean"),
            ("i) < 2 * alpha:", "i) < alpha:", "alpha for 2 alpha"),
            ("log_term + 2 * math.log", "log_term + math.log", "t for t^2"),
            ("math.log(const * n_arms / ", "math.log(n_arms / ", "c missing"),
        ],
        "scalar_decisions.py": [
            ("return 0.0 if is_among_best else values[e]", "return values[e]", "not wrapped"),
        ],
    },
}
