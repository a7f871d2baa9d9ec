"""Faults in identification by tests of one pair after another, and in what these tests are made of."""

from tests.mutants.mutant import Mutant

SEEBS = [
    Mutant("running_test.py", "running.wins += first_wins", "running.wins += second_wins", "winner swapped"),
    Mutant("seebs.py", "if rng.random() < 0.5:", "if rng.random() < -1.0:", "v' is the second of the two"),
    Mutant("seebs.py", "third = 0.5**stage / 3.0", "third = 0.5**stage / 2.0", "al / 2"),
    Mutant("seebs.py", "return third, third, dl / 3.0", "return third, 0.0, dl / 3.0", "no band below 1/2"),
    Mutant("seebs.py", "if verdict != SECOND:", "if verdict == FIRST:", "who is in between leaves R"),
    Mutant("seebs.py", "        now.position += 2\n", "        now.position += 1\n", "pairs overlap"),
    Mutant(
        "seebs.py",
        "                state.bracket[now.n_kept] = state.bracket[now.position]\n                now.n_kept += 1\n",
        "                pass\n",
        "the odd arm is lost",
    ),
    Mutant("seebs.py", "    shuffle(state.bracket, now.n_playing, rng)\n", "", "no random order"),
    Mutant("place.py", "0.5 + down, x, n, n - wins):", "0.5 + up, x, n, n - wins):", "down is up"),
    Mutant("anytime_radius.py", "n * n / x", "n / x", "n for n^2 in the radius"),
    Mutant("anytime_radius.py", "/ (2.0 * n)) > level", "/ n) > level", "a radius too large"),
    Mutant("place.py", "2.0 * math.log(4.0 / x)", "2.0 * math.log(2.0 / x)", "tests end too soon"),
]

POCOWISTA = [
    Mutant("running_test.py", "running.wins += first_wins", "running.wins += second_wins", "winner swapped"),
    Mutant("pocowista.py", "delta / pairs / (categories - 1)", "delta / pairs", "delta' for two of three outcomes"),
    Mutant("pocowista.py", "n_arms * (n_arms - 1) / 2", "n_arms * n_arms / 2", "more pairs than there are"),
    Mutant("pocowista.py", "state.po[i] == most", "state.co[i] == most", "i has most victories"),
    Mutant("pocowista.py", "state.co[j] == most", "state.po[j] == most", "j may have most victories"),
    Mutant("pocowista.py", "and not state.beats[j, first]", "", "a pair is tested again"),
    Mutant("pocowista.py", "state.co[best] >= largest", "state.co[best] > largest", "the answer has to be alone"),
    Mutant("pocowista.py", "        if i != best:\n", "        if i >= 0:\n", "the winner itself may do better"),
    Mutant("pocowista.py", "    state.po[loser] -= 1\n", "", "who loses may still win"),
    Mutant("ppr.py", "math.log(4.0 / math.pi)", "math.log(2.0 / math.pi)", "half the density"),
    Mutant("ppr.py", "log_mixture(wins + 0.5,", "log_mixture(wins,", "another density"),
]

TRA_POCOWISTA = [
    Mutant("pocowista.py", "if not state.closes:", "if state.closes:", "nothing follows from anything"),
    Mutant("running_test.py", "running.wins += first_wins", "running.wins += second_wins", "winner swapped"),
    Mutant("pocowista.py", "state.co[j] == most", "state.po[j] == most", "j may have most victories"),
    Mutant("pocowista.py", "n_arms * math.log(n_arms)", "n_arms", "ln K is left out"),
    Mutant("pocowista.py", "or state.beats[loser, j])", "or False)", "who loses to the loser is forgotten"),
    Mutant("pocowista.py", "delta / tests / (categories - 1)", "delta / tests", "delta' for two of three outcomes"),
    Mutant("pocowista.py", "    state.co[winner] += 1\n", "", "victories are not counted"),
]

DKWT = [
    Mutant("running_test.py", "running.wins += first_wins", "running.wins += second_wins", "winner swapped"),
    Mutant("dkwt.py", "delta / n_arms)", "delta)", "delta is not shared out"),
    Mutant("dkwt.py", "            state.stage[0] = 1\n", "", "the next test begins with a late stage"),
    Mutant("dkwt.py", "            state.stage[0] += 1\n", "", "stages do not grow"),
    Mutant(
        "dkwt.py", "            begin(state.line.test, running.first, running.second)\n", "", "a stage has old counts"
    ),
    Mutant("doubling.py", "h = 0.5 ** (stage + 1)", "h = 0.5**stage", "twice the gap"),
    Mutant("doubling.py", "8.0 * math.log(4.0", "8.0 * math.log(2.0", "stages too short"),
    Mutant("doubling.py", "if abs(lead) <= 0.5 ** (stage + 1):", "if abs(lead) <= 0.5**stage:", "the gap is too large"),
    Mutant(
        "succession.py", "running.first if verdict == FIRST", "running.second if verdict == FIRST", "the loser stays"
    ),
]

KT_KNOCKOUT = [
    Mutant("running_test.py", "running.wins += first_wins", "running.wins += second_wins", "winner swapped"),
    Mutant("kt_knockout.py", "(n_arms - 1) / delta", "n_arms / delta", "K tests"),
    Mutant("kt.py", "FIRST if 2 * wins > n else", "FIRST if 2 * wins < n else", "verdict turned round"),
    Mutant("succession.py", "    line.place[0] += 1\n", "    line.place[0] += 2\n", "every other arm is left out"),
    Mutant("running_test.py", "    running.n = 0\n", "", "duels of the test before count"),
    Mutant(
        "sign_evidence.py",
        "a = wins + 0.5\n    b = losses + 0.5\n    n",
        "a = wins + 1.0\n    b = losses + 1.0\n    n",
        "another prior",
    ),
]

IIR = [
    Mutant("running_test.py", "running.wins += first_wins", "running.wins += second_wins", "winner swapped"),
    Mutant("iir.py", "ERROR_AT_ROOT = 1.0 - Q", "ERROR_AT_ROOT = 1.0 - math.sqrt(Q)", "the root is compared as a leaf"),
    Mutant("iir.py", "ERROR_AT_LEAF = 1.0 - math.sqrt(Q)", "ERROR_AT_LEAF = 1.0 - Q", "a leaf is compared as the root"),
    Mutant("iir.py", "Q ** (1.0 / 3.0)", "Q ** (1.0 / 2.0)", "two comparisons inside"),
    Mutant("iir.py", "e = 0.5 ** (walk.attempt + 1)", "e = 0.5**walk.attempt", "twice the gap"),
    Mutant("iir.py", "verdict == MIDDLE and rng.random() < 0.5", "verdict == MIDDLE", "no coin"),
    Mutant("iir.py", "walk.question == LOWER or beaten", "walk.question == LOWER", "r is not looked at"),
    Mutant("iir.py", "    if walk.count > 0:\n", "    if walk.count > 9:\n", "a count does not fall"),
    Mutant("iir.py", "512.0 * math.log(2.0 / x)", "256.0 * math.log(2.0 / x)", "half the steps"),
    Mutant("iir.py", "s = walk.step + 1\n", "s = walk.step\n", "steps from 0"),
    Mutant("iir.py", "x=delta / n_arms,", "x=delta,", "delta is not shared out"),
    Mutant("iir.py", "1.0 + 0.5 * s + spread", "0.5 * s + spread", "1 is left out"),
    Mutant("cmp_iir.py", "math.log(2.0 / y)", "math.log(4.0 / y)", "comparisons too long"),
]
