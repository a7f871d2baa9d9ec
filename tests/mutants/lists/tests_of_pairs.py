"""Faults in algorithms: tests of pairs."""

MUTANTS = {
    "seebs": {
        "running_test.py": [
            ("test.wins += first_wins", "test.wins += second_wins", "winner swapped"),
        ],
        "seebs.py": [
            ("if rng.random() < 0.5:", "if rng.random() < -1.0:", "v' is the second of the two"),
            ("third = 0.5**stage / 3.0", "third = 0.5**stage / 2.0", "al / 2"),
            ("return third, third, dl / 3.0", "return third, 0.0, dl / 3.0", "no band below 1/2"),
            ("if won != SECOND:", "if won == FIRST:", "who is in between leaves R"),
            ("        now.position += 2\n", "        now.position += 1\n", "pairs overlap"),
            (
                "state.bracket[now.n_kept] = state.bracket[now.position]\n            now.n_kept += 1\n",
                "pass\n",
                "the odd arm is lost",
            ),
            ("    shuffle(state.bracket, now.n_playing, rng)\n", "", "no random order"),
        ],
        "place.py": [
            ("0.5 + down, x, n, n - wins):", "0.5 + up, x, n, n - wins):", "down is up"),
            ("2.0 * math.log(4.0 / x)", "2.0 * math.log(2.0 / x)", "tests end too soon"),
        ],
        "anytime_radius.py": [
            ("n * n / x", "n / x", "n for n^2 in the radius"),
            ("/ (2.0 * n)) > level", "/ n) > level", "a radius too large"),
        ],
    },
    "pocowista": {
        "running_test.py": [
            ("test.wins += first_wins", "test.wins += second_wins", "winner swapped"),
        ],
        "pocowista.py": [
            ("delta / pairs / (categories - 1)", "delta / pairs", "delta' for two of three outcomes"),
            ("n_arms * (n_arms - 1) / 2", "n_arms * n_arms / 2", "more pairs than there are"),
            ("state.po[i] == most", "state.co[i] == most", "i has most victories"),
            ("state.co[j] == most", "state.po[j] == most", "j may have most victories"),
            ("and not state.beats[j, first]", "", "a pair is tested again"),
            ("state.co[best] >= largest", "state.co[best] > largest", "the answer has to be alone"),
            ("        if i != best:\n", "        if i >= 0:\n", "the winner itself may do better"),
            ("    state.po[loser] -= 1\n", "", "who loses may still win"),
        ],
        "ppr.py": [
            ("math.log(4.0 / math.pi)", "math.log(2.0 / math.pi)", "half the density"),
            ("log_mixture(wins + 0.5,", "log_mixture(wins,", "another density"),
        ],
    },
    "tra-pocowista": {
        "pocowista.py": [
            ("if not state.closes:", "if state.closes:", "nothing follows from anything"),
            ("state.co[j] == most", "state.po[j] == most", "j may have most victories"),
            ("n_arms * math.log(n_arms)", "n_arms", "ln K is left out"),
            ("or state.beats[loser, j])", "or False)", "who loses to the loser is forgotten"),
            ("delta / tests / (categories - 1)", "delta / tests", "delta' for two of three outcomes"),
            ("    state.co[winner] += 1\n", "", "victories are not counted"),
        ],
        "running_test.py": [
            ("test.wins += first_wins", "test.wins += second_wins", "winner swapped"),
        ],
    },
    "dkwt": {
        "running_test.py": [
            ("test.wins += first_wins", "test.wins += second_wins", "winner swapped"),
        ],
        "dkwt.py": [
            ("True, delta / n_arms)", "True, delta)", "delta is not shared out"),
            ("            state.stage[0] = 1\n", "", "the next test begins with a late stage"),
            ("            state.stage[0] += 1\n", "", "stages do not grow"),
            ("            begin(state.test, test.first, test.second)\n", "", "a stage has old counts"),
            ("test.first if won == FIRST", "test.second if won == FIRST", "the loser stays"),
        ],
        "doubling.py": [
            ("h = 0.5 ** (stage + 1)", "h = 0.5**stage", "twice the gap"),
            ("8.0 * math.log(4.0", "8.0 * math.log(2.0", "stages too short"),
            ("if abs(lead) <= 0.5 ** (stage + 1):", "if abs(lead) <= 0.5**stage:", "the gap is too large"),
        ],
    },
    "kt-knockout": {
        "running_test.py": [
            ("test.wins += first_wins", "test.wins += second_wins", "winner swapped"),
            ("    running.n = 0\n", "", "duels of the test before count"),
        ],
        "dkwt.py": [
            ("(n_arms - 1) / delta", "n_arms / delta", "K tests"),
            ("    state.place[0] += 1\n", "    state.place[0] += 2\n", "every other arm is left out"),
        ],
        "kt.py": [
            ("FIRST if 2 * wins > n else", "FIRST if 2 * wins < n else", "winner turned round"),
        ],
        "sign_evidence.py": [
            ("= wins + 0.5\n    b = losses + 0.5\n    n", "= wins + 1.0\n    b = losses + 1.0\n    n", "another prior"),
        ],
    },
    "iir": {
        "running_test.py": [
            ("test.wins += first_wins", "test.wins += second_wins", "winner swapped"),
        ],
        "iir.py": [
            ("ERROR_AT_ROOT = 1.0 - Q", "ERROR_AT_ROOT = 1.0 - math.sqrt(Q)", "the root is compared as a leaf"),
            ("ERROR_AT_LEAF = 1.0 - math.sqrt(Q)", "ERROR_AT_LEAF = 1.0 - Q", "a leaf is compared as the root"),
            ("Q ** (1.0 / 3.0)", "Q ** (1.0 / 2.0)", "two comparisons inside"),
            ("e = 0.5 ** (walk.attempt + 1)", "e = 0.5**walk.attempt", "twice the gap"),
            ("won == MIDDLE and rng.random() < 0.5", "won == MIDDLE", "no coin"),
            ("walk.question == LOWER or beaten", "walk.question == LOWER", "r is not looked at"),
            ("        if walk.count > 0:\n", "        if walk.count > 9:\n", "a count does not fall"),
            ("512.0 * math.log(2.0 / x)", "256.0 * math.log(2.0 / x)", "half the steps"),
            ("s = walk.step + 1\n", "s = walk.step\n", "steps from 0"),
            ("x=delta / n_arms,", "x=delta,", "delta is not shared out"),
            ("1.0 + 0.5 * s + spread", "0.5 * s + spread", "1 is left out"),
        ],
        "cmp_iir.py": [
            ("math.log(2.0 / y)", "math.log(4.0 / y)", "comparisons too long"),
        ],
    },
}
