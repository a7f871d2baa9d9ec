"""Results of worlds that change."""

import pytest

import duelbench
from duelbench.bandits.problem.worlds.world import World
from duelbench.experiments.results.experiments import found_winner, load_experiments

SPEC = """\
world: {segments: [there.csv, back.csv, there.csv], starts: %s}
horizon: 300
runs: 3
seed: 4
regret: [condorcet, borda-static]
checkpoints: [50, 100, 150, 250, 300]
algorithms: [random, rucb]
"""


@pytest.fixture(scope="module", params=["[1, 101, 201]", "random, least: 50, per_run: true"])
def played(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds")
    (folder / "there.csv").write_text("0.5,0.9,0.8\n0.1,0.5,0.6\n0.2,0.4,0.5\n")
    (folder / "back.csv").write_text("0.5,0.4,0.2\n0.6,0.5,0.1\n0.8,0.9,0.5\n")
    (folder / "flip.yaml").write_text(SPEC % request.param)
    duelbench.run(folder / "flip.yaml", folder / "results", jobs=1, quiet=True)
    (experiment,) = load_experiments([folder / "results" / "flip"])
    return folder, experiment


def test_runs_of_a_spec_are_those_of_simulate_with_the_world_of_the_manifest(played):
    folder, experiment = played
    cell = experiment.cells[1]
    world = cell.stored.matrix
    assert isinstance(world, World)
    options = {"horizon": 300, "seed": 4, "regret": ["condorcet", "borda-static"], "shuffle_arms": True}
    for run in range(3):
        trace = duelbench.simulate("rucb", world, run=run, checkpoints=cell.rounds.tolist(), **options)
        assert trace.regret.tobytes() == cell.regret[run].tobytes()
        again = duelbench.rerun(folder / "results" / "flip" / "rucb" / f"run-{run:05d}.npz")
        assert again.regret.tobytes() == trace.regret.tobytes()


def test_what_is_recommended_is_judged_by_the_matrix_of_the_checkpoint(played):
    from duelbench.bandits.simulation.streams import world_stream

    folder, experiment = played
    cell = experiment.cells[0]
    world = cell.stored.matrix
    found = found_winner("condorcet", cell)
    all_starts = set()
    for run in range(3):
        starts = [segment.start for segment in world.segments(300, world_stream(4, run))]
        all_starts.add(tuple(starts))
        for k, t in enumerate(cell.rounds.tolist()):
            winner = 2 if starts[1] <= t < starts[2] else 0  # arm 0 wins there, and arm 2 on the way back
            assert found[run, k] == (cell.recommendations[run, k] == winner)
    assert len(all_starts) == (3 if "per_run" in (folder / "flip.yaml").read_text() else 1)


def test_another_world_is_played_again_and_the_same_is_not(played):
    folder, experiment = played
    spec, text = folder / "flip.yaml", (folder / "flip.yaml").read_text()
    file = experiment.cells[0].stored.path(0)
    stamp = file.stat().st_mtime_ns
    same = duelbench.run(spec, folder / "results", jobs=1, quiet=True)
    assert same.matrix.sha256 == experiment.cells[0].stored.matrix.sha256 and file.stat().st_mtime_ns == stamp
    spec.write_text(text.replace("101", "102").replace("least: 50", "least: 51"))
    duelbench.run(spec, folder / "results", jobs=1, quiet=True)
    assert file.stat().st_mtime_ns > stamp
    spec.write_text(text)
    duelbench.run(spec, folder / "results", jobs=1, quiet=True)
