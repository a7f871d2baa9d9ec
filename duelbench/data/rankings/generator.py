"""Generates collections of judged documents of any size, to try everything without real data.

A document's relevance x is standard normal, and its grade is the class of x whose shares are those of web search: most
documents are bad. Feature f is ``q x + sqrt(1 - q^2) y`` with y standard normal, cut into levels if it should have
ties. If queries are of several kinds, its quality q deviates on each kind from the feature's mean: then features are
good at different things, and their preferences can be cyclic.
"""

import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from duelbench.bandits.parameters import Parameter, resolve
from duelbench.bandits.problem.family import Draws
from duelbench.common.numerals import real_number
from duelbench.errors import InputError

PARAMETERS: Mapping[str, Parameter] = {
    "queries": Parameter(1000, "how many queries", low=1, high=10**7),
    "documents": Parameter(20, "documents of each query", low=1, high=10**4),
    "features": Parameter(16, "features of each document, each of them a ranker", low=2, high=4096),
    "grades": Parameter(5, "2, 3 or 5 grades, from 0", low=2, high=5),
    "lowest": Parameter(0.0, "quality of the last feature", low=-1, high=1),
    "highest": Parameter(0.8, "quality of the first feature; the others lie evenly between", low=-1, high=1),
    "kinds": Parameter(5, "kinds of queries", low=1, high=1000),
    "spread": Parameter(0.3, "standard deviation of a feature's quality between kinds of queries", low=0, high=2),
    "levels": Parameter(50, "different values of every other feature, so that there are ties; 0 for none", low=0),
}

SHARES = {2: (0.84, 0.16), 3: (0.84, 0.13, 0.03), 5: (0.52, 0.32, 0.13, 0.02, 0.01)}
"""How many documents have each grade."""

_BEST = 0.999  # Largest quality, in absolute value


def generated(seed: int, parameters: Mapping[str, float]) -> Iterator[tuple[list[int], np.ndarray]]:
    """The queries of a collection: the grades of the documents, and their features, (n_documents, n_features) float64.

    A query depends only on the seed, its number and the parameters; ``parameters`` has all of `PARAMETERS`.
    """
    from scipy.special import ndtri

    n_features, n_documents, n_kinds = (int(parameters[name]) for name in ("features", "documents", "kinds"))
    mean_qualities = np.linspace(parameters["highest"], parameters["lowest"], n_features)
    deviations = np.array(Draws("rankings: kinds", seed).normal(n_kinds * n_features)).reshape(n_kinds, n_features)
    spread = parameters["spread"] if n_kinds > 1 else 0.0
    qualities = np.clip(mean_qualities + spread * deviations, -_BEST, _BEST)
    n_levels = parameters["levels"]
    bounds = np.cumsum(SHARES[int(parameters["grades"])])[:-1]
    for q in range(int(parameters["queries"])):
        draws = Draws(f"rankings: query {q}", seed)
        quality = qualities[int(draws.uniform(1)[0] * n_kinds)]
        # Never 0 or 1, whose quantiles are infinite.
        u = np.array(draws.uniform_open(n_documents * (1 + n_features))).reshape(n_documents, 1 + n_features)
        x, y = ndtri(u[:, :1]), ndtri(u[:, 1:])
        features = quality * x + np.sqrt(1 - quality**2) * y
        if n_levels:
            features[:, 1::2] = np.clip(np.floor((features[:, 1::2] + 3) / 6 * n_levels), 0, n_levels - 1)
        yield np.searchsorted(bounds, u[:, 0], side="right").tolist(), features


def as_lines(number: int, grades: list[int], features: np.ndarray) -> str:
    """A query in the SVMlight format; whole values without decimals, the others with four."""
    lines = []
    for grade, row in zip(grades, features.tolist(), strict=True):
        values = (f"{k}:{x:.0f}" if x.is_integer() else f"{k}:{x:.4f}" for k, x in enumerate(row, 1))
        lines.append(f"{grade} qid:{number} {' '.join(values)}\n")
    return "".join(lines)


def parameters_of(texts: Mapping[str, str]) -> dict[str, float]:
    """The values of all `PARAMETERS`, some of them given as text; an InputError names a wrong one."""
    try:
        parameters = resolve(PARAMETERS, {name: _number(text) for name, text in texts.items()}, "rankings")
    except ValueError as error:
        raise InputError(str(error)) from None
    if parameters["grades"] not in SHARES:
        raise InputError(f"rankings: grades={parameters['grades']}: must be one of 2, 3, 5")
    if parameters["lowest"] > parameters["highest"]:
        raise InputError(f"rankings: lowest={parameters['lowest']} is above highest={parameters['highest']}; give both")
    return parameters


def _number(text: str) -> float | str:
    try:
        return real_number(text)
    except ValueError:
        return text


def write_generated(path: Path, seed: int, parameters: Mapping[str, float], comment: str) -> None:
    """Write a generated collection, one query at a time; the file appears when it is complete.

    ``comment`` is its first line, after ``#``. After an OSError no file is left.
    """
    temporary = path.with_name(f".tmp-{os.getpid()}-{uuid.uuid4().hex}")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            file.write(f"# {comment}\n")
            for number, (grades, features) in enumerate(generated(seed, parameters), 1):
                file.write(as_lines(number, grades, features))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
