"""What docs/advise.md shows is true: its numbers of the law are those of the code, its commands can be typed."""

import shlex

import typer

from duelbench.cli.app import app
from duelbench.live.beliefs import GAPS, PEOPLE
from duelbench.live.candidates import USUAL, candidate
from tests.docs.test_readme import ROOT

PAGE = (ROOT / "docs" / "advise.md").read_text(encoding="utf-8")


def test_the_law_on_the_page_is_that_of_the_code():
    assert f"(x_i - x_j + {PEOPLE.own} e_ij)" in PAGE
    assert f"normal around ln {PEOPLE.spread} with standard deviation {PEOPLE.uncertainty}" in PAGE
    assert f"spreads around {', '.join(str(prior.spread) for prior in GAPS.values())};" in PAGE
    assert {prior.uncertainty for prior in GAPS.values()} == {0.25} and "of the logarithm 0.25" in PAGE
    assert {prior.own for prior in GAPS.values()} == {PEOPLE.own}


def test_the_table_has_the_usual_algorithms_and_the_page_says_which_have_a_test_of_their_own():
    shown = [line.split()[0] for line in PAGE.splitlines() if "%  [" in line]
    assert sorted(shown) == sorted(USUAL)
    own = [id for id in USUAL if candidate(id, 0.05).rule is None]
    assert f"({', '.join(f'`{id}`' for id in own)}) end by it" in " ".join(PAGE.split())


def test_the_commands_of_the_page_can_be_typed():
    command = typer.main.get_command(app).commands["advise"]
    typed = [line.removeprefix("$ duelbench advise ") for line in PAGE.splitlines() if line.startswith("$ duelbench")]
    assert len(typed) == 4
    for words in typed:
        command.make_context("advise", shlex.split(words, comments=True))
