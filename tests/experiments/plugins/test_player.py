"""The process of a player: it plays what is ordered, and takes nobody with it if the code is wrong."""

import os
import re
import time

import pytest

from duelbench.bandits import opened_files
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.experiments.plugins import player, trial
from duelbench.experiments.plugins.player import Endless, Order, Player, PlayError, Refused, Unfinished
from tests.plug_ins import PLAIN, write

P = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])

UPDATE = "    state.wins[first, second] += first_wins\n"
LOCKED = """
import numba

@numba.njit
def loop(k):
    while k < 10:
        k = k + 1 - 1
    return k

"""


@pytest.fixture
def player_of(tmp_path, load):
    """``player_of(text)`` plays the algorithm of a plug-in."""
    players = []

    def made(text: str, name: str = "commit.py") -> Player:
        (id,) = load(write(tmp_path, text, name))
        players.append(Player(registry.get(id), P))
        return players[-1]

    yield made
    for started in players:
        started.__exit__()


def order(horizon=50, **fields):
    return Order({"horizon": horizon, "seed": 3}, **fields)


def test_it_plays_what_this_process_would_play_and_again(player_of):
    commit = player_of(PLAIN)
    expected = player.played(commit.algorithm, order(problem=P)).trace
    for _ in range(2):
        trace = commit.play(order())
        assert (trace.duels == expected.duels).all() and (trace.regret == expected.regret).all()


def test_what_the_code_prints_is_no_answer_and_a_process_that_ended_is_followed_by_another(player_of):
    commit = player_of(PLAIN.replace(UPDATE, f"    import os\n    print('hello')\n    os._exit(7)\n{UPDATE}"))
    for _ in range(2):
        with pytest.raises(PlayError, match=r"^it ended its process \(exit code 7\)$"):
            commit.play(order())


def test_what_the_engine_refuses_is_told_apart_from_a_mistake(player_of):
    commit = player_of(PLAIN)
    with pytest.raises(Refused, match="horizon must be a whole number"):
        commit.play(order(horizon=0))
    assert commit.play(order()).duels.sum() == 50


def test_an_endless_round_is_named_with_its_line_in_a_folder_of_any_name(tmp_path, load):
    text = PLAIN.replace(UPDATE, f"    while first_wins + state.wins.sum() > 5:\n        pass\n{UPDATE}")
    (id,) = load(write(tmp_path / "für zwei", text))
    with Player(registry.get(id), P) as commit, pytest.raises(Endless) as caught:
        commit.play(Order({"horizon": 50, "each": 1000, "standing_decisions": False}, round_seconds=3.0))
    message = r"^round 8 did not return within 3 seconds \(.*/für zwei/commit\.py:\d+, in update: `(while|pass)"
    assert re.search(message, str(caught.value)), caught.value


@pytest.mark.thorough
def test_a_loop_that_holds_the_lock_of_python_ends_too(player_of):
    text = PLAIN.replace("\n\nclass State", f"{LOCKED}\n\nclass State").replace(UPDATE, f"    loop(first)\n{UPDATE}")
    started = time.monotonic()
    with pytest.raises(
        Endless, match=r"^(a round|round 11) did not return within 8 seconds \(.*, in update: `loop\(first\)`\)$"
    ):
        player_of(text).play(order(is_interpreted=True, round_seconds=8.0))
    assert time.monotonic() - started < 60


def test_a_play_that_takes_too_long_ends_and_says_which_files_it_has_opened(player_of, tmp_path):
    (tmp_path / "weights.txt").write_text("1")
    reading = "    open(__file__.replace('commit.py', 'weights.txt')).read()\n    import time\n    time.sleep(300)\n"
    commit = player_of(PLAIN.replace("    return State(", f"{reading}    return State("))
    with pytest.raises(Unfinished):
        commit.play(order(seconds=0.5))
    (names,) = opened_files.kept.values()
    assert names == ("weights.txt",)


def test_nothing_is_left_where_a_player_ends_in_the_middle_of_a_play(player_of):
    commit = player_of(PLAIN)
    with commit:
        commit.play(order())
        process, folder = commit._process, commit._folder.name
    assert process.poll() is not None and not os.path.exists(folder)


@pytest.mark.parametrize("compiled_too", [True, False])
def test_an_endless_interpreted_round_is_a_mistake_only_if_it_is_endless_compiled(monkeypatch, compiled_too):
    trace = player.played(registry.get("random"), Order({"horizon": 10}, P)).trace

    class Slow:
        def __init__(self, *_):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def play(self, order):
            if order.is_interpreted or compiled_too:
                raise Endless("round 3 did not return")
            return trace

    monkeypatch.setattr(trial, "Player", Slow)
    mistake = trial.mistake_in(registry.get("random"), P, {"horizon": 10})
    assert mistake == ("round 3 did not return" if compiled_too else None)
