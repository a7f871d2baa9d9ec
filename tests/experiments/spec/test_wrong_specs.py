"""Every wrong spec gets one clear message per mistake, with its place in the file; nothing else happens."""

import pytest

from duelbench.errors import InputError
from duelbench.experiments.spec import problems
from duelbench.experiments.spec.load import load
from tests.experiments.spec.conftest import completed


@pytest.fixture(autouse=True)
def no_fetched_data(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))


FAMILY = "matrix: {family: random}\n"
CURVES = "algorithms: [rucb, d-ts]\n"
STYLES = CURVES + "figure: {styles: {"
COPELAND = "identify: {target: copeland}\n"
RULE = "identify: {target: condorcet}\nalgorithms: [rucb: {stop: {rule: "
COUNTING = "problem: {means: [0.5], decision: counting}\n"
CORRUPT = "world: {segments: [good.csv], corruption: "

# A spec (completed with the keys that it leaves out), place and key of its mistake, and a word of the message.
MISTAKES = [
    # Numbers, and what YAML makes of words
    ("horizon: 1e7.5", "1:10 horizon", "not a whole number"),
    ("horizon: 010", "1:10 horizon", "octal: write 10"),
    ("horizon: yes", "1:10 horizon", "a bare yes as true"),
    ("horizon: " + "9" * 5000, "1:10 horizon", "got '999999999999...'"),
    ("horizon: 1,000,000", "1:10 horizon", "write 1_000_000 or 1e6"),
    ("horizon:", "1:9 horizon", "no value"),
    ("runs: 2%", "1:7 runs", "{until: 2%}"),
    ("runs: {until: 2%, moost: 50}", "1:19 runs.moost", "'most'?"),
    ("runs: {until: ranked}\nalgorithms: [rucb]", "1:15 runs.until", "one algorithm alone"),
    ("runs: {until: ranked}\nalgorithms: [rucb, rucb: {label: b}]", "1:15 runs.until", "are one algorithm"),
    ("runs: {until: 2%}\nfigure: {kind: self-duels, run: 20}", "2:33 figure.run", "below the number of runs, 20"),
    ("feedback_batch: 1e5", "1:17 feedback_batch", "at most the horizon"),
    ("feedback_delay: 2e6", "1:17 feedback_delay", "at most 1_000_000"),
    ("feedback_delay: 2\nfeedback_batch: 2", "1:17 feedback_delay", "exclude each other; remove one of the two"),
    ("feedback_delay: 2\nalgorithms: [rex3]", "1:17 feedback_delay", "give feedback_batch instead"),
    ("checkpoints: [10, 10]", "1:19 checkpoints.1", "must increase"),
    # Names and keys
    ("name: ../up", "1:7 name", "names a folder"),
    ("shuffle_arms: 1", "1:15 shuffle_arms", "true or false"),
    ("<<: 3", "1:5 '<<' adds the keys", "write '<<: *name'"),
    ("<<: {rums: 3}", "1:6 unknown key 'rums'", "did you mean 'runs'?"),
    ("runs: 3\nruns: 4", "2:1 the key 'runs'", "twice (first in line 1)"),
    ('title: "two\\nlines"', "1:8 title", "one line"),
    ('title: "$\\alpha = 0.5$"', "1:8 title", "use single quotes, as in"),
    ("runs: {until: 0%}", "1:15 runs.until", "from 0.001%"),
    ("runs: {until: 2%, least: 90, most: 50}", "1:7 runs", "above most"),
    # Problems
    ("matrix: /dev/zero", "1:9 matrix", "device"),
    ("matrix: [good.csv, cycle.csv]", "1:9 matrix", "for several matrices use the key 'problems'"),
    ("matrix: [[0.5, x], [0.4, 0.5]]", "1:16 matrix.0.1", "not a number"),
    ("matrix: [[0.5, 0.6], [0.5, 0.5]]", "1:9 matrix", "must add up to 1"),
    ("matrix: godo.csv", "1:9 matrix", "'good.csv'?"),
    ("matrix: {family: lineal}", "1:18 matrix.family", "'linear'?"),
    ("matrix: {family: flat, seed: 3}", "1:24 matrix.seed", "draws nothing"),
    ("matrix: {family: cyclic-blocks, sizes: [3, 2]}", "1:9 matrix", "odd number"),
    ("matrix: {family: submatrix}", "1:9 matrix", "'matrix' is missing"),
    ("matrix: {source: mslr-perfect}", "1:9 matrix", "`duelbench matrix fetch mslr`"),
    ("matrix: {source: mslr-informational, arms: x}", "1:44 matrix.arms", "numbers and ranges counted from 1"),
    ("matrix: []", "1:9 matrix", "an empty list"),
    ("matrix: {source: {a: 1}}", "1:18 matrix.source", "must be fetched data, not keys with values"),
    ("problems: [" + "a.csv, " * 1001 + "]", "1:11 problems", "at most 1000"),
    ("matrix: good.csv\nproblems: [cycle.csv]", "2:1 problems", "conflicts with 'matrix'"),
    ("problems:\n  a: good.csv\n  b: nan.csv", "3:6 problems.b", "row 1, column 2 (counted from 1; line 1) is nan"),
    # Regret, bounds, algorithms
    ("regret: condorcet\nproblems: {a: good.csv, b: cycle.csv}", "1:9 regret", "cycle.csv has none"),
    ("matrix: good.csv\nregret: borda-static", "2:9 regret", "for a world that changes"),
    ("bounds: [copeland, zoghi]", "1:20 bounds.1", "not a lower bound"),
    ("algorithms: {rucb: {}}", "1:13 algorithms", "begin every algorithm with '- '"),
    ("algorithms:\n  - rucb:\n    alpha: 1", "2:5 algorithms.0", "indented"),
    ("algorithms: [rucb: {alpha: [0.51, 1]}]", "1:28 algorithms.0.rucb.alpha", "{over: rucb.alpha, values: [0.51, 1]}"),
    ("matrix: {family: flat, n_arms: [3, 4]}", "1:32 matrix.n_arms", "'sweep: {over: n_arms, values: [3, 4]}'"),
    ("algorithms: [mine]", "1:14 algorithms.0", "(is it the one in own.py? then add `--plug-in own.py`)"),
    ("algorithms: [RUCB]", "1:14 algorithms.0", "did you mean 'rucb'?"),  # analysis.py only mentions "RUCB"
    ("algorithms:\n  - rucb: {alpha: -0.2}", "2:19 algorithms.0.rucb.alpha", "> 0"),
    ('algorithms:\n  - rucb: {alpha: "0,8"}', "2:19 algorithms.0.rucb.alpha", "decimal point"),
    ("algorithms:\n  - rucb\n  - rucb", "3:5 algorithms.1", "'RUCB' appears twice"),
    ("algorithms: [rucb: {label: a b}, rucb: {label: A-b}]", "1:48 algorithms.1.rucb.label", "same folder 'a-b'"),
    ("matrix: good.csv\nalgorithms: [ucb1]", "2:14 algorithms.0", "scalar bandits only"),
    ("identify: {target: condorcet, budget: [10]}", "1:31 identify.budget", "beside 'identify'"),
    # Figures
    ("figure: {kind: sweep}", "1:16 figure.kind", "needs the key 'sweep'"),
    ("figure: {kind: bars, pool: yes}", "1:22 figure.pool", "not an option of the kind 'bars'"),
    ("figure: {knd: bars, statistic: mean}", "1:10 figure.knd", "'kind'?"),
    ("bonds: [ecw]", "1:1 unknown key 'bonds'", "'bounds'?"),
    ("bounds: [ecx]", "1:10 bounds.0", "'ecw'?"),
    ("figure: {y: [5, 1]}", "1:13 figure.y", "must increase"),
    (
        STYLES + "RUBC: {color: red}}}",
        "2:19 figure.styles.RUBC",
        "not the label of an algorithm",
    ),
    (STYLES + "RUCB: {colour: red}}}", "2:26 figure.styles.RUCB.colour", "did you mean 'color'?"),
    (STYLES + "RUCB: {color: rde}}}", "2:33 figure.styles.RUCB.color", "unknown colour 'rde' (did you mean 'red'?)"),
    (STYLES + "RUCB: {linestyle: dashd}}}", "2:37 figure.styles.RUCB.linestyle", "(did you mean 'dashed'?)"),
    (STYLES + "RUCB: {marker: oo}}}", "2:34 figure.styles.RUCB.marker", "unknown marker 'oo'"),
    (STYLES + "RUCB: {linewidth: 0}}}", "2:37 figure.styles.RUCB.linewidth", "must be above 0"),
    (STYLES + "RUCB: red}}", "2:25 figure.styles.RUCB", "as in '{color: red, linestyle: dashed}'"),
    ("figure: {style: iee}", "1:17 figure.style", "did you mean 'ieee'?"),
    ("figure: {xlabel: $x_$}", "1:18 figure.xlabel", "the mathematics $x_$ cannot be drawn"),
    ("title: all $\\foo{$", "1:8 title", "the mathematics $\\foo{$ cannot be drawn: Unknown symbol"),
    ("algorithms: [rucb: {label: $a_b_c$}]", "1:28 algorithms.0.rucb.label", "Double subscript"),
    (CURVES + "figure: {kind: bars, normalise_to: RUBC}", "2:36 figure.normalise_to", "not the label of an algorithm"),
    # Sweeps and scales
    ("swep: {over: horizon, values: [9]}\nfigure: {kind: sweep}", "1:1 unknown key 'swep'", "'sweep'?"),
    ("feedback_batch: 1e9\nhorizon: 9\nscales:\n  a: {horizon: 8}", "1:17 feedback_batch", "at most the horizon, 9"),
    ("sweep: {over: horizn, values: [1]}", "1:15 sweep.over", "not a setting"),
    (CURVES + "sweep: {over: variant, values: [icml]}", "2:15 sweep.over", "not a parameter of d-ts"),
    ("sweep: {over: horizon, values: [5, 5.0]}", "1:36 sweep.values.1", "appears twice"),
    ("sweep: {over: horizon, values: [5], games: 2}", "1:44 sweep.games", "a parameter of the matr"),
    (FAMILY + "sweep: {over: n_arms, values: [3, 4], games: 9999}", "2:8 sweep", "combinations"),
    ("algorithms: [rucb: {alpha: 1}]\nsweep: {over: alpha, values: [2]}", "2:15 sweep.over", "remove one of the two"),
    ("scales:\n  quick: {runs: 0}", "2:17 at scale 'quick': runs", "at least 1"),
    ("scales:\n  quick: {name: x}", "2:11 scales.quick.name", "the same at every scale"),
    ("scales: {" + ", ".join(f"s{k}: {{runs: 3}}" for k in range(21)) + "}", "1:9 scales", "at most 20"),
    # Identification
    ("identify: {target: best}", "1:20 identify.target", "not a target"),
    (RULE + "e-condorset}}]", "2:34 algorithms.0.rucb.stop.rule", "'e-condorcet'?"),
    (RULE.replace("stop", "stpo") + "e-bets}}]", "2:21 algorithms.0.rucb.stpo", "'stop'?"),
    (RULE.replace("identify", "idntify") + "borda}}]", "1:1 unknown key 'idntify'", "'identify'?"),
    ("identfy: {target: condorcet}\nbudget: [10]\nfigure: {kind: error}", "1:1 unknown key 'identfy'", "'identify'?"),
    ("identify: {target: top-k, K: 1}", "1:27 identify.K", "'k'?"),
    (COPELAND + "budget: [10]\nchekpoints: 3", "3:1 unknown key 'chekpoints'", "'checkpoints'?"),
    (COPELAND + "budget: [10]\ncheckpoints: 0", "3:14 checkpoints", "at least 1"),
    ("identify: {target: copeland, k: 2}", "1:30 identify.k", "is for 'target: top-k'; remove it"),
    ("identify: {target: top-k, k: 2}", "1:11 identify", "less than the 2 arms"),
    ("matrix: cycle.csv\nidentify: {target: ranking}", "2:11 identify", "no order"),
    ("identify: {target: condorcet}\nalgorithms: [rucb]", "2:14 algorithms.0", "add a stopping rule"),
    ("identify: {target: borda}\nalgorithms: [kelly-elimination]", "2:14 algorithms.0", "answers condorcet"),
    ("budget: [10]", "1:1 budget", "is for the key 'identify'"),
    (COPELAND + "budget: [0.3K]", "2:10 budget.0", "0.6 rounds"),
    (COPELAND + "budget: [10]\nhorizon: 1e3", "3:10 horizon", "is the horizon; remove"),
    # Scalar bandits
    ("problem: {means: [0.5]}\nalgorithms: [rucb]", "2:14 algorithms.0", "plays duels"),
    ("problem: {means: [0.5, 1], decison: rigged, m: 1}\nalgorithms: [savage]", "1:28 problem.decison", "'decision'?"),
    ("problem: {means: [0.5]}\nbounds: ecw\nalgorithms: [savage]", "2:9 bounds", "those of duels"),
    (
        "problem: {means: [0.9], m: 2}\nalgorithms: [savage]",
        "1:25 problem.m",
        "unknown key 'm' for the decision argmax",
    ),
    ("problem: {means: [0.9, 0], decision: rigged}\nalgorithms: [savage]", "1:10 problem", "leaves nothing of 2 means"),
    ("problem: {means: [0.5 x many]}\nalgorithms: [savage]", "1:19 problem.means.0", "a whole number after the x"),
    (COUNTING + "regret: played\nalgorithms: [savage]", "2:9 regret", "a decision that is an arm"),
    ("problem: riged.yaml\nalgorithms: [savage]", "1:10 problem", "riged.yaml:2:11 decision: 'riged' is not a"),
    # Worlds
    ("world: {segments: [good.csv, cycle.csv]}", "1:8 world", "matrix 2 has 3 arms"),
    ("world: {starts: equal}", "1:8 world", "'segments' is missing"),
    ("world: {segments: [good.csv], strats: random, least: 3}", "1:31 world.strats", "'starts'?"),
    ("world: {segments: [good.csv], least: 3}", "1:31 world.least", "'starts: random'"),
    (CORRUPT + "{rounds: [1, 2], budget: 2}}", "1:44 world.corruption.rounds", "conflicts with 'budget'"),
    (CORRUPT + "{rounds: [9, 2]}}", "1:52 world.corruption.rounds", "comes before"),
    ("world: {segments: [good.csv]}\nbounds: [copeland]", "2:9 bounds", "one matrix"),
    ("worlds: {a: {segments: [cycle.csv]}}\nregret: condorcet", "2:9 regret", "a: segment 1"),
]


@pytest.mark.parametrize(("text", "place", "word"), MISTAKES, ids=[text[:40] for text, _, _ in MISTAKES])
def test_a_mistake_is_named_with_its_place_and_a_hint(refusal, text, place, word):
    line, count = refusal(completed(text))
    assert line.startswith(f"spec.yaml:{place}")
    assert word in line
    assert count == "1 problem; nothing was run."


# Whole specs, and the places of all that is wrong with them. Where a mistake decides what another key may say, that key
# is not judged yet.
ALL_AT_ONCE = {
    "a bit of everything": (
        "name: demo\nhorizon: '1e7.5'\nproblems:\n  condorcet: no-complement.csv\n  other: cycle.csv\n"
        "regret: [condorcet, copland]\nrums: 5\nalgorithms:\n"
        "  - rucb: {aplha: 0.51, alpha: -.2, label: RUCB, lable: x}\n  - rukb\n  - {random: {label: Random}}\n"
        "  - random\nseed: -1\n",
        "2:10 4:14 6:10 6:21 7:1 9:12 9:32 9:50 10:5 12:5 13:7",
    ),
    "keys, algorithms, regret, sweep and figure": (
        "matrix: cycle.csv\nhorizon: 1e3\nrunz: 3\n"
        "algorithms: [ucb1, rmed1: {label: x}, rucb: {label: x}, interleaved-filter: {variant: if3}]\n"
        "regret: [condorcet, announced]\nsweep: {over: n_arms, values: [3, 4]}\nfigure: {kind: bars, normalise_to: y}",
        "3:1 4:14 4:53 4:87 5:10 5:21",
    ),
    "scales": (
        "runs: 0\nmatrix: good.csv\nhorizon: 9\nalgorithms: [rucb]\nscales:\n  a: {rums: 3, runs: 0}\n  b: {runs: x}",
        "1:7 6:7 6:22 7:13",
    ),
    "the same behind an alias": (
        "matrix: good.csv\nhorizon: 9\nalgorithms:\n  - rucb: &shared {alpha: -.2}\n  - ccb: *shared",
        "4:27 4:27",
    ),
    "the label of an unknown algorithm": (
        "matrix: good.csv\nhorizon: 1e3\nalgorithms: [rukb, random]\nfigure: {kind: bars, normalise_to: RUCB}",
        "3:14",
    ),
    "misspelt required keys": ("matrx: good.csv\nhorizn: 1e4\nalgoritms: [rucb]", "1:1 2:1 3:1"),
    "missing keys": ("# a comment\nruns: 5", "2:1 2:1 2:1"),
}


@pytest.mark.parametrize("name", ALL_AT_ONCE)
def test_all_mistakes_are_told_in_the_first_round_in_the_order_of_the_file(refusal, name):
    text, places = ALL_AT_ONCE[name]
    *lines, count = refusal(f"{text}\n")
    assert " ".join(line.split(" ")[0].removeprefix("spec.yaml:") for line in lines) == places
    assert count.startswith(f"{len(lines)} problem")


def test_a_long_list_of_mistakes_is_cut(refusal):
    lines = refusal(completed("regret: [" + "x, " * 300 + "]"))
    assert lines[-2:] == ["... and 200 more", "300 problems; nothing was run."] and len(lines) == 102


@pytest.mark.parametrize("text", ["[{family: flat, n_arms: 5}, {family: linear, n_arms: 6}]", "[six.csv, cycle.csv]"])
def test_the_matrices_of_a_spec_are_bounded_together(refusal, folder, monkeypatch, text):
    monkeypatch.setattr(problems, "MAX_ENTRIES", 30)
    (folder / "six.csv").write_text("\n".join([",".join(["0.5"] * 6)] * 6))
    line, _ = refusal(completed(f"problems: {text}"))
    assert " problems.1: " in line and "more than 30 entries" in line


NOT_YAML = [
    ("# nothing", "1:1 the file is empty"),
    ("", " is empty"),
    ("runs: 3\n\tseed: 4\n", "2:1 a tab"),
    ("title: Figure 1: regret\n", "1:16 a ':' is not allowed here"),
    ("regret:\n  - copeland\n runs: 5\n", "3:2 the indentation"),
    ("runs: 3\n---\nruns: 4\n", "2:1 a second document"),
    ("regret: [copeland\n", "2:1 not YAML"),
    ("runs: *three\n", "1:7 there is no anchor"),
    ("regret: &r [copeland, *r]\n", "1:13 nested more than 20 levels deep"),
    ("runs: " + "[" * 5000 + "\n", "1:1 nested more than 20 levels deep"),
    ("regret: [" + "x, " * 10_000 + "]\n", "1:30001 more than 10000 values"),
    ("title: a\0b\n", "1:9 holds the control character U+0000"),
    ("runs: 3\ntitle: caf\xe9\n".encode("latin-1"), "2:11 the byte 0xe9 is not UTF-8"),
    (completed("").encode("utf-16"), "1:1 the byte 0xff is not UTF-8"),
    ("\ufeffruns: 0\r\nmatrix: good.csv\r\nhorizon: 1e4\r\nalgorithms: [rucb]\r\n".encode(), "1:7 runs"),
    ("a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    ), "1:35 aliases make this more than 10000 values"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), NOT_YAML, ids=[repr(content[:30]) for content, _ in NOT_YAML])
def test_what_is_no_mapping_in_yaml_is_refused_at_the_place_where_it_stops_being_one(refusal, content, expected):
    assert refusal(content)[0].startswith(f"spec.yaml:{expected}")


def test_tags_of_python_are_never_followed(refusal, folder):
    lines = refusal(completed(f"title: !!python/object/apply:os.mkdir ['{folder}/made']"))
    assert lines[0].startswith("spec.yaml:1:8 title: the tag '!!python/object/apply:os.mkdir'")
    assert not (folder / "made").exists()


def test_what_is_no_file_with_text_is_refused_without_being_opened_for_long(folder):
    (folder / "demo.yaml").write_text(completed(""))
    (folder / "link.yaml").symlink_to(folder / "gone.yaml")
    with open(folder / "huge.yaml", "wb") as file:
        file.truncate(2**40)
    (folder / "large.yaml").write_text("#" * 2**20 + "#")
    for name, word in {
        "dmeo.yaml": "'demo.yaml'?",
        "confgis/a.yaml": f"there is no folder {folder}/confgis",
        "": "is a folder",
        "/dev/zero": "device",
        "link.yaml": "no such file",
        "a\0b.yaml": "cannot be read",
        "a" * 5000: "cannot be read",
        "huge.yaml": "has 1048576 MB",
        "large.yaml": "larger than 1 MB",
    }.items():
        with pytest.raises(InputError) as caught:
            load(folder / name)
        assert word in str(caught.value)


def test_a_name_that_cannot_be_a_folder_needs_a_name_inside_and_a_scale_that_is_not_there_is_named(folder):
    path = folder / "my spec.yaml"
    for text, scale, words in [
        ("title: Mine", None, "1:1 .*'my spec'.*add the key 'name'"),
        ("name: mine", "quik", "no scale 'quik'.*has no scales"),
        ("name: mine\nscales: {quick: {runs: 2}}", "quik", "no scale 'quik'.*'quick'?"),
    ]:
        path.write_text(completed(text))
        with pytest.raises(InputError, match=words):
            load(path, scale)
