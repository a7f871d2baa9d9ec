"""The content of the page of ``duelbench report --html``."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from duelbench.api.describing import bandit_in_words, matrix_facts
from duelbench.figures.figure import Drawable, Request, options_of
from duelbench.figures.page import heat_maps
from duelbench.figures.page.document import MOST_ARMS, Section, page
from duelbench.figures.page.panels import figure_in_html
from duelbench.figures.pairs_played import pairs_played
from duelbench.figures.report import USUAL_COLUMNS
from duelbench.figures.summary import records
from duelbench.problem import winners
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.problem.worlds.world import AnyProblem, World
from duelbench.results.experiments import gaps_of, notes
from duelbench.results.settings import in_words, played

if TYPE_CHECKING:
    from duelbench.results.experiments import Experiment
    from duelbench.results.manifest import StoredCell

MOST_PROBLEMS = 40
"""Most problems that are described; of the random matrices at one value of a sweep only the first is."""


def page_of(experiments: "Sequence[Experiment]", regret: str | None, columns: Sequence[str] = USUAL_COLUMNS) -> str:
    """The page of experiments as HTML.

    Parameters
    ----------
    experiments : sequence of Experiment
        At least one.
    regret : str, optional
        Which recorded regret; by default the first of each spec.
    columns : sequence of str
        Of the tables: keys of `duelbench.figures.report.COLUMNS`.
    """
    return page([_section(experiment, regret, columns, f"s{k}-") for k, experiment in enumerate(experiments)])


def _section(experiment: "Experiment", regret: str | None, columns: Sequence[str], prefix: str) -> Section:
    definition = regret or experiment.definitions[0]
    options = options_of(experiment.results.spec)
    figure = Drawable([Request(experiment, options, definition)]).draw()
    first: dict[str, StoredCell] = {}
    for cell in experiment.cells:
        first.setdefault(cell.stored.setting, cell.stored)
    described = list(first.values())[:MOST_PROBLEMS]
    more = len({cell.stored.problem for cell in experiment.cells}) - len(described)
    return Section(
        title=experiment.title,
        figure=figure_in_html(figure, prefix, f"{definition} regret, a figure of the kind {options.kind}"),
        experiment=experiment,
        records=records(experiment, definition),
        settings=_settings(experiment),
        problems={stored.problem: (_problem_facts(stored.matrix), _matrix_map(stored.matrix)) for stored in described},
        pairs=list(pairs_played(experiment)),
        commands=_commands(experiment),
        spec=_spec_in_yaml(experiment.results.spec),
        warnings=[f"partial: {_shortened(gap, experiment)}" for gap in gaps_of(experiment)],
        n_more_problems=more,
        notes=notes([experiment]),
        columns=columns,
    )


def _shortened(sentence: str, experiment: "Experiment") -> str:
    """A sentence in which files are named from the folder of all results on."""
    return sentence.replace(f"{experiment.results.folder.parent}{os.sep}", "")


def _settings(experiment: "Experiment") -> dict[str, str]:
    spec, until = experiment.results.spec, experiment.results.until
    environments = [", ".join(f"{name} {value}" for name, value in env.items()) for env in experiment.environments]
    return {
        "name": experiment.name,
        "horizon": _rounds(spec["horizon"]),
        "runs": f"{until.words}, by {experiment.definitions[0]} regret" if until else f"{spec['runs']:,}",
        "seed": str(spec["seed"]),
        "arms shuffled": "yes" if spec["shuffle_arms"] else "no",
        "played": in_words(played(cell.stored for cell in experiment.cells)) or "as by default",
        "regret": ", ".join(experiment.definitions),
        "spec SHA-256": experiment.spec_sha256,
        "computed with": "; ".join(environments),
    }


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number:,} rounds"


def _commands(experiment: "Experiment") -> str:
    """What to type; with the default folders of results."""
    name = experiment.name
    return "\n".join(
        [
            f"# Save the spec below as {name}.yaml beside the files that it names; then",
            f"duelbench run {name}.yaml",
            f"duelbench plot results/{name}",
            f"duelbench report results/{name} --html {name}.html",
        ]
    )


def _spec_in_yaml(spec: Mapping[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(dict(spec), sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)


def _matrix_map(matrix: AnyProblem) -> str:
    if not isinstance(matrix, PreferenceMatrix) or matrix.n_arms > MOST_ARMS:
        return ""
    return heat_maps.preference_map(matrix.P)


def _problem_facts(matrix: AnyProblem) -> dict[str, str]:
    if isinstance(matrix, World):
        own = {
            "segments": f"{len(matrix.matrices)}",
            "Condorcet winners": _winners_in_turn(matrix),
            "outcomes that may be flipped": str(matrix.flips),
        }
    elif isinstance(matrix, ScalarBandit):
        own = {"decision": bandit_in_words(matrix), "best decisions": ", ".join(map(str, matrix.best))}
    else:
        own = matrix_facts(matrix)
    arms = f"{matrix.n_arms}, counted from 0"
    return {"arms": arms, **own, "source": matrix.source or "", "SHA-256": matrix.sha256}


MOST_WINNERS = 12
"""Winners of segments that are listed."""


def _winners_in_turn(world: World) -> str:
    """The Condorcet winner of each stretch of segments with the same one."""
    found: list[str] = []
    for matrix in world.matrices:
        winner = winners.condorcet_winner(matrix)
        name = "none" if winner is None else matrix.listed([winner])
        found += [name] if found[-1:] != [name] else []
    more = f", and {len(found) - MOST_WINNERS} more" if len(found) > MOST_WINNERS else ""
    return ", then ".join(found[:MOST_WINNERS]) + more
