"""Reads arms that have outputs on inputs, and draws an input for each question of a session."""

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
"""The required columns."""

INPUT_TEXT = "input_text"
"""The column with the text of an input, if the column ``input`` has only its name."""

TAKEN = ("name", "text", "path")
"""Names that no further column can have, because judging programs read JSON with these keys."""


def arms_of(path: Path) -> tuple[Arm, ...]:
    """Read arms from a file or a folder, with `read_outputs` if the file has outputs, else with `read_arms`."""
    ending = path.suffix.lower()
    has_outputs = path.is_file() and (ending == ".jsonl" or (ending in TABLES and "arm" in head_of(path)))
    return read_outputs(path) if has_outputs else read_arms(path)


def read_outputs(path: Path) -> tuple[Arm, ...]:
    """Read arms and their outputs on inputs from a file.

    Parameters
    ----------
    path : Path
        A table (.csv, .tsv) with the columns ``arm``, ``input`` and ``output``, or an object with these keys on each
        line (.jsonl). Optionally ``input_text`` is the text of the input, and ``input`` its name. Other columns are
        kept in `Output.more`.

    Returns
    -------
    tuple of Arm
        In the order in which the file first names them.

    Raises
    ------
    InputError
        If the file is wrong; the message names the file, the line and what to do.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "outputs.csv"
    >>> _ = path.write_text("arm,input,output\\nshort,2+2,4\\nlong,2+2,The sum is 4.\\n")
    >>> [(arm.name, arm.outputs["2+2"].text) for arm in read_outputs(path)]
    [('short', '4'), ('long', 'The sum is 4.')]
    """
    outputs: dict[str, dict[str, Output]] = {}
    locations: dict[tuple[str, str], str] = {}
    texts: dict[str, tuple[str | None, str]] = {}  # the text and the location of each input
    lines = _in_table(path) if path.suffix.lower() in TABLES else _in_lines(path)
    for location, cells in lines:
        name, input, text = (_text(location, cells, column) for column in COLUMNS)
        name, input = name.strip(), input.strip()
        if not name or not input:
            raise InputError(f"{location}: the {'input' if name else 'arm'} is empty; name it")
        check_arm_name(name, location)
        first_location = locations.setdefault((name, input), location)
        if first_location != location:
            raise InputError(
                f"{location}: a second output of {quoted(name)} on the input {quoted(input)}, as at {first_location};"
                f" remove one, or give each sample an input of its own, with the same {INPUT_TEXT}"
            )
        input_text = _text(location, cells, INPUT_TEXT) if cells.get(INPUT_TEXT) else None
        first_text, first_location = texts.setdefault(input, (input_text, location))
        if first_text != input_text:
            raise InputError(
                f"{location}: another {INPUT_TEXT} of {quoted(input)} than at {first_location}; make them equal"
            )
        more = {column: value for column, value in cells.items() if column not in (*COLUMNS, INPUT_TEXT)}
        outputs.setdefault(name, {})[input] = Output(text, input_text, more)
    if not 2 <= len(outputs) <= MAX_ARMS:
        raise InputError(f"{path}: outputs of {len(outputs)} arms; from 2 to {MAX_ARMS} can be compared")
    arms = tuple(Arm(name, outputs=by_input) for name, by_input in outputs.items())
    if len(never_asked(arms)) == len(arms) * (len(arms) - 1) // 2:
        raise InputError(
            f"{path}: no two arms have different outputs on an input that both have, so there is nothing to ask"
        )
    return arms


def _in_table(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    head = head_of(path)
    for k, column in enumerate(head):
        _check_column(f"{path}:1", column)
        if column in head[:k]:
            raise InputError(f"{path}:1: the column {quoted(column)} is given twice; rename one")
    for column in COLUMNS:
        if column not in head:
            hint = nearest(column, head)
            raise InputError(f"{path}:1: there is no column {column}{hint}; outputs have {', '.join(COLUMNS)}")
    for location, cells in rows_of(path):
        yield location, {column: cells.get(column, "") for column in head}


def _in_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(content_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        location = f"{path}:{number}"
        try:
            cells = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{location}: not JSON: {error}") from None
        if not isinstance(cells, dict):
            raise InputError(f'{location}: must be an object, {{"arm": "a", "input": "1", "output": "..."}}')
        for column in cells:
            _check_column(location, column)
        yield location, cells


def _check_column(location: str, column: str) -> None:
    if not column or column in TAKEN:
        raise InputError(f"{location}: a further column cannot be called {quoted(column)}; rename it")


def _text(location: str, cells: Mapping[str, Any], column: str) -> str:
    value = cells.get(column)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return json.dumps(value)
    if not isinstance(value, str):
        problem = "is missing" if column not in cells else "must be a text"
        raise InputError(f"{location}: {column} {problem}; outputs have {', '.join(COLUMNS)}")
    return value


def never_asked(arms: Iterable[Arm]) -> dict[tuple[str, str], str]:
    """Return the reason, in words, for each pair of arm names that have no input with different outputs.

    Arms without outputs are left out.

    Examples
    --------
    >>> a, b = Arm("a", outputs={"1": Output("x"), "2": Output("y")}), Arm("b", outputs={"2": Output("y")})
    >>> never_asked([a, b, Arm("c", outputs={"1": Output("z")})])
    {('a', 'b'): 'have the same outputs', ('b', 'c'): 'have no input in common'}
    """
    pairs: dict[tuple[str, str], str] = {}
    with_outputs = [arm for arm in arms if arm.outputs]
    for first, second in combinations(with_outputs, 2):
        common = inputs_of(first, second)
        if not common:
            pairs[first.name, second.name] = "have no input in common"
        elif all(first.outputs[input].text == second.outputs[input].text for input in common):
            pairs[first.name, second.name] = "have the same outputs"
    return pairs


def remarks_on_outputs(arms: Iterable[Arm]) -> list[str]:
    """Return notes on the pairs of `never_asked`, and on outputs that are empty."""
    arms = list(arms)
    by_reason: dict[str, list[str]] = {}
    for pair, why in never_asked(arms).items():
        by_reason.setdefault(why, []).append(" and ".join(map(quoted, pair)))
    notes = [f"never asked, because they {why}: {first_of(pairs, between='; ')}" for why, pairs in by_reason.items()]
    n_empty = {arm.name: sum(not output.text.strip() for output in arm.outputs.values()) for arm in arms}
    empty = [f"{n} of {quoted(name)}" for name, n in n_empty.items() if n]
    return [*notes, f"empty outputs are judged like all others: {first_of(empty)}"] if empty else notes


def inputs_of(first: Arm, second: Arm) -> list[str]:
    """Return the inputs on which both arms have an output, sorted."""
    return sorted(first.outputs.keys() & second.outputs.keys())


def _on(arm: Arm, input: str) -> Arm:
    """Return an arm whose text is its output on an input."""
    output = arm.outputs[input]
    return Arm(arm.name, output.text, more=output.more)


class Question(NamedTuple):
    """A pair, and the content that a judge sees."""

    pair: Pair
    first: Arm
    second: Arm
    input: str | None = None  # None if the arms have no outputs
    input_text: str | None = None  # the text of the input

    @property
    def is_of_equals(self) -> bool:
        """Whether both outputs are the same text, so no judge is needed."""
        return self.input is not None and self.first.text == self.second.text

    @property
    def turned(self) -> "Question":
        """The question in the other order."""
        return self._replace(first=self.second, second=self.first)

    @property
    def key(self) -> str | None:
        """A digest of the input, which the web page returns with an answer."""
        return None if self.input is None else hashlib.sha256(self.input.encode()).hexdigest()[:16]


class Draws:
    """Draws the questions of a session, each with an input.

    Of the inputs that answers and skips of the pair have used least, it draws the one whose digest with the seed is
    smallest. So the seed and the events determine the input.

    Parameters
    ----------
    session : Session
        The session.
    arms : mapping of str to Arm
        Its arms by name.
    """

    def __init__(self, session: Session, arms: Mapping[str, Arm]) -> None:
        self._session, self._arms = session, arms
        self._seed = session.settings["seed"]
        self._inputs: dict[int, str] = {}  # inputs drawn so far, by the number of the question

    def next(self, taken: Collection[int] = (), budget: int | None = None) -> Question | None:
        """Return the next question by `next_question`, or None.

        Questions about equal outputs are recorded as ties, until the session has ``budget`` answers.
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
        """Return the content of a question, with the same input each time."""
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

        def priority(input: str) -> tuple[int, bytes]:
            key = json.dumps([self._seed, *sorted(pair), uses[input], input])
            return uses[input], hashlib.sha256(key.encode()).digest()

        return min(inputs, key=priority)
