"""The keys of a spec that are about identification."""

from dataclasses import replace

import pytest

from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.problem.identification import Question
from duelbench.results.cells import cells
from duelbench.spec import assumptions
from duelbench.spec.identification.keys import why_no_answer
from tests.spec.conftest import completed


def test_a_spec_says_what_is_to_be_identified(loaded):
    assert loaded("identify: {target: copeland}\nalgorithms: [savage-copeland]").identify == Question("copeland")
    assert loaded("").identify is None


def test_the_delta_of_the_question_is_that_of_algorithms_and_rules_that_do_not_say_theirs(loaded):
    spec = loaded(
        "identify: {target: condorcet, delta: 0.2}\n"
        "algorithms:\n"
        "  - savage-condorcet\n"
        "  - savage-condorcet: {delta: 0.3, label: b}\n"
        "  - rucb: {stop: {rule: e-condorcet}}\n"
        "  - rucb: {stop: {rule: e-condorcet, delta: 0.4}, label: d}\n"
    )
    deltas = [entry.parameters.get("stop_delta", entry.parameters.get("delta")) for entry in spec.entries]
    assert deltas == [0.2, 0.3, 0.2, 0.4]


def test_the_k_of_the_question_is_that_of_algorithms_that_look_for_so_many_arms(loaded):
    spec = loaded(
        "matrix: {family: linear, n_arms: 4}\nidentify: {target: top-k, k: 2, by: borda}\n"
        "algorithms: [active-ranking, lucb-borda]\n"
    )
    assert [entry.parameters["k"] for entry in spec.entries] == [2, 2]


def test_other_parameters_of_that_name_stay_what_they_are(loaded):
    (entry,) = loaded("identify: {target: borda}\nalgorithms: [secs]").entries
    assert entry.parameters["k"] == 5


def test_an_algorithm_with_a_rule_is_identified_by_both(loaded):
    plain, ended = cells(loaded("algorithms: [rucb, {rucb: {stop: {rule: e-condorcet, delta: 0.1}}}]"))
    assert plain.identity.algorithm == "rucb" and ended.identity.algorithm == "rucb-until-e-condorcet"
    assert ended.identity.parameters == {**plain.identity.parameters, "stop_delta": 0.1}
    assert ended.label == "RUCB until e-condorcet"


def test_the_question_is_no_part_of_the_identity_of_runs_that_it_does_not_change(loaded):
    text = "algorithms: [{rucb: {stop: {rule: e-condorcet, delta: 0.1}}}]"
    asked, unasked = (cells(loaded(f"{more}{text}"))[0] for more in ("identify: {target: condorcet}\n", ""))
    assert asked.identity == unasked.identity


def test_a_rule_is_told_what_is_asked(loaded):
    text = "problems: [{family: linear, n_arms: 5}]\nidentify: {target: top-k, k: 2, epsilon: 0.01, by: BY}\n"
    for by, rule in (("pairs", "pairs"), ("borda", "borda")):
        spec = loaded(text.replace("BY", by) + f"algorithms: [{{random: {{stop: {{rule: {rule}}}}}}}]")
        parameters = spec.entries[0].parameters
        assert parameters["stop_k"] == 2 and parameters["stop_epsilon"] == 0.01
        assert parameters.get("stop_target", "top-k") == "top-k"


def test_budgets_are_the_checkpoints_and_the_largest_is_the_horizon(loaded):
    spec = loaded("matrix: cycle.csv\nidentify: {target: copeland}\nbudget: [10K, 2K, 100, 7]")
    assert spec.budget == spec.checkpoints == (6, 7, 30, 100) and spec.horizon == 100


def test_an_algorithm_that_uses_the_horizon_is_run_for_each_budget(loaded):
    spec = loaded("identify: {target: copeland}\nbudget: [20, 50]\nalgorithms: [rucb, btm]")
    assert [entry.horizons for entry in spec.entries] == [(50,), (20, 50)]


def test_an_algorithm_that_answers_what_is_asked_is_taken(loaded):
    for target, algorithms in (
        ("condorcet", "kelly-elimination, pocowista, iir, seebs, nts"),
        ("copeland", "pocowista, savage-copeland"),
        ("borda", "br, lucb-borda"),
        ("ranking", "iir"),
    ):
        assert loaded(f"identify: {{target: {target}}}\nalgorithms: [{algorithms}]").entries


def test_every_algorithm_that_ends_with_an_arm_says_which_question_it_answers():
    ends = [one for one in registry.algorithms().values() if one.explored is not None and "duels" in one.plays]
    assert len(ends) > 20
    assert [one.id for one in ends if not one.answers] == []


def test_an_answer_to_no_question_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"kelly-elimination: answers has 'condorcte' \(did you mean 'condorcet'"):
        replace(registry.get("kelly-elimination"), answers=("condorcte",)).check()
    with pytest.raises(InputError, match=r"answers has 'b'.*; it is a tuple of condorcet, copeland, borda, ranking"):
        replace(registry.get("br"), answers="borda").check()  # a pair of parentheses without a comma
    for one in registry.algorithms().values():
        one.check()


def test_a_plug_in_that_does_not_say_what_it_answers_is_not_refused():
    silent = replace(registry.get("kelly-elimination"), answers=())
    assert why_no_answer(silent, Question("borda"), False, ()) is None
    assert why_no_answer(registry.get("kelly-elimination"), Question("borda"), False, ()) is not None


CYCLE_BELOW = "0.5,0.9,0.9,0.9\n0.1,0.5,0.6,0.4\n0.1,0.4,0.5,0.6\n0.1,0.6,0.4,0.5\n"


@pytest.mark.parametrize(
    ("matrix", "algorithms", "lack"),
    [
        ("cycle.csv", "{ccb: {stop: {rule: e-bets}}}", "CCB until e-bets assumes a Condorcet winner, which cycle"),
        ("cycle.csv", "{rucb: {stop: {rule: pairs}}}", None),
        ("below.csv", "seebs", "SEEBS assumes a total order, which below"),
        ("below.csv", "kelly-elimination", None),
    ],
)
def test_a_matrix_without_what_makes_answers_right_is_noted_of_rules_too(loaded, folder, matrix, algorithms, lack):
    (folder / "below.csv").write_text(CYCLE_BELOW)
    spec = loaded(f"matrix: {matrix}\nidentify: {{target: condorcet}}\nalgorithms: [{algorithms}]")
    assert assumptions.notes(spec) == ([f"{lack} does not have: its answers may be wrong"] if lack else [])


WRONG = {
    "identify: {delta: 0.1}": "the key 'target' is missing; add 'target: condorcet'",
    "identify: {target: best}": "'best' is not a target (there are condorcet, copeland, borda, ranking, top-k)",
    "identify: condorcet": "must be keys, as in '{target: condorcet}', not text",
    "identify: {target: top-k}": "the key 'k' is missing: how many arms are the best; add 'k: 2'",
    "identify: {target: copeland, k: 2}": "is for the target top-k, not copeland; remove it",
    "identify: {target: copeland, epsilon: 0.5}": "must be < 0.5, got 0.5",
    "identify: {target: copeland, delta: 0}": "must be >= 1e-15, got 0",
    "identify: {target: top-k, k: 2}": "k must be less than the 2 arms of good.csv, got 2",
    "matrix: cycle.csv\nidentify: {target: ranking}": "cycle.csv has no order in which each arm beats all below it",
    "matrix: cycle.csv\nidentify: {target: top-k, k: 1}": "no set of 1 arms each of which beats all others",
    "identify: {target: condorcet}\nalgorithms: [rucb]": "rucb plays on without an answer: end it by a rule, as in"
    " 'rucb: {stop: {rule: e-condorcet}}', or give a 'budget'",
    "identify: {target: ranking}\nalgorithms: [savage-copeland]": "savage-copeland answers with an arm, and ranking",
    "identify: {target: borda}\nalgorithms: [{rucb: {stop: {rule: e-condorcet}}}]": "e-condorcet answers condorcet, and"
    " borda is asked",
    "identify: {target: borda}\nalgorithms: [kelly-elimination]": "kelly-elimination answers condorcet, and borda is"
    " asked; leave it out",
    "identify: {target: condorcet}\nalgorithms: [br]": "br answers borda, and condorcet is asked; leave it out",
    "matrix: cycle.csv\nidentify: {target: condorcet}\nalgorithms: [pocowista]": "pocowista answers with a Copeland"
    " winner, and does not say that cycle.csv has no Condorcet winner; leave it out",
    "matrix: {family: linear, n_arms: 4}\nidentify: {target: top-k, k: 2}\nalgorithms: [iir]": "iir answers ranking,"
    " condorcet, and top-k is asked",
    "matrix: {family: linear, n_arms: 4}\nidentify: {target: top-k, k: 2, by: borda}\nalgorithms: [{active-ranking:"
    " {k: 1}}]": "active-ranking looks for k = 1, and 'identify' asks for 2; remove 'k'",
    "matrix: cycle.csv\nidentify: {target: borda}\nalgorithms: [{lucb-borda: {k: 2}}]": "lucb-borda looks for k = 2",
    "algorithms: [{rucb: {stop: {rule: e-condorcte}}}]": "did you mean 'e-condorcet'?",
    "algorithms: [{rucb: {stop: {delta: 0.1}}}]": "the key 'rule' is missing; add 'rule: e-condorcet'",
    "algorithms: [{rucb: {stop: {rule: e-condorcet, delta: 2}}}]": "must be < 1, got 2",
    "problem: {means: [0.9, 0.5]}\nalgorithms: [{ucb1: {stop: {rule: e-condorcet}}}]": "ucb1 plays no duels, of which"
    " stopping rules are told; remove 'stop'",
    "identify: {target: condorcet}\nalgorithms: [{rucb: {stop: {rule: pairs, intervals: union}}}]": "is for the rule"
    " borda, not pairs; remove it",
    "budget: [10]": "is for the key 'identify', which says what is to be found out",
    "identify: {target: ranking}\nbudget: [10]": "judges one arm, and ranking asks for the place of each",
    "identify: {target: copeland}\nbudget: [10, 10]": "is 10 rounds, which stands twice; remove one",
    "identify: {target: copeland}\nbudget: [2K, 4]": "is 4 rounds, which stands twice; remove one",
    "identify: {target: copeland}\nbudget: [0.3K]": "'0.3K' is 0.6 rounds with 2 arms; a budget is a whole number",
    "identify: {target: copeland}\nbudget: [ten]": "'ten' is not a whole number of rounds",
    "identify: {target: copeland}\nbudget: [K2]": "'K2' is not a multiple of the number of arms; write it as in 2K",
    "identify: {target: copeland}\nbudget: [0.5*k]": "'0.5*k' is not a multiple of the number of arms; write it",
    "identify: {target: copeland}\nbudget: []": "is an empty list; name at least one",
    "identify: {target: copeland}\nbudget: [10]\nhorizon: 1e3": "the largest budget, 10 rounds, is the horizon; remove",
    "identify: {target: copeland}\nbudget: [10]\ncheckpoints: 4": "the budgets are the checkpoints; remove the key",
    "problems: [good.csv, cycle.csv]\nidentify: {target: copeland}\nbudget: [2K]": "where problems have 2 and 3 arms",
    "identify: {target: copeland}\nbudget: [10]\nsweep: {over: feedback_delay, values: [1, 2]}": "and so has a sweep",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_said_with_its_mend(refusal, text):
    said = "\n".join(refusal(completed(text)))
    assert WRONG[text] in said


def test_nothing_but_the_budget_is_wrong_where_only_the_budget_is(refusal):
    assert len(refusal(completed("identify: {target: copeland}\nbudget: [ten]"))) == 2


def test_a_rule_is_not_held_against_a_question_that_is_wrong_itself(refusal):
    said = refusal(completed("identify: {target: brda}\nalgorithms: [{random: {stop: {rule: borda}}}]"))
    assert not any("condorcet is asked" in line for line in said)
    assert any("'brda' is not a target" in line for line in said)


def test_a_scalar_bandit_asks_its_own_question(refusal):
    text = "problem: {means: [0.9, 0.5]}\nidentify: {target: borda}\nalgorithms: [savage]"
    assert any("is about the arms of a matrix" in line for line in refusal(text))


def test_an_algorithm_that_uses_the_horizon_is_asked_once_for_its_answer(loaded):
    spec = loaded("identify: {target: condorcet}\nalgorithms: [savage-condorcet]")
    assert [entry.horizons for entry in spec.entries] == [(spec.horizon,)]
