"""The reference pages of the site name everything that the code has."""

import docstrings
import pytest
import reference

import duelbench
from duelbench.algorithms.registry import BUILT_IN
from duelbench.problem.families import FAMILIES
from duelbench.problem.regret import DEFINITIONS
from duelbench.problem.round_losses import ANNOUNCED, SCALAR
from duelbench.spec.document import KEYS
from tests.docs.test_names import options


def in_tables(page: str) -> set[str]:
    """The first code words of the rows of all tables."""
    rows = (line for line in page.splitlines() if line.startswith("| `"))
    return {row.split("`")[1] for row in rows}


def test_every_command_has_its_options():
    sections = dict(part.split("\n", 1) for part in reference.commands().split("\n## ")[1:])
    leaves = [words for words in options() if not any(longer[:-1] == words for longer in options())]
    assert sorted(sections) == sorted(" ".join(("duelbench", *words)) for words in leaves)
    for words in leaves:
        shown = sections[" ".join(("duelbench", *words))]
        missing = [option for option in options()[words] if option.startswith("--") and option not in shown]
        assert not missing, f"{words}: {missing}"


def test_what_keeps_its_line_breaks_in_a_help_text_is_code():
    text = "Do it.\n\nOne\nparagraph.\n\n\b\nExamples:\n  duelbench run\n  duelbench plot"
    assert (
        reference._help(text)
        == "Do it.\n\nOne paragraph.\n\nExamples:\n\n```text\n  duelbench run\n  duelbench plot\n```"
    )


def test_bars_do_not_end_a_cell():
    assert reference._table(["a"], [["`x|y` or z|w"]]).splitlines()[2] == "| `x|y` or z\\|w |"


def test_every_key_of_a_spec_is_there():
    assert in_tables(reference.spec().split("\n## ")[0]) == set(KEYS)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, ["a whole number >= 1 and <= 9"]),
        ({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]+$"}]}, ["a whole number"]),
        ({"type": ["string", "number"], "pattern": "^[A-Za-z]"}, ["text", "a number"]),
        ({"enum": ["copeland", "ecw"]}, ["`copeland`, `ecw`"]),
        ({"type": "array", "items": {"type": "string"}}, ["a list"]),
    ],
)
def test_what_a_key_may_hold_is_said_in_words(key, values):
    assert list(reference._values(key)) == values


def test_every_algorithm_has_its_parameters():
    sections = dict(part.split("](", 1) for part in reference.algorithms().split("\n## [")[1:])
    assert list(sections) == list(BUILT_IN)
    for id, section in sections.items():
        assert in_tables(section) == set(duelbench.algorithms()[id].parameters), id


def test_every_regret_definition_is_there():
    assert in_tables(reference.regrets()) == {*DEFINITIONS, *ANNOUNCED, *SCALAR}


def test_every_family_is_there():
    page = reference.families()
    assert all(f"\n## {name}\n" in page for name in FAMILIES)


def test_every_public_name_is_there():
    page = reference.python()
    assert all(f"\n## `duelbench.{name}`\n" in page for name in duelbench.__all__ if name != "__version__")
    assert "\n### `Results.summary`\n" in page


def test_a_signature_shows_which_arguments_must_be_named():
    def call(first, second=2, *, third=3):
        """Nothing."""

    assert docstrings._signature("call", call) == "```python\ncall(first, second=2, *, third=3)\n```"
