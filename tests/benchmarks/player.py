"""A process that plays what it is asked to play and says how long that took: ``python -P player.py``.

It plays with whichever duelbench its Python finds, which may be an older one, so it uses public names alone. A question
is a line of JSON on standard input, an answer a line on standard output; the first answer, unasked, is the folder of
that duelbench and its algorithms.
"""

import json
import os
import sys
import time

import duelbench
from duelbench.errors import InputError


def play(algorithm, problem, horizon, parameters, runs):
    """Return processor seconds and decisions of the runs 0 to ``runs`` - 1 together, without the time to compile.

    Both are None if the algorithm cannot play the problem.
    """
    made = duelbench.PreferenceMatrix(problem) if isinstance(problem[0], list) else duelbench.scalar_bandit(problem)
    try:
        duelbench.simulate(algorithm, made, horizon=1, shuffle_arms=True, **parameters)
    except InputError:
        return None, None
    seconds, decisions = 0.0, 0
    for run in range(runs):
        start = time.process_time()
        trace = duelbench.simulate(algorithm, made, horizon=horizon, run=run, shuffle_arms=True, **parameters)
        seconds += time.process_time() - start
        decisions += trace.decisions
    return seconds, decisions


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what else is printed goes to standard error
    folder = os.path.dirname(os.path.dirname(os.path.abspath(duelbench.__file__)))
    plays = {id: list(algorithm.plays) for id, algorithm in duelbench.algorithms().items()}
    print(json.dumps([folder, plays]), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(play(*json.loads(line))), file=answers, flush=True)
