"""`duelbench list`: everything of a kind, or one thing by its name."""

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.round_losses import NAMES
from duelbench.bandits.problem.worlds.losses import STATIC
from tests.cli.commands import document, done, refused
from tests.plug_ins import write


def test_algorithms_are_listed_with_the_promised_keys():
    items = {item["id"]: item for item in document("list", "algorithms")}
    assert list(items) == list(registry.BUILT_IN) == list(duelbench.algorithms())
    for item in items.values():
        assert item.keys() >= {"id", "name", "assumes", "anytime", "parameters", "reference"}
        assert all(one.keys() >= {"default", "description"} for one in item["parameters"].values())
    rucb = items["rucb"]
    assert (rucb["name"], rucb["assumes"], rucb["anytime"]) == ("RUCB", "condorcet", True)
    assert rucb["parameters"]["alpha"]["default"] == 0.51
    assert document("list", "algorithms", "rucb") == [rucb]
    assert done("list", "algorithms", "rucb").stdout in done("list", "algorithms").stdout


def test_regrets_and_families_are_those_that_there_are():
    items = {item["name"]: item for item in document("list", "regrets")}
    assert list(items) == [*NAMES, *STATIC]
    assert items["announced-condorcet"]["needs_condorcet_winner"] and items["announced-condorcet"]["of"] == "matrices"
    assert items["played"]["of"] == "scalar bandits"
    listed = {item["name"]: item for item in document("list", "families")}
    assert list(listed) == list(FAMILIES)
    assert listed["copeland-cycle"]["parameters"]["n_arms"]["default"] == 500
    assert [line.split()[0] for line in done("list", "regrets").stdout.splitlines()] == list(items)


def test_algorithms_of_a_plug_in_are_listed_too(here, load):
    path = write(here)
    (item,) = document("list", "algorithms", "commit", "--plug-in", path)
    assert item["parameters"]["each"]["default"] == 10
    load(path)  # forgets what was loaded
    assert "none.py: there is no such file" in refused("list", "algorithms", "--plug-in", "none.py")
