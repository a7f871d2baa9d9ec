"""The keys of a spec that are about identification."""

from dataclasses import replace

import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.identification import Question
from duelbench.errors import InputError
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec import assumptions
from duelbench.experiments.spec.identification import why_no_answer


def test_the_delta_and_k_of_the_question_are_those_of_algorithms_and_rules_that_do_not_say_theirs(loaded):
    spec = loaded(
        "identify: {target: condorcet, delta: 0.2}\nalgorithms:\n"
        "  - savage-condorcet\n"
        "  - savage-condorcet: {delta: 0.3, label: b}\n"
        "  - rucb: {stop: {rule: e-condorcet}}\n"
        "  - rucb: {stop: {rule: e-condorcet, delta: 0.4}, label: d}\n"
    )
    deltas = [entry.parameters.get("stop_delta", entry.parameters.get("delta")) for entry in spec.entries]
    assert deltas == [0.2, 0.3, 0.2, 0.4]
    assert [entry.horizons for entry in spec.entries] == [(spec.horizon,)] * 4
    spec = loaded(
        "matrix: {family: linear, n_arms: 4}\nidentify: {target: top-k, k: 2, by: borda}\nalgorithms: [lucb-borda]\n"
    )
    assert [entry.parameters["k"] for entry in spec.entries] == [2]


def test_an_algorithm_with_a_rule_is_identified_by_both_and_not_by_the_question(loaded):
    plain, ended = cells(loaded("algorithms: [rucb, {rucb: {stop: {rule: e-condorcet, delta: 0.1}}}]"))
    assert (plain.identity.algorithm, ended.identity.algorithm) == ("rucb", "rucb-until-e-condorcet")
    assert ended.identity.parameters == {**plain.identity.parameters, "stop_delta": 0.1}
    text = "identify: {target: condorcet}\nalgorithms: [{rucb: {stop: {rule: e-condorcet, delta: 0.1}}}]"
    assert cells(loaded(text))[0].identity == ended.identity


def test_a_rule_is_told_what_is_asked(loaded):
    text = "problems: [{family: linear, n_arms: 5}]\nidentify: {target: top-k, k: 2, epsilon: 0.01, by: %s}\n"
    for by in ("pairs", "borda"):
        spec = loaded(text % by + f"algorithms: [{{random: {{stop: {{rule: {by}}}}}}}]")
        parameters = spec.entries[0].parameters
        assert (parameters["stop_k"], parameters["stop_epsilon"]) == (2, 0.01)
        assert parameters.get("stop_target", "top-k") == "top-k"


def test_budgets_are_the_checkpoints_and_the_largest_is_the_horizon(loaded):
    spec = loaded("matrix: cycle.csv\nidentify: {target: copeland}\nbudget: [10K, 2K, 100, 7]")
    assert spec.budget == spec.checkpoints == (6, 7, 30, 100) and spec.horizon == 100
    spec = loaded("identify: {target: copeland}\nbudget: [20, 50]\nalgorithms: [rucb, btm]")
    assert [entry.horizons for entry in spec.entries] == [(50,), (20, 50)]


def test_every_algorithm_that_ends_with_an_arm_says_which_question_it_answers():
    ends = [one for one in registry.algorithms().values() if one.explored is not None and "duels" in one.plays]
    assert len(ends) >= 10
    assert [one.id for one in ends if not one.answers] == []
    with pytest.raises(InputError, match="'condorcte'"):
        replace(registry.get("kelly-elimination"), answers=("condorcte",)).check()
    with pytest.raises(InputError, match="a tuple of"):
        replace(registry.get("lucb-borda"), answers="borda").check()  # a pair of parentheses without a comma
    silent = replace(registry.get("kelly-elimination"), answers=())  # as plug-ins may be
    assert why_no_answer(silent, Question("borda"), False, ()) is None
    assert why_no_answer(registry.get("kelly-elimination"), Question("borda"), False, ()) is not None


CYCLE_BELOW = "0.5,0.9,0.9,0.9\n0.1,0.5,0.6,0.4\n0.1,0.4,0.5,0.6\n0.1,0.6,0.4,0.5\n"


@pytest.mark.parametrize(
    ("matrix", "algorithms", "lack"),
    [
        ("cycle.csv", "{ccb: {stop: {rule: e-bets}}}", "CCB until e-bets assumes a Condorcet winner, which cycle"),
        ("cycle.csv", "{rucb: {stop: {rule: pairs}}}", None),
        ("below.csv", "interleaved-filter", "Interleaved Filter assumes a total order, which below"),
        ("below.csv", "kelly-elimination", None),
    ],
)
def test_a_matrix_without_what_makes_answers_right_is_noted(loaded, folder, matrix, algorithms, lack):
    (folder / "below.csv").write_text(CYCLE_BELOW)
    spec = loaded(f"matrix: {matrix}\nidentify: {{target: condorcet}}\nalgorithms: [{algorithms}]")
    notes = assumptions.notes(spec)
    assert [note.startswith(lack) for note in notes] == [True] if lack else notes == []
