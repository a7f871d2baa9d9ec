"""The numbers of every kind of figure are those of the runs."""

import csv
import io

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.experiments.figures.numbers import as_csv
from duelbench.experiments.results.experiments import load_experiments
from tests.experiments.figures.made_up import SPEC, figure_of, make_results

SWEEP = SPEC + "sweep: {{over: feedback_batch, values: [1, 10, 100]}}\n"
GAMES = (
    SPEC.replace("problems: {{two: two.csv, cycle: cycle.csv}}", "matrix: {{family: random}}")
    + "sweep: {{over: n_arms, values: [3, 5], games: 2}}\n"
)
RESTARTED = SPEC.replace("  - d-ts\n", "  - d-ts: {{horizons: [10, 1000]}}\n")
Z_SQUARED = 3.841458820694124


def uneven(label, run):
    """D-TS as it is made up, RUCB now more and now less than twice as much."""
    return run + 1 if label == "D-TS" else 2 * (run + 1) + (-1) ** run


def experiment_of(folder, **made):
    (experiment,) = load_experiments([make_results(folder, **made)])
    return experiment


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Runs 0 to 3 of everything end with 3, 6, 9 and 12 duels."""
    return experiment_of(tmp_path_factory.mktemp("few"))


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return experiment_of(tmp_path_factory.mktemp("many"), runs=20)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    return experiment_of(tmp_path_factory.mktemp("odd"), runs=12, factor=uneven)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    return experiment_of(tmp_path_factory.mktemp("games"), spec=GAMES)


def rows_of(experiment, kind, regret="copeland", only=None, wanted=(), **options):
    """The rows of the figure's CSV in which the columns of ``wanted`` have its values."""
    text = as_csv(figure_of(experiment, kind, regret, only, **options).numbers)
    rows = list(csv.DictReader(io.StringIO(text)))
    return [row for row in rows if all(row[name] == value for name, value in dict(wanted).items())]


OF_ONE = {"problem": "two", "label": "D-TS"}


def numbers(row, *names):
    return [float(row[name]) for name in names]


def test_a_curve_is_the_mean_of_the_runs_and_its_band(few):
    rows = rows_of(few, "regret", wanted=OF_ONE, band="sem")
    sem = 15**0.5 / 2  # of 3, 6, 9, 12: variance 15
    assert [row["round"] for row in rows] == ["10", "100", "1000"], "the axis begins at round 10"
    assert numbers(rows[-1], "mean", "low", "high") == pytest.approx([7.5, 7.5 - sem, 7.5 + sem])
    (*_, last) = rows_of(few, "regret", wanted=OF_ONE, band="iqr")
    assert numbers(last, "mean", "median", "low", "high") == [7.5, 7.5, 5.25, 9.75]
    limited = rows_of(few, "regret", x=(10, 100), band="none", only=["D-TS"])
    assert {(row["round"], row["low"], row["label"]) for row in limited} == {("10", "", "D-TS"), ("100", "", "D-TS")}


def test_matrices_that_are_taken_together_are_one_observation_each(games):
    rows = rows_of(games, "regret", pool=True, band="iqr", wanted={"round": "1000", "label": "D-TS"})
    low, high = np.quantile([3.0, 6.0, 9.0, 12.0] * 4, [0.25, 0.75])
    assert rows[0]["runs"] == "16" and numbers(rows[0], "mean", "low", "high") == [7.5, low, high]
    (row, *_) = rows_of(games, "regret", pool=True, band="sem", wanted={"round": "1000"})
    assert numbers(row, "mean", "low", "high") == [7.5] * 3  # all four matrices have the same mean
    swept = rows_of(games, "sweep", band="sem", wanted={"label": "D-TS"})
    assert [(row["value"], row["games"], row["runs"], row["mean"]) for row in swept] == [
        ("3", "2", "8", "7.5"),
        ("5", "2", "8", "7.5"),
    ]


def test_single_runs_are_rows_of_their_own(few):
    rows = [row for row in rows_of(few, "regret", single_runs=2, wanted=OF_ONE) if row["run"]]
    assert [(row["run"], row["round"], row["mean"]) for row in rows[2::3]] == [
        ("0", "1000", "3.0"),
        ("2", "1000", "9.0"),
    ]


def test_values_of_a_parameter_are_not_pooled(tmp_path):
    with pytest.raises(InputError, match="several values on one matrix"):
        rows_of(experiment_of(tmp_path, spec=SWEEP), "regret", pool=True)


def test_a_sweep_has_regret_at_the_horizon_for_each_value(tmp_path):
    rows = rows_of(experiment_of(tmp_path, spec=SWEEP), "sweep", band="iqr", wanted=OF_ONE)
    assert [row["value"] for row in rows] == ["1", "10", "100"]
    assert {(row["mean"], row["low"], row["high"], row["runs"]) for row in rows} == {("7.5", "5.25", "9.75", "4")}


def test_bars_are_the_spread_over_the_mean_of_one_algorithm(few):
    rows = rows_of(few, "bars", normalise_to="D-TS")
    assert [float(row["height"]) for row in rows] == pytest.approx([15**0.5 / 7.5] * 4)
    assert {row["height"] for row in rows_of(few, "bars", statistic="mean")} == {"7.5"}


def test_self_duels_and_duels_of_pairs_are_counted(few):
    # All 1000 duels are of arm 0 with itself, the winner of one problem, and one of three winners of the other.
    rows = rows_of(few, "self-duels", run=3, wanted={"label": "D-TS"})
    assert [(row["problem"], row["arm"], row["self_duels"]) for row in rows] == [
        *(("two", "0", "1000"), ("two", "others", "0")),
        *(("cycle", "0", "1000"), ("cycle", "1", "0"), ("cycle", "2", "0"), ("cycle", "others", "0")),
    ]
    pairs = rows_of(few, "duels", wanted=OF_ONE)
    assert [(row["i"], row["j"], row["duels"]) for row in pairs] == [
        *(("0", "0", "1000.0"), ("0", "1", "0.0"), ("1", "1", "0.0")),
    ]


def test_accuracy_is_the_share_of_the_runs_that_recommend_a_winner_with_wilsons_interval(few, games):
    rows = rows_of(few, "accuracy", wanted=OF_ONE)
    assert [(row["round"], row["accuracy"]) for row in rows] == [(t, "0.5") for t in ("10", "100", "1000")]
    for end in numbers(rows[0], "low", "high"):
        assert 4 * (0.5 - end) ** 2 == pytest.approx(Z_SQUARED * end * (1 - end))
    # All three arms of the circle are Copeland winners; its Borda scores are 1/2, 11/20 and 9/20.
    assert {row["accuracy"] for row in rows_of(few, "accuracy", wanted={"problem": "cycle"})} == {"1.0"}
    assert {row["accuracy"] for row in rows_of(few, "accuracy", "borda", wanted={"problem": "cycle"})} == {"0.5"}
    (row, *_) = rows_of(games, "accuracy", wanted={"label": "D-TS"})
    share, low = numbers(row, "accuracy", "low")
    assert int(row["runs"]) == 8
    assert 2 * (share - low) ** 2 == pytest.approx(Z_SQUARED * low * (1 - low)), "two matrices, two observations"


def test_what_is_run_again_for_each_horizon_has_points_there(tmp_path):
    experiment = experiment_of(tmp_path, spec=RESTARTED, runs=9)
    for kind in ("regret", "accuracy"):
        assert [row["round"] for row in rows_of(experiment, kind, wanted=OF_ONE)] == ["10", "1000"]
    assert [row["x"] for row in rows_of(experiment, "survival", wanted=OF_ONE)][:2] == ["3.0", "6.0"], "longest horizon"


def test_shares_of_the_runs_have_bands_of_a_point_or_of_the_whole_curve(few):
    above = rows_of(few, "survival", wanted=OF_ONE)
    assert [(row["x"], row["share"]) for row in above] == [
        ("3.0", "0.75"),
        ("6.0", "0.5"),
        ("9.0", "0.25"),
        ("12.0", "0.0"),
    ]
    assert [float(row["high"]) for row in above] == pytest.approx(
        [0.99369, 0.93241, 0.80588, 1 - 0.025**0.25], abs=1e-5
    )
    below = rows_of(few, "distribution", wanted=OF_ONE)
    half = (np.log(40) / 8) ** 0.5
    assert [float(row["high"]) for row in below] == pytest.approx(np.minimum(1, np.arange(1, 5) / 4 + half))
    assert [float(row["low"]) for row in below] == pytest.approx(np.maximum(0, np.arange(1, 5) / 4 - half))


def test_quantiles_and_boxes_are_those_of_the_runs_and_what_they_cannot_show_is_left_out(many):
    # 3, 6, .., 60: the quantile q is 3 + 57 q.
    end = rows_of(many, "quantiles", wanted=OF_ONE)[-1]
    assert numbers(end, "median", "low50", "high50", "low90", "high90") == pytest.approx(
        [31.5, 17.25, 45.75, 5.85, 57.15]
    )
    assert [end[name] for name in ("low99", "high99", "low99.9", "high99.9")] == [""] * 4
    (box,) = rows_of(many, "distribution", wanted=OF_ONE, form="box")
    assert numbers(box, "smallest", "q25", "median", "q75", "largest") == pytest.approx([3, 17.25, 31.5, 45.75, 60])


# --- identification and exploration, of real runs ---


def played(folder, text):
    (folder / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (folder / "demo.yaml").write_text(text)
    duelbench.run(folder / "demo.yaml", folder / "results", jobs=1, quiet=True)
    return folder / "results" / "demo"


ANSWERS = """
matrix: two.csv
identify: {target: condorcet, delta: 0.2}
horizon: 1000
runs: 12
algorithms: [kelly-elimination, rucb: {stop: {rule: e-condorcet}}]
"""


def test_the_share_that_waits_is_that_of_the_runs(tmp_path):
    (experiment,) = load_experiments([played(tmp_path, ANSWERS)])
    waiting = rows_of(experiment, "waiting")
    for cell in experiment.cells:
        times = np.sort(cell.finished - 1)
        own = [row for row in waiting if row["label"] == cell.stored.label]
        assert [float(row["round"]) for row in own] == sorted(set(times.tolist()))
        assert all(float(row["share"]) == pytest.approx(np.mean(times > float(row["round"]))) for row in own)


def test_lines_of_what_waits_end_with_the_runs(tmp_path):
    text = ANSWERS.replace("horizon: 1000", "horizon: 20")
    (experiment,) = load_experiments([played(tmp_path, text)])
    (axes,) = figure_of(experiment, "waiting", x=(1, 1e5)).draw().axes
    assert max(line.get_xdata()[-1] for line in axes.lines if len(line.get_xdata()) > 2) == 20


def test_errors_are_shares_of_wrong_recommendations_at_the_budgets(tmp_path):
    text = ANSWERS.replace("horizon: 1000", "budget: [2K, 100, 10]").replace(": {stop: {rule: e-condorcet}}", "")
    (experiment,) = load_experiments([played(tmp_path, text.replace("kelly-elimination", "random"))])
    for cell in experiment.cells:
        own = rows_of(experiment, "error", wanted={"label": cell.stored.label})
        assert [row["round"] for row in own] == ["4", "10", "100"]
        np.testing.assert_allclose([float(row["error"]) for row in own], (cell.recommendations != 0).mean(axis=0))
    with pytest.raises(InputError, match="budgets"):
        rows_of(experiment, "waiting")


EXPLORING = """
problem: {means: [0.9, 0.1, 0.2]}
horizon: 600
runs: 5
checkpoints: [100, 500, 600]
algorithms:
  - savage: {label: SAVAGE, delta: 0.5, horizons: 600}
  - round-robin: {label: Uniform}
"""


def test_panels_of_exploration_are_means_of_the_runs(tmp_path):
    (experiment,) = load_experiments([played(tmp_path, EXPLORING)])
    table = figure_of(experiment, "exploration", "announced").numbers
    table = table.set_index(["label", "panel", "round"]).sort_index()
    traces = [experiment.results.cells[0].read(run).trace for run in range(5)]
    right = np.mean([t.recommended == 0 for t in traces], axis=0)
    accuracy, regret = table.loc["SAVAGE", "accuracy"], table.loc["SAVAGE", "regret"]
    assert accuracy["mean"].to_dict() == dict(zip((100, 500, 600), right, strict=True))
    assert regret["mean"].tolist() == np.mean([t.regret[0] for t in traces], axis=0).tolist()
    assert table.loc["Uniform", "explored"]["mean"].tolist() == [3, 3, 3]
    assert right[-1] == 1 and accuracy["low"].iat[-1] == pytest.approx(5 / (5 + 1.96**2), rel=1e-4)
    assert set(accuracy["band"]) == {"ci95"} and set(regret["band"]) == {"range"}, (
        "five runs, each with its own interval"
    )


def test_every_kind_over_time_has_the_rows_between_the_ends_of_its_axis(tmp_path):
    (experiment,) = load_experiments([played(tmp_path, EXPLORING)])
    for kind in ("exploration", "regret", "accuracy", "quantiles"):
        drawable = figure_of(experiment, kind, "announced", x=(500, 550))
        assert set(drawable.numbers["round"]) == {500} and drawable.draw().axes[0].get_xlim()[0] == 500
        for ends, message in (((600, None), "longest run ends at round 600"), ((200, 300), "no checkpoint")):
            with pytest.raises(InputError, match=message):
                figure_of(experiment, kind, "announced", x=ends)


def test_panels_of_short_runs_start_at_round_1(tmp_path):
    text = EXPLORING.replace("600", "8").replace("[100, 500, 8]", "[1, 8]")
    (experiment,) = load_experiments([played(tmp_path, text)])
    drawable = figure_of(experiment, "exploration", "announced")
    assert drawable.draw().axes[0].get_xlim() == (1, 8) and set(drawable.numbers["round"]) == {1, 8}


def test_a_horizon_before_the_start_of_the_axis_is_left_out(tmp_path):
    spec = SPEC + "sweep: {{over: horizon, values: [100, 1000]}}\n"
    rows = rows_of(experiment_of(tmp_path, spec=spec), "regret", x=(200, None))
    assert {row["horizon"] for row in rows if row["horizon"]} == {"1000"}
