"""Faults in tournaments: knock-outs, and incumbents that meet one arm after the other."""

from tests.mutants.mutant import Mutant

TIES = Mutant("majority.py", "FIRST if 2 * wins >= n else", "FIRST if 2 * wins > n else", "ties go to the second arm")
LEAD = Mutant("sprt.py", "return math.floor(lead) + 1", "return math.ceil(lead) + 1", "one win more is needed")
GROWING_LEAD = Mutant("sprt.py", "ahead = 2 * wins - n", "ahead = wins", "wins are counted, and not the lead")
BYE = Mutant(
    "bracket.py",
    "_goes_on(bracket, place - tally.n_matches, bracket.arms[place])",
    "_goes_on(bracket, place - tally.n_matches, bracket.arms[place - 1])",
    "the wrong arm passes free",
)
LOSER = Mutant("bracket.py", "match.first if won == FIRST", "match.second if won == FIRST", "losers go on")
NEXT_PAIR = Mutant(
    "bracket.py",
    "begin(bracket.test, bracket.arms[2 * tally.n_over], bracket.arms[2 * tally.n_over + 1])",
    "begin(bracket.test, bracket.arms[2 * tally.n_over + 1], bracket.arms[2 * tally.n_over])",
    "the second arm of a match comes first",
)

SELECT = [
    LOSER,
    TIES,
    Mutant("select.py", "math.log(math.log2(n_arms) / delta)", "math.log(n_arms / delta)", "ln K for ln log2 K"),
    Mutant("select.py", "/ (2 * h * h))", "/ (2 * h))", "gap not squared"),
    BYE,
    NEXT_PAIR,
    Mutant("majority.py", "n < most and", "n <= most and", "one duel more"),
]

SELECT_THEN_VERIFY = [
    LOSER,
    Mutant("select.py", "match_duels(n_arms, delta / 2, h)", "match_duels(n_arms, delta, h)", "delta not halved"),
    Mutant("select.py", "delta / (2 * (n_arms - 1))", "delta / (n_arms - 1)", "delta of a test not halved"),
    LEAD,
    GROWING_LEAD,
    Mutant(
        "select.py",
        "begin(state.bracket.test, winner, order[progress.n_verified])",
        "begin(state.bracket.test, order[progress.n_verified], winner)",
        "the candidate comes second",
    ),
    Mutant(
        "select.py",
        "    elif won != OPEN:\n        state.progress[0].is_refuted = True",
        "    elif won != OPEN:\n        state.progress[0].n_verified += 1\n        _begin_test(state)",
        "a defeat is forgiven",
    ),
    TIES,
]

NTS = [
    LOSER,
    LEAD,
    GROWING_LEAD,
    Mutant("nts.py", "sprt.lead_needed)(h, delta / n_arms)", "sprt.lead_needed)(h, delta)", "delta not shared out"),
    Mutant("nts.py", "    return n_arms - left", "    return n_arms // 2", "no preliminary round"),
    Mutant(
        "nts.py",
        " or state.beaten_by[order[place]] == candidate:",
        ":",
        "arms are met again",
    ),
    Mutant(
        "nts.py",
        "state.n_beaten[candidate] == state.n_beaten.size - 1 or state.beaten_by[candidate] != NOBODY",
        "state.n_beaten[candidate] == state.n_beaten.size - 1",
        "a defeat is forgiven",
    ),
    NEXT_PAIR,
]

KNOCKOUT = [
    LOSER,
    Mutant("interval.py", "/ (2.0 * n)) - slack", "/ (2.0 * n))", "no slack"),
    Mutant("interval.py", "(level + 2.0 * math.log(n))", "(level + math.log(n))", "n for n^2"),
    Mutant("knockout.py", "2.0 ** (round / 3.0)", "2.0 ** (1.0 / 3.0)", "epsilon stays as it is"),
    Mutant("knockout.py", "state.delta / 2.0**round", "state.delta", "delta stays as it is"),
    Mutant("knockout.py", "(state.gamma * 2.0", "(2.0", "gamma missing"),
    Mutant("knockout.py", "        shuffle(bracket.arms, n_in, rng)\n", "", "no shuffling"),
    BYE,
]

SEQ_ELIMINATE = [
    Mutant("interval.py", "return 0.5 * (low + high), 0.0,", "return low, 0.0,", "compared with the lower gap"),
    Mutant(
        "interval.py", "math.log(4.0 / delta), math.ceil", "math.log(2.0 / delta), math.ceil", "2 for 4 in the radius"
    ),
    Mutant("interval.py", "(level + 2.0 * math.log(n))", "(level + math.log(n))", "n for n^2"),
    Mutant(
        "interval.py", "FIRST if ahead > 0.0 else SECOND", "SECOND if ahead > 0.0 else FIRST", "verdict turned round"
    ),
    Mutant(
        "seq_eliminate.py",
        "interval.between(0.0, epsilon, state.sweep_delta / progress.n_listed)",
        "interval.between(0.0, epsilon, state.sweep_delta)",
        "delta not shared out",
    ),
    Mutant("seq_eliminate.py", "    else:\n        progress.incumbent = arm", "", "the incumbent stays"),
    Mutant(
        "seq_eliminate.py",
        "begin(state.test, state.listed[progress.n_met], progress.incumbent)",
        "begin(state.test, progress.incumbent, state.listed[progress.n_met])",
        "the incumbent comes first",
    ),
]

OPT_MAXIMIZE = [
    SEQ_ELIMINATE[0],
    Mutant(
        "seq_eliminate.py",
        "epsilon / 3.0, delta / (8.0 * progress",
        "epsilon, delta / (8.0 * progress",
        "epsilon of step 2",
    ),
    Mutant("seq_eliminate.py", "delta / (4.0 * state.order.size)", "delta / 4.0", "delta of step 4 not shared out"),
    Mutant("seq_eliminate.py", "sweep_delta=delta / 4)", "sweep_delta=delta)", "delta of the last sweep not divided"),
    Mutant(
        "seq_eliminate.py",
        "delta / 4.0 / 2.0 ** (progress.n_prunings + 1)",
        "delta / 4.0",
        "delta of step 3 not divided",
    ),
    Mutant("seq_eliminate.py", "        progress.n_listed = progress.n_kept\n", "        pass\n", "no arm is dropped"),
    Mutant("seq_eliminate.py", "math.log(8 / delta)))", "math.log(4 / delta)))", "4 for 8 in the size of the sample"),
    Mutant(
        "seq_eliminate.py",
        "        progress.step = CHECK\n        shuffle(state.listed, progress.n_listed, rng)\n",
        "        progress.step = CHECK\n",
        "step 4 in private order",
    ),
]
