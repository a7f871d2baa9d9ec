"""How figures and what stands in them are called."""

import matplotlib.pyplot as plt

import duelbench
from duelbench.figures.drawing import line_ends
from duelbench.results.experiments import load_experiments
from tests.cli.test_plot import _plot
from tests.figures.made_up import make_results


def test_a_label_that_begins_like_matplotlibs_own_has_its_name_at_the_end_of_its_line():
    _, axes = plt.subplots()
    axes.plot([0, 1], [0, 1], label="_Thompson")
    axes.plot([0, 1], [0, 2])
    assert [text.get_text() for text in line_ends._write(axes)] == ["_Thompson"]
    plt.close()


def test_another_kind_of_figure_does_not_take_the_place_of_the_specs(tmp_path):
    folder = make_results(tmp_path)
    before = _plot(folder).stdout.split()
    kept = (folder / f"{folder.name}.png").read_bytes()
    after = _plot(folder, "--kind", "survival").stdout.split()
    assert len(before) == len(after) == 3 and not set(before) & set(after)
    assert after[0].endswith(f"{folder.name}-survival.png")
    assert (folder / f"{folder.name}.png").read_bytes() == kept


def test_a_ratio_of_single_runs_claims_no_band(tmp_path):
    figure = duelbench.plot(make_results(tmp_path, runs=1), kind="relative", quiet=True)
    words = " ".join(text.get_text() for legend in figure.legends for text in [legend.get_title()])
    assert "a single run, no band" in words


def test_the_panel_of_an_algorithm_says_how_many_of_its_runs_are_missing(tmp_path):
    folder = make_results(tmp_path, runs=4)
    next(folder.rglob("d-ts/run-00003.npz")).unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    label = next(cell.stored.label for cell in experiment.cells if cell.missing)
    figure = duelbench.plot(folder, panels="algorithm", partial=True, quiet=True)
    titles = [axes.get_title() for axes in figure.axes]
    assert any(title.startswith(f"{label} (3 of 4 runs)") for title in titles), titles
