"""Pictures are looked at before a page is served."""

import re

import numpy as np
import pytest
from PIL import Image

from duelbench.cli.live.web import page
from duelbench.errors import InputError
from duelbench.live.arms import Arm
from duelbench.live.web.exhibits import check_picture

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"/>'


def picture(path):
    pixels = np.random.default_rng(1).integers(0, 256, (40, 30, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    return path


@pytest.mark.parametrize("ending", [".png", ".jpg", ".jpeg", ".gif", ".webp"])
def test_a_picture_passes_and_one_that_ends_too_soon_or_is_empty_does_not(tmp_path, ending):
    path = picture(tmp_path / f"a{ending}")
    check_picture(Arm("a", path=path))
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], whole[:12], b"no picture"):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=rf"the arm 'a': .*a\{ending} is no picture that can be shown: .+; mend"):
            check_picture(Arm("a", path=path))
    path.write_bytes(b"")
    with pytest.raises(InputError, match="it is empty"):
        check_picture(Arm("a", path=path))


def test_a_picture_of_another_kind_than_its_ending_passes_if_browsers_show_it(tmp_path):
    picture(tmp_path / "a.png").rename(tmp_path / "a.jpg")
    check_picture(Arm("a", path=tmp_path / "a.jpg"))
    picture(tmp_path / "a.tiff").rename(tmp_path / "b.jpg")
    with pytest.raises(InputError, match="it holds something else"):
        check_picture(Arm("b", path=tmp_path / "b.jpg"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (SVG, None),
        (SVG[:-2], "no element found|unclosed"),
        ("<p/>", "outermost element is p;"),
        ("<svg/>", 'is svg, which must say xmlns="http'),
    ],
)
def test_a_drawing_is_whole_xml(tmp_path, content, said):
    path = tmp_path / "a.svg"
    path.write_text(content)
    if said is None:
        check_picture(Arm("a", path=path))
    else:
        with pytest.raises(InputError, match=said):
            check_picture(Arm("a", path=path))


def test_a_page_with_a_broken_picture_is_not_served(tmp_path):
    (tmp_path / "b.png").write_bytes(b"")
    arms = [Arm("a"), Arm("b", path=tmp_path / "b.png")]
    with pytest.raises(InputError, match=re.escape(f"the arm 'b': {tmp_path / 'b.png'} is no picture")):
        page(arms)
    check_picture(Arm("a"))
