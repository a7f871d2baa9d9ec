"""The specs on the page on identification are right."""

import re

import pytest

from duelbench.spec.load import load
from tests.docs.test_readme import ROOT

PAGE = (ROOT / "docs" / "identification.md").read_text()
SPECS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", SPECS)
def test_a_spec_of_the_page_can_be_run(text, tmp_path):
    (tmp_path / "asked.yaml").write_text(text)
    assert load(tmp_path / "asked.yaml").identify is not None
