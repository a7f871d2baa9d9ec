"""The gallery shows every figure of the papers, in small pictures."""

import re
from io import BytesIO

import numpy as np
import pytest

from tests.docs.test_readme import ROOT

thumbnails = pytest.importorskip("thumbnails", reason="Pillow is missing: `make setup`")
Image = pytest.importorskip("PIL.Image")

PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
TARGETS = re.findall(r"\bfig-[a-z]+\d{4}-\w+", (ROOT / "configs" / "figures.mk").read_text(encoding="utf-8"))


def test_every_figure_is_shown_or_the_reason_is_given():
    cards, not_here = PAGE.split("\n## Not here\n")
    shown = re.findall(r"^    `make (fig-\S+)`$", cards, re.MULTILINE)
    excused = re.findall(r"^\| `make (fig-\S+)` \| \S", not_here, re.MULTILINE)
    assert len(TARGETS) > 40
    assert sorted([*shown, *excused]) == sorted(set(TARGETS))


def test_every_card_has_the_picture_of_its_figure_and_says_where_it_agrees():
    cards = PAGE.split("\n## Not here\n")[0].split("\n-   ")[1:]
    for card in cards:
        picture, _, line, command = re.split(r"\n\n", card.strip())[:4]
        assert f"(images/gallery/{command.strip().removeprefix('`make fig-').rstrip('`')}.png)" in picture
        assert re.match(r"(Agrees|The paper says)\b", line.strip()), line


def test_the_pictures_are_those_that_are_shown_and_are_small():
    files = sorted(thumbnails.FOLDER.glob("*"))
    assert [file.name for file in files] == sorted(f"{name}.png" for name in thumbnails.shown())
    sizes = [file.stat().st_size for file in files]
    assert max(sizes) <= thumbnails.MOST_BYTES
    assert sum(sizes) < 3_000_000


def test_a_small_picture_keeps_the_colours_of_thin_lines():
    """Of two lines of few pixels in a picture with large areas of other colours."""
    pixels = np.full((400, 1280, 3), 255, np.uint8)
    pixels[:, :600] = np.linspace(0, 255, 600, dtype=np.uint8)[None, :, None]
    pixels[100:102, 700:] = (0, 158, 115)
    pixels[200:202, 700:] = (128, 128, 128)
    with Image.open(BytesIO(thumbnails.thumbnail(Image.fromarray(pixels)))) as small:
        shown = np.asarray(small.convert("RGB")).astype(int)
    assert shown.shape == (200, 640, 3)
    assert np.abs(shown[50, 400:] - (0, 158, 115)).max() < 40
    assert np.abs(shown[100, 400:] - (128, 128, 128)).max() < 40


def test_a_picture_that_would_be_too_large_is_made_narrower(monkeypatch):
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (40, 160, 3), dtype=np.uint8))
    monkeypatch.setattr(thumbnails, "MOST_BYTES", 4_000)
    file = thumbnails.thumbnail(noise, width=160)
    assert len(file) <= 4_000
    with Image.open(BytesIO(file)) as small:
        assert small.width < 160


def test_a_figure_that_is_not_drawn_leaves_its_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(thumbnails, "FOLDER", tmp_path / "gallery")
    (tmp_path / "gallery").mkdir()
    name = thumbnails.shown()[0]
    (tmp_path / name).mkdir()
    Image.new("RGB", (1280, 660), "white").save(tmp_path / name / f"{name}.png")
    thumbnails.main(tmp_path)
    assert [path.name for path in (tmp_path / "gallery").iterdir()] == [f"{name}.png"]
    assert f"{name}: made\n" in capsys.readouterr().out
