"""What the table of estimates is measured with."""

import pytest

from duelbench.bench import rates
from duelbench.errors import InputError


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """The algorithms that would be measured; the table is another one."""
    measured = []
    monkeypatch.setattr(rates, "TABLE", tmp_path / "rates.json")
    monkeypatch.setattr(rates, "yardstick", lambda: 1.0)
    monkeypatch.setattr(rates, "compiling_seconds", lambda id: measured.append(id) or 2.0)
    monkeypatch.setattr(rates, "measure", lambda algorithm, scale: {"order": {"4": [[10, 1, 0.5]]}})
    return measured


def test_help_says_what_it_takes_and_measures_nothing(measured, capsys):
    with pytest.raises(SystemExit) as ended:
        rates.main(["--help"])
    assert ended.value.code == 0
    assert "ALGORITHM" in (said := capsys.readouterr().out) and "--compiling" in said
    assert not measured


def test_a_name_that_no_algorithm_has_is_refused_before_anything_is_measured(measured):
    with pytest.raises(InputError, match=r"there is no algorithm .rucbb."):
        rates.main(["random", "rucbb"])
    assert not measured and not rates.TABLE.exists()


def test_only_the_algorithms_that_were_named_are_measured(measured, capsys):
    rates.main(["random", "rucb"])
    rates.main(["--compiling", "d-ts"])
    assert measured == ["random", "rucb", "d-ts"]
    table = rates.json.loads(rates.TABLE.read_text(encoding="utf-8"))
    assert list(table["algorithms"]) == ["random", "rucb"] and table["compile"]["d-ts"] == 2.0
