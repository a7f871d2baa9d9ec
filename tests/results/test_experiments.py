"""Claims about reading results: all of them, in the order of their index, or none."""

import json
import shutil

import numpy as np
import pytest

from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.content.panels import panels
from duelbench.figures.content.rows import rows
from duelbench.figures.table import against_bound
from duelbench.problem.bounds import lower_bound
from duelbench.results.experiments import (
    bound_notes,
    choose_definition,
    environment_notes,
    gaps_of,
    load_experiments,
    stack,
    version_notes,
)
from tests.figures.made_up import make_results

RESTARTS = """
name: {name}
title: {title}
matrix: two.csv
horizon: 1000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100]
algorithms:
  - rucb: {{alpha: {alpha}, horizons: [10, 100, 1000]}}
"""


def _only(folder):
    (experiment,) = load_experiments([folder])
    return experiment


def test_runs_are_read_in_the_order_of_their_index(tmp_path):
    cell = _only(make_results(tmp_path)).cells[0]
    assert cell.regret.shape == (4, 2, 4)
    assert cell.regret[:, 0, -1].tolist() == [3, 6, 9, 12]
    assert cell.recommended.tolist() == [0, 1, 0, 1]


def test_a_folder_of_experiments_means_all_of_them(tmp_path):
    make_results(tmp_path, "b")
    results = make_results(tmp_path, "a").parent
    assert [experiment.name for experiment in load_experiments([results])] == ["a", "b"]


def test_an_experiment_named_twice_is_read_once(tmp_path):
    results = make_results(tmp_path)
    assert len(load_experiments([results, results.parent])) == 1


def test_a_folder_that_is_not_there_is_the_users_mistake(tmp_path):
    with pytest.raises(InputError, match="there is no such folder"):
        load_experiments([tmp_path / "nowhere"])


def test_a_folder_without_results_is_the_users_mistake(tmp_path):
    with pytest.raises(InputError, match=r"not a results folder.*manifest\.json"):
        load_experiments([tmp_path])


def test_a_missing_run_is_refused_by_name_with_the_mend(tmp_path):
    results = make_results(tmp_path)
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults) as refused:
        load_experiments([results])
    message = str(refused.value)
    assert "3 of 4 runs of D-TS on two (1 missing)" in message
    assert "duelbench run" in message
    assert "--allow-partial" in message


def test_a_damaged_run_is_refused_by_name(tmp_path):
    results = make_results(tmp_path)
    path = results / "cycle" / "d-ts" / "run-00002.npz"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(IncompleteResults, match=r"3 of 4 .* D-TS on cycle \(1 damaged\); run-00002.npz: "):
        load_experiments([results])


def test_a_run_in_the_place_of_another_is_damage(tmp_path):
    results = make_results(tmp_path)
    shutil.copy(results / "two/d-ts/run-00000.npz", results / "two/d-ts/run-00001.npz")
    with pytest.raises(IncompleteResults, match=r"\(1 damaged\); run-00001.npz: it holds run 0"):
        load_experiments([results])


def test_partial_results_are_read_without_what_is_missing_when_asked(tmp_path):
    results = make_results(tmp_path)
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([results], allow_partial=True)
    assert experiment.cells[0].regret[:, 0, -1].tolist() == [3, 9, 12]
    assert len(gaps_of(experiment)) == 1
    first, second = panels(experiment, "copeland", "sem")
    assert first.warning == "partial: 7 of 8 runs"
    assert second.warning is None


def test_an_algorithm_without_a_run_stays_in_the_count(tmp_path):
    results = make_results(tmp_path)
    shutil.rmtree(results / "two" / "d-ts")
    (experiment,) = load_experiments([results], allow_partial=True)
    panel = panels(experiment, "copeland", "sem")[0]
    assert panel.warning == "partial: 4 of 8 runs"
    assert [len(entry.curve.rounds) for entry in panel.entries] == [0, 4]
    assert len(rows(experiment)) == 3


def test_an_experiment_without_any_run_is_refused_even_then(tmp_path):
    results = make_results(tmp_path)
    shutil.rmtree(results / "two")
    shutil.rmtree(results / "cycle")
    with pytest.raises(IncompleteResults, match="no run of it is there"):
        load_experiments([results], allow_partial=True)


def test_many_gaps_are_counted_and_not_all_listed(tmp_path):
    experiments = []
    for k in range(6):
        results = make_results(tmp_path, f"e{k}", runs=1)
        shutil.rmtree(results / "two")
        shutil.rmtree(results / "cycle")
        experiments.append(results)
    with pytest.raises(IncompleteResults) as refused:
        load_experiments(experiments)
    assert "and 4 more" in str(refused.value)


def test_each_problem_becomes_a_panel_with_the_algorithms_of_the_spec(tmp_path):
    drawn = panels(_only(make_results(tmp_path)), "copeland", "ci95")
    assert [panel.title for panel in drawn] == ["two", "cycle"]
    for panel in drawn:
        assert [(entry.algorithm, entry.label) for entry in panel.entries] == [
            ("d-ts", "D-TS"),
            ("rucb", "RUCB & co"),
        ]


def test_the_regret_asked_for_is_the_one_shown(tmp_path):
    experiment = _only(make_results(tmp_path))
    first = panels(experiment, "copeland", "none")[0].entries[0].curve
    second = panels(experiment, "borda", "none")[0].entries[0].curve
    assert first.mean.tolist() == [0.0, 2.5, 5.0, 7.5]
    assert second.mean.tolist() == [0.0, 5.0, 10.0, 15.0]


def test_regret_that_was_not_recorded_is_refused_with_what_was(tmp_path):
    experiment = _only(make_results(tmp_path))
    assert choose_definition([experiment], None) == "copeland"
    with pytest.raises(InputError, match=r"--regret strong: demo recorded copeland, borda only"):
        choose_definition([experiment], "strong")


def test_experiments_of_different_regrets_need_a_choice(tmp_path):
    make_results(tmp_path, "a", regret="[copeland, borda]")
    experiments = load_experiments([make_results(tmp_path, "b", regret="[borda, copeland]").parent])
    with pytest.raises(InputError, match="choose with --regret"):
        choose_definition(experiments, None)
    assert choose_definition(experiments, "borda") == "borda"


def test_horizons_run_again_become_points_of_one_entry(tmp_path):
    (panel,) = panels(_only(make_results(tmp_path, spec=RESTARTS)), "copeland", "sem")
    (entry,) = panel.entries
    assert entry.restarts
    assert (entry.found, entry.planned) == (12, 12)
    assert entry.curve.rounds.tolist() == [10, 100, 1000]
    assert entry.curve.mean.tolist() == [2.5, 5.0, 7.5]


def test_a_horizon_without_a_run_has_no_point(tmp_path):
    results = make_results(tmp_path, spec=RESTARTS)
    shutil.rmtree(results / "rucb" / "horizon-100")
    (experiment,) = load_experiments([results], allow_partial=True)
    (panel,) = panels(experiment, "copeland", "sem")
    assert panel.entries[0].curve.rounds.tolist() == [10, 1000]
    assert panel.warning == "partial: 8 of 12 runs"


def test_bounds_come_from_the_manifest(tmp_path):
    experiment = _only(make_results(tmp_path))
    assert [panel.bounds for panel in panels(experiment, "copeland", "sem")] == [(), ()]
    experiment.results.content["problems"][1]["bounds"] = [["lower bound", 27.55]]
    assert [panel.bounds for panel in panels(experiment, "copeland", "sem")] == [
        (),
        (("lower bound", 27.55),),
    ]


def test_rows_hold_what_can_be_worked_out_by_hand(tmp_path):
    row = rows(_only(make_results(tmp_path)))[0]
    # The runs end at 3, 6, 9 and 12 duels: variance (20.25 + 2.25) * 2 / 3 = 15.
    assert (row.experiment, row.problem, row.algorithm, row.label) == ("demo", "two", "d-ts", "D-TS")
    assert (row.horizon, row.definition, row.runs, row.planned) == (1000, "copeland", 4, 4)
    assert (row.regret.mean, row.regret.median) == (7.5, 7.5)
    assert row.regret.std == pytest.approx(15**0.5, rel=1e-15)
    assert row.regret.sem == pytest.approx(15**0.5 / 2, rel=1e-15)
    assert (row.regret.q05, row.regret.q95) == pytest.approx((3.45, 11.55))
    assert [(t, mean) for t, mean, _ in row.curve] == [(1, 0.0), (10, 2.5), (100, 5.0), (1000, 7.5)]


def test_a_run_counts_when_it_recommends_any_winner(tmp_path):
    # Odd runs answer arm 1, which loses against arm 0 but is one of the three winners of the cycle.
    shares = {row.problem: row.recommends_winner for row in rows(_only(make_results(tmp_path)))}
    assert shares == {"two": 0.5, "cycle": 1.0}


def test_winners_are_those_of_the_regret(tmp_path):
    # Borda scores of the cycle: 0.5, 0.55 and 0.45, so arm 1 alone wins.
    experiment = _only(make_results(tmp_path, regret="[borda]"))
    shares = {row.problem: row.recommends_winner for row in rows(experiment)}
    assert shares == {"two": 0.5, "cycle": 0.5}


def test_tables_and_figures_have_the_same_means_to_the_last_bit(tmp_path):
    experiment = _only(make_results(tmp_path, runs=11))
    curve = panels(experiment, "copeland", "sem")[0].entries[0].curve
    assert [mean for _, mean, _ in rows(experiment)[0].curve] == curve.mean.tolist()
    sem = np.array([sem for _, _, sem in rows(experiment)[0].curve])
    assert (curve.mean + sem).tolist() == curve.high.tolist()


def test_mixed_environments_are_noted_with_what_differs(tmp_path, monkeypatch):
    first = make_results(tmp_path, "a")
    elsewhere = {"duelbench": "0.1.0", "numpy": "9.9"}
    monkeypatch.setattr("duelbench.results.store.environment", lambda: elsewhere)
    second = make_results(tmp_path, "b")
    assert environment_notes(load_experiments([first])) == []
    (note,) = environment_notes(load_experiments([first, second]))
    assert "2 environments" in note
    assert "numpy" in note and "9.9" in note
    assert "duelbench 0" not in note


def test_mixed_trace_versions_are_found(tmp_path, monkeypatch):
    import dataclasses

    from duelbench.algorithms import registry

    first = make_results(tmp_path, "a")
    newer = dataclasses.replace(registry.get("rucb"), trace_version=99)
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda id: newer if id == "rucb" else real(id))
    second = make_results(tmp_path, "b")
    assert json.loads((second / "manifest.json").read_text())["entries"][1]["trace_version"] == 99
    assert version_notes(load_experiments([first])) == []
    (note,) = version_notes(load_experiments([first, second]))
    assert note == "the runs of rucb come from 2 trace versions, which cannot be compared"


def test_runs_of_several_codes_of_a_plug_in_are_found(tmp_path, monkeypatch):
    from duelbench.algorithms import registry

    first = make_results(tmp_path, "a")
    monkeypatch.setattr(registry, "code_of", lambda algorithm, _: "e" if algorithm.id == "rucb" else None)
    second = make_results(tmp_path, "b")
    (note,) = version_notes(load_experiments([first, second]))
    assert note == "the runs of rucb come from 2 trace versions, which cannot be compared"


WITH_BOUNDS = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 1000
runs: {runs}
regret: [copeland, copeland-zoghi, borda]
checkpoints: [1, 10, 100]
bounds: [copeland, ecw, condorcet]
algorithms: [d-ts, {{rucb: {{alpha: {alpha}}}}}]
# {regret}
"""

C_OF_TWO = lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant


def test_only_bounds_on_the_regret_that_is_shown_are_drawn(tmp_path):
    experiment = _only(make_results(tmp_path, spec=WITH_BOUNDS))
    two, cycle = (panel.bounds for panel in panels(experiment, "copeland", "sem"))
    assert two == (("lower bound", C_OF_TWO), ("bound of ECW-RMED", C_OF_TWO))
    assert cycle == (("lower bound", 0.0), ("bound of ECW-RMED", 0.0))
    doubled, _ = (panel.bounds for panel in panels(experiment, "copeland-zoghi", "sem"))
    assert doubled == (("lower bound", 2 * C_OF_TWO), ("bound of ECW-RMED", 2 * C_OF_TWO))
    assert [panel.bounds for panel in panels(experiment, "borda", "sem")] == [(), ()]


def test_bounds_of_a_matrix_with_ties_are_called_so(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.figures.made_up.TWO_ARMS", "0.5,0.75,0.75\n0.25,0.5,0.5\n0.25,0.5,0.5\n")
    experiment = _only(make_results(tmp_path, spec=WITH_BOUNDS))
    two, _ = (panel.bounds for panel in panels(experiment, "copeland", "sem"))
    assert [name for name, _ in two] == ["lower bound without the ties", "bound of ECW-RMED without the ties"]


def test_results_whose_bounds_nobody_has_computed_say_so(tmp_path):
    experiment = _only(make_results(tmp_path, spec=WITH_BOUNDS))
    assert bound_notes([experiment]) == []
    for problem in experiment.results.content["problems"]:
        del problem["bounds"]
    assert [panel.bounds for panel in panels(experiment, "copeland", "sem")] == [(), ()]
    assert bound_notes([experiment]) == [
        "demo: its bounds are not computed yet; `duelbench run` its spec, which plays no run again"
    ]
    assert bound_notes([_only(make_results(tmp_path / "plain"))]) == []


def test_rows_compare_with_the_bounds(tmp_path):
    row, _, on_cycle, _ = rows(_only(make_results(tmp_path, spec=WITH_BOUNDS)))
    # Mean regret is 2.5 log10 t, hence of slope 2.5 / ln 10 everywhere.
    optimal, efficient = row.bounds
    assert (optimal.kind, efficient.kind) == ("copeland", "ecw")
    assert optimal.constant == C_OF_TWO
    assert optimal.slope == pytest.approx(2.5 / np.log(10))
    assert optimal.slope_over_constant == pytest.approx(2.5 / np.log(10) / C_OF_TWO)
    assert optimal.regret_over_bound == pytest.approx(7.5 / (np.log(1000) * C_OF_TWO))
    # Every arm of the circle is a winner, and C* = 0.
    assert [(bound.slope_over_constant, bound.regret_over_bound) for bound in on_cycle.bounds] == [(None, None)] * 2


def test_the_slope_is_that_of_the_last_decade():
    curve = [(1, 0.0, None), (90, 50.0, None), (100, 60.0, None), (900, 70.0, None), (1000, 80.0, None)]
    found = against_bound("copeland", 2.0, curve, anytime=True)
    assert found.slope == pytest.approx(20 / np.log(10))
    assert found.regret_over_bound == pytest.approx(80 / (2 * np.log(1000)))


def test_there_is_no_slope_where_it_would_mean_nothing():
    curve = [(10, 3.0, None), (100, 6.0, None)]
    assert against_bound("copeland", 2.0, curve, anytime=False).slope is None
    assert against_bound("copeland", 2.0, curve, anytime=False).regret_over_bound is not None
    assert against_bound("copeland", 2.0, curve[1:], anytime=True).slope is None
    assert against_bound("copeland", 2.0, [(1, 1.0, None)], anytime=True).regret_over_bound is None
    assert against_bound("copeland", 0.0, curve, anytime=True).slope_over_constant is None


def test_runs_are_stacked_by_index_not_by_arrival():
    rng = np.random.default_rng(3)
    runs = {k: rng.lognormal(size=7) for k in range(40)}
    shuffled = {k: runs[k] for k in rng.permutation(40).tolist()}
    assert stack(shuffled).tobytes() == stack(runs).tobytes()
