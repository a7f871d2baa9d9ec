"""The numbers of every kind of figure are those of the runs."""

import csv
import io

import numpy as np
import pytest
from scipy.stats import trim_mean

import duelbench
from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.kinds import picture
from duelbench.figures.kinds.exploration import explorers
from duelbench.figures.options import FigureOptions
from duelbench.problem.bounds import lower_bound
from duelbench.results.experiments import load_experiments
from duelbench.statistics.curves import confidence_interval
from duelbench.statistics.ratios import ratio_of_means
from duelbench.statistics.tails import clopper_pearson
from tests.figures.made_up import SPEC, make_results

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
    text = picture(experiment, FigureOptions(kind=kind, **options), regret, "A title", only).numbers()
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
    (row, *_) = rows_of(games, "accuracy", pool=False, wanted={"label": "D-TS"})
    share, low = numbers(row, "accuracy", "low")
    assert int(row["runs"]) == 8
    assert 2 * (share - low) ** 2 == pytest.approx(Z_SQUARED * low * (1 - low)), "two matrices, two observations"


def test_ratios_are_those_of_the_means_of_paired_runs(odd, tmp_path):
    rows = rows_of(odd, "relative", wanted={"problem": "two", "label": "RUCB & co"})
    x, y = (np.array([[uneven(label, run)] for run in range(12)], float) for label in ("RUCB & co", "D-TS"))
    ratio, low, high = ratio_of_means(x, y)
    for row in rows:
        assert row["reference"] == "D-TS" and row["runs"] == "12"
        assert numbers(row, "ratio", "low", "high") == pytest.approx([*ratio, *low, *high])
    with pytest.raises(InputError, match="D-TS has no regret at any checkpoint"):
        rows_of(experiment_of(tmp_path, factor=lambda label, run: label != "D-TS"), "relative")


def test_regret_over_a_bound_is_divided_by_c_ln_t(tmp_path):
    spec = SPEC.replace("{{two: two.csv, cycle: cycle.csv}}", "{{two: two.csv}}") + "bounds: [copeland]\n"
    row = rows_of(experiment_of(tmp_path, spec=spec, runs=9), "relative", wanted=OF_ONE, bound="copeland")[-1]
    low, high = confidence_interval(np.array([[3.0 * (run + 1)] for run in range(9)]))
    wanted = np.array([15, low.item(), high.item()]) / (lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant * np.log(1000))
    assert numbers(row, "ratio", "low", "high") == pytest.approx(wanted)


def test_what_is_run_again_for_each_horizon_has_points_there(tmp_path):
    experiment = experiment_of(tmp_path, spec=RESTARTED, runs=9)
    for kind in ("regret", "accuracy", "relative"):
        options = {"reference": "RUCB & co"} if kind == "relative" else {}
        assert [row["round"] for row in rows_of(experiment, kind, wanted=OF_ONE, **options)] == ["10", "1000"]
    assert [row["x"] for row in rows_of(experiment, "survival", wanted=OF_ONE)][:2] == ["3.0", "6.0"], "longest horizon"


def test_only_runs_that_both_have_are_divided(tmp_path):
    folder = make_results(tmp_path, factor=uneven)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    (row, *_) = rows_of(experiment, "relative", wanted={"problem": "two", "label": "RUCB & co"})
    assert row["runs"] == "3" and float(row["ratio"]) == pytest.approx((3 + 7 + 7) / (1 + 3 + 4))
    for run in (0, 2, 3):
        (folder / "two" / "d-ts" / f"run-0000{run}.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    with pytest.raises(IncompleteResults, match="no run of D-TS on two"):
        rows_of(experiment, "relative")


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


def test_aggregates_are_of_regret_over_that_of_uniformly_random_duels(odd):
    # A round of two arms costs 0, 1/4, 1/4 or 1/2; one of the circle twice 0.05, 0.025, 0.075, and 0, 0.05, 0.1.
    expected = (250, 1000 * (2 * (0.025 + 0.075 + 0.05) + 0.05 + 0.1) / 9)
    finals = {label: [6 * uneven(label, run) for run in range(12)] for label in ("D-TS", "RUCB & co")}
    for label, own in finals.items():
        scores = [regret / scale for regret in own for scale in expected]
        (row,) = rows_of(odd, "aggregate", "borda", wanted={"statistic": "interquartile mean", "label": label})
        assert float(row["value"]) == pytest.approx(trim_mean(scores, 0.25))
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
    (row,) = rows_of(odd, "aggregate", "borda", wanted={"statistic": "probability of improvement", "label": "D-TS"})
    below = np.mean([(a < b) + (a == b) / 2 for a in finals["D-TS"] for b in finals["RUCB & co"]])
    assert float(row["value"]) == pytest.approx(below)
    (row,) = rows_of(
        odd, "aggregate", "borda", reference="D-TS", wanted={"statistic": "interquartile mean", "label": "RUCB & co"}
    )
    assert float(row["value"]) == pytest.approx(
        trim_mean([uneven("RUCB & co", run) / 6.5 for run in range(12)] * 2, 0.25)
    )


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


def test_the_share_that_waits_and_the_share_of_wrong_answers_are_those_of_the_runs(tmp_path):
    (experiment,) = load_experiments([played(tmp_path, ANSWERS)])
    waiting, errors = rows_of(experiment, "waiting"), rows_of(experiment, "error-map")
    for cell, error in zip(experiment.cells, errors, strict=True):
        times, wrong = np.sort(cell.finished - 1), int((cell.answers != 0).sum())
        own = [row for row in waiting if row["label"] == cell.stored.label]
        assert [float(row["round"]) for row in own] == sorted(set(times.tolist()))
        assert all(float(row["share"]) == pytest.approx(np.mean(times > float(row["round"]))) for row in own)
        low, high = clopper_pearson(np.array([wrong]), 12)
        assert numbers(error, "rounds", "error", "error_low", "error_high") == pytest.approx(
            [times.mean(), wrong / 12, low.item(), high.item()]
        )
        # kl(0.2, 0.8) / d(0.9, 1/2) = 0.6 ln 4 / 0.36806
        assert float(error["bound"]) == pytest.approx(0.6 * np.log(4) / 0.3680642, rel=1e-6)


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


def test_panels_of_exploration_are_means_of_the_runs_with_published_curves_beside_them(tmp_path):
    (experiment,) = load_experiments([played(tmp_path, EXPLORING)])
    savage, uniform = explorers(experiment, "announced")
    traces = [experiment.results.cells[0].read(run).trace for run in range(5)]
    right = np.mean([t.recommended == 0 for t in traces], axis=0)
    assert savage.rounds.tolist() == [100, 500, 600] and savage.mean["accuracy"].tolist() == right.tolist()
    assert savage.mean["regret"].tolist() == np.mean([t.regret[0] for t in traces], axis=0).tolist()
    assert uniform.mean["explored"].tolist() == [3, 3, 3]
    assert right[-1] == 1 and savage.bands["accuracy"].low[-1] == pytest.approx(5 / (5 + 1.96**2), rel=1e-4)
    (tmp_path / "curves.csv").write_text(
        "figure,panel,algorithm,samples,value\nfig3,accuracy,SAVAGE,500,0.75\nfig3,explored,Uniform,600,3\n"
    )
    rows = rows_of(experiment, "exploration", "announced", beside=f"{tmp_path / 'curves.csv'}:fig3")
    beside = [(row["panel"], row["label"], row["round"], row["published"]) for row in rows if row["published"]]
    assert beside == [("accuracy", "SAVAGE", "500", "0.75"), ("explored", "Uniform", "600", "3.0")]
    with pytest.raises(InputError, match="has no figure 'fig4'"):
        rows_of(experiment, "exploration", "announced", beside=f"{tmp_path / 'curves.csv'}:fig4")
