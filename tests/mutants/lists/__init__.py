"""The mutants of every algorithm and stopping rule, family by family. The first of each are noticed soonest."""

from tests.mutants.lists import (
    adversarial,
    changing,
    confidence_bounds,
    elimination,
    exploration,
    identification,
    identification_of_scores,
    likelihood,
    reductions,
    sampling,
    scalar,
    stopping,
    tests_of_pairs,
    tournaments,
)
from tests.mutants.mutant import Mutant

FAMILIES: dict[str, dict[str, list[Mutant]]] = {
    "confidence bounds": {
        "rucb": confidence_bounds.RUCB,
        "ccb": confidence_bounds.CCB,
        "rcs": confidence_bounds.RCS,
        "scb": confidence_bounds.SCB,
    },
    "likelihood": {
        "rmed1": likelihood.RMED1,
        "rmed2": likelihood.RMED2,
        "rmed2fh": likelihood.RMED2FH,
        "cw-rmed": likelihood.CW_RMED,
        "ecw-rmed": likelihood.ECW_RMED,
        "sup-klucb": likelihood.SUP_KLUCB,
    },
    "sampling": {
        "d-ts": sampling.DTS,
        "d-ts-plus": sampling.DTS_PLUS,
        "d-ts-pure": sampling.DTS_PURE,
    },
    "reductions": {
        "doubler": reductions.DOUBLER,
        "multisbm": reductions.MULTISBM,
        "sparring": [*reductions.SPARRING, *adversarial.SPARRING_MACHINES],
        "self-sparring": reductions.SELF_SPARRING,
        "vdb": reductions.VDB,
    },
    "adversarial": {
        "rex3": adversarial.REX3,
        "d-exp3": adversarial.D_EXP3,
        "d-exp3-hp": adversarial.D_EXP3_HP,
        "bcb": adversarial.BCB,
    },
    "changing": {
        "btw": changing.BTW,
        "btwr": changing.BTWR,
        "detect": changing.DETECT,
        "mdb": changing.MDB,
        "anaconda": changing.ANACONDA,
        "wiwr": changing.WIWR,
    },
    "elimination": {
        "interleaved-filter": elimination.INTERLEAVED_FILTER,
        "btm": elimination.BTM,
        "mergerucb": elimination.MERGERUCB,
        "merge-dts": elimination.MERGE_DTS,
        "ws-w": elimination.WS_W,
        "ws-s": elimination.WS_S,
    },
    "exploration": {
        "savage-copeland": exploration.SAVAGE_COPELAND,
        "savage-condorcet": exploration.SAVAGE_CONDORCET,
        "savage-borda": exploration.SAVAGE_BORDA,
        "savage-sampling": [*exploration.SAVAGE_SAMPLING, *scalar.SAVAGE_SAMPLING],
        "pbr-copeland": exploration.PBR_COPELAND,
        "rankel-copeland": exploration.RANKEL_COPELAND,
    },
    "tests of pairs": {
        "seebs": tests_of_pairs.SEEBS,
        "pocowista": tests_of_pairs.POCOWISTA,
        "tra-pocowista": tests_of_pairs.TRA_POCOWISTA,
        "dkwt": tests_of_pairs.DKWT,
        "kt-knockout": tests_of_pairs.KT_KNOCKOUT,
        "iir": tests_of_pairs.IIR,
    },
    "identification": {
        "strongest-superior": identification.STRONGEST_SUPERIOR,
        "kelly-elimination": identification.KELLY_ELIMINATION,
    },
    "identification of scores": {
        "br": identification_of_scores.BR,
        "secs": identification_of_scores.SECS,
        "active-ranking": identification_of_scores.ACTIVE_RANKING,
        "lucb-borda": identification_of_scores.LUCB_BORDA,
        "e-elimination": identification_of_scores.E_ELIMINATION,
        "batched-elimination": identification_of_scores.BATCHED_ELIMINATION,
    },
    "tournaments": {
        "select": tournaments.SELECT,
        "select-then-verify": tournaments.SELECT_THEN_VERIFY,
        "nts": tournaments.NTS,
        "knockout": tournaments.KNOCKOUT,
        "seq-eliminate": tournaments.SEQ_ELIMINATE,
        "opt-maximize": tournaments.OPT_MAXIMIZE,
    },
    "scalar bandits": {
        "savage": scalar.SAVAGE,
        "round-robin": scalar.ROUND_ROBIN,
        "ucb1": scalar.UCB1,
        "ucb1-wrapped": scalar.UCB1_WRAPPED,
        "elimination": scalar.ELIMINATION,
        "elimination-wrapped": scalar.ELIMINATION_WRAPPED,
    },
    "stopping rules": {
        "e-condorcet": stopping.E_CONDORCET,
        "glr-condorcet": stopping.GLR_CONDORCET,
        "pac-condorcet": stopping.PAC_CONDORCET,
        "pairs": stopping.PAIRS,
        "borda": stopping.BORDA,
    },
}

MUTANTS: dict[str, list[Mutant]] = {id: mutants for family in FAMILIES.values() for id, mutants in family.items()}
"""Id of an algorithm or rule -> its mutants."""
