"""``duelbench matrix``: generate, import and fetch; nothing is overwritten unasked, and mistakes write nothing."""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.cli.matrix.commands import Format
from duelbench.errors import InputError
from duelbench.problem.families import FAMILIES, generate
from duelbench.problem.matrix_files import as_csv
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources import datasets
from duelbench.problem.sources.importing import FORMATS
from duelbench.spec.load import load
from tests.optional_data import optional

ORDERS = {"sushi3a.5000.10.order": b"3 1\n0 3 1 0 2\n0 3 1 2 0\n", "sushi3b.5000.10.order": b"4 1\n0 2 1 0\n"}


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Commands run in an empty folder, with an empty data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def refused(*arguments: object) -> str:
    """The message of a command that is refused; it must have written nothing."""
    before = {path: path.read_bytes() for path in Path.cwd().rglob("*") if path.is_file()}
    with pytest.raises(InputError) as caught:
        run(*arguments)
    assert caught.value.exit_code == 2
    assert {path: path.read_bytes() for path in Path.cwd().rglob("*") if path.is_file()} == before
    return str(caught.value)


def test_generate_writes_the_matrix_of_the_family_and_says_what_it_is():
    result = run("matrix", "generate", "cyclic-blocks", "sizes=1,3", "p_within=0.8", "-o", "blocks.csv")
    assert result.stdout == "blocks.csv: K=4, Condorcet winner 0, smallest gap 0.1, no ties\n"
    written = PreferenceMatrix.load("blocks.csv")
    assert written.sha256 == generate("cyclic-blocks", sizes=[1, 3], p_within=0.8).sha256
    first = Path("blocks.csv").read_text().splitlines()[0]
    assert first == "# family cyclic-blocks: sizes=1,3, p_within=0.8, p_between=0.6; nothing is random"


def test_generate_takes_a_seed_and_numbers_as_specs_spell_them():
    run("matrix", "generate", "random", "n_arms=1e1", "winners=unique", "--seed", "1_0", "-o", "a.csv")
    assert PreferenceMatrix.load("a.csv").sha256 == generate("random", n_arms=10, winners="unique", seed=10).sha256
    run("matrix", "generate", "hard-condorcet", "zero_based=true", "-o", "b.csv")
    assert PreferenceMatrix.load("b.csv").sha256 == generate("hard-condorcet", zero_based=True).sha256


def test_nothing_is_overwritten_without_force():
    run("matrix", "generate", "linear", "-o", "a.csv")
    assert "a.csv: is there already; --force writes over it" in refused("matrix", "generate", "flat", "-o", "a.csv")
    Path("games.csv").write_text("winner,loser\na,b\n")
    assert "is there already" in refused("matrix", "import", "games.csv", "-o", "a.csv")
    run("matrix", "generate", "flat", "-o", "a.csv", "--force")
    assert PreferenceMatrix.load("a.csv").n_arms == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lineal"], "there is no family 'lineal' (did you mean 'linear'?)"),
        (["linear", "n_arms"], "'n_arms': write parameters as NAME=VALUE, as in n_arms=64"),
        (["linear", "n_arms=3", "n_arms=4"], "'n_arms=4': n_arms is given twice"),
        (["linear", "n_arms=1e6"], "linear: n_arms: must be <= 4096, got 1000000"),
        (["linear", "n_amrs=3", "slope=x"], "unknown parameter 'n_amrs' for linear (did you mean 'n_arms'?); slope:"),
        (["linear", "--seed", "3"], "seed: unknown parameter 'seed' for linear, which draws nothing; remove it"),
        (["random", "seed=3"], "give the seed as --seed"),
        (["random", "--seed", "-1"], "random: seed: must be at least 0, got '-1'"),
        (["cyclic-blocks", "sizes=1,x"], "cyclic-blocks: sizes: 'x' is not a number"),
        (["hard-condorcet", "zero_based=1"], "zero_based: must be true or false"),
        (["submatrix"], "submatrix: the parameter 'matrix' is missing; add the path of a matrix file"),
        (["submatrix", "matrix=mslr-perfect"], "get it with `duelbench matrix fetch mslr`"),
        (["random", "winners=condorcet", "n_arms=40"], "none of 10000 matrices drawn had winners=condorcet"),
    ],
)
def test_a_wrong_family_or_parameter_is_named_with_its_mend(arguments, message):
    assert message in refused("matrix", "generate", *arguments, "-o", "x.csv")


@pytest.mark.parametrize("output", ["x.npy", "x", "."])
def test_the_output_is_a_csv_file(output):
    assert "must end with .csv" in refused("matrix", "generate", "linear", "-o", output)
    Path("folder.csv").mkdir()
    assert "is a folder" in refused("matrix", "generate", "linear", "-o", "folder.csv", "--force")


def test_the_output_cannot_be_left_out():
    result = run("matrix", "generate", "linear")
    assert result.exit_code == 2
    assert "--output" in result.stderr


def test_a_path_that_cannot_be_written_is_one_message():
    Path("file").write_text("")
    assert "x.csv: cannot be written" in refused("matrix", "generate", "linear", "-o", "file/x.csv")


def test_import_says_what_it_found_and_keeps_it_in_the_file():
    text = "# NUMBER ALTERNATIVES: 3\n# DATA TYPE: toi\n# ALTERNATIVE NAME 1: tea\n3: 1,{2,3}\n1: 2\n"
    Path("votes.toi").write_text(text)
    result = run("matrix", "import", "votes.toi", "-o", "votes.csv")
    assert result.stderr.splitlines() == [
        "votes.toi: preflib",
        "  4 orders of 3 arms",
        "  PrefLib toi: incomplete orders with ties",
        "  in a tie each side has 1/2",
        "  a ranked arm wins against every unranked one, two unranked ones are not compared",
        "  each pair was compared 3 to 4 times",
    ]
    assert result.stdout == "votes.csv: K=3, Condorcet winner 0 (tea), smallest gap 0.125, no ties\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    lines = Path("votes.csv").read_text().splitlines()
    assert lines[0] == f"# from votes.toi (SHA-256 {sha256}), preflib"
    written = PreferenceMatrix.load("votes.csv")
    assert written.names == ("tea", "alternative 2", "alternative 3")
    assert written.P.tolist() == [[0.5, 0.75, 1.0], [0.25, 0.5, 0.625], [0.0, 0.375, 0.5]]


def test_import_options_reach_the_importer():
    Path("orders.txt").write_text("3 1\n0 2 0 1\n0 2 1 0\n0 1 2\n")
    assert "never compared: item 0 and item 2" in refused("matrix", "import", "orders.txt", "-o", "a.csv")
    run("matrix", "import", "orders.txt", "-o", "a.csv", "--unranked", "lose", "--format", "sushi")
    assert PreferenceMatrix.load("a.csv").P[0].round(6).tolist() == [0.5, 0.5, 0.666667]
    run("matrix", "import", "orders.txt", "-o", "b.csv", "--missing", "half", "--min-count", "2")
    assert (PreferenceMatrix.load("b.csv").P == 0.5).all()
    Path("names.txt").write_text("# sorts\ntuna\negg\nsquid\n")
    run("matrix", "import", "orders.txt", "-o", "c.csv", "--arms", "2,1", "--names", "names.txt")
    assert PreferenceMatrix.load("c.csv").names == ("egg", "tuna")


def test_import_of_the_published_rankers_by_their_indices():
    path = optional("data", "mslr", "MSLR_Informational_PMat.npz")
    run("matrix", "import", path, "--arms", "93,7,92,94,105", "-o", "a.csv")
    run("matrix", "import", path, "--arms", "mslr5-noncondorcet", "-o", "b.csv")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    whole = PreferenceMatrix.load(path)
    assert (whole.P[np.ix_([92, 6, 91, 93, 104], [92, 6, 91, 93, 104])] == PreferenceMatrix.load("a.csv").P).all()


def test_names_that_would_be_read_as_numbers_are_refused():
    Path("g.csv").write_text("winner,loser\n1.5,2.5\n2.5,1.5\n")
    assert "would be read as numbers; give them other names" in refused("matrix", "import", "g.csv", "-o", "a.csv")


NAMES = st.lists(
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda name: name and name.isprintable()),
    min_size=3,
    max_size=3,
    unique=True,
)


@settings(
    derandomize=True, max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names=NAMES, seed=st.integers(0, 1000))
def test_what_is_written_is_read_back_to_the_last_bit_names_included(tmp_path, names, seed):
    P = generate("random", n_arms=3, seed=seed).P
    path = tmp_path / "m.csv"
    try:
        path.write_text(as_csv(P, names, ['a, "comment"\nof two lines']), encoding="utf-8")
    except InputError:
        assert any(re.fullmatch(r"[-+.\dA-Za-z_]+", name) for name in names)
        return
    again = PreferenceMatrix.load(path)
    assert (again.P == P).all()
    assert again.names == tuple(names)


# Fetching


@pytest.fixture
def server(tmp_path):
    """Serves the folder ``served``."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            """Say nothing."""

    served = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield folder, f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    thread.join()
    served.server_close()


GOOD = b"0.5,0.9\n0.1,0.5\n"


@pytest.fixture
def demo(server, monkeypatch):
    """A collection on that server, with one file of known SHA-256; `http` is allowed for once."""
    _, address = server
    file = datasets.DataFile("demo.npz", hashlib.sha256(GOOD).hexdigest())
    collection = datasets.Collection("demo", "a demonstration", "no terms", (file,), (f"{address}/demo.npz",))
    monkeypatch.setattr(datasets, "COLLECTIONS", {"demo": collection})
    monkeypatch.setattr(datasets, "download", partial(datasets.download, schemes=("http",)))
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    return server[0] / "demo.npz"


def test_fetch_keeps_what_has_the_published_hash(demo):
    demo.write_bytes(GOOD)
    result = run("matrix", "fetch", "demo")
    kept = datasets.data_folder() / "demo" / "demo.npz"
    assert result.stdout == f"{kept}\n"
    assert kept.read_bytes() == GOOD
    again = run("matrix", "fetch", "demo")
    assert (again.stdout, again.exit_code) == ("", 0)
    assert "is there already; --force fetches it again" in again.stderr


def test_fetch_keeps_nothing_that_was_tampered_with(demo):
    demo.write_bytes(GOOD.replace(b"9", b"8"))
    assert re.search(r"has the SHA-256 \w{64}, not \w{64}: nothing was kept", refused("matrix", "fetch", "demo"))
    assert not datasets.data_folder().exists()


def test_fetch_without_a_server_says_how_to_do_without(demo):
    assert "the server answers 404" in refused("matrix", "fetch", "demo")
    assert "--from PATH" in refused("matrix", "fetch", "demo")


def test_fetch_takes_a_copy_and_import_finds_it_by_name(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for name, content in ORDERS.items():
            opened.writestr(f"sushi3-2016/{name}", content)
    (tmp_path / "sushi.zip").write_bytes(archive.getvalue())
    assert "sushi-a is not on this machine" in refused("matrix", "import", "sushi-a", "-o", "a.csv")
    run("matrix", "fetch", "sushi", "--from", tmp_path / "sushi.zip")
    run("matrix", "import", "sushi-a", "-o", "a.csv")
    assert PreferenceMatrix.load("a.csv").P.tolist() == [[0.5, 0.0, 0.5], [1.0, 0.5, 1.0], [0.5, 0.0, 0.5]]
    assert "there is nothing called 'sushy' to fetch (did you mean 'sushi'?)" in refused("matrix", "fetch", "sushy")


def test_a_copy_that_is_no_sushi_data_is_refused(tmp_path):
    (tmp_path / "sushi3a.5000.10.order").write_bytes(b"<html>not found</html>")
    message = refused("matrix", "fetch", "sushi", "--from", tmp_path)
    assert message.startswith("sushi3a.5000.10.order: line 1: begin with the number of items")
    assert message.endswith(": nothing was kept")
    assert not datasets.data_folder().exists()


def test_fetch_writes_over_other_data_only_with_force(tmp_path):
    for name, content in ORDERS.items():
        (tmp_path / name).write_bytes(content)
    run("matrix", "fetch", "sushi", "--from", tmp_path)
    one = tmp_path / "sushi3a.5000.10.order"
    one.write_bytes(b"2 1\n0 2 1 0\n")
    (datasets.data_folder() / "sushi" / "sushi3b.5000.10.order").unlink()
    assert "is there already and differs; --force writes over it" in refused("matrix", "fetch", "sushi", "--from", one)
    run("matrix", "fetch", "sushi", "--from", one, "--force")
    assert (datasets.data_folder() / "sushi" / one.name).read_bytes() == one.read_bytes()


def test_the_published_files_are_taken_from_a_copy_and_serve_specs_and_families():
    run("matrix", "fetch", "mslr", "--from", optional("data", "mslr"))
    run("matrix", "import", "mslr-informational", "--arms", "mslr5-condorcet", "-o", "five.csv")
    text = "horizon: 100\nalgorithms: [random]\nproblems:\n"
    text += "  five: {source: mslr-informational, arms: [2, 4, 3, 1, 5]}\n"
    text += "  drawn: {family: submatrix, matrix: mslr-informational, min_gap: 0.005, winners: no-condorcet, seed: 1}\n"
    Path("spec.yaml").write_text(text)
    five, drawn = load("spec.yaml").problems
    assert five.matrix.sha256 == PreferenceMatrix.load("five.csv").sha256
    assert drawn.matrix.n_arms == 16 and drawn.matrix.names[0].startswith("ranker ")


def test_list_families_as_text_and_json():
    listed = json.loads(run("list", "families", "--json").stdout)
    assert [item["name"] for item in listed] == list(FAMILIES)
    cycle = next(item for item in listed if item["name"] == "copeland-cycle")
    assert cycle["parameters"]["n_arms"] == {"default": 500, "description": "number of arms K"}
    assert cycle["random"] is True and "our choice" in cycle["source"]
    text = run("list", "families").stdout
    assert all(re.search(rf"^{name} ", text, re.MULTILINE) for name in FAMILIES)
    assert "sizes = 3,3,3" in text


def test_every_format_can_be_chosen():
    assert [form.value for form in Format] == list(FORMATS)


def test_no_other_command_opens_a_connection():
    program = (
        "import sys, duelbench.cli.app, duelbench.problem.sources.importing; print('urllib.request' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == "False"


def test_a_mistake_is_one_line_and_exit_code_2_in_a_process_of_its_own():
    command = [sys.executable, "-m", "duelbench", "matrix", "generate", "linear", "n_arms=1", "-o", "x.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: linear: n_arms: must be >= 2, got 1\n"
    assert not Path("x.csv").exists()


@pytest.mark.parametrize("command", [["winners", "three.csv", "--draws", "2"], ["slice", "--steps", "2"]])
def test_the_numbers_of_a_figure_take_the_place_of_such_numbers_only(command, tmp_path):
    run("matrix", "generate", "linear", "n_arms=3", "-o", "three.csv")
    Path("two.csv").mkdir()
    before = Path("three.csv").read_bytes()
    lost = "three.csv is there and holds no numbers of a figure, whose place it has: choose another name with --output"
    assert refused("matrix", *command, "-o", "three.svg") == lost
    assert refused("matrix", *command, "-o", "two.svg").startswith("two.csv is there and holds no numbers")
    assert Path("three.csv").read_bytes() == before and not Path("three.svg").exists()
    for _ in range(2):
        assert run("matrix", *command, "-o", "w.svg").exit_code == 0


def test_sizes_of_sets_are_those_of_the_matrix_unless_they_are_given():
    run("matrix", "generate", "linear", "n_arms=3", "-o", "three.csv")

    def sizes(*options):
        assert run("matrix", "winners", "three.csv", "--draws", "2", *options, "-o", "w.svg").exit_code == 0
        return [row["n_arms"] for row in csv.DictReader(io.StringIO(Path("w.csv").read_text()))]

    assert sizes() == sizes("--sizes", "3,2-3,2") == ["2", "3"]
    assert "sets of 4 arms cannot be drawn from 3: sizes are 2 to 3" in refused(
        "matrix", "winners", "three.csv", "--sizes", "2-4", "-o", "w.svg"
    )
    assert "--sizes 3-2: write numbers and ranges with commas, the smaller number first" in refused(
        "matrix", "winners", "three.csv", "--sizes", "3-2", "-o", "w.svg"
    )


@pytest.mark.parametrize("sizes", [[3], [2, 5]])
def test_a_figure_of_winners_has_ticks_at_its_sizes(sizes):
    from duelbench.figures.drawing.winner_figure import winner_figure
    from duelbench.problem.winner_study import study

    figure = winner_figure({"linear": study(generate("linear", n_arms=5), sizes, draws=2)}, None)
    assert all(axes.get_xticks().tolist() == sizes for axes in figure.axes)
