"""The key ``world`` of a spec."""

from fractions import Fraction

import numpy as np
import pytest

from duelbench.bandits.problem.worlds.world import At, Drawn, DrawnScaled, Flipped, Pattern, Scaled, World
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec.assumptions import notes
from tests.experiments.spec.conftest import completed


@pytest.fixture
def back(folder):
    (folder / "back.csv").write_text("0.5,0.1\n0.9,0.5\n")


def world_of(spec) -> World:
    world = spec.problems[0].matrix
    assert isinstance(world, World)
    return world


BOTH = "{segments: [good.csv, back.csv]"
STARTS = {
    "{segments: [good.csv, back.csv, good.csv]}": At((1, 334, 667)),
    f"{BOTH}, starts: [1, 251]}}": At((1, 251)),
    f"{BOTH}, starts: [1, 251], timeline: scaled}}": Scaled((Fraction(0), Fraction(1, 4))),
    f"{BOTH}, starts: random, least: 20}}": Drawn(20, over=1000),
    f"{BOTH}, starts: random, least: 20, timeline: scaled}}": DrawnScaled(20, over=1000),
    f"{BOTH}, repeat: [100, 50]}}": Pattern((100, 50)),
    f"{BOTH}, repeat: 7}}": Pattern((7, 7)),
    "{drift: {from: good.csv, to: back.csv, steps: 5}}": At((1, 201, 401, 601, 801)),
}


def test_segments_start_where_the_spec_says(loaded, back):
    for said, starts in STARTS.items():
        world = world_of(loaded(f"world: {said}\nhorizon: 1000"))
        assert world.starts == starts
    assert [round(float(matrix.P[0, 1]), 12) for matrix in world.matrices] == [0.9, 0.7, 0.5, 0.3, 0.1]


def test_random_starts_divide_the_horizon_of_the_spec_in_shorter_runs_too(loaded, back):
    world = world_of(loaded(f"world: {BOTH}, starts: random, least: 20, per_run: true}}\nhorizon: 1000"))
    whole, part = (world.segments(horizon, np.random.default_rng(3)) for horizon in (1000, 900))
    assert world.per_run and [one.start for one in part] == [one.start for one in whole if one.start <= 900]


def test_outcomes_of_given_rounds_are_flipped_and_on_a_scaled_timeline_of_their_share_of_the_horizon(loaded):
    text = "world: {segments: [good.csv], corruption: {rounds: [1, 250]%s}%s}\nhorizon: 1000"
    assert world_of(loaded(text % ("", ""))).flipped == Flipped(1, 250)
    scaled = world_of(loaded(text % (", share: 0.5", ", timeline: scaled")))
    assert scaled.flipped == Flipped(1, 250, 0.5, over=1000)
    segments = scaled.segments(100, np.random.default_rng(0))
    assert [(one.start, float(one.outcomes.P[0, 1])) for one in segments] == [(1, 0.5), (26, 0.9)]


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
    identities = []
    for one in said:
        spec = loaded(f"world: {one}")
        world = world_of(spec)
        identities.append(cells(spec)[0].identity.matrix)
        again = World.from_content(world.content(), world.names, world.source)
        assert again.sha256 == world.sha256 == identities[-1]
        assert (again.starts, again.flips, again.flipped) == (world.starts, world.flips, world.flipped)
        assert again.per_run == world.per_run
    assert len(set(identities)) == len(said)
    assert cells(loaded("world: {segments: [good.csv, back.csv], starts: equal}"))[0].identity.matrix == identities[0]


WRONG = [
    ("world: {segments: [{family: linear, n_arms: 3}, cycle.csv]}\nregret: condorcet", "segment 2 of the world"),
    ("world: {segments: [cycle.csv], corruption: {budget: 2}}", "segment 1 of the world has none"),
    ("world: {segments: [good.csv], drift: {from: good.csv, to: good.csv, steps: 3}}", "conflicts with 'segments'"),
    ("world: {segments: [good.csv, good.csv], starts: random, least: 6000}", "of at least 6000 rounds"),
    ("world: {segments: [good.csv]}\nidentify: {target: condorcet}", "needs one matrix"),
    ("world: {segments: [good.csv], corruption: {rounds: [1, 20000]}}", "after the horizon, 10000 rounds"),
    ("world: {segments: {family: geom-btl, count: 20000, n_arms: 10}}", "must be at most 10000 with 10 arms"),
    ("worlds: {segments: [good.csv]}", "is one world; use the key 'world'"),
    (
        "worlds: {a: {segments: [good.csv, good.csv], timeline: scaled}}\nalgorithms: [rucb: {horizons: [1, 100]}]",
        "worlds.a: with a horizon of 1 rounds",
    ),
]


def test_a_world_that_cannot_be_is_refused(refusal):
    for text, said in WRONG:
        assert any(said in line for line in refusal(completed(text)))


def test_it_is_noted_that_answers_about_a_world_that_changes_have_no_guarantee(loaded, back):
    text = "%s\nalgorithms: [random, {rucb: {stop: {rule: e-condorcet}}}, nts]"
    (note,) = notes(loaded(text % "world: {segments: [good.csv, back.csv]}"))
    assert note.startswith("RUCB until e-condorcet and NTS settle on an answer about one matrix")
    assert notes(loaded(text % "matrix: good.csv")) == []
    (note,) = notes(loaded("world: {segments: [good.csv, back.csv]}\nalgorithms: [uniform, interleaved-filter]"))
    assert note.startswith("Interleaved Filter settles on")
    assert notes(loaded("world: {segments: [good.csv, back.csv]}\nalgorithms: [random, uniform]")) == []
