"""Wrong input is refused by every command: one message that names the place, exit code 2, and nothing is written."""

import shlex
from pathlib import Path

import pytest

from tests.cli.commands import done, refused
from tests.experiments.figures.made_up import make_results

LETOR = "matrix from-rankings letor.txt -o a.csv "
GENERATE = "matrix generate "

WRONG = [
    # the command line itself
    ("list algorithm", "'algorithm' is not one of"),
    ("run ''", "run: the argument is empty"),
    ("run demo.yaml --out=", "--out: the argument is empty"),
    ("plot results/demo -o ''", "-o: the argument is empty"),
    ("run demo.yaml --jobs 0", "'--jobs' / '-j': must be"),
    ("run demo.yaml --runs 1e7", "'--runs': must be at most 1_000_000"),
    ("run demo.yaml --runs 1,000", "without commas"),
    ("run demo.yaml --run-timeout nan", "timeout must be a number of seconds above 0"),
    ("verify results/demo --sample 0", "--sample"),
    # run, status, merge, slurm
    ("run gone.yaml", "gone.yaml"),
    ("run demo.yaml --problem tow", "tow: the specs have no problem of that name (did you mean 'two'?)"),
    ("run demo.yaml --only rucb", "rucb: no algorithm"),
    ("run demo.yaml --shard 0/2", "shard 0/2: write i/n"),
    ("run demo.yaml --scale quik", "no scale 'quik' in it"),
    ("run demo.yaml --out file", "file"),
    ("status dmo.yaml", "dmo.yaml: there is no such file (did you mean 'demo.yaml'?)"),
    ("merge nowhere", "nowhere: there is no such folder"),
    ("slurm nowhere.yaml", "nowhere.yaml"),
    # report, export, compare
    ("report results/demo --json --csv", "choose one"),
    ("report results/demo --regret weak", "regret weak: demo recorded"),
    ("report results/demo --columns mean,q999", "no column is called 'q999' (did you mean 'q99.9'?"),
    ("report results/demo --html page.pdf", "--html"),
    ("report never-run.yaml", "`duelbench run` it first"),
    ("export results/demo -o x.xlsx", "ends with .csv or .parquet"),
    ("export results/demo --runs --regret borda", "regret borda: a table of runs"),
    ("compare results/demo D-TSS", "of these results has that label (did you mean 'D-TS'?); there are D-TS, "),
    ("compare results/demo --against zzz", "zzz: no algorithm of these results has that label; there are D-TS"),
    ("compare results/demo --of mode", "of mode: mean, median, or a quantile"),
    ("compare results/demo results/no-such", "results/no-such: there are no results"),
    ("compare results/demo --at 1001", "at 1001: beyond the horizon"),
    ("compare results/demo -o figure.txt", "output figure.txt: name a file"),
    # plot
    ("plot nowhere", "nowhere"),
    ("plot .", "manifest.json"),
    ("plot results/demo --band ci90", "band: 'ci90' is none of ci95"),
    ("plot results/demo -o figure.gif", "output figure.gif: "),
    ("plot results/demo -o .", "output .: name a file"),
    ("plot results/demo -o two.png", "two.csv exists and does not hold the numbers of a figure"),
    ("plot results/demo --set x=[100,10]", "x: must increase"),
    ("plot results/demo --set x=[1000,]", "starts at round 1000, but the longest run ends at round 1000"),
    ("plot results/demo --set styles=red --set styles.RUCB.color=red", "styles: give it whole, or"),
    ("plot results/demo --set styles.RUCB.color=red --set styles.RUCB.color=blue", "color of RUCB is given twice"),
    ("plot results/demo --set columns=1 --set columns=2", "columns is given twice"),
    ("plot results/demo --together", "--output"),
    # list, show
    ("list algorithms RUCB", "there is no algorithm 'RUCB' (did you mean 'rucb'?)"),
    ("list matrices cyclik", "there is no matrix 'cyclik' (did you mean 'cyclic'?)"),
    ("list algorithms --plug-in none.py", "none.py: there is no such file"),
    ("show two.csv --plot map.xlsx", "map.xlsx: the name must end with one of"),
    ("show tow.csv --plot map.png", "(did you mean 'two.csv'?)"),
    ("show two.csv --plot two.csv/map.png", "map.png: cannot be written"),
    # check
    ("check no_algorithm.py", "defines no duelbench Algorithm"),
    # matrix
    (GENERATE + "linear", "'--output'"),
    (GENERATE + "linear n_arms -o x.csv", "'n_arms': write NAME=VALUE"),
    (GENERATE + "linear n_amrs=3 -o x.csv", "unknown parameter 'n_amrs' for linear (did you mean 'n_arms'?)"),
    (GENERATE + "random seed=3 -o x.csv", "give the seed as --seed"),
    (GENERATE + "submatrix matrix=mslr-perfect -o x.csv", "`duelbench matrix fetch mslr`"),
    (GENERATE + "linear -o x.npy", "must end with .csv"),
    (GENERATE + "linear -o folder.csv", "is a folder"),
    (GENERATE + "rankings -o letor.csv", "judged documents are not a matrix"),
    ("matrix import a.csv -o b.csv --missing foo", "'--missing': 'foo' is not one of"),
    ("matrix import names.csv -o a.csv", "would be read as numbers"),
    ("matrix import sushi-a -o a.csv", "sushi-a is not on this machine"),
    (LETOR + "--click 0,1", "--click and --stop go together"),
    (LETOR + "--features 2,9", "no document has feature 9"),
    (LETOR + "--scores ideal", "write NAME=VALUE"),
    ("matrix from-rankings . -o a.csv", "is a folder; name the judgements file in it"),
    ("matrix from-rankings letor.txt -o damaged.csv", "is damaged; remove it to start again"),
    # live
    ("live", "name the ARMS to compare"),
    ("live dihses.txt", "dihses.txt: there is no such file (did you mean 'dishes.txt'?)"),
    ("live dishes.txt --algorithm rucb --param aplha=1", "unknown parameter 'aplha' for rucb"),
    ("live dishes.txt --forbid egg,tunna", "--forbid egg,tunna: there is no arm 'tunna' (did you mean 'tuna'?)"),
    ("live dishes.txt --exec true --web", "--exec and --web exclude each other"),
    ("live dishes.txt -j 2", "--jobs: is for --exec CMD only"),
    ("live dishes.txt --judge a\u200bb", "characters that cannot be printed"),
    ("live dishes.txt --log nosuch/x.jsonl", "there is no folder nosuch"),
    ("live dishes.txt --log dishes.txt", "dishes.txt: line 1 is not the first line"),
    ("live log.jsonl --web", "log.jsonl: is a log; to continue its session, name the ARMS"),
    ("live log.jsonl --algorithm rucb", "log.jsonl: is a log; to continue its session, name the ARMS"),
]


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    """Results with their spec, matrices, judgements and arms, which no command of this file changes."""
    ground = tmp_path_factory.mktemp("ground")
    make_results(ground)
    for name, text in {
        "file": "in the way",
        "no_algorithm.py": "x = 1",
        "names.csv": "winner,loser\n1.5,2.5\n2.5,1.5\n",
        "damaged.csv.part": "PK",
        "dishes.txt": "egg\nsquid\ntuna\n",
        "log.jsonl": '{"event": "session", "format": 1}',
        "site/index.html": "my home page",
        "folder.csv/file": "",
    }.items():
        (ground / name).parent.mkdir(exist_ok=True)
        (ground / name).write_text(text)
    (ground / "link.yaml").symlink_to("gone.yaml")
    (ground / "never-run.yaml").write_text((ground / "demo.yaml").read_text().replace("name: demo", "name: never-run"))
    done("matrix", "generate", "rankings", "queries=12", "documents=6", "features=5", "-o", ground / "letor.txt")
    return ground


@pytest.mark.parametrize(("line", "words"), WRONG)
def test_wrong_input_is_one_message_that_names_its_place_and_nothing_is_written(ground, line, words, monkeypatch):
    monkeypatch.chdir(ground)
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(Path(ground.parent, variable)))
    assert words in refused(*shlex.split(line))
