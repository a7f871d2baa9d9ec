"""What is not a file of moderate size with text in it is refused without being opened for long."""

import io
import os

import pytest

from duelbench.errors import InputError
from duelbench.spec.load import load
from tests.spec.conftest import completed


def message(path) -> str:
    """What `load` says about a file that it refuses."""
    with pytest.raises(InputError) as caught:
        load(path)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_missing_file_is_answered_with_the_nearest_name(folder):
    (folder / "demo.yaml").write_text(completed(""))
    assert message(folder / "dmeo.yaml") == f"{folder}/dmeo.yaml: there is no such file (did you mean 'demo.yaml'?)"
    assert message(folder / "x.yaml") == f"{folder}/x.yaml: there is no such file"  # endings are all alike


def test_a_missing_folder_is_named(folder):
    assert message(folder / "confgis" / "a.yaml").endswith(f"there is no such file, nor a folder {folder}/confgis")


def test_a_folder_is_no_spec(folder):
    assert message(folder) == f"{folder}: is a folder; name the spec in it (a .yaml file)"


def test_a_pipe_is_refused_without_waiting_for_its_other_end(folder):
    os.mkfifo(folder / "pipe.yaml")
    assert "is a pipe, socket or device" in message(folder / "pipe.yaml")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device):
    assert message(device) == f"{device}: is a pipe, socket or device; save the spec to a file and name that"


def test_a_dangling_link_is_no_file(folder):
    (folder / "link.yaml").symlink_to(folder / "gone.yaml")
    assert "there is no such file" in message(folder / "link.yaml")


def test_a_name_that_no_file_can_have_is_refused(folder):
    assert "cannot be read" in message(folder / "a\0b.yaml")
    assert "cannot be read: File name too long" in message(folder / ("a" * 5000))


def test_a_file_that_may_not_be_read_says_so(folder, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    (folder / "spec.yaml").write_text(completed(""))
    monkeypatch.setattr("pathlib.Path.open", forbidden)
    assert message(folder / "spec.yaml").endswith("cannot be read: Permission denied")


def test_of_a_huge_file_no_more_than_a_megabyte_is_read(folder, monkeypatch):
    sizes = []

    class Counting(io.FileIO):
        def read(self, size=-1):
            sizes.append(size)
            return super().read(size)

    with open(folder / "huge.yaml", "wb") as file:
        file.truncate(2**40)
    monkeypatch.setattr("pathlib.Path.open", lambda path, mode: Counting(path))
    assert message(folder / "huge.yaml") == f"{folder}/huge.yaml: is larger than 1 MB; this is not a spec"
    assert sizes == [2**20 + 1]


def test_utf_16_is_named(folder):
    (folder / "spec.yaml").write_text(completed(""), encoding="utf-16")
    assert message(folder / "spec.yaml").endswith("spec.yaml: is UTF-16 text; save it as UTF-8")


def test_a_matrix_path_cannot_reach_a_device_either(refusal):
    line, _ = refusal(completed("matrix: /dev/zero"))
    assert line.startswith("spec.yaml:1:9 matrix: /dev/zero: is a pipe, socket or device")


def test_a_byte_order_mark_and_windows_line_ends_are_read_over(folder):
    text = "\ufeff# first\r\nmatrix: good.csv\r\nhorizon: 1e4\r\nalgorithms: [rucb]\r\n"
    (folder / "windows.yaml").write_bytes(text.encode())
    assert load(folder / "windows.yaml").horizon == 10_000


def test_places_are_right_after_a_byte_order_mark_and_windows_line_ends(refusal):
    text = "\ufeffruns: 0\r\nseed: -1\r\nmatrix: good.csv\r\nhorizon: 1e4\r\nalgorithms: [rucb]\r\n"
    assert [line.split(" ")[0] for line in refusal(text.encode())[:2]] == ["spec.yaml:1:7", "spec.yaml:2:7"]


def test_a_file_whose_name_cannot_be_a_folder_needs_a_name_inside(folder):
    (folder / "my spec.yaml").write_text(completed("title: Mine"))
    said = message(folder / "my spec.yaml")
    assert "1:1 results go to a folder of the file's name, 'my spec': use letters, digits" in said
    assert "; rename the file or add the key 'name'" in said
    (folder / "my spec.yaml").write_text(completed("name: mine"))
    assert load(folder / "my spec.yaml").name == "mine"
