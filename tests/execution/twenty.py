"""How good estimates are: ``python -m tests.execution.twenty [NUMBER...]`` plays twenty specs on one core.

Prints, for each, the dry run's estimate with everything compiled, the processor time that playing took, and their
ratio; and the same for the estimate that is made where nothing is compiled. Minutes; no test depends on it.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MATRICES = Path(__file__).parents[2] / "matrices"
MEANS = "means: [0.95, 0.9 x 3, 0.55, 0.5 x 5, 0 x 90]"


def _file(name: str) -> str:
    return f"matrix: {MATRICES / name}.csv"


def _family(name: str, n_arms: int) -> str:
    return f"matrix: {{family: {name}, n_arms: {n_arms}}}"


SPECS = [  # problem, horizon, runs, algorithms, other keys
    (_file("cyclic"), "1e4", 3000, "[rucb, random]", ""),
    (_file("mslr5-condorcet"), "1e5", 1000, "[d-ts, rmed1, ccb]", ""),
    (_file("mslr5-noncondorcet"), "1e6", 50, "[d-ts, ccb, ecw-rmed]", ""),
    (_file("mslr5-noncondorcet"), "1e7", 5, "[rucb, rmed1]", ""),
    (_file("mslr5-condorcet"), "1e9", 300, "[rucb, d-ts]", ""),
    (_file("sushi16"), "1e6", 60, "[d-ts-plus, rucb, btm]", ""),
    (_file("sushi16"), "1e8", 2, "[sparring, btm]", ""),
    (_file("noncondorcet-cyclic"), "1e6", 5, "[d-ts-plus, rcs]", ""),
    (_file("cyclic"), "1e8", 2, "[vdb]", ""),
    (_family("linear", 64), "1e5", 100, "[rucb, ccb, self-sparring]", ""),
    (_family("linear", 64), "1e6", 5, "[d-ts, rmed2]", ""),
    (_family("flat", 100), "1e6", 30, "[rucb, interleaved-filter, btm]", ""),
    (_family("copeland-cycle", 100), "1e5", 10, "[ecw-rmed, ccb, d-ts]", ""),
    (_family("linear", 1000), "1e5", 5, "[rucb, random]", ""),
    (_family("flat", 1000), "2e4", 2, "[d-ts]", ""),
    (_family("random-order", 16), "1e5", 300, "[rmed1, rmed2, scb]", ""),
    (_file("arithmetic8"), "1e6", 100, "[{savage-copeland: {horizons: [1e4, 1e5, 1e6]}}, rmed2fh]", ""),
    (_family("linear", 8), "1e5", 100, "[rucb, d-ts]", "sweep: {over: n_arms, values: [4, 8, 16, 32]}"),
    (f"problem: {{{MEANS}, decision: argmax}}", "1e5", 100, "[savage, ucb1, round-robin]", ""),
    (f"problem: {{{MEANS}, decision: rigged, m: 4}}", "1e6", 10, "[savage, elimination]", ""),
]


def main(numbers: list[int]) -> None:
    """Play the specs with these numbers (from 1), all where there are none."""
    for number in numbers or range(1, len(SPECS) + 1):
        problem, horizon, runs, algorithms, other = SPECS[number - 1]
        spec = f"{problem}\nhorizon: {horizon}\nruns: {runs}\nalgorithms: {algorithms}\n{other}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "spec.yaml")
            path.write_text(spec, encoding="utf-8")
            _duelbench(folder, "run", "spec.yaml", "--runs", "1", "--out", "first")  # compiles
            warm = _estimate(folder, {})
            cold = _estimate(folder, {"XDG_CACHE_HOME": folder})
            took = _duelbench(folder, "run", "spec.yaml") - _duelbench(folder, "run", "spec.yaml")  # less the start
        print(
            f"{number:2} {problem[:48]:48} T = {horizon} {runs:5} runs {algorithms[:40]:40}"
            f" took {took:6.1f} s, estimated {warm:6.1f} ({warm / took:.2f}),"
            f" not compiled {cold:6.1f} ({cold / took:.2f})",
            flush=True,
        )


def _estimate(folder: str, variables: dict[str, str]) -> float:
    """What the dry run says, compiling left out."""
    code = (
        "from duelbench.execution import estimate; estimate.compiling_seconds = lambda *_: 0.0;"
        "from duelbench.cli.app import main; main()"
    )
    command = [sys.executable, "-c", code, "run", "spec.yaml", "-j", "1", "--dry-run", "--json"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["seconds_estimate"]


def _duelbench(folder: str, *arguments: str) -> float:
    """Processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "duelbench", *arguments, "-j", "1", "-q"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]])
