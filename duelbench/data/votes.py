"""Reads votes, judgements, games and rankings in any known format."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duelbench.bandits.problem.matrix_files import as_number, check_file, refuse_printed, text_lines
from duelbench.common.words import counted, plural
from duelbench.data import orders, session_log, square
from duelbench.data.columns import (
    Arms,
    Layout,
    Vote,
    check_roles,
    find_layout,
    no_columns,
    votes_of,
)
from duelbench.data.counts import PairCounts
from duelbench.data.orders import PREFLIB_TYPES, Order, Unranked
from duelbench.data.tables import LONGEST, Points, Table, first_rows, is_json, is_json_matrix, read_table
from duelbench.errors import InputError, letters, nearest_or_all

if TYPE_CHECKING:
    import pandas as pd

FORMATS = {
    "matrix": "probabilities: CSV, white-space text, JSON, .npy or .npz",
    "mslr": "the published .npz files of 136 rankers",
    "sushi": "the sushi survey's .order files",
    "preflib": "PrefLib orders: .soc, .toc, .soi, .toi",
    "cvotes": "the Condorcet Election Format",
    "rankings": "rankings in words, one per line: tacos > sushi = pizza",
    "pairs": "a table with named columns, in CSV or JSON: winner,loser, or a,b,winner, and others",
    "counts": "a K x K table of wins",
    "session": "the log of a live session",
}
"""Formats of data, by name."""

ORDERS = ("sushi", "preflib", "cvotes", "rankings")
"""Formats of orders, which may rank only some of the arms."""

NO_CHOICE = ("skipped", "skippedranking", "overvote", "undervote")
"""Cells of ballots without a choice, as cast-vote records have them: `letters` of them."""

N_MSLR_RANKERS = 136


class _Part(NamedTuple):
    """The content of a file: single votes, counts of wins, or both."""

    source: str
    votes: Sequence[Vote]
    counts: PairCounts | None
    notes: Sequence[str]
    judges: Collection[str] = ()  # all judges, excluded ones as well
    n_ballots: int = 0  # at least so many rankings, or occasions with scores, from which the comparisons follow


class _Request(NamedTuple):
    """The arguments of `read_votes`."""

    arms: Arms  # grows with each file
    columns: Mapping[str, str]
    ignore: Collection[str]
    without: Collection[str]
    unranked: Unranked | None


@dataclass(frozen=True, eq=False)
class Votes:
    """Comparisons of two arms at a time, from one file or several."""

    arms: tuple[str, ...]  # in the order of their first appearance
    notes: tuple[str, ...]  # on the format of each file, and on votes that were left out
    sources: tuple[str, ...]  # the files
    first_number: int  # the published number of the first arm, 0 if it has none
    _parts: tuple[_Part, ...]

    @property
    def source(self) -> str:
        """The files, for messages."""
        return ", ".join(self.sources)

    @cached_property
    def rows(self) -> "pd.DataFrame":
        """A row for each vote: ``first, second, winner, weight, judge, time, input, source, line``.

        ``winner`` is a name, or None for a tie. Missing values are empty texts, and line 0. Rankings and tables of wins
        have a row for each winner of a pair, whose weight counts 1/2 for a tie.
        """
        import pandas as pd

        votes = [vote for part in self._parts for vote in (*_of_counts(part.counts), *part.votes)]
        sources = [part.source for part in self._parts for _ in (*_of_counts(part.counts), *part.votes)]
        columns = dict(zip(Vote._fields, zip(*votes, strict=True), strict=True)) | {"source": sources}
        kinds = {"weight": np.float64, "line": np.int64}
        names = ("first", "second", "winner", "weight", "judge", "time", "input", "source", "line")
        return pd.DataFrame({name: pd.Series(columns[name], dtype=kinds.get(name, object)) for name in names})

    @property
    def n_ballots(self) -> int:
        """The least number of rankings, or occasions with scores; comparisons in one of them are not independent."""
        return sum(part.n_ballots for part in self._parts)

    def wins(self) -> np.ndarray:
        """Return how often arm i won against arm j, (K, K) float64; a tie is half a win for each."""
        index = {name: k for k, name in enumerate(self.arms)}
        wins = np.zeros((len(index), len(index)))
        for part in self._parts:
            if part.counts is not None:
                indices = [index[name] for name in part.counts.names]
                np.add.at(wins, np.ix_(indices, indices), part.counts.wins)
            if part.votes:
                pairs = np.array([(index[vote.first], index[vote.second]) for vote in part.votes])
                weights = np.array([vote.weight for vote in part.votes])
                shares = np.array([_share_of_first(vote) for vote in part.votes])
                np.add.at(wins, (pairs[:, 0], pairs[:, 1]), weights * shares)
                np.add.at(wins, (pairs[:, 1], pairs[:, 0]), weights * (1 - shares))
        return wins


def read_votes(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
    without: Collection[str] = (),
    form: str | None = None,
    unranked: Unranked | None = None,
) -> Votes:
    """Read votes from files, whose content tells their format.

    Parameters
    ----------
    paths : path, or several
        The files, whose votes are concatenated.
    columns : mapping of str to str, optional
        Columns of a table by role, as in ``{"a": "left", "b": "right", "winner": "choice"}``. Roles are those of
        `duelbench.data.columns.ROLES`; columns of other roles are found by their names.
    ignore : collection of str
        Columns of a table that are not used.
    without : collection of str
        Judges whose votes are left out.
    form : str, optional
        One of `FORMATS` with votes; by default the content of each file decides.
    unranked : {"ignore", "lose"}, optional
        How to treat arms that an order leaves out; the default depends on the format.

    Raises
    ------
    InputError
        If a file is wrong; the message names the file, the line and what to do.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "votes.csv")
    ...     _ = file.write_text("model_a,model_b,winner\\ntea,milk,model_a\\nmilk,tea,tie\\n")
    ...     votes = read_votes(file)
    >>> votes.arms, votes.wins().tolist(), votes.rows.winner.tolist()
    (('tea', 'milk'), [[0.0, 1.5], [0.5, 0.0]], ['tea', None])
    """
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    arms = Arms()
    request = _Request(arms, columns or {}, ignore, without, unranked)
    check_roles(request.columns)
    if not listed:
        raise InputError("no files of votes are given; name at least one")
    forms = {}
    for path in map(Path, listed):
        check_file(str(path), "data set")
        if path in forms:
            raise InputError(f"{path}: is named twice, so its votes would count twice; name it once")
        forms[path] = form or detect(path, request.columns.values())
        if forms[path] in ("matrix", "mslr"):
            raise InputError(f"{path}: holds probabilities, which do not tell the number of duels; give counts")
    _refuse_useless_options(forms, request)
    parts = [_read(path, forms[path], request) for path in map(Path, listed)]
    if len(arms.names) < 2:
        raise InputError(f"{', '.join(map(str, listed))}: holds no votes; it needs lines such as 'winner,loser,count'")
    _check_judges(parts, without)
    _refuse_votes_that_count_twice(parts)
    notes = [f"{part.source}: {note}" for part in parts for note in part.notes]
    notes += _notes_on_judges(parts)
    numbers = {part.counts.first if part.counts else 0 for part in parts}
    first_number = numbers.pop() if len(numbers) == 1 else 0
    return Votes(arms.names, (*notes, *arms.notes()), tuple(map(str, listed)), first_number, tuple(parts))


def _refuse_useless_options(forms: Mapping[Path, str], request: _Request) -> None:
    names = f"{', '.join(map(str, forms))}: read as {', '.join({*forms.values()})}"
    if (request.columns or request.ignore) and "pairs" not in forms.values():
        raise InputError(f"{names}, which has no named columns; leave out the options about columns")
    if request.unranked is not None and not {*ORDERS, "pairs"} & {*forms.values()}:
        raise InputError(f"{names}: holds no orders, so 'unranked' has no meaning; leave it out")


def detect(path: Path, named: Collection[str] = ()) -> str:
    """Return the format of a file, one of `FORMATS`; a file with all columns ``named`` is a table of votes."""
    if session_log.is_log(path):
        return "session"
    if square.is_numpy(path):
        return _kind_of_numbers(path)
    refuse_printed(str(path))
    if is_json(path):
        return _kind_of_numbers(path) if is_json_matrix(path) else "pairs"
    ending = path.suffix.lower().removeprefix(".")
    if ending in PREFLIB_TYPES:
        return "preflib"
    lines = [text.strip() for _, text in islice(text_lines(path, longest=LONGEST), 40) if text.strip()]
    if any(text.upper().startswith(("# NUMBER ALTERNATIVES", "# DATA TYPE")) for text in lines):
        return "preflib"
    content = [text for text in lines if not text.startswith("#")] or [""]
    if len(content) > 1 and re.fullmatch(r"\d+\s+1", content[0]) and re.match(r"0\s+\d+\s", content[1]):
        return "sushi"
    rows = first_rows(path)
    head, below = [*rows, [], []][:2]
    if named and {name.strip().lower() for name in named} <= {cell.lower() for cell in head}:
        return "pairs"
    has_names = head and all(as_number(cell) is None for cell in head)
    if has_names and find_layout(Table(str(path), tuple(head), ())) is not None:
        return _kind_of_numbers(path) if _is_row(below) and _is_square(path) else "pairs"
    if [as_number(cell) is None for cell in head] == [True, True, False] and not _is_row(below):
        return "pairs"
    if ending == "cvotes" or orders.is_cvotes(lines):
        return "cvotes"
    if ">" in content[0] and not _is_row(below):
        return "rankings"
    return "pairs" if _are_votes(rows) else _kind_of_numbers(path)


def _is_row(cells: Sequence[str]) -> bool:
    """Return whether a line is a row of numbers, with or without a name in the first cell."""
    return len(cells) > 1 and None not in map(as_number, cells[1:])


def _is_square(path: Path) -> bool:
    """Return whether a file holds a square table of numbers with a diagonal of matrices or counts."""
    try:
        values = np.array(square.read_square(path)[0].values, dtype=np.float64)
    except InputError:
        return False
    diagonal = {repr(value) for value in np.diagonal(values).tolist()}
    return values.shape == (len(values), len(values)) and len(diagonal) == 1 and diagonal <= square.DIAGONALS


def _are_votes(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first rows of a text, the first of them names, are votes rather than numbers of a matrix.

    They are more than the arms that the first one can name, or have words in a column that cannot name the rows, or
    half of the cells of the first vote are words, or its first cell is not in the line of names.
    """
    content = [row for row in rows if not row[0].startswith("#")] or [[]]
    head, *below = [row[0].split() if len(row) == 1 else row for row in content]
    if len(below) > len(head) == 2:
        return True
    if not below or any(as_number(cell) is not None for cell in head):
        return False
    cells, columns = below[0], [*zip(*below, strict=False)]
    has_words = any(all(map(_is_word, column)) for column in columns[1:])
    is_vote = 2 * sum(map(_is_word, cells)) >= len(cells) or (_is_word(cells[0]) and cells[0] not in head)
    return len(below) > len(head) or has_words or is_vote


def _is_word(cell: str) -> bool:
    """Return whether a cell is no number, not even one that is missing or has a typing error."""
    if as_number(cell) is not None or cell.lower() in ("na", "n/a", "null"):
        return False
    has_digit = re.search(r"\d", cell) is not None
    return bool(re.search(r"[^\W\d_]{2}" if has_digit else r"[^\W\d_]", cell))


def _kind_of_numbers(path: Path) -> str:
    """Return whether a square table holds counts or probabilities, as a format."""
    content, has_percent = square.read_square(path)
    values = np.array(content.values, dtype=np.float64)
    if not has_percent and square.holds_counts(values):
        return "counts"
    is_mslr = values.shape == (N_MSLR_RANKERS, N_MSLR_RANKERS) and path.suffix.lower() == ".npz"
    return "mslr" if is_mslr else "matrix"


def _read(path: Path, form: str, request: _Request) -> _Part:
    if form == "pairs":
        return _read_table(path, request)
    if form == "session":
        return _read_log(path, request)
    unranked = request.unranked
    counts = {
        "sushi": lambda: orders.read_sushi(path, unranked or "ignore"),
        "preflib": lambda: orders.read_preflib(path, unranked or "lose"),
        "rankings": lambda: orders.read_rankings(path, unranked or "ignore"),
        "cvotes": lambda: orders.read_cvotes(path, unranked),
        "counts": lambda: square.read_count_matrix(path),
    }[form]()
    totals = counts.wins + counts.wins.T
    n_ballots = int(totals.max(initial=0)) if form in ORDERS else 0
    notes = [*counts.notes, *(_notes_on_percentages(totals[totals > 0]) if form == "counts" else [])]
    return _Part(str(path), (), _named(counts, request.arms), notes, n_ballots=n_ballots)


def _notes_on_percentages(totals: np.ndarray) -> list[str]:
    """Return a note on counts that may be percentages, given the number of comparisons of each pair."""
    if not len(totals) or (totals != 100).any():
        return []
    return [
        "each pair adds up to 100, and is read as 100 comparisons; if these are percentages, the number of comparisons"
        " is not known: use them with `duelbench matrix import` only"
    ]


def _named(counts: PairCounts, arms: Arms) -> PairCounts:
    """Return the counts with the names that `Arms` has for theirs."""
    try:
        names = tuple(map(arms.named, counts.names))
    except ValueError as error:
        raise InputError(f"{counts.source}: {error}") from None
    return PairCounts(counts.wins, names, counts.source, counts.notes, counts.first)


def _read_table(path: Path, request: _Request) -> _Part:
    table = read_table(path)
    layout = find_layout(table, request.columns, request.ignore)
    if layout is None:
        raise no_columns(table)
    used, unused = layout.used(table.columns), layout.unused(table.columns)
    other_notes = [f"{'columns' if ', ' in unused else 'column'} not used: {unused}"] if unused else []
    other_notes += orders.comment_notes(table.n_comments)
    if layout.shape == "places":
        counts, judges, n_ballots = _read_places(path, table, layout, request)
        notes = [f"{counts.notes[0]} in {used}", *counts.notes[1:], *other_notes]
        return _Part(str(path), (), counts, notes, judges, n_ballots)
    winner_is = next((role for role in request.columns if role.startswith("winner_")), "")
    all_votes, notes = votes_of(table, layout, request.arms, winner_is)
    if "weight" in layout.at:
        other_notes.append(_note_on_weight(path, table.columns[layout.at["weight"]], all_votes))
    votes, left_out = _without(all_votes, request.without)
    if "weight" in layout.at or layout.shape == "sums":
        totals: defaultdict[frozenset[str], float] = defaultdict(float)
        for vote in votes:
            totals[frozenset((vote.first, vote.second))] += vote.weight
        other_notes += _notes_on_percentages(np.array([*totals.values()]))
    judges = {vote.judge for vote in all_votes}
    n_ballots = len({vote.input for vote in votes}) if layout.shape in ("scores", "ranks") else 0
    if layout.shape == "ranks":
        number, occasion = (table.columns[layout.at[role]] for role in ("rank", "input"))
        notes = [f"rankings: a lower {number} is better, for each {occasion}", *notes]
    return _Part(str(path), votes, None, [_summary(votes, used), *notes, *left_out, *other_notes], judges, n_ballots)


def _note_on_weight(path: Path, column: str, votes: Sequence[Vote]) -> str:
    """A note on the column that says how often each vote was given; `InputError` if it only numbers the lines."""
    numbers = [vote.weight for vote in votes]
    if len(numbers) > 2 and numbers in ([*range(1, len(numbers) + 1)], [*range(len(numbers))]):
        raise InputError(
            f"{path}: the column {column} only numbers the lines, but would count as the number of votes; leave it out"
            f" with --ignore {column}"
        )
    return f"{column} is how often each vote was given (--ignore {column} if it is not)"


def _without(votes: Sequence[Vote], judges: Collection[str]) -> tuple[Sequence[Vote], list[str]]:
    """Return the votes without those of some judges, and a note on their number."""
    kept = [vote for vote in votes if vote.judge not in judges] if judges else votes
    n_left_out = len(votes) - len(kept)
    return kept, [f"left out: {counted(n_left_out, 'vote')} of {', '.join(judges)}"] if n_left_out else []


def _summary(votes: Sequence[Vote], columns: str) -> str:
    """Return the numbers of votes in words: ``2,000 votes on 12 arms in model_a, model_b, winner; 130 ties``."""
    total = sum(vote.weight for vote in votes)
    ties = sum(vote.weight for vote in votes if vote.winner is None)
    n_arms = len({name for vote in votes for name in (vote.first, vote.second)})
    tied = f"; {ties:,.12g} {plural(int(ties), 'tie') if ties == int(ties) else 'ties'}" if ties else ""
    n_votes = f"{total:,.12g} {'vote' if total == 1 else 'votes'}"
    return f"{n_votes} on {counted(n_arms, 'arm')} in {columns}{tied}"


def _read_places(path: Path, table: Table, layout: Layout, request: _Request) -> tuple[PairCounts, set[str], int]:
    """Read rankings with one column for each place; return their counts, all judges, and the number of rankings."""
    judges: set[str] = set()
    rankings: list[int] = []  # how often each was given
    numbers: dict[str, int] = {}
    points = Points()
    marks: Counter[str] = Counter()

    def ballots() -> Iterator[Order]:
        for line, cells in table.rows:
            judge = cells[layout.at["judge"]] if "judge" in layout.at else ""
            judges.add(judge)
            if judge in request.without:
                continue
            text = cells[layout.at["weight"]] if "weight" in layout.at else "1"
            count = table.number(text)
            if count is None or count < 0 or count != int(count):
                raise InputError(f"{path}: line {line}: the count of a ranking is {text!r}; write a whole number")
            points.see(text, f"line {line}")
            try:
                marks.update(cells[k] for k in layout.places if letters(cells[k]) in NO_CHOICE)
                named = [cells[k] for k in layout.places if cells[k] and letters(cells[k]) not in NO_CHOICE]
                names = [request.arms.named(name) for name in named]
            except ValueError as error:
                raise InputError(f"{path}: line {line}: {error}") from None
            if names and count:
                rankings.append(int(count))
                yield line, int(count), [[numbers.setdefault(name, len(numbers))] for name in names]

    left_out = [f"without the rankings of {', '.join(request.without)}"] if request.without else []
    counts = orders.counts_of(path, ballots(), numbers, request.unranked or "ignore", *left_out)
    points.refuse(str(path), are_counts=True)
    if marks:
        listed = ", ".join(f"{mark} ({n} {plural(n, 'cell')})" for mark, n in marks.items())
        counts = replace(counts, notes=(*counts.notes, f"left out, as if the cells were empty: {listed}"))
    return counts, judges, sum(rankings)


def _read_log(path: Path, request: _Request) -> _Part:
    """Read the answers of a live session, and its earlier duels."""
    arms = request.arms
    header, answers = session_log.read_answers(path)
    for name in header["arms"]:
        arms.named(name)
    all_votes = [
        Vote(
            arms.named(event["first"]),
            arms.named(event["second"]),
            event["winner"] and arms.named(event["winner"]),
            1.0,
            event["judge"] or "",
            event["time"],
            event.get("input") or "",
            line,
        )
        for line, event in answers
    ]
    votes, left_out = _without(all_votes, request.without)
    n_ties = sum(vote.winner is None for vote in votes)
    ties = "ties are left out, as in the session" if header["ties"] == "drop" else counted(n_ties, "tie")
    notes = [f"{counted(len(votes), 'answer')} of a live session on {counted(len(header['arms']), 'arm')}; {ties}"]
    notes += left_out
    warm = np.array(header["warm"], dtype=np.float64)
    if warm.any():
        notes.append(f"{counted(float(warm.sum()), 'earlier duel')} of that session are added")
    counts = PairCounts(warm, tuple(header["arms"]), str(path)) if warm.any() else None
    judges = {vote.judge for vote in all_votes}
    return _Part(str(path), votes, counts and _named(counts, arms), notes, judges)


def _refuse_votes_that_count_twice(parts: Sequence[_Part]) -> None:
    """Refuse two files with the same votes, known by arms, winner, judge and time."""
    if len(parts) < 2:
        return
    timed = [(part.source, {vote._replace(line=0) for vote in part.votes if vote.time}) for part in parts]
    for k, (source, votes) in enumerate(timed):
        for other, votes_of_other in timed[:k]:
            if n_shared := len(votes & votes_of_other):
                raise InputError(
                    f"{source}: {counted(n_shared, 'vote')} of it are in {other}, too, and would count twice; leave one"
                    " of the files out"
                )


def _notes_on_judges(parts: Sequence[_Part]) -> list[str]:
    """A note on judges whose names differ only by case."""
    spellings: dict[str, set[str]] = {}
    for part in parts:
        for judge in filter(None, part.judges):
            spellings.setdefault(judge.casefold(), set()).add(judge)
    alike = [" and ".join(sorted(names)) for names in spellings.values() if len(names) > 1]
    return [f"judges that differ only by case are kept apart: {'; '.join(alike)}"] if alike else []


def _check_judges(parts: Sequence[_Part], without: Collection[str]) -> None:
    """Refuse judges that no file names."""
    judges = {judge for part in parts for judge in part.judges if judge}
    for name in without:
        if name not in judges:
            raise InputError(f"there is no judge {name!r} to leave out{nearest_or_all(name, sorted(judges)[:20])}")


def _share_of_first(vote: Vote) -> float:
    return 0.5 if vote.winner is None else float(vote.winner == vote.first)


def _of_counts(counts: PairCounts | None) -> Iterator[Vote]:
    """Yield counts as votes: one vote for each winner of a pair, with the number of wins as its weight."""
    if counts is not None:
        for i, j in np.argwhere(counts.wins > 0).tolist():
            first, second = counts.names[min(i, j)], counts.names[max(i, j)]
            yield Vote(first, second, counts.names[i], float(counts.wins[i, j]))
