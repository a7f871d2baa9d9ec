"""Finds the roles of the columns in a table of votes, by name or as given, and reads the votes in its rows."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, takewhile
from typing import NamedTuple

from duelbench.bandits.problem.labelled import MAX_COUNT
from duelbench.bandits.problem.matrix_files import MAX_ARMS, MAX_LINES, as_number, quoted
from duelbench.common.words import counted
from duelbench.data.tables import Points, Table
from duelbench.errors import InputError, letters, nearest, nearest_or_all

_KINDS = ("model", "option", "arm", "item", "player", "team", "system", "candidate", "prompt", "response")

SIDES = (
    ("model_a", "model_b"),
    ("left", "right"),
    ("first", "second"),
    ("a", "b"),
    *((f"{kind}{a}", f"{kind}{b}") for kind in _KINDS for a, b in (("_a", "_b"), ("1", "2"), ("_1", "_2"))),
    ("home", "away"),
    ("home_team", "away_team"),
    ("hometeam", "awayteam"),
    ("white", "black"),
)
"""Names of the columns of the two sides of a duel. All names are in small letters, with _ for blanks and dashes."""

WON_AND_LOST = (
    ("winner", "loser"),
    ("winner_name", "loser_name"),
    ("won", "lost"),
    ("better", "worse"),
    ("chosen", "rejected"),
)
"""Names of the columns of the winner and the loser."""

NAMES = {
    "winner": ("winner", "label", "choice", "preferred", "preference", "result", "outcome", "verdict", "ftr"),
    "weight": ("count", "count(*)", "counts", "n", "wins", "weight", "votes", "frequency"),
    "tie": ("tie", "draw", "is_tie", "is_draw", "tied", "winner_tie"),
    "judge": ("judge", "annotator", "rater", "voter", "user", "judge_id", "annotator_id", "user_id", "judge_name"),
    "time": ("time", "timestamp", "tstamp", "date", "created_at"),
    "input": ("input", "occasion", "prompt", "question", "question_id", "prompt_id", "input_id", "task", "item"),
    "arm": ("arm", "model", "system", "option", "player", "team", "name", "candidate", "item"),
    "score": ("score", "rating", "points", "grade"),
    "rank": ("rank", "place", "position"),
    "ties": ("ties", "draws"),
}
"""Names of columns by role; the first name that a table has is used."""

SHAPES: dict[str, tuple[str, ...]] = {
    "sums": ("a", "b", "a_wins", "b_wins"),
    "won and lost": ("winner", "loser"),
    "one of three": ("a", "b", "a_won", "b_won"),
    "goals": ("a", "b", "a_score", "b_score"),
    "games": ("a", "b", "winner"),
    "scores": ("input", "arm", "score"),
    "ranks": ("input", "arm", "rank"),
}
"""Shapes of tables -> their required columns. The first shape whose columns a table has is used.

A column called winner takes precedence over goals, and goals over a column called result.
"""

OPTIONAL = {
    "sums": ("ties", "judge", "time", "input"),
    "scores": ("judge", "time"),
    "ranks": ("judge", "time"),
    "places": ("weight", "judge", "time", "input"),
}

ROLES = (
    *("a", "b", "winner", "winner_name", "winner_side", "loser", "tie", "weight", "judge", "time", "input"),
    *("a_wins", "b_wins", "ties", "a_won", "b_won", "a_score", "b_score", "arm", "score", "rank"),
)
"""Roles that can be given to columns."""

PLACES = ("{}st|{}nd|{}rd|{}th", "rank{}", "rank_{}", "place{}", "place_{}", "choice{}", "choice_{}", "position_{}")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

TRUTH_VALUES = {"true": True, "yes": True, "t": True, "1": True, "false": False, "no": False, "f": False, "0": False}

SIDE_WORDS = {
    "": ("a left first modela model1", "b right second modelb model2"),
    "home": ("h home", "a away"),
    "whit": ("w white", "b black"),
}
"""Beginning of the name of the first side's column -> words for the two sides in the column of the winner."""

TIE = 2
"""A tie as a side; 0 and 1 are the two sides of a duel."""

TIES = ("tie", "tied", "draw", "drawn", "both", "bothbad", "bothgood", "equal", "even", "neither", "same")

MAX_ROWS = MAX_LINES
"""Most votes that the scores of a file may lead to."""

KNOWN = (
    "a, b and winner (a and b also as model_a and model_b, left and right, ...); winner and loser; a, b, a_wins and"
    " b_wins; home, away, home_goals and away_goals; input, arm and score; 1st, 2nd, 3rd"
)

_TIE = re.compile(r"tie\s*[(_].*", re.IGNORECASE)
_VERDICT = re.compile(r"\[*\s*([AB])\s*([<>]+|=)\s*([AB])\s*\]*", re.IGNORECASE)
_GOALS = re.compile(r"(\d+(?:\.\d+)?|½|1/2)\s*[-:–]\s*(\d+(?:\.\d+)?|½|1/2)")


class Layout(NamedTuple):
    """The roles of the columns of a table."""

    shape: str  # one of `SHAPES`, or "places"
    at: Mapping[str, int]  # role -> column, counted from 0
    sides: tuple[str, str]  # names of the columns of the two sides
    places: tuple[int, ...] = ()  # columns of the first place, the second, ...
    is_reversed: bool = False  # whether the column of the second side, known by its name, stands before the first one

    def used(self, columns: Sequence[str]) -> str:
        """Return the names of the columns that are used."""
        return ", ".join(columns[k] for k in sorted({*self.at.values(), *self.places}))

    def unused(self, columns: Sequence[str]) -> str:
        """Return the names of all other columns."""
        others = [k for k in range(len(columns)) if k not in {*self.at.values(), *self.places}]
        return ", ".join(columns[k] or f"column {k + 1}" for k in others)


class Vote(NamedTuple):
    """A comparison of two arms, or several with the same result."""

    first: str
    second: str
    winner: str | None  # None for a tie
    weight: float
    judge: str = ""
    time: str = ""
    input: str = ""
    line: int = 0  # of the file, counted from 1


class Arms:
    """Names of arms, in the order of their first appearance.

    Examples
    --------
    >>> arms = Arms()
    >>> arms.named("tea"), arms.named("coffee"), arms.names
    ('tea', 'coffee', ('tea', 'coffee'))
    """

    def __init__(self) -> None:
        self._by_letters: dict[str, str] = {}
        self._spellings: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names so far."""
        return tuple(self._by_letters.values())

    def named(self, text: str) -> str:
        """Return the name of a spelling: the first spelling with the same Unicode letters."""
        name = self._spellings.get(text)
        if name is None:
            if not text:
                raise ValueError("a name is empty; name both sides")
            if not text.isprintable():
                raise ValueError(f"the name {quoted(text)} has characters that cannot be printed; remove them")
            name = self._by_letters.setdefault(unicodedata.normalize("NFC", text), text)
            self._spellings[text] = name
            if len(self._by_letters) > MAX_ARMS:
                raise ValueError(f"{len(self._by_letters)} arms; at most {MAX_ARMS} are supported")
        return name

    def known(self, text: str) -> str | None:
        """Return the name of a spelling; None if no arm has it."""
        return self._by_letters.get(unicodedata.normalize("NFC", text))

    def notes(self) -> list[str]:
        """Return notes on spellings that differ only in their storage, case or blanks."""
        notes = [
            f"{quoted(name)} is stored in two ways (Unicode NFC and NFD), and is one arm"
            for name in sorted({name for text, name in self._spellings.items() if name != text})
        ]
        alike: dict[str, str] = {}
        for name in self.names:
            other = alike.setdefault("".join(name.casefold().split()), name)
            if other != name:
                notes.append(f"{quoted(other)} and {quoted(name)} differ only by case or blanks, and are two arms")
        return notes


def find_layout(table: Table, chosen: Mapping[str, str] | None = None, ignore: Collection[str] = ()) -> Layout | None:
    """Find the roles of the columns of a table; None if it does not have the columns of any shape.

    Parameters
    ----------
    table : Table
        The table.
    chosen : mapping of str to str
        Columns by role, one of `ROLES`; the columns of other roles are found by their names.
    ignore : collection of str
        Columns that are not used.

    Examples
    --------
    >>> find_layout(Table("votes.csv", ("Model A", "Model B", "winner", "turn"), ())).at
    {'a': 0, 'b': 1, 'winner': 2}
    """
    chosen = {"winner" if role.startswith("winner_") else role: name for role, name in (chosen or {}).items()}
    fixed = {role: _column(table, name) for role, name in chosen.items()}
    hidden = {_column(table, name) for name in ignore}
    names = ["" if k in hidden else _plain(name) for k, name in enumerate(table.columns)]
    known = {name: k for k, name in reversed([*enumerate(names)]) if name and k not in fixed.values()}
    layout = _shape(known, fixed, names) or _places(known, fixed)
    if layout is not None:
        for k in (*layout.at.values(), *layout.places):
            if names[k] and names.count(names[k]) > 1:
                name = quoted(table.columns[k])
                raise InputError(f"{table.source}: line {table.head_line}: there are two columns {name}; rename one")
    return layout


def check_roles(chosen: Mapping[str, str]) -> None:
    """Refuse names that are no roles."""
    for role in chosen:
        if role not in ROLES:
            raise InputError(
                f"columns: a column cannot be {quoted(role)}{nearest_or_all(role, ROLES)}; write a=left,b=right,"
                "winner=choice or winner=winner_name,loser=loser_name"
            )


def _column(table: Table, name: str) -> int:
    """Return the index of a column, by its name as written or in small letters."""
    for form in (str.strip, _plain):
        names = [form(column) for column in table.columns]
        if form(name) in names:
            return names.index(form(name))
    listed = ", ".join(column or "(no name)" for column in table.columns)
    raise InputError(
        f"{table.source}: there is no column {quoted(name)}{nearest(name, table.columns)}; the columns are {listed}"
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _shape(known: Mapping[str, int], fixed: Mapping[str, int], names: Sequence[str]) -> Layout | None:
    for shape, required in SHAPES.items():
        if shape == "goals" and ("winner" in known or "winner" in fixed):
            continue
        optional = OPTIONAL.get(shape, ("weight", "tie", "judge", "time", "input"))
        if not fixed.keys() <= {*required, *optional}:
            continue
        pairs = WON_AND_LOST if "loser" in required else SIDES if "a" in required else (("", ""),)
        if {"a", "b"} <= {*fixed}:
            pairs = ((names[fixed["a"]], names[fixed["b"]]),)
        for pair in pairs:
            vocabulary = _vocabulary(shape, pair)
            at = dict(fixed)
            for role in (*required, *optional):
                columns = [known[name] for name in vocabulary.get(role, ()) if name in known]
                free = [k for k in columns if k not in at.values()]
                if role not in at and free:
                    at[role] = free[0]
            if at.keys() >= {*required}:
                is_reversed = "a" in at and "a" not in fixed and at["a"] > at["b"]
                return Layout(shape, at, pair, is_reversed=is_reversed)
    return None


def _vocabulary(shape: str, pair: tuple[str, str]) -> Mapping[str, Sequence[str]]:
    """Return the names of the columns for each role, if the columns of the two sides are called ``pair``."""
    vocabulary: dict[str, Sequence[str]] = dict(NAMES)
    if shape == "won and lost":
        return vocabulary | {"winner": pair[:1], "loser": pair[1:]}
    is_match = pair[0].startswith("home")
    for side, name, goals in (("a", pair[0], "fthg"), ("b", pair[1], "ftag")):
        scores = _columns_about(name, "goals", "score", "points", "rating")
        vocabulary |= {
            side: (name,),
            f"{side}_wins": _columns_about(name, "wins"),
            f"{side}_won": _columns_about(name, "winner", "won"),
            f"{side}_score": [*scores, goals] if is_match else scores,
        }
    return vocabulary


def _columns_about(side: str, *words: str) -> list[str]:
    """Return names of columns that combine the name of a side with a word.

    Examples
    --------
    >>> _columns_about("home_team", "goals")[4:6], _columns_about("option1", "wins")[6]
    (['home_goals', 'goals_home'], 'wins1')
    """
    short = side.removesuffix("team").rstrip("_").rpartition("_")[2]
    names = (side, short[-1] if short[-1:] in ("1", "2") else short)
    forms = ("{0}_{1}", "{1}_{0}", "{1}{0}", "{0}{1}")
    return [form.format(name, word) for word in words for name in names for form in forms]


def _places(known: Mapping[str, int], fixed: Mapping[str, int]) -> Layout | None:
    """Return the layout of a ranking with one column for each place; None if the table is none."""
    places: list[int] = []
    for pattern in PLACES:
        forms = pattern.split("|")
        names = ([form.format(k) for form in forms] for k in range(1, MAX_ARMS))
        places = _until_empty([known[name] for name in place if name in known] for place in names)
        if len(places) > 1:
            break
    else:
        places = _until_empty([known[name]] if name in known else [] for name in ORDINALS)
        if len(places) < 3:
            return None
    at = dict(fixed)
    for role in OPTIONAL["places"]:
        columns = [known[name] for name in NAMES[role] if name in known]
        if columns:
            at.setdefault(role, columns[0])
    return Layout("places", at, ("", ""), tuple(places))


def _until_empty(lists: Iterable[list[int]]) -> list[int]:
    """Return the first element of each list, up to the first list that is empty."""
    return [columns[0] for columns in takewhile(bool, lists)]


def no_columns(table: Table) -> InputError:
    """Return the error about a table whose columns have no known roles."""
    columns = ", ".join(column or "(no name)" for column in table.columns)
    if len(table.columns) == 3 and as_number(table.columns[2]) is not None:
        problem = (
            "the columns have no names, and the third one may count duels or say who won: put the line"
            " winner,loser,count above them; or winner,loser,tie; or a,b,winner with a, b or tie in the third column"
        )
    elif not table.is_json and len(table.columns) == 1 and " " in columns:
        problem = (
            "the cells are separated by blanks; write commas (`write.csv` in R), and names such as winner,loser above"
        )
    else:
        is_pair = len(table.columns) == 2 and not table.is_json
        hint = "if they are no names, put the line winner,loser above them; " if is_pair else ""
        problem = (
            f"the {'keys of this JSON' if table.is_json else 'columns'} {columns} do not say who won; {hint}known are"
            f" {KNOWN}; or name the columns, as in --columns a=left,b=right,winner=choice"
        )
        if table.is_json:
            problem += "; a matrix is a list of rows, as in [[0.5, 0.9], [0.1, 0.5]]"
    return InputError(f"{table.source}: line {table.head_line}: {problem}")


def votes_of(table: Table, layout: Layout, arms: Arms, winner_is: str = "") -> tuple[list[Vote], list[str]]:
    """Read the votes of a table, and return them with notes.

    Parameters
    ----------
    table, layout : Table, Layout
        The table and the roles of its columns; not a ranking with one column for each place.
    arms : Arms
        The arms so far; the arms of the table are added.
    winner_is : {"", "winner_name", "winner_side"}
        Whether the winner is a name or a side; empty for either.
    """
    reader = _Reader(table, layout, arms)
    votes, notes = reader.votes(), []
    if layout.shape == "games":
        texts = [vote.winner or "" for vote in votes]
        votes = _with_sides_read(table, layout, votes, arms, winner_is)
        notes = _notes_on_order(table, layout, votes, texts) if layout.is_reversed else []
    if reader.holds_counts or table.has_decimal_commas:
        reader.points.refuse(table.source, reader.holds_counts)
    n = reader.n_without_result
    return votes, [*notes, f"left out: {counted(n, 'row')} without a result"] if n else notes


def _notes_on_order(table: Table, layout: Layout, votes: Sequence[Vote], texts: Sequence[str]) -> list[str]:
    """Return a note on a result such as 2-1 that names no side, where the second side's column comes first."""
    for vote, text in zip(votes, texts, strict=True):
        if vote.winner is None or letters(vote.winner) == letters(text):
            continue
        side = layout.sides[vote.winner == vote.second]
        if as_number(text) is not None or letters(text) not in letters(side):
            a, b, winner = (table.columns[layout.at[role]] for role in ("a", "b", "winner"))
            return [
                f"{text} is read as a win of {side}, because {a} is the first side, although {b} stands before it; for"
                f" the other way round: --columns a={b},b={a},winner={winner}"
            ]
    return []


class _Reader:
    """Reads the rows of a table."""

    def __init__(self, table: Table, layout: Layout, arms: Arms) -> None:
        self.table, self.layout, self.arms = table, layout, arms
        self.n_without_result = 0
        self.line = 0
        self.points = Points()
        self.holds_counts = False

    def votes(self) -> list[Vote]:
        """Return all votes; the winner of games is the text of its cell."""
        if self.layout.shape in ("scores", "ranks"):
            return list(self._of_scores())
        read = {
            "sums": self._sums,
            "won and lost": self._won_and_lost,
            "one of three": self._one_of_three,
            "games": self._game,
            "goals": self._goals,
        }[self.layout.shape]
        votes = []
        for line, row in self.rows():
            more = (row.get("judge", ""), row.get("time", ""), row.get("input", ""), line)
            try:
                first, second = (self.arms.named(row[side]) for side in SHAPES[self.layout.shape][:2])
                if first == second:
                    raise ValueError(f"{quoted(first)} is compared with itself; remove the line")
                votes += [Vote(first, second, winner, n, *more) for winner, n in read(first, second, row)]
            except ValueError as error:
                raise self._error(line, error) from None
        return votes

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the line of each row, and its cells by role."""
        for line, cells in self.table.rows:
            self.line = line
            yield line, {role: cells[k] for role, k in self.layout.at.items()}

    def _error(self, line: int, error: ValueError) -> InputError:
        return InputError(f"{self.table.source}: line {line}: {error}")

    def _sums(self, first: str, second: str, row: Mapping[str, str]) -> list[tuple[str | None, float]]:
        ties = [(None, self._count(row, "ties"))] if "ties" in row else []
        return [(first, self._count(row, "a_wins")), (second, self._count(row, "b_wins")), *ties]

    def _won_and_lost(self, first: str, second: str, row: Mapping[str, str]) -> list[tuple[str | None, float]]:
        return [(None if _is_true(row.get("tie", ""), "tie") else first, self._weight(row))]

    def _one_of_three(self, first: str, second: str, row: Mapping[str, str]) -> list[tuple[str | None, float]]:
        marks = [_is_true(row.get(role, ""), role) for role in ("a_won", "b_won", "tie")]
        if sum(marks) != 1:
            raise ValueError(f"{sum(marks)} of the columns of the winner are 1; exactly one must be")
        return [((first, second, None)[marks.index(True)], self._weight(row))]

    def _game(self, first: str, second: str, row: Mapping[str, str]) -> list[tuple[str | None, float]]:
        is_tie = "tie" in row and _is_true(row["tie"], "tie")
        return [(None if is_tie else row["winner"], self._weight(row))]

    def _goals(self, first: str, second: str, row: Mapping[str, str]) -> list[tuple[str | None, float]]:
        if not row["a_score"] and not row["b_score"]:
            self.n_without_result += 1
            return []
        ours, theirs = (self._number(row, role) for role in ("a_score", "b_score"))
        return [(first if ours > theirs else second if theirs > ours else None, self._weight(row))]

    def _of_scores(self) -> Iterator[Vote]:
        """Yield a vote on each two arms with scores for the same input, by the same judge if the table has judges."""
        role = "score" if self.layout.shape == "scores" else "rank"
        sign = 1 if role == "score" else -1
        occasions: defaultdict[tuple[str, str], list[tuple[str, float, str, int]]] = defaultdict(list)
        for line, row in self.rows():
            try:
                arm = self.arms.named(row["arm"])
                if not row[role]:
                    self.n_without_result += 1
                    continue
                entries = occasions[row["input"], row.get("judge", "")]
                entries.append((arm, sign * self._number(row, role), row.get("time", ""), line))
            except ValueError as error:
                raise self._error(line, error) from None
        n_votes = sum(len(entries) * (len(entries) - 1) // 2 for entries in occasions.values())
        if n_votes > MAX_ROWS:
            raise InputError(f"{self.table.source}: the scores make {n_votes:,} votes; at most {MAX_ROWS:,} are read")
        for (occasion, judge), entries in occasions.items():
            lines: dict[str, int] = {}
            for arm, _, _, line in entries:
                if lines.setdefault(arm, line) != line:
                    wrong = f"{quoted(arm)} has a {role} for {quoted(occasion)} on line {lines[arm]}, too; remove one"
                    raise self._error(line, ValueError(wrong))
            for (first, ours, _, _), (second, theirs, time, line) in combinations(entries, 2):
                winner = first if ours > theirs else second if theirs > ours else None
                yield Vote(first, second, winner, 1.0, judge, time, occasion, line)

    def _weight(self, row: Mapping[str, str]) -> float:
        return self._count(row, "weight") if "weight" in row else 1.0

    def _count(self, row: Mapping[str, str], role: str) -> float:
        number = self.table.number(row[role])
        if number is None or not 0 <= number <= MAX_COUNT:
            raise ValueError(f"the {self._name(role)} is {quoted(row[role])}; write a number from 0 to {MAX_COUNT:g}")
        self.points.see(row[role], f"line {self.line}")
        self.holds_counts = True
        if number % 0.5 and "weight" not in _plain(self._name(role)):
            rule = "write counts as whole numbers, without points between thousands, or with a half"
            raise ValueError(f"the {self._name(role)} is {quoted(row[role])}; {rule}")
        return number

    def _number(self, row: Mapping[str, str], role: str) -> float:
        number = self.table.number(row[role])
        if number is None or number != number:
            raise ValueError(f"the {self._name(role)} is {quoted(row[role])}; write a number")
        self.points.see(row[role], f"line {self.line}")
        return number

    def _name(self, role: str) -> str:
        return self.table.columns[self.layout.at[role]]


def _is_true(text: str, role: str) -> bool:
    """Read a truth value; an empty cell is False."""
    plain = text.lower().removesuffix(".0")
    if plain and plain not in TRUTH_VALUES:
        raise ValueError(f"the column {role} holds {quoted(text)}; write true or false")
    return TRUTH_VALUES.get(plain, False)


def _with_sides_read(table: Table, layout: Layout, votes: Sequence[Vote], arms: Arms, winner_is: str) -> list[Vote]:
    """Return games with the name of the winner, or None for a tie, in place of the text of its cell.

    All cells are read as names, or else as sides, if one of these fits them all; otherwise each is read for itself.
    """
    column = table.columns[layout.at["winner"]]
    texts = {vote.winner for vote in votes if vote.winner is not None}
    names = {text: arms.known(text) for text in texts}
    numbers = _numbers_as_sides(texts)
    sides = {text: _side(text, layout.sides, numbers) for text in texts}
    decided = [vote for vote in votes if vote.winner is not None]
    as_sides = [sides[str(vote.winner)] for vote in decided]
    as_names = []
    for vote, side in zip(decided, as_sides, strict=True):
        pair = (vote.first, vote.second)
        name = names[str(vote.winner)]
        as_names.append(TIE if side == TIE and name not in pair else pair.index(name) if name in pair else None)
    mixed = [side if name is None else name for name, side in zip(as_names, as_sides, strict=True)]
    ways = {"winner_name": [as_names], "winner_side": [as_sides]}.get(winner_is, [as_names, as_sides, mixed])
    complete = [way for way in ways if None not in way]
    if len(ways) > 1 and not (None in as_names) ^ (None in as_sides):
        for vote, named, side in zip(decided, as_names, as_sides, strict=True):
            if None not in (named, side) and named != side:
                raise InputError(
                    f"{table.source}: line {vote.line}: the winner {quoted(str(vote.winner))} is a side, and the name"
                    f" of the arm on the other side; say which: --columns winner_name={column} or --columns"
                    f" winner_side={column}"
                )
    read = iter([*complete, ways[-1]][0])
    result = []
    for vote in votes:
        side = TIE if vote.winner is None else next(read)
        if side is None:
            raise InputError(f"{table.source}: line {vote.line}: {_unclear(vote, column, layout, texts)}")
        result.append(vote._replace(winner=(vote.first, vote.second, None)[side]))
    return result


def _unclear(vote: Vote, column: str, layout: Layout, texts: Collection[str | None]) -> str:
    """Return the message about a winner that is neither a name nor a side."""
    first, second = layout.sides
    if not vote.winner:
        return f"the winner is empty; write {first}, {second} or tie, or remove the line"
    if vote.winner.removesuffix(".0") in ("-1", "0", "1", "2"):
        shown = ", ".join(sorted(map(str, texts)))
        return (
            f"the numbers in the column {quoted(column)} ({shown}) do not say which side won; write {first}, {second}"
            " or tie, or 1 and 2"
        )
    hint = nearest(vote.winner, (vote.first, vote.second))
    return f"the winner is {quoted(vote.winner)}{hint}; write {first}, {second}, tie, or its name"


def _numbers_as_sides(texts: Collection[str | None]) -> Mapping[str, int]:
    """Return the side (0 or 1, or 2 for a tie) of each number in the column of the winner; empty if it is not clear.

    1 and 2 are the sides. 0, 0.5 and 1 are the points of the first side. 0 and 1 alone may mean either.
    """
    numbers = {text for text in texts if text and as_number(text) is not None}
    plain = {text.removesuffix(".0") for text in numbers}
    if "0.5" in plain and plain <= {"0", "0.5", "1"}:
        meanings = {"0": 1, "0.5": 2, "1": 0}
    elif "2" in plain and plain <= {"1", "2"}:
        meanings = {"1": 0, "2": 1}
    else:
        return {}
    return {text: meanings[text.removesuffix(".0")] for text in numbers}


def _side(text: str | None, sides: tuple[str, str], numbers: Mapping[str, int]) -> int | None:
    """Return 0 or 1 for a side, 2 for a tie, None for anything else."""
    word = letters(text)
    if text in numbers:
        return numbers[str(text)]
    words = SIDE_WORDS.get(sides[0][:4], SIDE_WORDS[""])
    for side, name in enumerate(sides):
        if word and (word in words[side].split() or word == letters(name)):
            return side
    verdict = _VERDICT.fullmatch(text or "")
    if verdict:
        better = verdict[3 if verdict[2].startswith("<") else 1].lower()
        return TIE if verdict[2] == "=" else ("a", "b").index(better)
    goals = _GOALS.fullmatch(text or "")
    if goals:
        ours, theirs = (0.5 if part in ("½", "1/2") else float(part) for part in goals.groups())
        return 0 if ours > theirs else 1 if theirs > ours else TIE
    is_tie = (
        word in TIES
        or text == "[[C]]"
        or _TIE.fullmatch(text or "")
        or (word in ("d", "x") and sides[0].startswith("home"))
    )
    return TIE if is_tie else None
