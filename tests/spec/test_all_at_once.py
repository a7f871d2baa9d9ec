"""A mistake in one key hides no mistake that can be judged without that key: all are told in the first round."""

import pytest

SCALAR_ONLY = "sweep.over: 'n_arms' is no setting that all problems or all algorithms have"

# A whole spec, and how all of its mistakes begin after the file's name.
SPECS = {
    "keys, algorithms, regret, sweep and figure": (
        "matrix: cycle.csv\nhorizon: 1e3\nrunz: 3\n"
        "algorithms: [ucb1, rmed1: {label: x}, rucb: {label: x}, interleaved-filter: {variant: if3}]\n"
        "regret: [condorcet, announced]\nsweep: {over: n_arms, values: [3, 4]}\n"
        "figure: {kind: bars, normalise_to: y}\n",
        [
            "3:1 unknown key 'runz'",
            "4:14 algorithms.0: ucb1 plays scalar bandits only",
            "4:53 algorithms.2.rucb.label: the label 'x' stands twice",
            "4:87 algorithms.3.interleaved-filter.variant: must be one of if1, if2",
            "5:10 regret.0: 'condorcet' needs a Condorcet winner",
            "5:21 regret.1: regret 'announced' is one of scalar bandits",
            f"6:15 {SCALAR_ONLY}",
            "7:36 figure.normalise_to: 'y' is no label of an algorithm (there are Interleaved Filter, UCB1, x)",
        ],
    ),
    "an unknown key and a parameter out of range of a bandit": (
        "problem: {means: [0.9, 0.5], decision: rigged, m: 9, q: 1}\nhorizon: 1e3\nalgorithms: [savage, rucb]\n"
        "regret: weak\nbounds: copeland\n",
        [
            "1:10 problem: rigged: m = 9 leaves nothing of 2 means",
            "1:54 problem.q: unknown key 'q' for the decision rigged",
            "3:22 algorithms.1: rucb plays duels",
            "4:9 regret: regret 'weak' is one of preference matrices",
            "5:9 bounds: are those of duels",
        ],
    ),
    "wrong means, algorithms of the other kind and a sweep": (
        "problem: {means: [0.9, 1.5], q: 1}\nhorizon: 1e3\nalgorithms: [rucb, d-ts]\n"
        "sweep: {over: n_arms, values: [3, 4]}\n",
        [
            "1:24 problem.means.1: must lie between 0 and 1",
            "1:30 problem.q: unknown key 'q'",
            "3:14 algorithms.0: rucb plays duels",
            "3:20 algorithms.1: d-ts plays duels",
            f"4:15 {SCALAR_ONLY}",
        ],
    ),
    "an unknown decision": (
        "problem: {means: [0.9, 1.5], decision: riged, q: 1}\nhorizon: 1e3\nalgorithms: [rucb]\n",
        [
            "1:24 problem.means.1: must lie between 0 and 1",
            "1:40 problem.decision: 'riged' is not a decision",
            "1:47 problem.q: unknown key 'q'",
            "3:14 algorithms.0: rucb plays duels",
        ],
    ),
    "a parameter, and a sweep over one that another algorithm lacks": (
        "matrix: none.csv\nhorizon: 1e3\nalgorithms: [rucb: {alpha: 0.1}, random]\n"
        "sweep: {over: alpha, values: [0.6]}\n",
        [
            "1:9 matrix: none.csv: there is no such file",
            "3:28 algorithms.0.rucb.alpha: must be > 0.5",
            "4:15 sweep.over: 'alpha' is no parameter of random; for one algorithm alone write 'rucb.alpha'",
        ],
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_all_mistakes_are_told_in_the_first_round(refusal, name):
    text, expected = SPECS[name]
    *lines, _ = refusal(text)
    assert len(lines) == len(expected), lines
    for line, beginning in zip(lines, expected, strict=True):
        assert line.startswith(f"spec.yaml:{beginning}")


# What might be right once the mistake is mended is not judged before.
OPEN = {
    "the label of an unknown algorithm": (
        "matrix: good.csv\nhorizon: 1e3\nalgorithms: [rukb, random]\nfigure: {kind: bars, normalise_to: RUCB}\n",
        "3:14 algorithms.0: 'rukb' is not an algorithm",
    ),
    "a label with parameters of which one is wrong": (
        "matrix: good.csv\nhorizon: 1e3\nalgorithms: [rucb, rucb: {alpha: 0.1}]\n"
        "figure: {kind: bars, normalise_to: RUCB (alpha=0.8)}\n",
        "3:34 algorithms.1.rucb.alpha: must be > 0.5",
    ),
    "a parameter of an unknown family": (
        "matrix: {family: lineal}\nhorizon: 1e3\nalgorithms: [random]\nsweep: {over: n_arms, values: [3]}\n",
        "1:18 matrix.family: 'lineal' is not a family",
    ),
    "a parameter of an unknown algorithm": (
        "matrix: good.csv\nhorizon: 1e3\nalgorithms: [rucb, rukb]\nsweep: {over: alpha, values: [0.6]}\n",
        "3:20 algorithms.1: 'rukb' is not an algorithm",
    ),
    "the range of a misspelt parameter of a decision": (
        "problem: {means: [0.9], decision: rigged, mm: 0}\nhorizon: 1e3\nalgorithms: [savage]\n",
        "1:43 problem.mm: unknown key 'mm' for the decision rigged",
    ),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_the_mend_of_a_mistake_decides_is_not_judged_yet(refusal, name):
    text, expected = OPEN[name]
    line, _ = refusal(text)
    assert line.startswith(f"spec.yaml:{expected}")
