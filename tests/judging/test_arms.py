"""Arms are read from a file or a folder, and what is wrong is named with its line."""

import pytest

from duelbench.errors import InputError
from duelbench.judging.arms import Arm, read_arms, remarks


@pytest.fixture
def written(tmp_path):
    """``written(name, text)`` writes a file of arms."""

    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_each_line_of_a_text_is_an_arm_and_empty_lines_are_none(written):
    path = written("dishes.txt", "\ufeffegg\r\n\r\n  tuna roll \r\n# 3\r\n")
    assert read_arms(path) == (Arm("egg"), Arm("tuna roll"), Arm("# 3"))


def test_a_table_has_texts_with_commas_and_lines_and_paths_from_its_own_folder(written, tmp_path):
    picture, page = written("b.png", b"\x89PNG"), written("c.md", "one\ntwo\n")
    path = written("arms.csv", 'Name,path,text\na,,"so, so\nand on"\nb,b.png,\nc,c.md\n\nd,,\n')
    assert read_arms(path) == (
        Arm("a", "so, so\nand on"),
        Arm("b", None, picture),
        Arm("c", "one\ntwo\n", page),
        Arm("d"),
    )


def test_yaml_has_names_with_texts_or_paths_or_names_alone(written):
    picture = written("b.png", b"\x89PNG")
    path = written("arms.yaml", "a: |\n  one\n  two\nb: {path: b.png}\nc:\nno: 010\n")
    assert read_arms(path) == (Arm("a", "one\ntwo\n"), Arm("b", None, picture), Arm("c"), Arm("no", "010"))
    assert read_arms(written("list.yml", "- egg\n- 1.50\n")) == (Arm("egg"), Arm("1.50"))


def test_each_file_of_a_folder_is_an_arm_called_by_its_stem_where_that_is_one_of_a_kind(tmp_path):
    folder = tmp_path / "photos"
    (folder / "more").mkdir(parents=True)
    for name in ("b.png", "a.jpg", "a.txt", ".hidden.png"):
        (folder / name).write_text("text")
    found = read_arms(folder)
    assert [arm.name for arm in found] == ["a.jpg", "a.txt", "b"]
    assert [arm.text for arm in found] == [None, "text", None]
    assert [arm.shown for arm in found] == [str(folder / "a.jpg"), "text", str(folder / "b.png")]


def test_a_digest_is_that_of_what_is_shown(tmp_path):
    picture = tmp_path / "a.png"
    picture.write_bytes(b"one")
    before = Arm("a", None, picture).digest
    assert Arm("b", None, picture).digest == before == Arm("a", "one").digest
    picture.write_bytes(b"two")
    assert Arm("a", None, picture).digest != before
    assert Arm("a").digest != Arm("a", "one").digest
    picture.unlink()
    with pytest.raises(InputError, match=r"a\.png: cannot be read"):
        Arm("a", None, picture).digest  # noqa: B018


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "egg\n\ntuna\negg\n", "a.txt:4: .*'egg', as at .*a.txt:1"),
        ("a.txt", "caf\xe9\ncafe\u0301\n", "a.txt:2: a second arm"),
        ("a.txt", "egg\nt\x1b[2J\n", r"a.txt:2: .*x1b"),
        ("a.txt", b"egg\nt\xffna\n", "a.txt:2: .*0xff"),
        ("a.txt", "\n".join(map(str, range(10_001))), "more than"),
        ("a.csv", "egg,tuna\n", "a.csv:1: the column 'egg'"),
        ("a.csv", "name,text\na,b,c\n", "a.csv:2: 3 columns"),
        ("a.csv", "name,text,path\na,b,a.csv\n", "a.csv:2: .* path"),
        ("a.csv", "name,path\na,gone.png\n", "a.csv:2: .*gone.png"),
        ("a.yaml", "a: 1\nb: 2\na: 3\n", "a.yaml:3: .*'a', as at .*a.yaml:1"),
        ("a.yaml", "a: 1\nb: 'x\n", "a.yaml:3: not YAML"),
    ],
)
def test_what_is_wrong_with_arms_is_said_with_its_line(written, name, text, said):
    with pytest.raises(InputError, match=said):
        read_arms(written(name, text))


def test_of_a_folder_it_is_said_what_is_passed_over_and_which_names_have_endings(tmp_path):
    for name in ("a.png", "a.txt", "b.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / "old").mkdir()
    said = " ".join(remarks(tmp_path))
    assert "a.png, a.txt" in said and "folder old " in said and remarks(tmp_path / "b.txt") == []
    try:
        (tmp_path / "link.txt").symlink_to(tmp_path / "old.md")
    except OSError:
        pytest.skip("there are no links here")
    assert "broken links are ignored: link.txt" in " ".join(remarks(tmp_path))
    (tmp_path / "old.md").write_text("x")
    assert f"link.txt to {tmp_path / 'old.md'}" in " ".join(remarks(tmp_path))
