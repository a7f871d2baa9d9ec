"""SELECT: a knock-out of matches of a fixed number of duels; and SELECT-then-verify, which tests its winner.

SELECT assumes a Condorcet winner that is ahead of every other arm by ``h`` at least. SELECT-then-verify assumes that no
pair with the winner of the knock-out is closer than ``h``, and no Condorcet winner: that arm must win a sequential test
against every other one, or the answer is that there is none. Anytime.

References
----------
.. [1] B. Haddenhorst, V. Bengs, J. Brandt, E. Hullermeier, "Testification of Condorcet Winners in Dueling Bandits", UAI
   2021: supplement C (SELECT), SELECT-then-verify.
.. [2] S. Mohajer, C. Suh, A. Elmahdy, "Active Learning for Top-K Rank Aggregation from Noisy Comparisons", ICML 2017,
   where SELECT is from; not read.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, NO_WINNER, Algorithm, Parameter
from duelbench.algorithms.identification import bracket as brackets
from duelbench.algorithms.identification.bracket import Bracket
from duelbench.algorithms.identification.parameters import DELTA, H
from duelbench.kernels.comparators import majority, sprt
from duelbench.kernels.comparators.running_test import FIRST, OPEN, begin, count_duels
from duelbench.kernels.decorators import kernel, plain
from duelbench.kernels.records import record

MATCH_DELTA = replace(
    DELTA, description="a wrong answer has probability delta ceil(log2 K) / log2 K at most, where gaps exceed h"
)
CURTAIL = Parameter(False, "end a match as soon as one arm has won more than half of all its duels")
BUDGET = Parameter(
    None, "duels in all, shared out evenly among the matches; default: as many as delta and h need", low=1.0, high=1e15
)


class State(NamedTuple):
    bracket: Bracket  # The knock-out
    test: np.ndarray  # (1,) record. The match or test that is running: that of the bracket.
    progress: np.ndarray  # (1,) record of `_state`
    most: int  # A match ends after this many duels,
    enough: int  # or with this many wins
    lead: int  # The lead that ends a test of the winner


def match_duels(n_arms, delta, h):
    """N = ceil(ln(log2(K) / delta) / (2 h^2)), the duels of a match."""
    return math.ceil(math.log(math.log2(n_arms) / delta) / (2 * h * h))


def start(n_arms, horizon, rng, standing, *, delta, h, curtail, budget):
    """State before round 1 of SELECT; draws the private order of the arms."""
    most = match_duels(n_arms, delta, h) if budget is None else int(budget // (n_arms - 1))
    return _state(n_arms, rng, most, curtail, lead=1, n_verified=n_arms)


def start_verifying(n_arms, horizon, rng, standing, *, delta, h, curtail):
    """State before round 1 of SELECT-then-verify; draws the private order of the arms."""
    lead = plain(sprt.lead_needed)(h, delta / (2 * (n_arms - 1)))
    return _state(n_arms, rng, match_duels(n_arms, delta / 2, h), curtail, lead, n_verified=0)


def _state(n_arms, rng, most, curtail, lead, n_verified):
    bracket = brackets.new_bracket(rng.permutation(n_arms))
    plain(brackets.begin_round)(bracket, n_arms // 2)
    return State(
        bracket=bracket,
        test=bracket.test,
        progress=record(
            n_verified=n_verified,  # places of the private order that need no test; K where none does
            is_refuted=False,  # whether the winner of the knock-out has lost a test
        ),
        most=most,
        enough=plain(majority.enough_wins)(most, curtail),
        lead=lead,
    )


def refuses(n_arms, horizon, *, budget, **parameters):
    """A budget of less than a duel for each of the K - 1 matches."""
    if budget is not None and budget < n_arms - 1:
        return f"a budget of {budget:.16g} duels is too small for the {n_arms - 1} matches of {n_arms} arms"
    return None


@kernel
def select(state, t, rng):
    """The pair whose match or test is running, for as long as it cannot end; the answer once it is known."""
    bracket = state.bracket
    tally = bracket.tally[0]
    test = state.test[0]
    if tally.n_in > 1:
        won = majority.winner(state.most, state.enough, test.n, test.wins)
        if won != OPEN and brackets.end_match(bracket, won):
            if tally.n_in > 1:
                brackets.begin_round(bracket, tally.n_in // 2)
            else:
                _begin_test(state)
    elif not _is_over(state):
        won = sprt.winner(state.lead, test.n, test.wins)
        if won == FIRST:
            state.progress[0].n_verified += 1
            _begin_test(state)
        elif won != OPEN:
            state.progress[0].is_refuted = True
    if _is_over(state):
        last = recommend(state)
        return last, last, NEVER
    if tally.n_in > 1:
        return test.first, test.second, majority.rounds_left(state.most, state.enough, test.n, test.wins)
    return test.first, test.second, sprt.rounds_left(state.lead, test.n, test.wins)


@kernel
def _begin_test(state):
    """Test the winner of the knock-out against the next arm in private order, if any is left."""
    progress = state.progress[0]
    order = state.bracket.order
    winner = state.bracket.arms[0]
    if progress.n_verified < order.size and order[progress.n_verified] == winner:
        progress.n_verified += 1
    if progress.n_verified < order.size:
        begin(state.test, winner, order[progress.n_verified])


@kernel
def _is_over(state):
    progress = state.progress[0]
    return state.bracket.tally[0].n_in == 1 and (progress.is_refuted or progress.n_verified == state.bracket.order.size)


@kernel
def recommend(state):
    """Whoever has come furthest in the knock-out; while its winner is behind in a test, the arm that it meets."""
    test = state.test[0]
    if state.bracket.tally[0].n_in == 1 and state.progress[0].n_verified < state.bracket.order.size:
        return test.first if 2 * test.wins >= test.n else test.second
    return brackets.front_runner(state.bracket)


@kernel
def explored(state):
    """The arms that have lost nothing so far; 0 when the answer is known."""
    return 0 if _is_over(state) else brackets.n_left(state.bracket)


@kernel
def answer(state):
    """The winner of the knock-out, or that there is no Condorcet winner."""
    return NO_WINNER if state.progress[0].is_refuted else state.bracket.arms[0]


SELECT = Algorithm.of_module(
    __name__,
    "select",
    "SELECT",
    "condorcet",
    "Mohajer, Suh, Elmahdy 2017, after Haddenhorst, Bengs, Brandt, Hullermeier 2021, supplement C",
    answers=("condorcet",),
    parameters={"delta": MATCH_DELTA, "h": H, "curtail": CURTAIL, "budget": BUDGET},
    update=count_duels,
)

SELECT_THEN_VERIFY = Algorithm.of_module(
    __name__,
    "select-then-verify",
    "SELECT-then-verify",
    "nothing",
    "Haddenhorst, Bengs, Brandt, Hullermeier 2021",
    answers=("condorcet",),
    parameters={"delta": DELTA, "h": H, "curtail": CURTAIL},
    start=start_verifying,
    refuses=None,
    update=count_duels,
)
