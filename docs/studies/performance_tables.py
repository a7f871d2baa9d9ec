"""The tables of docs/performance.md and README.md, and their CSV files, from one measurement.

    make bench SUITE=full                                       # writes bench.json; an hour of one core
    python docs/studies/performance_tables.py bench.json

Each table is between two comments on its page. Times are the smallest of those measured.
"""

import csv
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.__main__ import SUITES  # noqa: E402
from tests.benchmarks.published import IDS, KOMIYAMA, WU_LIU, published  # noqa: E402

STUDIES = ROOT / "docs" / "studies"
PROBLEMS = {
    "mslr5-condorcet": "MSLR, winner, K = 5",
    "mslr5-noncondorcet": "MSLR, three winners, K = 5",
    "sushi16": "Sushi, K = 16",
    "linear-order-64": "linear order, K = 64",
    "cycle-of-3-500": "three winners in a cycle, K = 500",
    "linear-means-16": "scalar bandit, K = 16",
}
"""Problem of the full suite -> its name on the page."""

IN_PAGE = ("random", "rucb", "ccb", "rmed1", "ecw-rmed", "d-ts", "d-ts-plus", "self-sparring")
IN_README = {"d-ts": "D-TS", "rucb": "RUCB", "rmed1": "RMED1", "ccb": "CCB"}
COMPARED = {
    WU_LIU: {
        ("mslr5-condorcet", 200_000): "MSLR with a winner, K = 5, 200,000 rounds",
        ("noncondorcet-cyclic", 100_000): "three winners in a cycle, K = 9, 100,000",
        ("linear-order-16", 40_000): "linear order, K = 16, 40,000",
        ("linear-order-64", 23_000): "K = 64, 23,000",
        ("linear-order-500", 100_000): "K = 500, 100,000",
    },
    KOMIYAMA: {
        ("cyclic", 100_000): "K = 4, 100,000 rounds",
        ("arxiv", 100_000): "K = 6, 100,000",
        ("sushi16", 100_000): "K = 16, 100,000",
        ("linear-order-64", 100_000): "K = 64, 100,000",
    },
}
"""Program -> problem and horizon of its times -> head of the column."""

Times = dict[tuple[str, str, int], float]


def two_digits(value: float) -> str:
    """Write a number with two digits.

    Examples
    --------
    >>> two_digits(0.0456), two_digits(2.04), two_digits(10_234)
    ('0.046', '2.0', '10,000')
    """
    rounded = float(f"{value:.2g}")
    if rounded >= 10:
        return f"{rounded:,.0f}"
    return f"{value:#.2g}"


def read(path: Path) -> Times:
    """Return nanoseconds per round by algorithm, problem and horizon."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    times = {}
    for row in rows:
        seconds = min(row["seconds"]) / row["horizon"]
        times[row["algorithm"], row["problem"], row["horizon"]] = seconds * 1e9
    return times


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rounds(times: Times) -> tuple[list[list[str]], str]:
    """Return the rows of the CSV on what a round costs, and the table of the page."""
    longest = SUITES["full"]
    of_suite: dict[tuple[str, str], tuple[int, float]] = {}
    for (algorithm, problem, horizon), nanoseconds in sorted(times.items()):  # the longest horizon of a row comes last
        # Slow algorithms play a tenth or a hundredth; other horizons are those of published times.
        if problem in PROBLEMS and horizon in (longest[problem], longest[problem] // 10, longest[problem] // 100):
            of_suite[algorithm, problem] = horizon, nanoseconds
    lines = [["algorithm", "problem", "horizon", "ns_per_round"]]
    for (algorithm, problem), (horizon, nanoseconds) in of_suite.items():
        lines.append([algorithm, PROBLEMS[problem], str(horizon), f"{nanoseconds:.2g}"])
    shown = [problem for problem in PROBLEMS if problem != "linear-means-16"]
    heads = ["", *(f"{PROBLEMS[problem]}, 10^{len(str(longest[problem])) - 1}" for problem in shown)]
    rows = []
    for algorithm in IN_PAGE:
        cells = [f"`{algorithm}`"]
        for problem in shown:
            horizon, nanoseconds = of_suite[algorithm, problem]
            cell = two_digits(nanoseconds)
            if horizon < longest[problem]:
                cell += f" (10^{len(str(horizon)) - 1})"
            cells.append(cell)
        rows.append(cells)
    return lines, table(heads, rows)


def factors(times: Times, program: str) -> dict[str, list[str]]:
    """Return, for each algorithm of a program, how many times less a round takes here, by problem."""
    found = {}
    for algorithm in sorted(IDS[program].split()):
        cells = []
        for problem, horizon in COMPARED[program]:
            known = published(algorithm, problem, horizon)
            assert known is not None
            cells.append(two_digits(known[1] / times[algorithm, problem, horizon]))
        found[algorithm] = cells
    return found


def fill(path: Path, name: str, text: str) -> None:
    """Replace what is between the two comments of a table on a page."""
    begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
    page = path.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    assert len(pattern.findall(page)) == 1, f"{path} needs one table {name}"
    path.write_text(pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", page), encoding="utf-8")


def write_csv(path: Path, rows: list[list[str]]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main(measured: Path) -> None:
    """Write the tables."""
    times = read(measured)
    performance = ROOT / "docs" / "performance.md"
    lines, page = rounds(times)
    write_csv(STUDIES / "speed-rounds.csv", lines)
    fill(performance, "rounds", page)
    lines = [["program", "problem", "horizon", "algorithm", "factor"]]
    for program, name in ((WU_LIU, "wu-liu"), (KOMIYAMA, "komiyama")):
        heads = list(COMPARED[program].values())
        of_program = factors(times, program)
        fill(performance, name, table(["", *heads], [[f"`{id}`", *cells] for id, cells in of_program.items()]))
        for algorithm, cells in of_program.items():
            for (problem, horizon), cell in zip(COMPARED[program], cells, strict=True):
                lines.append([program, problem, str(horizon), algorithm, cell.replace(",", "")])
        if program == WU_LIU:
            rows = [[name, *of_program[id]] for id, name in IN_README.items()]
            fill(ROOT / "README.md", "speed", table(["", *heads], rows))
    write_csv(STUDIES / "speed-published.csv", lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
