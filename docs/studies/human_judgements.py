"""Live sessions replayed on judgements of people: the numbers of docs/studies/human-judgements.md.

    python docs/studies/human_judgements.py [judgements|defaults|answers|plans|budgets|used-up|ties|cycle] ...
    python docs/studies/human_judgements.py figure FILE

prints the tables that are named, or all of them, or draws the figure: twelve minutes of one core for all.

A question is answered by a judgement of its pair that is drawn at random, and put back. `replay` does what a
`duelbench.Session` does, question for question, compiled.
"""

import csv
import math
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from live_play import UNDECIDED
from numba.extending import register_jitable

import duelbench
from duelbench.bandits.algorithms import dispatch, registry
from duelbench.bandits.algorithms.stopping import rule as rules
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.kernels.interpreting import is_interpreted
from duelbench.bandits.kernels.sign_evidence import log_evidence
from duelbench.bandits.problem.families import generate
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.bandits.simulation.game import begin
from duelbench.bandits.simulation.streams import session_streams, streams
from duelbench.bandits.statistics.curves import proportion_interval
from duelbench.judging.certainty import certainty
from duelbench.judging.player import PATIENCE
from duelbench.judging.settings import HORIZON

FOLDER = Path(__file__).parent / "judgements"
NAMES = ("germanparties2009", "cemschoice", "firstnames", "topmodel2007", "soundquality")
WITH_WINNER = NAMES[:4]
TITLES = dict(zip(WITH_WINNER, ("parties", "universities", "first names", "models"), strict=True))
LOOKS_OF = {
    "kelly-elimination": ("#0072b2", "dashed"),
    "d-ts-plus": ("#d55e00", "solid"),
    "uniform": ("#666666", "dotted"),
}
"""Colours and lines in the figure."""
MADE = "Bradley-Terry, K = 8"
"""A matrix that is made up."""


OWN = "its own test"


class Player(NamedTuple):
    """Who asks, and when it ends.

    id : str. Of an algorithm.
    rule : str. The stopping rule; `OWN` where the algorithm's own test ends it.
    horizon : int. Rounds.
    """

    id: str
    rule: str = "e-condorcet"
    horizon: int = HORIZON

    @property
    def label(self) -> str:
        """In words."""
        label = f"{registry.get(self.id).name}{'' if self.rule == 'e-condorcet' else f', {self.rule}'}"
        return label if self.horizon == HORIZON else f"{label}, horizon {self.horizon:.0e}".replace("e+0", "e")


KELLY = Player("kelly-elimination", "e-bets")
D_TS = Player("d-ts-plus")
RMED, UNIFORM, WS_W = Player("rmed1"), Player("uniform"), Player("ws-w", "e-bets")
PLAYERS = (
    D_TS._replace(rule="e-bets"),
    RMED._replace(rule="e-bets"),
    RMED,
    D_TS,
    D_TS._replace(horizon=10**6),
    Player("d-ts"),
    Player("rucb"),
    UNIFORM,
)

DELTA = 0.05
REPLAYS, SESSIONS, MOST = 400, 100, 10_000
BUDGETS = (100, 200, 500, 1000, 2000, 5000)
EARLY, MOST_OF_DEFAULTS = (4, 10, 25), 20_000
"""Judgements per arm after which a session is looked at, and judgements at most, where defaults are compared."""

LOOKS = np.union1d(np.geomspace(10, MOST, 31).round(-1).astype(np.int64), [*BUDGETS, *np.outer(EARLY, (6, 8)).flat])
"""Numbers of judgements after which it is noted what the session recommends."""

PLANS, MOST_OF_A_PAIR = 20_000, 100_000
USED_UP = -3
"""The answer of a replay that needs a judgement of a pair of which all were used."""


class Judgements(NamedTuple):
    """Counts of judgements of people.

    arms : tuple of str. Names.
    wins : (K, K) int64. ``wins[i, j]`` = judgements in which i was preferred to j.
    ties : (K, K) int64. Symmetric.
    """

    arms: tuple[str, ...]
    wins: np.ndarray
    ties: np.ndarray

    @property
    def of_pair(self) -> np.ndarray:
        """(K, K) int64: judgements of each pair."""
        return self.wins + self.wins.T + self.ties

    @property
    def n(self) -> int:
        """Judgements of all pairs."""
        return int(self.of_pair.sum()) // 2

    @property
    def P(self) -> np.ndarray:
        """(K, K) float64: P(i wins) + P(tie) / 2; 1/2 on the diagonal."""
        n = np.maximum(self.of_pair, 1)
        return np.where(self.of_pair > 0, (self.wins + self.ties / 2) / n, 0.5)

    @property
    def matrix(self) -> PreferenceMatrix:
        """The same with names."""
        return PreferenceMatrix(self.P, names=self.arms)

    def in_order(self, order: np.ndarray) -> "Judgements":
        """The same with arm ``order[i]`` as arm i."""
        places = np.ix_(order, order)
        return Judgements(tuple(self.arms[arm] for arm in order), self.wins[places], self.ties[places])


@cache
def judgements(name: str) -> Judgements:
    """The judgements of a study, by the name of its matrix, with the arms in the matrix's order; or many of `MADE`."""
    if name == MADE:
        P = generate("bradley-terry", n_arms=8, seed=1).P
        counts = np.where(np.eye(8, dtype=bool), 0.0, 1e9 * P).round().astype(np.int64)
        return Judgements(tuple(map(str, range(8))), counts, np.zeros((8, 8), np.int64))
    with open(FOLDER / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    arms = PreferenceMatrix.load(name).names
    assert arms is not None
    wins, ties = np.zeros((2, len(arms), len(arms)), np.int64)
    for row in rows:
        i, j = arms.index(row["first"]), arms.index(row["second"])
        wins[i, j], wins[j, i] = int(row["first_wins"]), int(row["second_wins"])
        ties[i, j] = ties[j, i] = int(row["ties"])
    return Judgements(tuple(arms), wins, ties)


# --- a session, compiled ---


@register_jitable
def _least_compared(counts, delta):
    """`Memory._least_compared` where nothing is out: of the pairs that may decide who wins, the least compared one."""
    K = len(counts)
    level = math.log(K * (K - 1) / delta)
    sure_wins, sure_losses = np.zeros(K, np.int64), np.zeros(K, np.int64)
    evidence = np.full((K, K), -1.0)
    for i in range(K):
        for j in range(i + 1, K):
            found = log_evidence(min(counts[i, j], counts[j, i]), max(counts[i, j], counts[j, i]))
            evidence[i, j] = found
            if found >= level:
                winner, loser = (i, j) if counts[i, j] > counts[j, i] else (j, i)
                sure_wins[winner] += 1
                sure_losses[loser] += 1
    least, pair = (np.inf, np.inf), (-1, -1)
    for i in range(K):
        for j in range(i + 1, K):
            may_win = max(K - 1 - sure_losses[i], K - 1 - sure_losses[j]) >= sure_wins.max()
            compared = counts[i, j] + counts[j, i], evidence[i, j]
            if evidence[i, j] < level and may_win and compared < least:
                least, pair = compared, (i, j)
    return pair


@register_jitable
def _next(state, t, horizon, rng):
    """`Player.next`: first arm, second arm, and the round after; -1 and -1 where the session has to choose."""
    for _ in range(PATIENCE):
        if t > horizon:
            break
        first, second, rounds = dispatch.select(state, t, rng)
        if first != second:
            return first, second, t + 1
        t += min(rounds, horizon + 1 - t)
    return -1, -1, t


@register_jitable
def _judgement(wins, ties, first, second, is_put_back, rng):
    """Draw a judgement of a pair: 1 if the first arm wins, 0 if the second, -1 for a tie, -2 where none is left."""
    n = wins[first, second] + wins[second, first] + ties[first, second]
    if n == 0:
        return -2
    drawn = rng.random() * n
    if drawn < wins[first, second]:
        wins[first, second] -= not is_put_back
        return 1
    if drawn < wins[first, second] + ties[first, second]:
        ties[first, second] -= not is_put_back
        ties[second, first] -= not is_put_back
        return -1
    wins[second, first] -= not is_put_back
    return 0


@register_jitable
def _recommended(state, tests):
    if rules.n_left(tests) == 0 and rules.answer(tests) >= 0:
        return rules.answer(tests)
    return dispatch.recommend(state)


def _replay(
    state, tests, wins, ties, is_put_back, horizon, ends_itself, asked, looks, recommended, algorithm, judge, coins,
    order,
):  # fmt: skip
    """Fill in what was asked and recommended; judgements, those until the algorithm was over, and whether any was left.

    Each row of ``asked``: the arm shown first, the other one, and the winner that is told.
    """
    K = len(wins)
    counts = np.zeros((K, K))
    low_first = np.full((K, K), -1)
    n, t, over, look = 0, 1, -1, 0
    while n < len(asked) and rules.n_left(tests) > 0:
        i, j, t = _next(state, t, horizon, algorithm)
        is_offered = i < 0
        if is_offered:
            over = n if over < 0 and t > horizon else over
            if ends_itself:
                break
            i, j = _least_compared(counts, DELTA)
            if i < 0:
                break
        low, high = min(i, j), max(i, j)
        before = low_first[low, high]
        low_first[low, high] = int(order.random() < 0.5) if before < 0 else 1 - before
        first, second = (low, high) if low_first[low, high] == 1 else (high, low)
        said = _judgement(wins, ties, first, second, is_put_back, judge)
        if said == -2:
            return n, over, False
        counts[first, second] += said if said >= 0 else 0.5
        counts[second, first] += 1 - said if said >= 0 else 0.5
        if said == -1:
            said = int(coins.random() < 0.5)
        asked[n] = first, second, first if said == 1 else second
        rules.update(tests, first, second, said, 1 - said)
        rules.settle(tests)
        if not is_offered:
            first_wins = said if first == i else 1 - said
            dispatch.update(state, i, j, first_wins, 1 - first_wins)
        n += 1
        if look < len(looks) and looks[look] == n:
            recommended[look] = _recommended(state, tests)
            look += 1
    recommended[look:] = _recommended(state, tests)
    return n, over, True


_compiled_replay = numba.njit(_replay)


class Replayed(NamedTuple):
    """One replay. Arms as in the judgements.

    asked : (n, 3) int64. Of each judgement the arm shown first, the other one, and the winner that was told.
    answer : int. By the stopping rule: an arm, -1 for none; `UNDECIDED`; `USED_UP`.
    over : int. Judgements after which the algorithm wanted to know no more; -1 where it never did.
    recommended : (len(LOOKS),) int64. What the session would have recommended after so many judgements.
    """

    asked: np.ndarray
    answer: int
    over: int
    recommended: np.ndarray

    @property
    def n(self) -> int:
        """Judgements."""
        return len(self.asked)

    def wins(self, n_arms: int) -> np.ndarray:
        """(K, K) int64: the wins that were told, coins of ties among them."""
        table = np.zeros((n_arms, n_arms), np.int64)
        first, second, winner = self.asked.T
        np.add.at(table, (winner, first + second - winner), 1)
        return table


def order_and_judge(name: str, replay: int) -> tuple[np.ndarray, np.random.Generator]:
    """The order in which a session of a replay has the arms, and from what its judgements are drawn."""
    random = np.random.default_rng([*name.encode(), replay])
    return random.permutation(len(judgements(name).arms)), random


def replay(player: Player, name: str, number: int, *, most: int = MOST, is_put_back: bool = True) -> Replayed:
    """What a session with the seed ``number`` does where judgements of people answer.

    Compiled, unless kernels are interpreted.

    Parameters
    ----------
    player : Player
    name : str
        Of the judgements.
    number : int
        Of the replay.
    most : int
        Judgements at most.
    is_put_back : bool
        False draws each judgement once.
    """
    order, judge = order_and_judge(name, number)
    people = judgements(name).in_order(order)
    K = len(order)
    ends_itself = player.rule == OWN
    algorithm, chosen = registry.get(player.id), RULES["e-condorcet" if ends_itself else player.rule]
    rng, (coins, sides) = streams(number, 0).algorithm, session_streams(number)
    even = PreferenceMatrix(np.full((K, K), 0.5))
    _, state = begin(algorithm, even, player.horizon, rng, True, algorithm.resolve({}))
    rules.register(chosen)
    more: dict[str, Any] = {"target": "copeland", "epsilon": 0.0, "k": 1} if player.rule == "pairs" else {}
    tests = chosen.start(K, 1e-300 if ends_itself else DELTA, **more)
    asked, recommended = np.zeros((most, 3), np.int64), np.zeros(len(LOOKS), np.int64)
    play = _replay if is_interpreted() else _compiled_replay
    n, over, was_answered = play(
        state, tests, people.wins.copy(), people.ties.copy(), is_put_back, player.horizon, ends_itself, asked, LOOKS,
        recommended, rng, judge, coins, sides,
    )  # fmt: skip
    answer = rules.answer(tests) if rules.n_left(tests) == 0 else UNDECIDED if was_answered else USED_UP
    if ends_itself and over >= 0:
        answer = recommended[-1]
    return Replayed(order[asked[:n]], int(order[answer]) if answer >= 0 else int(answer), over, order[recommended])


def by_session(
    player: Player, name: str, number: int, *, most: int = MOST, ties: str = "half"
) -> tuple[np.ndarray, duelbench.Session]:
    """The same replay by a session: what was asked, as in `Replayed`, and the session. The winner of a tie is -1."""
    order, judge = order_and_judge(name, number)
    people = judgements(name).in_order(order)
    session = duelbench.Session(
        player.id, people.arms, seed=number, horizon=player.horizon, ties=ties, stop={"rule": player.rule}
    )
    asked = []
    while session.told < most and (pair := session.ask()) is not None:
        first, second = (people.arms.index(arm) for arm in pair)
        drawn = judge.random() * people.of_pair[first, second]
        if drawn < people.wins[first, second]:
            session.tell(pair, pair[0])
            asked.append((order[first], order[second], order[first]))
        elif drawn < people.wins[first, second] + people.ties[first, second]:
            session.tie(pair)
            asked.append((order[first], order[second], -1))
        else:
            session.tell(pair, pair[1])
            asked.append((order[first], order[second], order[second]))
    return np.array(asked), session


@cache
def replays(player: Player, name: str, most: int = MOST) -> tuple[Replayed, ...]:
    """All replays of a player."""
    return tuple(replay(player, name, number, most=most) for number in range(REPLAYS))


# --- every pair n times ---


def read_off(wins: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The winner of each table of wins: ahead of most arms; of equal ones that with most wins; then drawn.

    Parameters
    ----------
    wins : (m, K, K) float64
    random : Generator

    Returns
    -------
    (m,) int64
    """
    scores = (wins > wins.swapaxes(1, 2)).sum(axis=2) + 0.5 * (wins == wins.swapaxes(1, 2)).sum(axis=2)
    total = wins.sum(axis=2)
    order = np.lexsort((random.random(scores.shape), total, scores), axis=-1)
    return order[:, -1]


def plan_share(P: np.ndarray, n: int, plans: int = PLANS) -> float:
    """In which share of fixed plans, every pair n times, the winner that is read off is the Condorcet winner."""
    random = np.random.default_rng([len(P), n])
    i, j = np.triu_indices(len(P), 1)
    wins = np.zeros((plans, *P.shape))
    wins[:, i, j] = random.binomial(n, P[i, j], (plans, len(i)))
    wins[:, j, i] = n - wins[:, i, j]
    return float(np.mean(read_off(wins, random) == condorcet_winner(P)))


def plan(P: np.ndarray, share: float) -> int:
    """How often a fixed plan must ask for each pair to be right in this share; even numbers need one duel more."""
    low, high = 0, 1
    while plan_share(P, high) < share:
        low, high = high, 2 * high
        if high > MOST_OF_A_PAIR:
            return MOST_OF_A_PAIR
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if plan_share(P, middle) >= share else (middle, high)
    return high


# --- tables ---


def quantile(n: np.ndarray, share: float) -> float:
    """The number of judgements within which this share of the replays had an answer; infinity where too few had one."""
    return float(np.sort(n)[math.ceil(share * len(n)) - 1])


def to_answer(played: Sequence[Replayed]) -> np.ndarray:
    """Judgements until the answer of each replay; infinity where there was none."""
    return np.array([one.n if one.answer not in (UNDECIDED, USED_UP) else math.inf for one in played])


def n_right(played: Sequence[Replayed], name: str) -> int:
    """How many answers are the Condorcet winner."""
    return sum(one.answer == condorcet_winner(judgements(name).P) for one in played)


def share_right(played: Sequence[Replayed], name: str) -> np.ndarray:
    """(len(LOOKS),) float64: in which share of the replays the Condorcet winner would have been recommended then."""
    winner = condorcet_winner(judgements(name).P)
    return np.mean([one.recommended == winner for one in played], axis=0)


def again(played: Sequence[Replayed]) -> float:
    """The share of questions about the pair of the question before, in the first 200 of each replay."""
    shares = []
    for one in played:
        low, high = one.asked[:200, :2].min(axis=1), one.asked[:200, :2].max(axis=1)
        shares.append(np.mean((low[1:] == low[:-1]) & (high[1:] == high[:-1])))
    return float(np.mean(shares))


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _count(n: float) -> str:
    return "more" if n == math.inf else f"{n:,.0f}"


def _judgements_table() -> Iterator[str]:
    yield "| study | arms | judgements | ties | winner | its gap | e-condorcet says | open pairs |"
    yield "|---|---:|---:|---:|---|---:|---|---|---:|"
    for name in NAMES:
        people = judgements(name)
        winner = condorcet_winner(people.P)
        gap = "" if winner is None else f"{np.delete(people.P[winner], winner).min() - 0.5:.3f}"
        known = certainty(people.wins + people.ties / 2)
        said = "nothing yet" if known.answer is None else people.arms[known.answer]
        cells = [name, len(people.arms), f"{people.n:,}", f"{people.ties.sum() // 2:,}"]
        cells += ["none" if winner is None else people.arms[winner], gap, said, len(known.open_pairs)]
        yield "| " + " | ".join(map(str, cells)) + " |"


def _defaults_table() -> Iterator[str]:
    early = " | ".join(f"{n} K" for n in EARLY)
    yield f"| study | who asks | quarter | median | three quarters | wrong | {early} | same pair again |"
    yield "|---|---|" + "---:|" * (5 + len(EARLY))
    for name in (MADE, *WITH_WINNER):
        for player in (D_TS, D_TS._replace(rule="e-bets"), KELLY._replace(rule=OWN), KELLY, WS_W):
            played = replays(player, name, MOST_OF_DEFAULTS)
            n = to_answer(played)
            answered = int(np.sum(n < math.inf))
            at = np.searchsorted(LOOKS, [times * len(judgements(name).arms) for times in EARLY])
            cells = [name, player.label, *(_count(quantile(n, share)) for share in (0.25, 0.5, 0.75))]
            cells += [f"{answered - n_right(played, name)} of {answered}"]
            cells += [*map(_percent, share_right(played, name)[at]), _percent(again(played))]
            yield "| " + " | ".join(cells) + " |"


def _answers_table() -> Iterator[str]:
    yield "| who asks | " + " | ".join(WITH_WINNER) + " | right |"
    yield "|---|" + "---|" * len(WITH_WINNER) + "---:|"
    for player in PLAYERS:
        right = answered = 0
        cells = [player.label]
        for name in WITH_WINNER:
            n = to_answer(replays(player, name))
            share = np.mean(n < math.inf)
            within = f"{_count(quantile(n, 0.5))} ({_count(quantile(n, 0.9))})"
            cells.append(within if share >= 0.9 else f"{within}, {_percent(share)}")
            right += n_right(replays(player, name), name)
            answered += int(np.sum(n < math.inf))
        yield "| " + " | ".join([*cells, f"{right:,} of {answered:,}"]) + " |"


def _plans_table() -> Iterator[str]:
    shares = (0.9, 0.95, 0.99, 0.999)
    yield "| study | " + " | ".join(f"{100 * share:g}% right" for share in shares) + " |"
    yield "|---|" + "---:|" * len(shares)
    for name in WITH_WINNER:
        P = judgements(name).P
        pairs = len(P) * (len(P) - 1) // 2
        found = [plan(P, share) for share in shares]
        yield f"| {name} | " + " | ".join(f"{n * pairs:,} ({n:,})" for n in found) + " |"


def _budgets_table() -> Iterator[str]:
    yield "| study | who asks | " + " | ".join(f"{n:,}" for n in BUDGETS) + " |"
    yield "|---|---|" + "---:|" * len(BUDGETS)
    at = np.searchsorted(LOOKS, BUDGETS)
    for name in WITH_WINNER:
        for player in (KELLY, D_TS, RMED, UNIFORM):
            share = share_right(replays(player, name), name)[at]
            yield f"| {name} | {registry.get(player.id).name} | " + " | ".join(map(_percent, share)) + " |"


def _used_up_table() -> Iterator[str]:
    yield "| study | who asks | put back: answered | median | used once: answered | median | right | used up after |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for name in WITH_WINNER:
        for player in (KELLY, D_TS, RMED, UNIFORM):
            again = to_answer(replays(player, name))
            once = [replay(player, name, number, is_put_back=False) for number in range(REPLAYS)]
            n = to_answer(once)
            used = [one.n for one in once if one.answer == USED_UP]
            cells = [_percent(np.mean(again < math.inf)), _count(quantile(again, 0.5)), _percent(np.mean(n < math.inf))]
            cells += [_count(quantile(n, 0.5)), f"{n_right(once, name)} of {np.sum(n < math.inf)}"]
            cells.append(f"{np.median(used):,.0f}" if used else "")
            yield f"| {name} | {player.label} | " + " | ".join(cells) + " |"


def _ties_table() -> Iterator[str]:
    yield "| ties | who asks | median | 90% | ties among them | right |"
    yield "|---|---|---:|---:|---:|---:|"
    for ties in ("half", "drop"):
        for player in (KELLY, D_TS, RMED):
            sessions = [by_session(player, "cemschoice", number, ties=ties)[1] for number in range(SESSIONS)]
            n = np.array([session.told if session.done else math.inf for session in sessions])
            share = np.mean([session.ties.sum() / 2 / session.told for session in sessions])
            right = sum(session.answer == "London" for session in sessions)
            cells = [_count(quantile(n, 0.5)), _count(quantile(n, 0.9)), _percent(share), f"{right} of {SESSIONS}"]
            yield f"| {ties} | {player.label} | " + " | ".join(cells) + " |"


def _cycle_table() -> Iterator[str]:
    name = "soundquality"
    people = judgements(name)
    yield "| judgements | who asks | replays | answered | recommended | open pairs |"
    yield "|---:|---|---:|---:|---|---:|"
    for most, runs in ((people.n, 100), (1_000_000, 10)):
        for player in (KELLY, D_TS, D_TS._replace(rule="pairs"), UNIFORM):
            played = [replay(player, name, number, most=most) for number in range(runs)]
            counts = np.bincount([one.recommended[-1] for one in played], minlength=len(people.arms))
            named = ", ".join(f"{people.arms[arm]} {counts[arm]}" for arm in np.argsort(-counts) if counts[arm])
            rule = "pairs" if player.rule == "pairs" else "e-condorcet"
            open_pairs = [len(certainty(one.wins(len(people.arms)), rule=rule).open_pairs) for one in played]
            answered = np.sum(to_answer(played) < math.inf)
            yield f"| {most:,} | {player.label} | {runs} | {answered} | {named} | {np.median(open_pairs):g} |"


def draw(file: str) -> None:
    """Draw how often the winner is recommended, with Wilson's 95% interval; a panel for each study with a winner."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(WITH_WINNER), figsize=(9.5, 3), sharey=True, layout="constrained")
    for name, panel in zip(WITH_WINNER, panels, strict=True):
        for player in (KELLY, D_TS, UNIFORM):
            played = replays(player, name)
            share = share_right(played, name)
            low, high = proportion_interval(share, len(played))
            colour, dashes = LOOKS_OF[player.id]
            label = registry.get(player.id).name
            panel.plot(LOOKS, 100 * share, color=colour, linestyle=dashes, label=label, linewidth=1.5)
            panel.fill_between(LOOKS, 100 * low, 100 * high, color=colour, alpha=0.2, linewidth=0)
        panel.set(xscale="log", title=TITLES[name], xlabel="judgements")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("recommends the winner, %")
    panels[0].legend(frameon=False, fontsize="small")
    figure.savefig(file, dpi=130)


TABLES = {
    "judgements": _judgements_table,
    "defaults": _defaults_table,
    "answers": _answers_table,
    "plans": _plans_table,
    "budgets": _budgets_table,
    "used-up": _used_up_table,
    "ties": _ties_table,
    "cycle": _cycle_table,
}


def main() -> None:
    """Print the tables that are named, or draw the figure."""
    if sys.argv[1:2] == ["figure"]:
        draw(sys.argv[2])
        return
    for name in sys.argv[1:] or TABLES:
        for line in TABLES[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
