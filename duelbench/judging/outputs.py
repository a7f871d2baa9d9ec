"""Arms as what they have made of inputs: read from a file, and an input drawn for each question of a session."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.bandits.problem.matrix_files import MAX_ARMS, quoted
from duelbench.errors import InputError, nearest
from duelbench.judging.arms import (
    TABLES,
    Arm,
    Output,
    check_arm_name,
    content_of,
    first_of,
    head_of,
    read_arms,
    rows_of,
)
from duelbench.judging.history import AUTOMATIC
from duelbench.judging.session import Pair, Session, next_question

COLUMNS = ("arm", "input", "output")
"""That each line has."""

INPUT_TEXT = "input_text"
"""The column with the input in words, where the column ``input`` only names it."""

TAKEN = ("name", "text", "path")
"""What a program reads of an arm by these names, so that no further column can have them."""


def arms_of(path: Path) -> tuple[Arm, ...]:
    """The arms of a file or a folder: outputs on inputs as of `read_outputs`, or as `read_arms` reads them."""
    ending = path.suffix.lower()
    has_outputs = path.is_file() and (ending == ".jsonl" or (ending in TABLES and "arm" in head_of(path)))
    return read_outputs(path) if has_outputs else read_arms(path)


def read_outputs(path: Path) -> tuple[Arm, ...]:
    """The arms of a file that has the output of each arm on each input.

    Parameters
    ----------
    path : Path
        A table (.csv, .tsv) with the columns ``arm``, ``input`` and ``output``, or such an object on each line
        (.jsonl). ``input_text`` is the input in words, where ``input`` only names it. Other columns are kept in
        `Output.more`.

    Returns
    -------
    tuple of Arm
        In the order in which the file first names them.

    Raises
    ------
    InputError
        Naming the file, the line and what to do.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "outputs.csv"
    >>> _ = path.write_text("arm,input,output\\nshort,2+2,4\\nlong,2+2,The sum is 4.\\n")
    >>> [(arm.name, arm.outputs["2+2"].text) for arm in read_outputs(path)]
    [('short', '4'), ('long', 'The sum is 4.')]
    """
    outputs: dict[str, dict[str, Output]] = {}
    places: dict[tuple[str, str], str] = {}
    texts: dict[str, tuple[str | None, str]] = {}  # of the inputs, and where they stand
    for place, cells in _in_lines(path) if path.suffix.lower() not in TABLES else _in_table(path):
        name, input, text = (_text(place, cells, column) for column in COLUMNS)
        name, input = name.strip(), input.strip()
        if not name or not input:
            raise InputError(f"{place}: the {'input' if name else 'arm'} is empty; name it")
        check_arm_name(name, place)
        before = places.setdefault((name, input), place)
        if before != place:
            raise InputError(
                f"{place}: a second output of {quoted(name)} on the input {quoted(input)}, as at {before}; remove one,"
                f" or give each sample an input of its own, with the same {INPUT_TEXT}"
            )
        in_words = _text(place, cells, INPUT_TEXT) if cells.get(INPUT_TEXT) else None
        known, first_place = texts.setdefault(input, (in_words, place))
        if known != in_words:
            raise InputError(f"{place}: another {INPUT_TEXT} of {quoted(input)} than at {first_place}; make them equal")
        more = {column: value for column, value in cells.items() if column not in (*COLUMNS, INPUT_TEXT)}
        outputs.setdefault(name, {})[input] = Output(text, in_words, more)
    if not 2 <= len(outputs) <= MAX_ARMS:
        raise InputError(f"{path}: outputs of {len(outputs)} arms; from 2 to {MAX_ARMS} can be compared")
    arms = tuple(Arm(name, outputs=by_input) for name, by_input in outputs.items())
    if len(never_asked(arms)) == len(arms) * (len(arms) - 1) // 2:
        raise InputError(
            f"{path}: no two arms have different outputs on an input that both have, so that there is nothing to ask"
        )
    return arms


def _in_table(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    head = head_of(path)
    for k, column in enumerate(head):
        _check_column(f"{path}:1", column)
        if column in head[:k]:
            raise InputError(f"{path}:1: the column {quoted(column)} is there twice; rename one")
    for column in COLUMNS:
        if column not in head:
            hint = nearest(column, head)
            raise InputError(f"{path}:1: there is no column {column}{hint}; outputs have {', '.join(COLUMNS)}")
    for place, cells in rows_of(path):
        yield place, {column: cells.get(column, "") for column in head}


def _in_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(content_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            cells = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{place}: not JSON: {error}") from None
        if not isinstance(cells, dict):
            raise InputError(f'{place}: must be an object, {{"arm": "a", "input": "1", "output": "..."}}')
        for column in cells:
            _check_column(place, column)
        yield place, cells


def _check_column(place: str, column: str) -> None:
    if not column or column in TAKEN:
        raise InputError(f"{place}: a further column cannot be called {quoted(column)}; rename it")


def _text(place: str, cells: Mapping[str, Any], column: str) -> str:
    value = cells.get(column)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return json.dumps(value)
    if not isinstance(value, str):
        what = "is missing" if column not in cells else "must be a text"
        raise InputError(f"{place}: {column} {what}; outputs have {', '.join(COLUMNS)}")
    return value


def never_asked(arms: Iterable[Arm]) -> dict[tuple[str, str], str]:
    """The pairs of arms that nobody can be asked about, by their names, and why, in words; none of fixed texts.

    Examples
    --------
    >>> a, b = Arm("a", outputs={"1": Output("x"), "2": Output("y")}), Arm("b", outputs={"2": Output("y")})
    >>> never_asked([a, b, Arm("c", outputs={"1": Output("z")})])
    {('a', 'b'): 'have the same outputs', ('b', 'c'): 'have no input in common'}
    """
    pairs: dict[tuple[str, str], str] = {}
    for first, second in combinations([arm for arm in arms if arm.outputs], 2):
        common = inputs_of(first, second)
        if not common:
            pairs[first.name, second.name] = "have no input in common"
        elif all(first.outputs[input].text == second.outputs[input].text for input in common):
            pairs[first.name, second.name] = "have the same outputs"
    return pairs


def remarks_on_outputs(arms: Iterable[Arm]) -> list[str]:
    """Notes on pairs of arms that nobody can be asked about."""
    by_reason: dict[str, list[str]] = {}
    for pair, why in never_asked(arms).items():
        by_reason.setdefault(why, []).append(" and ".join(map(quoted, pair)))
    return [f"never asked, because they {why}: {first_of(pairs, between='; ')}" for why, pairs in by_reason.items()]


def inputs_of(first: Arm, second: Arm) -> list[str]:
    """The inputs on which both arms have an output, in the order of their names."""
    return sorted(first.outputs.keys() & second.outputs.keys())


def _on(arm: Arm, input: str) -> Arm:
    """An arm as it is shown on an input."""
    output = arm.outputs[input]
    return Arm(arm.name, output.text, more=output.more)


class Question(NamedTuple):
    """A pair, and what a judge is shown of it."""

    pair: Pair
    first: Arm
    second: Arm
    input: str | None = None  # None where the arms show the same each time
    input_text: str | None = None  # the input in words

    @property
    def is_of_equals(self) -> bool:
        """Whether a judge would read the same output twice, so that nobody need be asked."""
        return self.input is not None and self.first.text == self.second.text

    @property
    def turned(self) -> "Question":
        """The same in the other order."""
        return self._replace(first=self.second, second=self.first)

    @property
    def key(self) -> str | None:
        """A digest of the input, by which a page says what it has shown."""
        return None if self.input is None else hashlib.sha256(self.input.encode()).hexdigest()[:16]


class Draws:
    """The questions of a session with what is shown of them, an input being drawn for each.

    It is one of those used least for the pair, by answers and by questions that were skipped; of these, the one whose
    digest with the seed comes first. So the seed and what has happened determine it.

    Parameters
    ----------
    session : Session
        Of the same arms.
    arms : mapping of str to Arm
        By their names.
    """

    def __init__(self, session: Session, arms: Mapping[str, Arm]) -> None:
        self._session, self._arms = session, arms
        self._seed = session.settings["seed"]
        self._inputs: dict[int, str] = {}  # drawn, by the number of the question

    def next(self, taken: Collection[int] = (), budget: int | None = None) -> Question | None:
        """The next question as of `next_question`, ties of two equal outputs being counted; None where there is none.

        Not more than ``budget`` answers are there afterwards for such ties.
        """
        while budget is None or self._session.told < budget:
            pair = next_question(self._session, taken)
            if pair is None:
                return None
            question = self.of(pair)
            if not question.is_of_equals:
                return question
            self._session.tie(pair, input=question.input, details=AUTOMATIC)
        return None

    def of(self, pair: Pair) -> Question:
        """What is shown of a question; the same whenever this is called."""
        first, second = (self._arms[name] for name in pair)
        if not first.outputs:
            return Question(pair, first, second)
        if pair.number not in self._inputs:
            self._inputs[pair.number] = self._drawn(pair, inputs_of(first, second))
        input = self._inputs[pair.number]
        return Question(pair, _on(first, input), _on(second, input), input, first.outputs[input].input_text or input)

    def _drawn(self, pair: Pair, inputs: Sequence[str]) -> str:
        uses = self._session.inputs_used(pair)
        for other in self._session.out:
            if {*other} == {*pair} and other.number in self._inputs:
                uses[self._inputs[other.number]] += 1

        def place(input: str) -> tuple[int, bytes]:
            drawn_from = json.dumps([self._seed, *sorted(pair), uses[input], input])
            return uses[input], hashlib.sha256(drawn_from.encode()).digest()

        return min(inputs, key=place)
