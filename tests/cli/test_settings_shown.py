"""Whatever is shown names what is not played as by default, and of which regret it speaks."""

import csv
import io
import json

import pytest
from matplotlib.text import Text

import duelbench
from tests.cli.commands import done
from tests.experiments.execution.experiments import play

LATE = {"horizon": 60, "shuffle_arms": True, "algorithms": [{"rucb": {"alpha": 0.8}}, "random"]}
BATCH, DELAY = "outcomes arrive in batches of 7 rounds", "each outcome arrives 7 rounds late"
CORRUPTED = {
    "matrix": None,
    "world": {"segments": [[[0.5, 0.9], [0.1, 0.5]]], "corruption": {"budget": 5}},
    "regret": ["condorcet"],
}


def document(*arguments):
    return json.loads(done(*arguments, "--json").stdout)


@pytest.mark.parametrize(
    ("changes", "said", "setting"),
    [
        ({"feedback_batch": 7}, BATCH, {"feedback_batch": 7}),
        ({"feedback_delay": 7}, DELAY, {"feedback_delay": 7}),
        ({"shuffle_arms": False}, "arms are not shuffled", {"shuffle_arms": False}),
        (CORRUPTED, "an adversary may flip 5 outcomes of each run", {"corruption": {"budget": 5}}),
    ],
)
def test_every_command_names_settings_that_are_not_the_default(tmp_path, monkeypatch, changes, said, setting):
    monkeypatch.chdir(tmp_path)
    play(tmp_path, **{**LATE, **changes})
    results = "results/demo"
    line = f"{said}; RUCB has alpha = 0.8"
    for shown in (done("report", results), done("status", results), done("run", "demo.yaml", "--dry-run")):
        assert sum(line in one for one in shown.stdout.splitlines()) == 1
    for shown in (done("compare", results), done("export", results)):
        assert f"demo: {line}" in " ".join(shown.stderr.split())
    assert {row["settings"] for row in csv.DictReader(io.StringIO(done("export", results).stdout))} == {said}
    first = {**setting, "parameters": {"alpha": 0.8}}
    assert document("report", results)[0]["settings"] == first
    assert document("status", results)["experiments"][0]["cells"][0]["settings"] == first
    assert document("run", "demo.yaml", "--dry-run")["jobs"][0]["settings"] == first
    (pair,) = document("compare", results)
    assert (pair["settings_a"], pair["settings_b"]) == (first, setting)
    done("report", results, "--html", "page.html")
    assert (tmp_path / "page.html").read_text().count(line) >= 2
    for kind in ("regret", "bars", "duels"):
        texts = " ".join(text.get_text() for text in duelbench.plot(results, kind=kind, quiet=True).findobj(Text))
        assert line in " ".join(texts.split()), kind


def test_nothing_is_said_of_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(tmp_path, **{**LATE, "algorithms": ["rucb", "random"]})
    assert "played" not in done("report", "results/demo").stdout + done("status", "results/demo").stdout
    assert document("report", "results/demo")[0]["settings"] == {}
    assert "settings" not in done("export", "results/demo").stdout


def test_a_comparison_says_that_experiments_are_not_played_alike(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, late in (("plain", {}), ("batches", {"feedback_batch": 7}), ("late", {"feedback_delay": 7})):
        play(tmp_path, name=name, **LATE, **late)
    shown = " ".join(done("compare", "results/plain", "results/batches", "results/late").stderr.split())
    assert "cyclic: not all are played alike: plain/RUCB, plain/Random: as by default" in shown
    assert f"batches/RUCB, batches/Random: {BATCH}" in shown and f"late/RUCB, late/Random: {DELAY}" in shown
    assert "not all are played alike" not in done("compare", "results/late").stderr


def test_a_sweep_over_a_delay_is_said_on_its_axis_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(tmp_path, **{**LATE, "algorithms": ["rucb"]}, sweep={"over": "feedback_delay", "values": [0, 7]})
    assert "played" not in done("report", "results/demo").stdout
    assert [row["settings"] for row in document("report", "results/demo")] == [{}, {"feedback_delay": 7}]


def test_verdicts_of_interim_analyses_name_the_regret_that_they_are_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "order.csv").write_text("0.5,0.7,0.8\n0.3,0.5,0.6\n0.2,0.4,0.5\n")
    changes = {
        "matrix": "order.csv",
        "regret": ["weak", "copeland"],
        "runs": {"until": "ranked", "least": 8, "most": 9},
    }
    play(tmp_path, **changes, horizon=60)
    shown = done("report", "results/demo", "--regret", "copeland").stdout
    assert "cumulative copeland regret" in shown
    (head,) = [line for line in shown.splitlines() if "runs until" in line]
    assert "weak regret" in head
    verdicts = [line for line in shown.splitlines() if ("order, " in line and " with " in line) or "have " in line]
    assert verdicts and all("weak regret after round 60" in line for line in verdicts)
    status = done("status", "results/demo").stdout
    assert "pairs of weak regret decided" in status and "weak regret after round 60" in status
    assert "pairs of weak regret decided" in done("run", "demo.yaml", "--dry-run").stdout
    assert "interim analyses of weak regret" in " ".join(done("compare", "results/demo").stderr.split())
    assert document("status", "results/demo")["experiments"][0]["until"]["verdicts"][0]["regret"] == "weak"
    done("report", "results/demo", "--regret", "copeland", "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "by weak regret" in page and "weak regret after round 60" in page


def test_the_delta_of_identify_is_said_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    others = [{name: {"alpha": 0.8, "stop": {"rule": "e-condorcet"}, "label": name}} for name in ("rucb", "ccb")]
    algorithms = ["kelly-elimination", "savage-condorcet", *others]
    play(tmp_path, **{**LATE, "algorithms": algorithms}, identify={"target": "condorcet", "delta": 0.1})
    line = "delta = 0.1 by the key 'identify'; rucb, ccb have alpha = 0.8"
    for shown in (done("report", "results/demo"), done("status", "results/demo")):
        assert f"played: {line}" in shown.stdout.splitlines()
    assert line in done("run", "demo.yaml", "--dry-run").stdout
