"""A judge that lets two programs play a match, such as two versions of a game engine.

    duelbench live engines.yaml --exec "python match.py cutechess-cli -engine cmd={first} -engine cmd={second} \\
        -each proto=uci tc=10+0.1 -games 1 -openings file=book.pgn order=random"

The command after ``match.py`` plays one game; in it {first} and {second} become the path of an arm, or else its text,
or else its name. Its last result in PGN's notation, 1-0, 0-1 or 1/2-1/2, is the answer. Let openings be drawn at
random: two deterministic programs play the same game every time. duelbench shows each pair in turns, first one way
round and then the other, so that neither program has the first move more often.
"""

import json
import re
import subprocess
import sys

ANSWERS = {"1-0": "1", "0-1": "2", "1/2-1/2": "tie"}


def command(words, question):
    """The words of the command, with both programs in their places."""
    programs = {f"{{{place}}}": program(question[place]) for place in ("first", "second")}
    return [re.sub(r"\{first\}|\{second\}", lambda found: programs[found[0]], word) for word in words]


def program(arm):
    """What stands for an arm in the command."""
    return arm["path"] or arm["text"] or arm["name"]


if __name__ == "__main__":
    if len(sys.argv) < 4:  # duelbench adds the two names
        sys.exit("match: add the command that plays a game: match.py COMMAND ..., with {first} and {second} in it")
    words = sys.argv[1:-2]
    played = subprocess.run(command(words, json.load(sys.stdin)), stdout=subprocess.PIPE, text=True, check=True)
    results = re.findall(r"(?<![\d/])(?:1-0|0-1|1/2-1/2)(?![\d/])", played.stdout)
    if not results:
        sys.exit(f"match: no result in {played.stdout[-200:]!r}")
    print(ANSWERS[results[-1]])
