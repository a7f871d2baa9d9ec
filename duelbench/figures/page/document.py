"""The results of experiments on one page: figure, table, duels and matrices in an HTML file that needs no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from duelbench.figures.page import heat_maps
from duelbench.figures.page.regret_table import answer_parts, regret_table
from duelbench.figures.page.shell import whole_page
from duelbench.figures.pairs_played import PairsPlayed
from duelbench.figures.report import USUAL_COLUMNS
from duelbench.figures.summary import Record
from duelbench.results.experiments import Experiment

MOST_ARMS = 200
"""Of a matrix that is drawn."""

MOST_MAPS = 100
"""Of the duels of one experiment."""

MOST_PAIRS = 4
"""Named below each of them."""

_MEANING = "Mean over the runs. Named are those that were played most often, with their share of the rounds."
_MAP_MEANING = "Rows: first arm; columns: second arm; arms counted from 0. A named pair is counted in both orders."

_SCRIPT = Path(__file__).with_name("page.js")


@dataclass(frozen=True)
class Section:
    """What the page says of one experiment."""

    title: str
    figure: str  # HTML
    experiment: Experiment
    records: Sequence[Record]
    settings: Mapping[str, str]  # name -> value of what was asked for
    # problem -> its facts, name -> value, and the heat map of its matrix, or nothing
    problems: Mapping[str, tuple[Mapping[str, str], str]]
    n_more_problems: int  # how many are not among them
    pairs: Sequence[PairsPlayed]
    commands: str  # what one types to get these results again
    spec: str  # the spec with all of its defaults, in YAML
    warnings: Sequence[str] = ()  # what is not whole; what else one should know
    notes: Sequence[str] = ()
    columns: Sequence[str] = USUAL_COLUMNS  # of the table: keys of `duelbench.figures.report.COLUMNS`


def page(sections: Sequence[Section]) -> str:
    """The page as HTML: it loads nothing, and is the same for the same results."""
    title = ", ".join(section.title for section in sections)
    links = [f'<li><a href="#s{k}">{escape(section.title)}</a></li>' for k, section in enumerate(sections)]
    contents = ["<nav><ul>", *links, "</ul></nav>"] if len(links) > 1 else []
    body = [*contents, "<main>", *(_section(section, f"s{k}") for k, section in enumerate(sections)), "</main>"]
    return whole_page(title, "\n".join(body), [_SCRIPT])


def _section(section: Section, name: str) -> str:
    parts = [f'<section id="{name}">', f"<h1>{escape(section.title)}</h1>"]
    parts += [f'<p class="warning">{escape(warning)}</p>' for warning in section.warnings]
    parts += [f'<p class="note">{escape(note)}</p>' for note in section.notes]
    parts += [
        *answer_parts(section.experiment, section.records),
        section.figure,
        regret_table(section.experiment, section.records, section.columns),
        *_duels(section.pairs),
    ]
    parts += ["<h2>Problems</h2>", '<div class="problems">']
    for problem, (facts, drawn) in section.problems.items():
        parts += [f"<article><h3>{escape(problem)}</h3>{drawn}", _facts(facts), "</article>"]
    parts += ["</div>", *_not_shown(section.n_more_problems), "<h2>Experiment</h2>", _facts(section.settings)]
    parts += ["<h2>The same again</h2>", f"<pre>{escape(section.commands)}</pre>"]
    parts += ["<details><summary>The spec, with all defaults</summary>", f"<pre>{escape(section.spec)}</pre></details>"]
    return "\n".join([*parts, "</section>"])


def _duels(pairs: Sequence[PairsPlayed]) -> list[str]:
    """How often each pair was played, by problem."""
    if not pairs:
        return []
    shown: dict[str, list[PairsPlayed]] = {}
    for played in pairs[:MOST_MAPS]:
        shown.setdefault(played.problem, []).append(played)
    on_matrices = [played.horizon for played in pairs if played.counts.shape[1] > 1]
    parts = [
        f"<h2>How often each {'pair' if on_matrices else 'arm'} was played</h2>",
        f'<p class="small">{_MEANING}</p>',
    ]
    if on_matrices:
        parts += [f'<p class="small">{_MAP_MEANING}</p>', heat_maps.scale(max(on_matrices))]
    for problem, own in shown.items():
        parts += [f"<h3>{escape(problem)}</h3>"] if len(shown) > 1 else []
        parts += ['<div class="maps">', *map(_one_map, own), "</div>"]
    return [*parts, *_not_shown(len(pairs) - MOST_MAPS)]


def _not_shown(more: int) -> list[str]:
    return [f'<p class="small">{more} more are not shown.</p>'] if more > 0 else []


def _one_map(played: PairsPlayed) -> str:
    is_drawn = 1 < played.counts.shape[1] <= MOST_ARMS
    drawn = heat_maps.duel_map(played.counts, played.horizon) if is_drawn else ""
    most = "".join(f"<li>{escape(pair)}: {share:.1%}</li>" for pair, share in played.most_played(MOST_PAIRS))
    return f"<article><h4>{escape(played.label)}</h4>{drawn}<ul>{most}</ul></article>"


def _facts(facts: Mapping[str, str]) -> str:
    lines = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()]
    return "\n".join(["<dl>", *lines, "</dl>"])
