"""Notes on algorithms and matrices, and on parameters, that no theorem covers."""

from duelbench.experiments.spec.assumptions import notes
from duelbench.experiments.spec.load import load


def test_parameters_outside_of_the_theorem_are_noted_but_not_the_authors_choice():
    algorithms = [{"rucb": {"alpha": 0.3}}, {"d-ts": {"alpha": 0.5}}, "merge-dts", "ccb"]
    spec = load({"name": "s", "matrix": "cyclic", "horizon": 1000, "algorithms": algorithms})
    (note,) = [note for note in notes(spec) if "theorem" in note]
    assert note == (
        "RUCB has alpha = 0.3, and its theorem needs more than 0.5;"
        " D-TS has alpha = 0.5, and its theorem needs more than 0.5"
    )
