"""A player of the benchmark in the process of the test."""

import json

from duelbench.bench.player import Player


class PlayerHere:
    """Answers as a process would, through JSON."""

    def __init__(self, side):
        self.player = Player(list(side.plug_ins))
        self.hello = json.loads(json.dumps(self.player.hello()))

    def answer(self, method, *arguments):
        return json.loads(json.dumps(self.player.answer(*json.loads(json.dumps([method, *arguments])))))

    def close(self):
        pass


def start_here(side):
    return PlayerHere(side)
