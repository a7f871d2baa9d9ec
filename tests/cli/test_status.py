"""``duelbench status``: every file is checked, and nothing incomplete looks complete."""

import dataclasses
import json
import shutil

import numpy as np
import pytest

from duelbench.bandits.algorithms import registry
from duelbench.errors import IncompleteResults
from duelbench.experiments.execution import progress
from duelbench.experiments.results import failures
from tests.cli.commands import command, document, done, failed, refused
from tests.experiments.execution.experiments import files, plan_of, play, write_spec
from tests.experiments.figures.made_up import SPEC, make_results

SHORT = {"horizon": 40}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a spec with its results, which no test changes."""
    top = tmp_path_factory.mktemp("played")
    play(top, **SHORT)
    return top


@pytest.fixture
def folder(played, here):
    """A copy of the results, in the working folder."""
    shutil.copytree(played, here, dirs_exist_ok=True)
    return here / "results" / "demo"


def experiments(*arguments):
    """The experiments in the document, complete or not."""
    return json.loads(command("status", *arguments, "--json").stdout)["experiments"]


@pytest.mark.parametrize("where", ["results", "results/demo", "demo.yaml"])
def test_complete_results_are_complete_and_found_by_folder_or_spec(folder, where):
    lines = done("status", where).stdout.splitlines()
    assert lines[0] == "demo: complete (results/demo)"
    assert lines[1].split() == ["problem", "algorithm", "horizon", "runs", "done", "missing", "failed", "damaged"]
    assert lines[2].split() == ["cyclic", "RUCB", "40", "4", "4", "0", "0", "0"]
    (found,) = document("status", where)["experiments"]
    assert (found["experiment"], found["complete"]) == ("demo", True)


def test_figures_of_an_earlier_spec_are_named_with_the_command_that_draws_them(here):
    results = make_results(here, spec=SPEC)
    done("plot", results, "--format", "pdf")
    done("plot", results, "--kind", "accuracy", "--format", "svg")
    done("plot", results, "-o", results / "my $1.pgf")
    assert "stale" not in done("status", results).stdout + done("run", "demo.yaml", "-q").stdout
    make_results(here, spec=SPEC, title="A new title")
    folder = "results/demo"
    lines = [
        f"stale: demo-accuracy.svg, drawn before the spec changed; draw again: duelbench plot {folder} --kind accuracy"
        " --format svg",
        f"stale: demo.pdf, drawn before the spec changed; draw again: duelbench plot {folder}",
        f"stale: my $1.pgf, drawn before the spec changed; draw again: duelbench plot {folder} --kind regret"
        f" -o '{folder}/my $1.pgf'",
    ]
    assert done("status", folder).stdout.splitlines()[-3:] == lines
    assert document("status", folder)["experiments"][0]["stale"] == [line.removeprefix("stale: ") for line in lines]
    assert done("run", "demo.yaml", "-q").stdout.splitlines()[-4:-1] == lines
    done("plot", folder, "--format", "pdf")
    assert len(done("status", folder).stdout.split("stale: ")) == 3


def test_figures_are_drawn_again_when_their_style_sheet_changes_and_without_it_all_else_goes_on(here):
    styled = SPEC + "figure: {{style: my.mplstyle}}\n"
    results = make_results(here, spec=styled, sheet="lines.linewidth: 3\n")
    done("plot", results, "--format", "pdf", "--format", "svg", "--format", "pgf")
    done("plot", results, "--set", "style=ieee", "-o", results / "other.svg")
    sheet = here / "my.mplstyle"
    content = sheet.read_text()
    assert "stale" not in done("status", results).stdout
    sheet.write_text("lines.linewidth: 2\n")
    line = "stale: demo.pdf, demo.pgf, demo.svg, drawn before the style sheet changed; draw again: duelbench plot"
    assert line in done("status", results).stdout and "other.svg" not in done("status", results).stdout
    sheet.unlink()
    wrong = "my.mplstyle: cannot be read: No such file or directory"
    for asked in (["status", results], ["status", "demo.yaml"], ["run", "demo.yaml", "-q"]):
        assert f"stale: no figure can be drawn: style: {wrong}" in done(*asked).stdout
    assert refused("plot", results) == f"style: {wrong}"
    assert refused("run", "demo.yaml", "--runs", "5") == f"demo.yaml: figure.style: {wrong}"
    sheet.write_text(content)
    assert "stale" not in done("status", "demo.yaml").stdout


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("title: {title}", "title: New", "title changed since results/demo was made; the results are the same, but"),
        ("RUCB & co", "RUCB", "labels changed since results/demo was made; the results are the same, but figures"),
        ("seed: 5", "seed: 6", "seed changed since results/demo was made; these are the old results"),
    ],
)
def test_a_changed_spec_says_whether_its_results_are_old_or_only_its_figures(here, before, after, said):
    make_results(here)
    make_results(here / "aside", spec=SPEC.replace(before, after))
    shutil.copy(here / "aside" / "demo.yaml", here / "demo.yaml")
    assert f"note: demo.yaml: {said}" in done("report", "demo.yaml").stderr


def test_the_next_command_is_quoted_for_a_shell(here):
    make_results(here, spec=SPEC)
    assert done("run", "demo.yaml", "-q", "-o", "to $1 b", "--only", "D-TS").stdout.endswith("'to $1 b/demo'\n")


@pytest.mark.parametrize("damage", ["gone", "broken", "newer run"])
def test_what_cannot_be_read_keeps_no_other_experiment_away(folder, damage):
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    manifest = folder / "manifest.json"
    if damage == "gone":
        manifest.unlink()
    elif damage == "newer run":
        np.savez(folder / "rucb" / "run-00000.npz", meta=np.array(json.dumps({"format": 2})))
    else:
        manifest.write_text("{")
    words = {"gone": "runs without manifest.json", "broken": f"{manifest} is damaged"}
    answers = {"status": f"demo: complete ({other})", "report": "demo: cumulative"}
    if damage == "gone":
        del answers["report"]  # which asks nothing of a folder without a manifest
    for asked, begins in answers.items():
        result = command(asked, folder.parent)
        assert begins in result.stdout
        assert isinstance(result.exception, IncompleteResults) and result.exception.exit_code == 4
        if asked == "status" or damage not in words:
            assert words.get(damage, "was written by a newer duelbench") in str(result.exception)
    if damage == "gone":  # a folder in its place is not taken for it
        manifest.mkdir()
        assert "results/demo/manifest.json is a folder" in refused("run", "demo.yaml")
        assert "manifest.json is a folder" in failed(IncompleteResults, "status", folder)
        manifest.rmdir()
    listed = {found["results"]: found["complete"] for found in experiments(folder.parent)}
    assert listed == {str(other): True, str(folder): False}


def test_results_of_another_trace_version_are_told_to_be_old(folder, monkeypatch):
    real = registry.get
    newer = dataclasses.replace(real("rucb"), trace_version=real("rucb").trace_version + 1)
    monkeypatch.setattr(registry, "get", lambda id: newer if id == "rucb" else real(id))
    said = f"trace version changed from {newer.trace_version - 1} to {newer.trace_version} since the runs of rucb were"
    for asked in ("status", "report"):
        result = done(asked, folder)
        assert result.stderr.count(said) == 1 and "runs of random" not in result.stderr


@pytest.mark.parametrize(("change", "said", "n"), [({"runs": 3}, "", 0), ({"seed": 8}, "seed changed", 8)], ids=str)
def test_results_of_a_spec_that_was_edited_are_told_to_be_old_and_not_complete(folder, here, change, said, n):
    write_spec(here, **SHORT, **change)
    assert (f"{said} since results/demo was made" in done("report", "demo.yaml").stderr) == bool(said)
    (found,) = experiments("demo.yaml")
    assert (found["complete"], found.get("to_run", 0)) == (n == 0, n)
    if n:
        assert f"{n} more runs" in command("status", "demo.yaml").stdout
        failed(IncompleteResults, "status", "demo.yaml")
    assert done("status", folder)  # the folder itself is what its manifest says


def test_missing_failed_and_damaged_runs_are_told_apart(folder, here):
    (folder / "rucb" / "run-00000.npz").unlink()
    (folder / "rucb" / "run-00001.npz").unlink()
    failures.record(folder, plan_of(here, **SHORT).cells[0].cell, 1, "ValueError: by plan", "")
    path = folder / "random" / "run-00002.npz"
    path.write_bytes(path.read_bytes()[:100])
    before = files(here)
    rucb, random = experiments(folder)[0]["cells"]
    assert (rucb["done"], rucb["missing"], rucb["damaged"]) == (2, [0], {})
    assert rucb["failed"] == {"1": "ValueError: by plan"}
    assert (random["done"], random["missing"], list(random["damaged"])) == (3, [], ["2"])
    assert (rucb["problem"], rucb["algorithm"], rucb["label"], rucb["runs"]) == ("cyclic", "rucb", "RUCB", 4)
    gaps = failed(IncompleteResults, "report", folder)
    assert "2 of 4 runs of RUCB on cyclic (1 missing, 1 failed)" in gaps  # status and report agree
    assert "3 of 4 runs of Random on cyclic (1 damaged)" in gaps
    text = command("status", folder).stdout
    assert "failed: RUCB on cyclic, run 1: ValueError: by plan" in text
    assert "damaged: Random on cyclic, run 2: " in text
    assert files(here) == before


def test_a_command_that_reads_many_runs_says_so(folder, monkeypatch):
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "READING_SECONDS", 0.0)
    assert "reading 8 of 8 runs (demo)" in done("status", "results").stderr.splitlines()
    said = done("merge", "results/demo", "-o", "merged").stderr.splitlines()
    assert said[7:9] == ["reading 8 of 8 runs (demo)", "copying runs to merged/demo"]
    assert said[-1] == "checking merged/demo"


def test_a_merge_of_several_experiments_counts_the_runs_of_all(here, monkeypatch):
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "READING_SECONDS", 0.0)
    for name in ("first", "second"):
        play(here, name=name, **SHORT)
    said = done("merge", "results", "-o", "merged").stderr.splitlines()
    assert {"reading 8 of 16 runs (first)", "reading 16 of 16 runs (second)"} <= set(said)
