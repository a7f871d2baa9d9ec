"""The key ``world`` of a spec."""

from fractions import Fraction

import numpy as np
import pytest

from duelbench.problem.worlds.makers import changing_winner
from duelbench.problem.worlds.world import At, Drawn, DrawnScaled, Flipped, Pattern, Scaled, World
from duelbench.results.cells import cells
from duelbench.spec.assumptions import notes
from duelbench.spec.load import load
from tests.spec.conftest import completed


@pytest.fixture
def back(folder):
    (folder / "back.csv").write_text("0.5,0.1\n0.9,0.5\n")


def world_of(spec) -> World:
    world = spec.problems[0].matrix
    assert isinstance(world, World)
    return world


def test_segments_of_equal_length_start_at_equal_shares_of_the_horizon(loaded, back):
    world = world_of(loaded("world: {segments: [good.csv, back.csv, good.csv]}\nhorizon: 1000"))
    assert world.starts == At((1, 334, 667))
    assert [float(matrix.P[0, 1]) for matrix in world.matrices] == [0.9, 0.1, 0.9]


def test_listed_starts_are_rounds_and_on_a_scaled_timeline_shares(loaded, back):
    text = "world: {segments: [good.csv, back.csv], starts: [1, 251]%s}\nhorizon: 1000"
    assert world_of(loaded(text % "")).starts == At((1, 251))
    assert world_of(loaded(text % ", timeline: scaled")).starts == Scaled((Fraction(0), Fraction(1, 4)))


def test_a_shorter_run_sees_the_beginning_of_an_absolute_world_and_all_of_a_scaled_one(loaded, back):
    text = "world: {segments: [good.csv, back.csv], timeline: %s}\nhorizon: 1000"
    rng = np.random.default_rng(0)
    starts = {
        how: [segment.start for segment in world_of(loaded(text % how)).segments(100, rng)]
        for how in ("absolute", "scaled")
    }
    assert starts == {"absolute": [1], "scaled": [1, 51]}


def test_random_starts_divide_the_horizon_of_the_spec_unless_they_are_scaled(loaded, back):
    text = "world: {segments: [good.csv, back.csv], starts: random, least: 20, per_run: true%s}\nhorizon: 1000"
    world = world_of(loaded(text % ""))
    assert world.starts == Drawn(20, over=1000) and world.per_run
    assert world_of(loaded(text % ", timeline: scaled")).starts == DrawnScaled(20, over=1000)
    whole, part = (world.segments(horizon, np.random.default_rng(3)) for horizon in (1000, 900))
    assert [one.start for one in part] == [one.start for one in whole if one.start <= 900]


def test_the_shortest_segment_of_a_scaled_timeline_is_rounds_of_the_longest_runs(loaded, back):
    text = (
        "world: {segments: [good.csv, back.csv], starts: random, least: 400, timeline: scaled}\nhorizon: 1000\n"
        "algorithms: [savage-copeland: {horizons: [100, 1000]}]"
    )
    world = world_of(loaded(text))
    whole, part = (world.segments(horizon, np.random.default_rng(3)) for horizon in (1000, 100))
    assert part[1].start == (whole[1].start - 1) // 10 + 1
    assert 401 <= whole[1].start <= 601


def test_a_drift_goes_from_one_matrix_to_the_other(loaded, back):
    world = world_of(loaded("world: {drift: {from: good.csv, to: back.csv, steps: 5}}\nhorizon: 1000"))
    assert [round(float(matrix.P[0, 1]), 12) for matrix in world.matrices] == [0.9, 0.7, 0.5, 0.3, 0.1]
    assert world.starts == At((1, 201, 401, 601, 801))


def test_segments_are_repeated_for_so_many_rounds_each(loaded, back):
    assert world_of(loaded("world: {segments: [good.csv, back.csv], repeat: [100, 50]}")).starts == Pattern((100, 50))
    assert world_of(loaded("world: {segments: [good.csv, back.csv], repeat: 7}")).starts == Pattern((7, 7))


def test_outcomes_of_given_rounds_are_flipped_and_on_a_scaled_timeline_of_their_share_of_the_horizon(loaded):
    text = "world: {segments: [good.csv], corruption: {rounds: [1, 250]%s}%s}\nhorizon: 1000"
    assert world_of(loaded(text % ("", ""))).flipped == Flipped(1, 250)
    scaled = world_of(loaded(text % (", share: 0.5", ", timeline: scaled")))
    assert scaled.flipped == Flipped(1, 250, 0.5, over=1000)
    segments = scaled.segments(100, np.random.default_rng(0))
    assert [(one.start, float(one.outcomes.P[0, 1])) for one in segments] == [(1, 0.5), (26, 0.9)]


def test_a_family_of_segments_is_the_world_of_python(loaded):
    text = "world: {segments: {family: changing-winner, count: 6, n_arms: 4, p_min: 0.7, seed: 9}, starts: random}"
    expected = changing_winner(4, 6, 0.7, seed=9)
    assert [one.sha256 for one in world_of(loaded(text)).matrices] == [one.sha256 for one in expected.matrices]


def test_several_worlds_have_their_names_and_load_again_from_what_a_manifest_says(loaded, back, folder):
    text = "worlds:\n  flip: {segments: [good.csv, back.csv]}\n  steady: {segments: [good.csv]}"
    spec = loaded(text)
    assert [(problem.name, len(problem.matrix.matrices)) for problem in spec.problems] == [("flip", 2), ("steady", 1)]
    again = load({**spec.canonical(), "worlds": _below(spec.canonical()["worlds"], folder)})
    assert [one.matrix.sha256 for one in again.problems] == [one.matrix.sha256 for one in spec.problems]


def test_a_scale_may_replace_a_world_by_several(folder, back):
    (folder / "s.yaml").write_text(
        "world: {segments: [good.csv, back.csv]}\nhorizon: 100\nalgorithms: [random]\n"
        "scales: {small: {worlds: {a: {segments: [good.csv]}}}}\n"
    )
    assert [problem.name for problem in load(folder / "s.yaml", "small").problems] == ["a"]


@pytest.mark.parametrize(
    "said",
    [
        "{segments: [good.csv, back.csv]}",
        "{segments: [good.csv, back.csv], starts: random, least: 3, timeline: scaled}",
        "{segments: [good.csv, {family: linear, n_arms: 2}], starts: [1, 7], timeline: scaled}",
        "{segments: [good.csv, back.csv], starts: random, least: 5, per_run: true}",
        "{drift: {from: good.csv, to: back.csv, steps: 6}, corruption: {budget: 3}}",
        "{segments: [good.csv, back.csv], repeat: [30, 20], corruption: {rounds: [5, 60], share: 0.25}}",
        "{segments: {family: changing-winner, count: 3, p_min: 0.7, seed: 4}, starts: random}",
        "{segments: {family: geom-btl, count: 2, n_arms: 3}, timeline: scaled, corruption: {rounds: [1, 9]}}",
    ],
)
def test_what_a_manifest_says_of_a_world_loads_as_the_same_world(loaded, back, folder, said):
    from duelbench.problem.worlds.content import content, from_content

    spec = loaded(f"world: {said}")
    again = load({**spec.canonical(), "world": _below(spec.canonical()["world"], folder)})
    world = world_of(spec)
    told = from_content(content(world), world.names, world.source)
    assert world_of(again).sha256 == world.sha256 == told.sha256
    assert told.flips == world.flips and told.starts == world.starts and told.per_run == world.per_run
    assert told.flipped == world.flipped


def _below(said, folder):
    """The paths of a world from the folder on."""
    if isinstance(said, dict):
        return {key: _below(value, folder) for key, value in said.items()}
    if isinstance(said, list):
        return [_below(value, folder) for value in said]
    return str(folder / said) if isinstance(said, str) and said.endswith(".csv") else said


def test_other_starts_matrices_or_flips_are_another_identity(loaded, back):
    said = [
        "{segments: [good.csv, back.csv]}",
        "{segments: [back.csv, good.csv]}",
        "{segments: [good.csv, back.csv], starts: [1, 50]}",
        "{segments: [good.csv, back.csv], timeline: scaled}",
        "{segments: [good.csv, back.csv], starts: random, least: 3, timeline: scaled}",
        "{segments: [good.csv, back.csv], starts: random}",
        "{segments: [good.csv, back.csv], starts: random, per_run: true}",
        "{segments: [good.csv, back.csv], corruption: {budget: 1}}",
        "{segments: [good.csv, back.csv], corruption: {rounds: [1, 1]}}",
        "{segments: [good.csv, back.csv], corruption: {rounds: [1, 1], share: 0.5}}",
        "{segments: [good.csv, back.csv], corruption: {rounds: [1, 1]}, timeline: scaled}",
        "{segments: [good.csv, back.csv], repeat: 50}",
        "{segments: {family: changing-winner, count: 2, n_arms: 3}}",
        "{segments: {family: changing-winner, count: 2, n_arms: 3, seed: 1}}",
        "{segments: {family: geom-btl, count: 2, n_arms: 3}}",
    ]
    identities = [cells(loaded(f"world: {one}"))[0].identity.matrix for one in said]
    assert len(set(identities)) == len(said)
    assert cells(loaded("world: {segments: [good.csv, back.csv], starts: equal}"))[0].identity.matrix == identities[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("world: {segments: [good.csv, good.csv], starts: [1, 20000]}", "after the horizon, 10000 rounds"),
        ("world: {segments: [good.csv, cycle.csv]}", "number 2 has 3 arms, and the first 2"),
        ("world: {segments: [{family: linear, n_arms: 3}, cycle.csv]}\nregret: condorcet", "segment 2 of the world"),
        ("world: {segments: [cycle.csv], corruption: {budget: 2}}", "segment 1 of the world has none"),
        ("world: {starts: equal}", "needs matrices"),
        ("horizn: 3\nworld: {starts: equal}", "needs matrices"),
        ("world: {segments: [good.csv], drift: {from: good.csv, to: good.csv, steps: 3}}", "stands beside 'segments'"),
        ("world: {segments: [good.csv], least: 3}", "is for 'starts: random'; remove it"),
        ("world: {segments: [good.csv, good.csv], starts: random, least: 6000}", "of at least 6000 rounds"),
        ("world: {segments: [good.csv]}\nbounds: [copeland]", "are those of one matrix"),
        ("world: {segments: [good.csv]}\nidentify: {target: condorcet}", "asks for the answer on one matrix"),
        ("world: {segments: [good.csv]}\nproblems: [good.csv]", "stands beside 'problems'"),
        ("matrix: good.csv\nregret: borda-static", "is for a world that changes"),
        ("world: {segments: [good.csv], repeat: 10, starts: equal}", "repeat: stands beside 'starts'"),
        (
            "world: {segments: [good.csv], repeat: 10, timeline: scaled}",
            "stands beside 'repeat', whose lengths are rounds",
        ),
        ("world: {segments: [good.csv, good.csv], repeat: [1, 2, 3]}", "2 segments, but 3 lengths"),
        ("world: {segments: [good.csv, good.csv], repeat: [1, 0]}", "repeat.1: must be at least 1"),
        ("world: {segments: [good.csv], repeat: 1}\nhorizon: 1e6", "has at most 100000; take longer ones"),
        ("world: {drift: {from: good.csv, to: good.csv, steps: 3}, repeat: 4}", "repeat: is for segments"),
        ("world: {segments: [good.csv], corruption: {}}", "says nothing"),
        ("world: {segments: [good.csv], corruption: {rounds: [1, 2], budget: 2}}", "stands beside 'budget'"),
        ("world: {segments: [good.csv], corruption: {share: 0.5}}", "is for 'rounds'"),
        ("world: {segments: [good.csv], corruption: {rounds: [9, 2]}}", "2 comes before 9"),
        ("world: {segments: [good.csv], corruption: {rounds: 9}}", "the first and the last round, as in '[1, 1000]'"),
        ("world: {segments: [good.csv], corruption: {rounds: [1, 20000]}}", "after the horizon, 10000 rounds"),
        ("world: {segments: [good.csv], corruption: {rounds: [1, 2], share: 0}}", "must be > 0"),
        ("world: {segments: [good.csv, cycle.csv], corruption: {rounds: [1, 2]}}", "number 2 has 3 arms"),
        ("world: {segments: [cycle.csv], corruption: {rounds: [1, 2]}}", "segment 1 of the world has none"),
        ("world: {segments: {family: changing-winer, count: 2}}", "did you mean 'changing-winner'?"),
        ("world: {segments: {family: linear, n_arms: 2}}", "'linear' is not a family of segments"),
        ("world: {segments: {family: geom-btl}}", "add 'count: 4'"),
        ("world: {segments: {family: geom-btl, count: 2, p_min: 0.6}}", "unknown parameter 'p_min' for geom-btl"),
        ("world: {segments: {family: geom-btl, count: 20000, n_arms: 10}}", "must be at most 10000 with 10 arms"),
        ("worlds: [good.csv]", "must be names with worlds"),
        ("matrix: good.csv\nworlds: {a: {segments: [good.csv]}}", "stands beside 'matrix'"),
        ("world: {segments: [good.csv]}\nworlds: {a: {segments: [good.csv]}}", "stands beside 'world'"),
        ("worlds: {segments: [good.csv]}", "is one world; use the key 'world'"),
        ("worlds: {a: {segments: [good.csv]}, A: {segments: [good.csv]}}", "stands twice"),
        ("worlds: {a/b: {segments: [good.csv]}}", "use letters, digits"),
        ("worlds: {a: {segments: [cycle.csv]}}\nregret: condorcet", "a: segment 1 of the world"),
        (
            "worlds: {a: {segments: [good.csv, good.csv], timeline: scaled}}\nalgorithms: [rucb: {horizons: [1, 100]}]",
            "worlds.a: with a horizon of 1 rounds",
        ),
        (
            "world: {segments: [good.csv, good.csv], timeline: scaled}\nalgorithms: [rucb: {horizons: [1, 100]}]",
            "with a horizon of 1 rounds",
        ),
    ],
)
def test_a_world_that_cannot_be_is_refused(refusal, text, said):
    assert any(said in line for line in refusal(completed(text)))


def test_it_is_noted_that_answers_about_a_world_that_changes_have_no_guarantee(loaded, back):
    text = "%s\nalgorithms: [random, {rucb: {stop: {rule: e-condorcet}}}, select]"
    (note,) = notes(loaded(text % "world: {segments: [good.csv, back.csv]}"))
    assert note.startswith("RUCB until e-condorcet and SELECT settle on an answer about one matrix")
    assert notes(loaded(text % "matrix: good.csv")) == []
    (note,) = notes(loaded("world: {segments: [good.csv, back.csv]}\nalgorithms: [uniform, interleaved-filter]"))
    assert note.startswith("Interleaved Filter settles on")
    assert notes(loaded("world: {segments: [good.csv, back.csv]}\nalgorithms: [random, uniform]")) == []
