"""The site: what is generated for it is complete; it is built without a warning and can be looked at in a browser."""

import functools
import http.server
import json
import os
import re
import subprocess
import sys
import threading

import pytest
import reference

import duelbench
from duelbench import plugin
from duelbench.bandits.algorithms.registry import BUILT_IN
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.regret import DEFINITIONS
from duelbench.bandits.problem.round_losses import ANNOUNCED, SCALAR
from duelbench.experiments.spec.document import KEYS
from duelbench.leaderboard import page as leaderboard_page
from tests.browser import DESK, PHONE, browser, complaints, visit
from tests.docs.following import ROOT
from tests.docs.test_names import options

# --- pages that are generated from the code ---


def in_tables(page: str) -> set[str]:
    """The first code words of the rows of all tables."""
    return {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}


def test_every_command_has_its_options():
    sections = dict(part.split("\n", 1) for part in reference.commands().split("\n## ")[1:])
    leaves = [words for words in options() if not any(longer[:-1] == words for longer in options())]
    assert sorted(sections) == sorted(" ".join(("duelbench", *words)) for words in leaves)
    for words in leaves:
        shown = sections[" ".join(("duelbench", *words))]
        assert not [option for option in options()[words] if option.startswith("--") and option not in shown], words


def test_every_algorithm_has_its_parameters():
    sections = dict(part.split("](", 1) for part in reference.algorithms().split("\n## [")[1:])
    assert list(sections) == list(BUILT_IN)
    for id, section in sections.items():
        assert in_tables(section) == set(duelbench.algorithms()[id].parameters), id


def test_every_key_regret_family_and_public_name_is_there():
    assert in_tables(reference.spec().split("\n## ")[0]) == set(KEYS)
    assert in_tables(reference.regrets()) == {*DEFINITIONS, *ANNOUNCED, *SCALAR}
    families, python = reference.families(), reference.python()
    assert all(f"\n## {name}\n" in families for name in FAMILIES)
    assert all(f"\n## `duelbench.{name}`\n" in python for name in duelbench.__all__ if name != "__version__")
    functions = [name for name in plugin.__all__ if callable(vars(plugin)[name]) and "Per" not in name]
    assert all(f"\n## `duelbench.plugin.{name}`\n" in python for name in functions)


def test_the_page_about_plug_ins_lists_what_they_import():
    page = (ROOT / "docs" / "plugin.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)", page, re.MULTILINE) == plugin.__all__


def test_a_page_of_an_algorithm_has_its_measured_regret_at_its_end(monkeypatch, tmp_path):
    (tmp_path / "algorithms").mkdir()
    (tmp_path / "algorithms" / "regret.csv").write_text(
        "algorithm,matrix,regret,settings,program,runs,round,mean,error\n"
        "x,cyclic,copeland,,Komiyama,4,10^3,5.0,.1\n"
        "x,cyclic,copeland,,Komiyama,4,10^4,7,\n"
        "x,cyclic,weak,a=1,duelbench,4,10^3,9,sd 2\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(reference, "DOCS", tmp_path)
    page = "# X\n\nIt duels.\n"
    filled = reference.with_regret(page, "x")
    assert filled.startswith("# X\n\nIt duels.\n\n## Measured")
    assert "\n\nRegret `copeland`, mean +- standard error:\n\n| matrix |" in filled
    assert "\n| cyclic | Komiyama |  | 4 | 5.0 +- .1 | 7 |\n\nRegret `weak`" in filled
    assert filled.endswith("\n| cyclic | duelbench | a=1 | 4 | 9 sd 2 |\n")
    assert reference.with_regret(page, "y") == page


# --- the site itself ---


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material", reason="MkDocs Material is missing: `make docs` installs it")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.xdist_group("site")
def test_the_site_has_the_leaderboard_and_specs_as_pages_and_nothing_from_another_machine(site):
    """That links lead somewhere is checked by the build itself, which CI does with `make docs`."""
    board = json.loads((ROOT / "docs" / "leaderboard" / "leaderboard.json").read_text(encoding="utf-8"))
    assert (site / "leaderboard" / "index.html").read_text(encoding="utf-8") == leaderboard_page.html(board)
    assert "repository/configs/wu2016/1a.yaml.html" in (site / "figures/wu2016.html").read_text(encoding="utf-8")
    assert (site / "repository/configs/wu2016/1a.yaml.html").exists()
    for file in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        assert not re.findall(r'(?:\ssrc="|<link[^>]* href="|url\(["\']?)(?:https?:)?//[^"\')]*', text), file


@pytest.fixture
def address(site):
    """Of the site, served on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def is_one_of_many(page: str) -> bool:
    """The pages of algorithms are alike; some are looked at."""
    return page.startswith("algorithms/") and page[len("algorithms/")] not in "cdk"


@pytest.mark.slow
@pytest.mark.xdist_group("site")
def test_pages_have_no_script_errors_and_fit_a_desk_and_a_phone(site, address, tmp_path):
    pages = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html"))
    assert len(pages) > 100
    wrong = {}
    with browser(tmp_path) as driver:
        for page in pages:
            for width in (DESK, PHONE) if page != "404.html" and not is_one_of_many(page) else ():
                visit(driver, address + page, width)
                root = "document.documentElement"
                too_wide = driver.execute_script(f"return {root}.scrollWidth > {root}.clientWidth")
                loaded = driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
                found = [*complaints(driver), *(["too wide"] if too_wide else [])]
                found += [name for name in loaded if not name.startswith((address, "data:"))]
                if found:
                    wrong[page, width] = found
    assert not wrong
