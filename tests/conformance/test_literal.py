"""Every algorithm plays the same duels as a literal transcription of its paper, given the same draws."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms import registry
from duelbench.kernels.posteriors import beta_above_half
from tests.conformance.literal import Playable, play
from tests.conformance.literal.anaconda import ANACONDA
from tests.conformance.literal.bcb import BCB
from tests.conformance.literal.btm import BTM
from tests.conformance.literal.btw import BtW, BtWR
from tests.conformance.literal.ccb import CCB
from tests.conformance.literal.cw_rmed import CWRMED
from tests.conformance.literal.d_exp3 import DEXP3, DEXP3HP
from tests.conformance.literal.d_ts import DTS
from tests.conformance.literal.d_ts_pure import PureDTS
from tests.conformance.literal.detect import DETECT
from tests.conformance.literal.doubler import Doubler
from tests.conformance.literal.ecw_rmed import ECWRMED
from tests.conformance.literal.identification.active_ranking import ActiveRanking, LUCBBorda
from tests.conformance.literal.identification.batched import BatchedElimination
from tests.conformance.literal.identification.borda import BR, SECS
from tests.conformance.literal.identification.dkwt import DKWT, KTKnockout
from tests.conformance.literal.identification.e_elimination import EElimination, StrongestSuperior
from tests.conformance.literal.identification.iir import IIR
from tests.conformance.literal.identification.knockout import Knockout
from tests.conformance.literal.identification.nts import NTS
from tests.conformance.literal.identification.pocowista import POCOWISTA, TransitivePOCOWISTA
from tests.conformance.literal.identification.seebs import SEEBS
from tests.conformance.literal.identification.select import Select, SelectThenVerify
from tests.conformance.literal.identification.seq_eliminate import OptMaximize, SeqEliminate
from tests.conformance.literal.interleaved_filter import InterleavedFilter
from tests.conformance.literal.kelly_elimination import KellyElimination
from tests.conformance.literal.mdb import MDB
from tests.conformance.literal.merge_dts import MergeDTS
from tests.conformance.literal.mergerucb import MergeRUCB
from tests.conformance.literal.multi_sbm import MultiSBM
from tests.conformance.literal.pbr import PBRCO
from tests.conformance.literal.rankel import RankElCopeland
from tests.conformance.literal.rcs import RCS
from tests.conformance.literal.rex3 import REX3
from tests.conformance.literal.rmed1 import RMED1
from tests.conformance.literal.rmed2 import RMED2
from tests.conformance.literal.rmed2fh import RMED2FH
from tests.conformance.literal.rucb import RUCB
from tests.conformance.literal.savage import BordaSAVAGE, CondorcetSAVAGE, CopelandSAVAGE
from tests.conformance.literal.savage_sampling import SamplingSAVAGE
from tests.conformance.literal.scb import SCB
from tests.conformance.literal.self_sparring import SelfSparring
from tests.conformance.literal.sparring import Sparring
from tests.conformance.literal.sup_klucb import SupKLUCB
from tests.conformance.literal.uniform import Uniform
from tests.conformance.literal.uniform_random import UniformRandom
from tests.conformance.literal.vdb import VDB
from tests.conformance.literal.wiwr import WIWR
from tests.conformance.literal.ws import WSS, WSW
from tests.conformance.players import OneDrawIntegers, pairs_played, played_by_the_engine
from tests.selection import quick

SEEDS = [range(2), range(2, 4)]
MORE_SEEDS = [range(8), range(8, 20)]
HORIZON = 3000
LINEAR = 0.5 + 0.08 * (np.arange(5)[None, :] - np.arange(5)[:, None])
CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])
NO_CONDORCET_WINNER = np.array(
    [
        [0.5, 0.2, 0.8, 0.8, 0.8],
        [0.8, 0.5, 0.2, 0.8, 0.8],
        [0.2, 0.8, 0.5, 0.8, 0.8],
        [0.2, 0.2, 0.2, 0.5, 0.6],
        [0.2, 0.2, 0.2, 0.4, 0.5],
    ]
)
LARGE_ORDER = 0.5 + 0.45 * np.sign(np.arange(128)[None, :] - np.arange(128)[:, None])
STEEP = 0.5 + 0.12 * (np.arange(5)[None, :] - np.arange(5)[:, None])
CERTAIN = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
MANY_ARMS = 0.5 + 0.04 * (np.arange(11)[None, :] - np.arange(11)[:, None])
WINNER_TAKES_ALL = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])
"""BCB settles here within the horizon."""
MATRICES = {"linear": LINEAR, "cyclic": CYCLIC, "no-condorcet-winner": NO_CONDORCET_WINNER}


class Oracle(NamedTuple):
    """A transcription, and how the algorithm is to be played so that both draw the same.

    ``parameters`` are given to both; ``matrices`` are played beside `MATRICES`. ``by_the_engine`` is False where the
    engine draws which of several arms duels itself from a stream of its own.
    """

    make: Callable[..., Playable]
    standing: bool = True
    parameters: Mapping[str, Any] = {}
    matrices: Mapping[str, np.ndarray] = {}
    by_the_engine: bool = True


def d_ts(plus: bool) -> Callable[..., Playable]:
    def make(n_arms, horizon, rng):
        return DTS(n_arms, horizon, rng, plus=plus, beta_above_half=unwrapped_beta_above_half)

    return make


def d_ts_pure(n_arms, horizon, rng):
    return PureDTS(n_arms, horizon, rng, beta_above_half=unwrapped_beta_above_half)


def unwrapped_beta_above_half(a, b, rng):
    return beta_above_half(a, b, rng._rng)


ORACLES = {
    "random": Oracle(UniformRandom),
    "uniform": Oracle(Uniform),
    "strongest-superior": Oracle(StrongestSuperior, matrices={"steep": STEEP}),
    "kelly-elimination": Oracle(KellyElimination, matrices={"steep": STEEP}),
    "br": Oracle(BR, parameters={"delta": 0.9}, matrices={"steep": STEEP}),
    "secs": Oracle(SECS, parameters={"delta": 0.9, "k": 2, "const": 0.1}),
    "active-ranking": Oracle(ActiveRanking, parameters={"factor": 2.0}, matrices={"steep": STEEP}),
    "lucb-borda": Oracle(LUCBBorda, matrices={"steep": STEEP}),
    "e-elimination": Oracle(EElimination),
    "batched-elimination": Oracle(BatchedElimination, parameters={"batches": 8}),
    "interleaved-filter": Oracle(InterleavedFilter),
    "btm": Oracle(BTM, parameters={"const": 0.3}),  # the paper's constant eliminates nobody in so few rounds
    "savage-copeland": Oracle(CopelandSAVAGE, matrices={"steep": STEEP}),
    "savage-condorcet": Oracle(CondorcetSAVAGE, matrices={"steep": STEEP}),
    "savage-borda": Oracle(BordaSAVAGE, matrices={"steep": STEEP}),
    "savage-sampling": Oracle(
        SamplingSAVAGE,
        parameters={"test_every": 20, "simulations": 15, "moves": 5, "within": "borda"},
        matrices={"steep": STEEP},
    ),
    "pbr-copeland": Oracle(PBRCO, matrices={"steep": STEEP}),
    "rankel-copeland": Oracle(RankElCopeland, matrices={"steep": STEEP}),
    "doubler": Oracle(Doubler),
    "multisbm": Oracle(MultiSBM),
    "sparring": Oracle(Sparring),
    "self-sparring": Oracle(SelfSparring),
    "rucb": Oracle(RUCB),
    "rcs": Oracle(RCS, standing=False),
    "mergerucb": Oracle(MergeRUCB, matrices={"many arms": MANY_ARMS}),
    "merge-dts": Oracle(MergeDTS, standing=False, matrices={"many arms": MANY_ARMS}),
    "ccb": Oracle(CCB, matrices={"winners last": NO_CONDORCET_WINNER[::-1, ::-1]}, by_the_engine=False),
    "scb": Oracle(SCB, matrices={"steep": STEEP}),
    "rmed1": Oracle(RMED1),
    "rmed2": Oracle(RMED2),
    "rmed2fh": Oracle(RMED2FH),
    "cw-rmed": Oracle(CWRMED),
    "ecw-rmed": Oracle(ECWRMED),
    "d-ts": Oracle(d_ts(plus=False), standing=False),  # its standing decisions draw their length
    "d-ts-plus": Oracle(d_ts(plus=True), standing=False),
    "d-ts-pure": Oracle(d_ts_pure, standing=False),
    "sup-klucb": Oracle(SupKLUCB),
    "vdb": Oracle(VDB),
    "rex3": Oracle(REX3, standing=False),  # its standing decisions draw their length
    "d-exp3": Oracle(DEXP3),
    "d-exp3-hp": Oracle(DEXP3HP),
    "bcb": Oracle(BCB, matrices={"winner takes all": WINNER_TAKES_ALL}),
    "btw": Oracle(BtW),
    "btwr": Oracle(BtWR),
    "detect": Oracle(DETECT),
    "mdb": Oracle(MDB, parameters={"segments": 1, "delta": 1.0}),  # its windows are full within the horizon
    "anaconda": Oracle(ANACONDA, standing=False, parameters={"C": 0.02}),  # with its default nobody is eliminated
    "wiwr": Oracle(WIWR, standing=False, parameters={"scale": 1 / 8000}),  # several epochs
    "ws-w": Oracle(WSW),
    "ws-s": Oracle(WSS),
    "select": Oracle(Select, parameters={"h": 0.45}, matrices={"many arms": MANY_ARMS}),
    "select-then-verify": Oracle(SelectThenVerify, parameters={"h": 0.2}, matrices={"many arms": MANY_ARMS}),
    "nts": Oracle(NTS, parameters={"h": 0.1}, matrices={"many arms": MANY_ARMS}),
    "knockout": Oracle(Knockout, parameters={"epsilon": 0.3, "delta": 0.3, "gamma": 1.2}, matrices={"steep": STEEP}),
    "seq-eliminate": Oracle(SeqEliminate, parameters={"epsilon": 0.3, "delta": 0.3}),
    "opt-maximize": Oracle(  # only of many arms are some dropped before the anchor is checked
        OptMaximize, parameters={"epsilon": 0.5, "delta": 0.9}, matrices={"large order": LARGE_ORDER}
    ),
    "seebs": Oracle(SEEBS, matrices={"steep": STEEP, "certain": CERTAIN}),
    "pocowista": Oracle(POCOWISTA),
    "tra-pocowista": Oracle(TransitivePOCOWISTA, matrices={"steep": STEEP}),
    "dkwt": Oracle(DKWT, parameters={"delta": 0.9}, matrices={"steep": STEEP}),  # short stages
    "kt-knockout": Oracle(KTKnockout, matrices={"steep": STEEP}),
    "iir": Oracle(IIR, parameters={"delta": 0.9}, matrices={"steep": STEEP, "certain": CERTAIN}),  # short walks
}


VARIANTS = [
    ("sparring", Sparring, {"machine": "exp3"}),
    ("sparring", Sparring, {"machine": "exp3ix"}),
    ("sparring", Sparring, {"machine": "exp3s", "switches": 4}),
    ("rex3", REX3, {"anytime": True}),
    ("btwr", BtWR, {"p_min": 0.1}),
    ("detect", DETECT, {"form": "long", "p_min": 0.9, "delta": 0.9}),
    ("detect", DETECT, {"base": "rucb", "delta": 0.9}),
    ("detect", DETECT, {"base": "ws-s", "delta": 0.9}),
    ("mdb", MDB, {"segments": 1, "delta": 1.0, "transfer": False}),
    ("mdb", MDB, {"segments": 1, "delta": 1.0, "base": "ws-s"}),
    ("anaconda", ANACONDA, {"C": 0.02, "rho": 1.0}),
    ("wiwr", WIWR, {}),
]


@pytest.mark.parametrize(("id", "make", "parameters"), VARIANTS)
def test_other_forms_of_a_rule_play_the_same_duels_too(id, make, parameters):
    """In a loop over one decision a round, whose functions are compiled already."""
    for seed in range(2):
        literal = make(4, HORIZON, OneDrawIntegers(np.random.default_rng(seed)), **parameters)
        expected = play(literal, CYCLIC, HORIZON, np.random.default_rng([seed, 1]))
        rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        played = pairs_played(registry.get(id), CYCLIC, HORIZON, *rngs, standing=False, **parameters)
        assert played == expected


def test_every_algorithm_has_an_oracle():
    played = {id for id in registry.BUILT_IN if "duels" in registry.get(id).plays}
    assert played == set(ORACLES), "algorithms of scalar bandits have theirs in test_scalar_literal.py"


GAMES = [(id, matrix) for id, oracle in ORACLES.items() for matrix in (*MATRICES, *oracle.matrices)]


@pytest.mark.parametrize("seeds", quick(SEEDS, SEEDS[0]), ids=["few seeds", "more seeds"])
@pytest.mark.parametrize(("id", "matrix"), GAMES)
def test_plays_the_same_duels_as_the_literal_transcription(id, matrix, seeds):
    for seed in seeds:
        _compare(id, matrix, seed, by_the_engine=ORACLES[id].by_the_engine)


@pytest.mark.parametrize("seeds", quick(MORE_SEEDS, slow=MORE_SEEDS[1:]), ids=["some seeds", "even more seeds"])
@pytest.mark.parametrize(("id", "matrix"), GAMES)
def test_its_standing_decisions_are_those_of_the_literal_transcription(id, matrix, seeds):
    for seed in seeds:
        _compare(id, matrix, seed, by_the_engine=False)


def _compare(id, matrix, seed, by_the_engine):
    oracle = ORACLES[id]
    P = {**MATRICES, **oracle.matrices}[matrix]
    literal = oracle.make(len(P), HORIZON, OneDrawIntegers(np.random.default_rng(seed)), **oracle.parameters)
    expected = play(literal, P, HORIZON, np.random.default_rng([seed, 1]))
    rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    if by_the_engine:
        played = played_by_the_engine(registry.get(id), P, HORIZON, *rngs, **oracle.parameters).pairs
    else:
        played = pairs_played(registry.get(id), P, HORIZON, *rngs, standing=oracle.standing, **oracle.parameters)
    differs = next((t for t, pair in enumerate(expected) if pair != played[t]), None)
    assert differs is None, f"seed {seed}: round {differs + 1}: {played[differs]}, not {expected[differs]}"


class Asked:
    """An oracle that is asked for its recommendation after each of the rounds ``looks``."""

    def __init__(self, oracle, looks):
        self.oracle, self.looks, self.recommended = oracle, looks, []
        self.reads_self_duels = getattr(oracle, "reads_self_duels", False)

    def choose(self, t):
        return self.oracle.choose(t)

    def observe(self, t, first, second, first_won):
        self.oracle.observe(t, first, second, first_won)
        if t in self.looks:
            self.recommended.append(int(self.oracle.recommend()))


@pytest.mark.parametrize("id", ORACLES)
def test_recommends_what_the_literal_transcription_recommends(id):
    looks = range(1, 602, 20)
    for matrix, P in MATRICES.items():
        rng = OneDrawIntegers(np.random.default_rng(5))
        literal = Asked(ORACLES[id].make(len(P), looks[-1], rng, **ORACLES[id].parameters), looks)
        play(literal, P, looks[-1], np.random.default_rng(6))
        rngs = np.random.default_rng(5), np.random.default_rng(6)
        played = played_by_the_engine(registry.get(id), P, looks[-1], *rngs, **ORACLES[id].parameters)
        recommended = [played.recommended[t - 1] for t in looks]
        assert recommended == literal.recommended, matrix


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 7), (7, 1), (3, 4), (30, 45), (40, 400), (500, 560), (2, 900)])
def test_beta_above_half_has_the_conditional_law(a, b):
    rng = np.random.default_rng(20160712)
    draws = np.array([beta_above_half(a, b, rng) for _ in range(4000)])
    law = stats.beta(a, b)
    beyond = law.sf(draws) / law.sf(0.5)  # uniform on (0, 1) if the law is right
    assert stats.kstest(beyond, "uniform").pvalue > 1e-3
