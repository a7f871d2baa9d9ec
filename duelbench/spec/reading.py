"""Reading a spec: the draft of what is known so far, the place that is being read, and what a value may be there.

Mistakes are noted at their place, and reading continues: one message has all mistakes of a file. What a value may be
can depend on what was read before, which the draft has.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from duelbench.errors import InputError
from duelbench.spec.naming import folder_name
from duelbench.numerals import shown
from duelbench.spec.yaml_source import Given, Location, Noted, Scalar, Value

if TYPE_CHECKING:
    from duelbench.spec.experiment_spec import Problem

T = TypeVar("T")
Schema = dict[str, Any]

MAX_LISTED = 1000
"""Most algorithms or problems of a spec: each is a folder of results."""


class Wrong(ValueError):
    """Something inside a value is wrong, and already noted."""


@dataclass
class Draft:
    """What is known of a spec while it is read."""

    folder: Path = Path()  # what paths are relative to
    stem: str = ""  # the file's name without its ending
    is_scaled: bool = False  # whether it is read at one of its scales
    given: Collection[str] = ()  # its keys, right or wrong, and those that misspelt ones are likely to mean
    keys: dict[str, Any] = field(default_factory=dict)  # what was read of its keys
    problems: list["Problem"] = field(default_factory=list)  # those that are right
    posed: list[bool] = field(default_factory=list)  # of all that were asked for, whether it is a scalar bandit
    asked: dict[str, dict[Scalar, Value]] = field(default_factory=dict)  # problem of a family -> its keys, as text
    n_entries: int = 0  # of the matrices so far
    noted: list[Noted] = field(default_factory=list)  # what is wrong

    @property
    def is_scalar(self) -> bool | None:
        """Whether the problems are scalar bandits; None where there are none, or of both kinds."""
        return self.posed[0] if len(set(self.posed)) == 1 else None


@dataclass(frozen=True)
class Reading:
    """The place in a file that is being read, and the draft of the spec.

    Examples
    --------
    >>> at = Reading().below("rucb", "alpha")
    >>> at.note("must be a number")
    >>> at.draft.noted
    [Noted(location=('rucb', 'alpha'), message='must be a number', at_key=False)]
    """

    draft: Draft = field(default_factory=Draft)
    location: Location = ()

    def below(self, *steps: str | int) -> "Reading":
        """A place inside of this one."""
        return Reading(self.draft, (*self.location, *steps))

    def note(self, message: str, *, at_key: bool = False) -> None:
        """Note a mistake in the value here, or in its key."""
        self.draft.noted.append(Noted(self.location, message, at_key))

    def attempt(self, reader: Callable[..., T], *arguments: Any, at_key: bool = False) -> T | None:
        """What ``reader(*arguments)`` returns, or None after noting the error that it raised."""
        try:
            return reader(*arguments)
        except Wrong:
            return None
        except (ValueError, InputError) as error:
            self.note(str(error), at_key=at_key)
            return None

    @contextmanager
    def faultless(self) -> Iterator[None]:
        """Raise `Wrong` at the end of the block where anything was noted in it."""
        before = len(self.draft.noted)
        yield
        if len(self.draft.noted) > before:
            raise Wrong


class Kind:
    """What a value may be: a function that reads it, and its JSON Schema as far as it does not depend on other keys.

    Parameters
    ----------
    reader : callable
        ``reader(value, at)`` returns the value, or what is right of it. It raises `ValueError` or `InputError` with a
        reason that makes a sentence after the key's name, or notes what is wrong inside of the value.
    schema : mapping, or callable that returns one
    """

    reader: Callable[[Value, Reading], Any]

    def __init__(self, reader: Callable[[Value, Reading], Any], schema: Schema | Callable[[], Schema]) -> None:
        self.reader, self._schema = reader, schema

    def read(self, value: Value, at: Reading) -> Any:
        """The value, or what is right of it; None where nothing is. What is wrong is noted."""
        return at.attempt(self.reader, value, at)

    def json_schema(self) -> Schema:
        """JSON Schema of the values."""
        return self._schema() if callable(self._schema) else self._schema


class Parsed(Kind):
    """What a value may be that does not depend on what was read before: ``parse(value)`` reads it."""

    def __init__(self, parse: Callable[[Value], Any], schema: Schema | Callable[[], Schema]) -> None:
        super().__init__(lambda value, at: parse(value), schema)
        self.parse = parse


def form_of(value: Value) -> str:
    """What a value is, in the words of a message.

    Examples
    --------
    >>> form_of(["a"])
    'a list'
    """
    if not value:
        return "empty"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Given):
        return f"a value of type {type(value.content).__name__}"
    return "keys with values" if isinstance(value, dict) else "text"


def scalar(value: Value, wanted: str) -> Scalar:
    """The text of a scalar; ``wanted`` says what it stands for."""
    if value is None:
        raise ValueError(f"has no value; write {wanted}, or remove it")
    if not isinstance(value, Scalar):
        raise ValueError(f"must be {wanted}, not {form_of(value)}")
    return value


def word(value: Value, wanted: str, fix: str = "; write '{}' in quotes") -> str:
    """Text that is not one of the words that YAML takes for true or false; ``fix`` says what to do about those."""
    text = scalar(value, wanted)
    if text.truth is not None:
        read = f"but YAML reads a bare {text} as {str(text.truth).lower()}"
        raise ValueError(f"must be {wanted}, {read}{fix.format(text)}")
    return str(text)


def listed(value: Value, at: Reading, at_least: int = 1, most: int | None = None) -> list[tuple[Reading, Value]]:
    """The items of a list, each with its place; a lone value as if it were a list of one.

    Examples
    --------
    >>> [(here.location, item) for here, item in listed([Scalar("a"), Scalar("b")], Reading())]
    [((0,), 'a'), ((1,), 'b')]
    >>> [(here.location, item) for here, item in listed(Scalar("a"), Reading())]
    [((), 'a')]
    """
    if not isinstance(value, list):
        return [(at, value)]
    if len(value) < at_least:
        raise ValueError("is an empty list; name at least one")
    if most is not None and len(value) > most:
        raise ValueError(f"lists {len(value)}, but at most {most} are allowed")
    return [(at.below(k), item) for k, item in enumerate(value)]


Named = list[tuple[Reading, str, Value]]
"""Values, each with its place and its name."""


def named(value: Value, at: Reading, wanted: str, most: int = MAX_LISTED) -> Named:
    """The values of a mapping of names that can be those of folders; ``wanted`` says what the mapping is."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be {wanted}, not {form_of(value)}")
    if len(value) > most:
        raise ValueError(f"lists {len(value)}, but at most {most} are allowed")
    for name in value:
        at.below(name).attempt(name_of, name, at_key=True)
    return [(at.below(name), str(name), item) for name, item in value.items()]


def name_of(value: Value) -> str:
    """A word that can name a folder on every system."""
    return folder_name(word(value, "a name"))


def check_names(items: Named, what: str) -> None:
    """Note names that occur twice; some file systems do not tell capital letters from small ones."""
    taken: set[str] = set()
    for here, name, _ in items:
        if name and name.lower() in taken:
            here.note(f"the name {shown(name)} appears twice; give each {what} its own", at_key=True)
        taken.add(name.lower())
