"""Pictures are looked at before a page is served."""

import numpy as np
import pytest
from PIL import Image

from duelbench.errors import InputError
from duelbench.judging.arms import Arm
from duelbench.judging.web.exhibits import exhibit
from duelbench.judging.web.server import shown_on_page

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"/>'


def test_a_picture_passes_and_one_that_ends_too_soon_or_is_empty_does_not(tmp_path):
    for ending in (".png", ".jpg", ".gif", ".webp"):
        path = tmp_path / f"a{ending}"
        Image.fromarray(np.random.default_rng(1).integers(0, 256, (40, 30, 3), dtype=np.uint8)).save(path)
        exhibit(Arm("a", path=path))
        whole = path.read_bytes()
        for broken in (whole[: len(whole) // 2], whole[:12], b"no picture", b""):
            path.write_bytes(broken)
            with pytest.raises(InputError, match=rf"the arm 'a': .*a\{ending}"):
                exhibit(Arm("a", path=path))


def test_a_drawing_is_whole_xml(tmp_path):
    path = tmp_path / "a.svg"
    path.write_text(SVG)
    exhibit(Arm("a", path=path))
    for content, said in ((SVG[:-2], "no element|unclosed"), ("<p/>", "element is p"), ("<svg/>", "xmlns")):
        path.write_text(content)
        with pytest.raises(InputError, match=said):
            exhibit(Arm("a", path=path))


def test_a_page_gets_the_names_of_texts_only_where_they_are_asked_for():
    exhibits = [exhibit(Arm("tea", "A cup.")), exhibit(Arm("milk"))]
    assert "tea" not in str(shown_on_page(exhibits))
    assert [shown["name"] for shown in shown_on_page(exhibits, ["tea", "milk"])] == ["tea", ""]
