"""docs/reliability.md names fifteen promises, and tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text()
ROWS = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)


def test_there_are_fifteen_promises_each_with_its_tests():
    assert [int(number) for number, *_ in ROWS] == list(range(1, 16))
    assert all(re.search(r"`tests/[\w/]+\.py", tests) for *_, tests in ROWS)


def test_every_test_that_the_promises_name_exists():
    for number, _, _, tests in ROWS:
        text = ""
        for path, name in re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", tests):
            if path:
                text = (ROOT / path).read_text()
            assert text and (not name or re.search(rf"^\s*def {name}\(", text, re.MULTILINE)), (number, path, name)


def test_the_long_target_is_what_the_page_says():
    from tests.faults.long import PARTS

    assert f"`{'`, `'.join(PARTS)}`" in re.sub(r"\s+", " ", PAGE)


def test_the_figures_say_that_nothing_was_lost():
    figures = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE.partition("## The long target")[2], re.MULTILINE))
    (lost,) = (figure for what, figure in figures.items() if what.startswith("bytes lost"))
    (kills,) = (figure for what, figure in figures.items() if what.startswith("kills at random instants"))
    assert lost == "0" and int(kills.replace(",", "")) >= 300
