"""Importing: the format is told by the content, arms by names and numbers, options that mean nothing are refused."""

import hashlib
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.data.datasets import SUBSETS
from duelbench.data.importing import import_matrix, parse_arms
from duelbench.errors import InputError
from tests.optional_data import optional

FILES = {
    "matrix": ("m.csv", "0.5,0.9,0.5\n0.1,0.5,0.75\n0.5,0.25,0.5\n"),
    "counts": ("w.csv", "a,b,c\n0,9,1\n1,0,3\n1,1,0\n"),
    "pairs": ("g.csv", "winner,loser,count\na,b,9\nb,a,1\na,c,1\nc,a,1\nb,c,3\nc,b,1\n"),
    "sushi": ("s.order", "3 1\n0 3 0 1 2\n0 3 2 0 1\n"),
    "preflib": ("p.soc", "# NUMBER ALTERNATIVES: 3\n# DATA TYPE: soc\n2: 1,2,3\n1: 3,1,2\n"),
    "cvotes": ("c.cvotes", "#/Candidates: a ; b ; c\n#/Weight Allowed: true\nx || a > b = c ^2 * 3 # x\nc > a\n"),
    "rankings": ("r.txt", "# lunch\na > b > c\nc>a = b\n"),
}


# Text, arms asked for, format, names joined by /, the first row, and the end of the last note.
FOUND = [
    (FILES["counts"][1], "c,a", "counts", "c/a", [0.5, 0.5], "from 0: 2 (c), 0 (a)"),
    (FILES["counts"][1], [2, 0], "counts", "c/a", [0.5, 0.5], "from 0: 2 (c), 0 (a)"),
    (FILES["counts"][1], "2,a", "counts", "c/a", [0.5, 0.5], ""),
    (FILES["pairs"][1], "0-2", "pairs", "a/b/c", [0.5, 0.9, 0.5], ""),
    (FILES["pairs"][1], "a-1,2", "pairs", "a/b/c", [0.5, 0.9, 0.5], ""),
    (FILES["sushi"][1], "3,1", "sushi", "item 2/item 0", [0.5, 0.5], "from 1: 3 (item 2), 1 (item 0)"),
    (FILES["preflib"][1], "3,1", "preflib", "alternative 3/alternative 1", [0.5, 1 / 3], "1 (alternative 1)"),
    ('"B, Jr",7-9,2\n.5,.6,.7\n.4,.5,.8\n.3,.2,.5\n', '"B, Jr",7-9', "matrix", "B, Jr/7-9", [0.5, 0.6], ""),
    ('"B, Jr",7-9,2\n.5,.6,.7\n.4,.5,.8\n.3,.2,.5\n', "2,0", "matrix", "2/B, Jr", [0.5, 0.3], ""),
    # With names in the first line and in the first column, as `DataFrame.to_csv` writes them
    (",tea,milk\ntea,0,9\nmilk,1,0\n", None, "counts", "tea/milk", [0.5, 0.9], ""),
    ("drink,tea,milk\ntea,0.5,0.9\nmilk,0.1,0.5\n", None, "matrix", "tea/milk", [0.5, 0.9], ""),
    (",0,1\n0,0,3\n1,1,0\n", None, "counts", "0/1", [0.5, 0.75], ""),
    # Arms that are called like a ranking or a column of results
    ("a > b,winner\n0.5,0.9\n0.1,0.5\n", None, "matrix", "a > b/winner", [0.5, 0.9], ""),
    (",a > b,winner\na > b,0.5,0.9\nwinner,0.1,0.5\n", None, "matrix", "a > b/winner", [0.5, 0.9], ""),
    # A zero diagonal between whole and half numbers says counts; what says nothing there may be around probabilities
    ("0,1\n0,0\n", None, "counts", "0/1", [0.5, 1.0], ""),
    ("0,2.5\n0.5,0\n", None, "counts", "0/1", [0.5, 2.5 / 3], ""),
    ("0,0.5\n0.5,0\n", None, "counts", "0/1", [0.5, 0.5], "each pair was compared 1 time"),
    ("0,0.3\n0.7,0\n", None, "matrix", "0/1", [0.5, 0.3], ""),
    (",0.3\n0.7,\n", None, "matrix", "0/1", [0.5, 0.3], ""),
    ("a,b\nnan,0.3\n0.7,nan\n", None, "matrix", "a/b", [0.5, 0.3], ""),
    ("id,a,b\na,,0.3\nb,0.7,\n", None, "matrix", "a/b", [0.5, 0.3], ""),
]


def test_the_content_says_the_format_and_arms_are_chosen_in_their_order(write):
    for text, arms, form, names, row, note in FOUND:
        found = import_matrix(write(text), arms=arms)
        assert (found.form, "/".join(found.matrix.names)) == (form, names), text
        assert found.matrix.P[0] == pytest.approx(row, abs=1e-15), text
        assert note in " ".join(found.notes)
    for form, (name, text) in FILES.items():  # whatever the file is called, or when the format is given
        path = write(text, name)
        found = import_matrix(path)
        assert (found.form, found.matrix.n_arms) == (form, 3)
        assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert import_matrix(write(text), form).matrix.sha256 == found.matrix.sha256


def test_formats_and_names_can_be_given(write, tmp_path):
    probabilities = write("0,0.6\n0.5,0\n")
    with pytest.raises(InputError, match=r"0\.6 and row 2, column 1 .* together 1\.1; .*format 'counts'"):
        import_matrix(probabilities)
    assert import_matrix(probabilities, "counts").matrix.P[0, 1] == 0.6 / 1.1
    named = import_matrix(write(FILES["matrix"][1]), names=["tea", "milk", "soup"], arms="milk,soup")
    assert named.matrix.names == ("milk", "soup")
    np.savez(tmp_path / "w.npz", wins=[[0, 3], [1, 0]], names=["tuna", "egg"])
    found = import_matrix(tmp_path / "w.npz")
    assert (found.form, found.matrix.names, found.matrix.P[0, 1]) == ("counts", ("tuna", "egg"), 0.75)


# A file or the format of one above, options, the place and a word of the message.
WRONG = [
    ("0,0.3\n0.7,0.5\n", {"form": "matrix"}, r"row 1, column 1 .*line 1\) is 0,"),
    ("0.5,\n,0.5\n", {"form": "matrix"}, "row 1, column 2 .* is empty"),
    ("0,3\n1,0\n", {"form": "matrix"}, "row 1, column 2 .* is 3,"),
    ("5,3\n1,2\n", {}, "row 1, column 1.*: 5, .*: write 0$"),
    ("0,-3\n1,0\n", {}, "row 1, column 2.*: -3, but a count"),
    ("0,inf\n1,0\n", {}, "inf, but a count"),
    ("0 3 1\n1 0 1\n", {}, "2 row"),
    ("0,3\n1,0\n", {"form": "pears"}, "'pairs'"),
    ("0.5,0.6\n0.4,0.5\n", {"form": "mslr"}, "136 rankers"),
    ("counts", {"arms": [0, 3]}, r"no arm '3'.* from 0 \(a\) to 2"),
    ("preflib", {"arms": "0,1"}, r"no arm '0'; .* from 1 \(alternative 1\) to 3"),
    ("sushi", {"arms": "itm 1,2"}, "no arm 'itm 1' .*'item 1'"),
    ("counts", {"arms": '"a,b'}, "close every quotation mark"),
    ("counts", {"arms": "2-1"}, "no arm '2-1'"),
    ("counts", {"arms": "1"}, "at least 2"),
    ("counts", {"arms": "1,b"}, r"arm 1 \(b\) is chosen twice"),
    ("counts", {"names": ["x"]}, "1 names for 3 arms"),
    ("counts", {"unranked": "lose"}, "'unranked'"),
    ("matrix", {"min_count": 2}, "leave out 'min_count'"),
    ("pairs", {"form": "counts"}, "line 2. is 'a', not a number; write a number of wins"),
]


def test_what_is_wrong_in_a_file_or_option_is_told_with_its_place(write, tmp_path):
    for text, options, message in WRONG:
        with pytest.raises(InputError, match=message):
            import_matrix(write(FILES[text][1] if text in FILES else text), **options)
    names = write("# names\nx\ny\ny\n", "names.txt")
    for form in ("counts", "matrix"):
        with pytest.raises(InputError, match=r"names.txt: names 2 and 3"):
            import_matrix(write(FILES[form][1]), names=names)
    np.save(tmp_path / "o.npy", np.array([[object()]], dtype=object), allow_pickle=True)
    for name, word in (("o.npy", "never loaded"), ("", "is a folder"), ("nothing.csv", "no such file")):
        with pytest.raises(InputError, match=word):
            import_matrix(tmp_path / name)


def test_arms_are_numbers_and_ranges_counted_from_1():
    for text, arms in {"1,2": (1, 2), " 3 , 1-2 ": (3, 1, 2), "7-7": (7,)}.items():
        assert parse_arms(text) == arms
    for text in ("", "1,,2", "2-1", "a", "0x1", "1-9999999", "mslr5", "-1"):
        with pytest.raises(InputError, match="counted from 1"):
            parse_arms(text)


# As Wu & Liu 2016 print them in Table 9, counted from 1.
WINNERS = {"mslr16-condorcet": {115}, "mslr32-condorcet": {115}, "mslr16-noncondorcet": {60, 106, 130}} | {
    "mslr32-noncondorcet": {60, 120}
}


def test_the_published_subsets_have_the_scores_gaps_and_winners_that_are_printed():
    published = json.loads(optional("data", "mslr", "subsets.json").read_text(encoding="utf-8"))
    path = optional("data", "mslr", "MSLR_Informational_PMat.npz")
    for name, rankers in SUBSETS.items():
        size, kind = name.removeprefix("mslr").split("-")
        title = f"wu2016 K = {size}, {'Condorcet' if kind == 'condorcet' else 'non-Condorcet'}"
        facts = published["zoghi2015/" + title if size == "5" else title]
        assert list(parse_arms(name)) == list(rankers) == facts["rankers"]
        found = import_matrix(path, arms=parse_arms(name))
        assert (found.form, found.matrix.names[0]) == ("mslr", f"ranker {rankers[0]}")
        assert winners.inferior_counts(found.matrix).tolist() == facts["copeland"]
        assert winners.min_gap(found.matrix) == pytest.approx(facts["min_gap"], abs=5e-7)
        best = {rankers[arm] for arm in winners.copeland_winners(found.matrix)}
        assert best == WINNERS.get(name, best)


def test_a_published_file_is_recognised_by_its_sha256_and_used_as_it_is():
    for model in ("Informational", "Navigational", "Perfect"):
        path = optional("data", "mslr", f"MSLR_{model}_PMat.npz")
        assert import_matrix(path).notes == (f"byte for byte the published {path.name}",)
        with np.load(path) as file:
            assert (file["PMat"] == import_matrix(path).matrix.P).all()


quick = settings(
    derandomize=True, max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FRAGMENTS = [*'01,{}:\n #-.é"\x00', "9" * 30, "winner", "loser", "nan"]
FRAGMENTS += ["# NUMBER ALTERNATIVES: 3\n", "# DATA TYPE: toi\n", "4096 1\n", "a,b,1\n", "1e999", "\ud800"]


def outcome(path, content: bytes, form: str | None) -> None:
    """Imported, or refused with one printable message; any other exception fails the test."""
    path.write_bytes(content)
    try:
        found = import_matrix(
            path, form, missing="half" if form in ("pairs", "counts", "sushi", "preflib", "cvotes") else "error"
        )
    except InputError as error:
        assert "Traceback" not in str(error) and "\n" not in str(error)
        str(error).encode("utf-8")
        return
    assert isinstance(found.matrix, PreferenceMatrix)


@quick
@given(data=st.data(), form=st.sampled_from(list(FILES)), forced=st.booleans())
def test_mutated_files_are_imported_or_refused(tmp_path, data, form, forced):
    name, text = FILES[form]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 6)))
        text = text[:start] + data.draw(st.sampled_from(FRAGMENTS)) + text[end:]
    outcome(tmp_path / name, text.encode("utf-8", "surrogatepass"), form if forced else None)
