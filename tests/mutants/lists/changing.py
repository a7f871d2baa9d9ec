"""Faults in algorithms for matrices that change, and for outcomes of which a few are false."""

from tests.mutants.mutant import Mutant

BTW = [
    Mutant(
        "btw.py",
        "race.defended += first_wins\n    race.attacked += second_wins",
        "race.defended += second_wins\n    race.attacked += first_wins",
        "winner swapped",
    ),
    Mutant("btw.py", "    race.number += 1\n", "", "races do not grow longer"),
    Mutant(
        "btw.py",
        "    race.head = (race.head + 1) % state.others.size\n",
        "",
        "the loser is the next challenger",
    ),
    Mutant(
        "btw.py",
        "max(race.defended, race.attacked) >= needed:",
        "race.defended + race.attacked >= needed:",
        "so many duels, not wins",
    ),
    Mutant("btw.py", "if state.resets:", "if not state.resets:", "a new incumbent begins with c = 1"),
    Mutant(
        "btw.py", "_start(rng.permutation(n_arms), p_min=0.0", "_start(np.arange(n_arms), p_min=0.0", "no random order"
    ),
    Mutant("btw.py", "others=order[1:].copy()", "others=order[:0:-1].copy()", "the queue is turned round"),
    Mutant(
        "btw.py",
        "    race.attacked = 0\n\n\n@kernel\ndef _length",
        "\n\n@kernel\ndef _length",
        "wins of the challenger last for ever",
    ),
]

BTWR = [
    Mutant("btw.py", "            race.number = 1\n", "            pass\n", "a new incumbent does not begin again"),
    Mutant(
        "btw.py", "            race.number = 1\n", "            race.number = 2\n", "a new incumbent begins with c = 2"
    ),
    Mutant("btw.py", "if race.attacked > race.defended:", "if race.attacked < race.defended:", "the loser stays"),
    Mutant("btw.py", "4.0 * p_min * p_min", "2.0 * p_min * p_min", "2 for 4 in l_c"),
    Mutant("btw.py", "4.0 * p_min * p_min", "4.0 * p_min", "p_min is not squared"),
    Mutant("btw.py", "c * (c + 1) * (math.e / (math.e - 1.0))", "c * (c + 1)", "e / (e - 1) is left out of l_c"),
    Mutant("btw.py", "math.log(c * (c + 1) *", "math.log(c *", "c + 1 is left out of l_c"),
    Mutant("btw.py", "math.ceil(math.log(c", "math.floor(math.log(c", "l_c is rounded down"),
]

DETECT = [
    Mutant(
        "detect.py",
        "first_wins - wins, second_wins - (duels - wins))",
        "second_wins - (duels - wins), first_wins - wins)",
        "winner swapped",
    ),
    Mutant("detect.py", "        opponent += 1\n", "        pass\n", "i* duels itself"),
    Mutant(
        "detect.py", "(tau - state.base_rounds - 1) %", "(tau - state.base_rounds) %", "begins with the second opponent"
    ),
    Mutant(
        "detect.py", "if tau <= state.base_rounds:", "if tau < state.base_rounds:", "the base plays a round too few"
    ),
    Mutant("detect.py", "min(rounds, state.base_rounds - tau + 1)", "rounds", "the base goes on after its rounds"),
    Mutant("detect.py", "        bases.restart(state.base, rng)\n", "", "the base does not begin again"),
    Mutant("detect.py", "        state.began[0] = t\n", "", "the clock does not begin again"),
    Mutant("detect.py", "        clear(state.windows)\n", "", "windows keep what they have"),
    Mutant("detect.py", "8.0 * y / delta**2", "4.0 * y / delta**2", "half a window"),
    Mutant("detect.py", "math.sqrt(window * y / 2.0)", "math.sqrt(window * y)", "2 is left out of b"),
    Mutant(
        "detect.py", "y = max(0.0, math.log(2.0 * horizon * once) +", "y = max(0.0, 0.0 +", "Y without its logarithm"
    ),
    Mutant("detect.py", "16.0 * log_t + 6.0", "16.0 * log_t", "the form long without its 6"),
    Mutant("detect.py", "(log_t + 0.375)", "log_t", "the form long without its 3/8"),
    Mutant("windows.py", "if _push(windows, number, (entered", "if _push(windows, 0, (entered", "one window for all"),
    Mutant(
        "windows.py",
        "abs(windows.newer[number] - windows.older[number]) > windows.b",
        "windows.newer[number] - windows.older[number] > windows.b",
        "only rises are noticed",
    ),
    Mutant("windows.py", "windows.seen[number] >= size and abs", "abs", "windows speak before they are full"),
    Mutant("windows.py", "+= half_old - outcomes[place]", "+= half_old", "nothing leaves the older half"),
    Mutant(
        "btw.py", "place = draw_index(k + 1, rng)", "place = draw_index(k, rng)", "some orders are never drawn again"
    ),
]

MDB = [
    Mutant(
        "mdb.py",
        "bases.update(state.base, first, second, first_wins, second_wins)",
        "bases.update(state.base, first, second, second_wins, first_wins)",
        "winner swapped",
    ),
    Mutant("mdb.py", "        state.told[0] += duels\n", "", "the clock does not count what the base is told"),
    Mutant(
        "mdb.py", "blocks * (state.block - n_pairs) + r", "blocks * state.block + r", "the clock counts whole blocks"
    ),
    Mutant("mdb.py", "    pairs = pairs[rng.permutation(len(pairs))]\n", "", "no random order of the pairs"),
    Mutant("mdb.py", "math.floor(n_pairs / gamma)", "math.ceil(n_pairs / gamma)", "D is rounded up"),
    Mutant("mdb.py", "* (n_arms - 1) / 2.0)", "* n_arms / 2.0)", "K for K - 1 in gamma"),
    Mutant("mdb.py", "math.sqrt(segments * window / horizon)", "math.sqrt(window / horizon)", "M is left out of gamma"),
    Mutant("mdb.py", "/ (math.sqrt(segments) * n_arms)", "/ n_arms", "M is left out of C"),
    Mutant("mdb.py", "8.0 * c / delta**2", "4.0 * c / delta**2", "half a window"),
    Mutant("mdb.py", "math.sqrt(window * c / 2.0)", "math.sqrt(window * c)", "2 is left out of b"),
    Mutant("mdb.py", "        bases.restart(state.base, rng)\n", "", "the base does not begin again"),
    Mutant("mdb.py", "        clear(state.windows)\n", "", "windows keep what they have"),
    Mutant("mdb.py", "        state.told[0] = 0\n", "", "the clock remembers what was told before"),
    Mutant("mdb.py", "        state.began[0] = t\n", "", "blocks do not begin again"),
    Mutant("windows.py", "own_wins = (2 * wins * own + duels) //", "own_wins = (2 * duels * own) //", "duels for wins"),
]

ANACONDA = [
    Mutant("anaconda.py", "_eliminate(state, b, u)\n", "_eliminate(state, a, u)\n", "the winner is eliminated"),
    Mutant("anaconda.py", "+= size * size", "+= size", "|A| for |A|^2"),
    Mutant("anaconda.py", "excess = gain - n / 2.0", "excess = gain", "what chance brings is left in"),
    Mutant("anaconda.py", "math.sqrt(float(1 << j) * after)", "math.sqrt(float(1 << j))", "replays do not grow rare"),
    Mutant(
        "anaconda.py", "threshold=C * math.log(horizon) * n_arms", "threshold=C * math.log(horizon)", "K is left out"
    ),
    Mutant(
        "anaconda.py",
        "math.sqrt(float(max(n, n_arms * n_arms)))",
        "float(max(n, n_arms))",
        "the bound without its square root",
    ),
    Mutant(
        "anaconda.py",
        "(level == 0 or state.began[level] - episode.start <= u)",
        "True",
        "replays lose arms by what came before them",
    ),
    Mutant(
        "anaconda.py", "state.ends[top] = t + length\n", "state.ends[top] = t + length - 1\n", "replays end too soon"
    ),
    Mutant(
        "anaconda.py",
        "in range(1, state.latest.shape[2]):\n        if rng",
        "in range(1, state.latest.shape[2] - 1):\n        if rng",
        "no longest replays",
    ),
    Mutant(
        "anaconda.py",
        "            length = 1 << j\n    return",
        "            return 1 << j\n    return",
        "the shortest replay",
    ),
    Mutant("anaconda.py", "    episode.start = t\n", "", "the clock of the episode goes on"),
    Mutant("anaconda.py", "    state.gains[:, :] = 0.0\n", "", "gains of earlier episodes"),
    Mutant("anaconda.py", "    state.members[0, :] = True\n", "", "nobody becomes good again"),
    Mutant(
        "anaconda.py",
        "state.earlier[a, b, j, 0] if multiple == before + 1 else gain",
        "state.earlier[a, b, j, 0]",
        "an old gain for the multiple before",
    ),
    Mutant("anaconda.py", "range(min(multiple, 1) + 1)", "range(1)", "one start of a window for each length"),
]

WIWR = [
    Mutant(
        "wiwr.py",
        "state.net[first, second] += first_wins - second_wins",
        "state.net[first, second] += second_wins - first_wins",
        "winner swapped",
    ),
    Mutant("wiwr.py", "state.net[u, anchor] > 0:", "state.net[u, anchor] >= 0:", "an equal replaces the anchor"),
    Mutant("wiwr.py", "40.0 * n_arms**2 / delta", "40.0 * n_arms / delta", "K for K^2"),
    Mutant("wiwr.py", "state.scale / (state.gaps[i] * state.gaps[i])", "state.scale / state.gaps[i]", "D for D^2"),
    Mutant("wiwr.py", "math.ceil(min(total", "math.floor(min(total", "an epoch is rounded down"),
    Mutant("wiwr.py", "0.5 - q - state.gaps[i] / 8.0", "0.5 - q", "D / 8 is left out"),
    Mutant("wiwr.py", "-float(epoch.number)", "-float(epoch.number + 1)", "half the least D"),
    Mutant("wiwr.py", ">= state.total[0] / 2.0:", ">= state.total[0] * 2.0:", "no anchor is isolated"),
    Mutant("wiwr.py", "            q = 0.5\n", "            q = 0.0\n", "the isolated arm seems worst"),
    Mutant("wiwr.py", "+= 0.5 * (t - epoch.self_since)", "+= 0.0 * (t - epoch.self_since)", "self-duels are no wins"),
    Mutant("wiwr.py", "    state.won[:] = 0.0\n", "", "wins of earlier epochs"),
    Mutant("wiwr.py", "    state.won_against[:, :] = 0\n", "", "wins against the anchor of earlier epochs"),
    Mutant("wiwr.py", "    state.anchored[:] = 0\n", "", "anchors of earlier epochs"),
]
