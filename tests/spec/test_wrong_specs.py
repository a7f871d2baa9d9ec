"""Every wrong spec gets one clear message per mistake, with its place in the file; nothing else happens."""

import pytest

from duelbench.spec import problems
from tests.spec.conftest import completed


@pytest.fixture(autouse=True)
def no_fetched_data(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))


# Text (completed with the keys it leaves out), and how the message's lines begin after the file's name.
MISTAKES = [
    # Numbers
    ("horizon: 1e7.5", ["1:10 horizon: '1e7.5' is not a whole number of rounds"]),
    ("horizon: 1.5", ["1:10 horizon: '1.5' is not a whole number of rounds"]),
    ("horizon: 1e-3", ["1:10 horizon: '1e-3' is not a whole number"]),
    ("horizon: 0", ["1:10 horizon: must be at least 1, got '0'"]),
    ("horizon: -1e6", ["1:10 horizon: must be at least 1, got '-1e6'"]),
    ("horizon: 010", ["1:10 horizon: '010' begins with a zero, which YAML reads as octal: write 10"]),
    ("horizon: true", ["1:10 horizon: must be a whole number of rounds, but YAML reads a bare true as true, a truth"]),
    (
        "horizon: yes",
        ["1:10 horizon: must be a whole number of rounds, but YAML reads a bare yes as true, a truth value;"],
    ),
    (
        "runs: off",
        ["1:7 runs: must be a whole number of runs, but YAML reads a bare off as false, a truth value; write"],
    ),
    ("algorithms: [rucb: {alpha: no}]", ["1:28 algorithms.0.rucb.alpha: must be a number, but YAML reads a bare no"]),
    ("regret: yes", ["1:9 regret: 'yes' is not a regret definition (there are copeland,"]),
    ("horizon: 1e16", ["1:10 horizon: must be at most 1_000_000_000_000_000, got '1e16'"]),
    (
        "horizon: " + "9" * 5000,
        ["1:10 horizon: must be at most 1_000_000_000_000_000, got '999999999999...'"],
    ),
    ("horizon: 1e" + "9" * 50, ["1:10 horizon: '1e9999999999...' (52 characters) is too large or too small"]),
    ("horizon: 1:30", ["1:10 horizon: '1:30' is not a whole number"]),
    ("horizon: 0x10", ["1:10 horizon: '0x10' is not a whole number of rounds: write it in decimal digits"]),
    (
        "horizon: 1,000,000",
        ["1:10 horizon: '1,000,000' is not a whole number of rounds: write 1_000_000 or 1e6"],
    ),
    ("horizon: 10^6", ["1:10 horizon: '10^6' is not a whole number of rounds: write 1e6 or 1_000_000"]),
    ("horizon: 5M", ["1:10 horizon: '5M' is not a whole number of rounds: write 1e3 for a thousand"]),
    ("horizon: .inf", ["1:10 horizon: '.inf' is not a whole number"]),
    ("horizon: 2016-12-05", ["1:10 horizon: '2016-12-05' is not a whole number"]),
    ("horizon:", ["1:9 horizon: has no value; write a whole number of rounds, or remove it"]),
    ("horizon: [1e5, 1e6]", ["1:10 horizon: must be a whole number of rounds, not a list"]),
    ("horizon: {t: 5}", ["1:10 horizon: must be a whole number of rounds, not keys with values"]),
    ("runs: many", ["1:7 runs: 'many' is not a whole number of runs"]),
    ("runs: 1_000_001", ["1:7 runs: must be at most 1_000_000, got '1_000_001'"]),
    ("runs: {most: 50}", ["1:7 runs: the key 'until' is missing; add 'until: 2%' or 'until: ranked'"]),
    ("runs: {until: soon}", ["1:15 runs.until: 'soon' is not a part of the mean, such as 2%, or the word ranked"]),
    ("runs: {until: 2}", ["1:15 runs.until: must be from 0.001% to below 100%, got '2'; write 2% or 0.02"]),
    ("runs: {until: 0%}", ["1:15 runs.until: must be from 0.001% to below 100%, got '0%'"]),
    ("runs: {until: 2%, moost: 50}", ["1:19 runs.moost: unknown key 'moost' (did you mean 'most'?)"]),
    ("runs: {until: 2%, least: 7}", ["1:26 runs.least: must be at least 8, got '7'"]),
    ("runs: {until: 2%, least: 90, most: 50}", ["1:7 runs: least, 90, is above most, 50"]),
    ("runs: {until: 2%, margin: 3%}", ["1:19 runs.margin: is for pairs, with until: ranked; remove it"]),
    (
        "runs: {until: ranked}\nalgorithms: [rucb]",
        ["1:15 runs.until: one algorithm alone cannot be ranked: add another"],
    ),
    (
        "runs: {until: ranked}\nalgorithms: [rucb, rucb: {label: b}]",
        ["1:15 runs.until: RUCB and b are one algorithm, whose runs are the same; remove all but one"],
    ),
    (
        "runs: {until: ranked}\nalgorithms: [rucb, savage-copeland: {horizons: [1e3]}]",
        ["1:15 runs.until: what is ranked must have one horizon (RUCB 10000, "],
    ),
    (
        "runs: {until: 2%}\nfigure: {kind: self-duels, run: 20}",
        ["2:33 figure.run: must be below the number of runs, 20"],
    ),
    ("seed: -1", ["1:7 seed: must be at least 0, got '-1'"]),
    (f"seed: {2**128}", ["1:7 seed: must be at most 2^128 - 1, got"]),
    ("feedback_delay: 0", ["1:17 feedback_delay: must be at least 1, got '0'"]),
    ("feedback_delay: 1e5", ["1:17 feedback_delay: must be at most the horizon, 10_000 rounds, got '1e5'"]),
    ("checkpoints: 1e6", ["1:14 checkpoints: must be at most 100_000, got '1e6'"]),
    ("checkpoints: [10, 1e5]", ["1:19 checkpoints.1: must be at most the horizon, 10_000 rounds, got '1e5'"]),
    ("checkpoints: [10, 10]", ["1:19 checkpoints.1: rounds must increase, but 10 stands after 10"]),
    ("checkpoints: []", ["1:14 checkpoints: is an empty list"]),
    # Names, yes and no
    ("name: no", ["1:7 name: must be a name, but YAML reads a bare no as false; write 'no' in quotes"]),
    ("name: ../up", ["1:7 name: names a folder: use letters, digits"]),
    ("name: .hidden", ["1:7 name: names a folder: use letters, digits"]),
    ("name: a/b", ["1:7 name: names a folder: use letters, digits"]),
    ("name: nul", ["1:7 name: names a folder: 'nul' is a name with a meaning of its own"]),
    ("name: results.csv", ["1:7 name: names a folder: 'results.csv' is a name with a meaning of its own"]),
    ("name: dot.", ["1:7 name: names a folder: it cannot end with '.'"]),
    ("name: " + "n" * 81, ["1:7 name: names a folder: use at most 80 characters, not 81"]),
    ('title: "two\\nlines"', ["1:8 title: must be one line of text"]),
    ("title: off", ["1:8 title: must be text, but YAML reads a bare off as false"]),
    ('title: ""', ["1:8 title: is empty"]),
    ('title: "a\\0b"', ["1:8 holds the control character U+0000; remove it"]),
    ('title: "\\uD800"', ["1:8 holds the control character U+D800; remove it"]),
    ("title: " + "t" * 201, ["1:8 title: must have at most 200 characters, not 201"]),
    ("shuffle_arms: 1", ["1:15 shuffle_arms: must be true or false (without quotes), got '1'"]),
    ("shuffle_arms: 'true'", ["1:15 shuffle_arms: must be true or false (without quotes), got 'true'"]),
    # Keys
    ("horizn: 1e4", ["1:1 unknown key 'horizn' (did you mean 'horizon'?)"]),
    ("colour: red", ["1:1 unknown key 'colour' (there are name, title, matrix, problem, problems, identify, budget,"]),
    ("<<: {runs: 3}", ["1:1 merge keys ('<<') are not used in specs; write the keys out"]),
    ("runs: 3\nruns: 4", ["2:1 the key 'runs' stands twice (first in line 1); remove one"]),
    ("? [a, b]\n: c", ["1:3 a key must be a word"]),
    ("runs: !!int 3\nseed: !mine 4", ["2:7 the tag '!mine' is not used in specs; remove it"]),
    # Problems
    ("matrix: godo.csv", ["1:9 matrix: godo.csv: there is no such file (did you mean 'good.csv'?)"]),
    (
        "matrix: [[0.5, 0.6], [0.4, 0.5]]",
        ["1:9 matrix: is written out here, but must be the path of a file: save it as a CSV file (one line for each"],
    ),
    (
        "problems: {a: [[0.5, 0.6], [0.4, 0.5]]}",
        ["1:15 problems.a: is written out here, but must be the path of a file: save it as a CSV file"],
    ),
    ("matrix: [good.csv]", ["1:9 matrix: is one path; for several matrices use the key 'problems'"]),
    ("matrix: ''", ["1:9 matrix: is empty; write the path of a matrix file"]),
    ("matrix: .", ["1:9 matrix: "]),
    (
        "matrix: {family: cycle, n: 5}",
        [
            "1:18 matrix.family: 'cycle' is not a family (there are linear, arithmetic, flat,",
            "1:25 matrix.n: unknown parameter 'n'",
        ],
    ),
    ("matrix: {family: lineal}", ["1:18 matrix.family: 'lineal' is not a family (did you mean 'linear'?)"]),
    ("problems: {family: lineal}", ["1:20 problems.family: 'lineal' is not a family (did you mean 'linear'?)"]),
    ("problems:\n  x: {family: lineal}", ["2:15 problems.x.family: 'lineal' is not a family (did you mean"]),
    (
        "matrix: {family: linear, n_arms: 1, slope: steep, n_amrs: 3}",
        [
            "1:34 matrix.n_arms: must be >= 2, got 1",
            "1:44 matrix.slope: 'steep' is not a number",
            "1:51 matrix.n_amrs: unknown parameter 'n_amrs' for linear (did you mean 'n_arms'?)",
        ],
    ),
    ("matrix: {family: flat, n_arms: 1e6}", ["1:32 matrix.n_arms: must be <= 4096, got 1000000"]),
    ("matrix: {family: flat, seed: 3}", ["1:24 matrix.seed: unknown parameter 'seed' for flat, which draws nothing"]),
    ("matrix: {family: random, seed: -3}", ["1:32 matrix.seed: must be at least 0, got '-3'"]),
    ("matrix: {family: random, winners: no}", ["1:35 matrix.winners: must be a name, but YAML reads a bare no as"]),
    (
        "matrix: {family: random, n_arms: 40, winners: condorcet}",
        ["1:9 matrix: random: none of 10000 matrices drawn had winners=condorcet; take fewer arms"],
    ),
    ("matrix: {family: cyclic-blocks, sizes: [3, x]}", ["1:40 matrix.sizes: 'x' is not a number"]),
    ("matrix: {family: cyclic-blocks, sizes: [3, 2]}", ["1:9 matrix: cyclic-blocks: every block has an odd number"]),
    ("matrix: {family: submatrix}", ["1:9 matrix: the parameter 'matrix' is missing; add the path of a matrix file"]),
    (
        "matrix: {family: submatrix, matrix: godo.csv}",
        ["1:9 matrix: godo.csv: there is no such file (did you mean 'good.csv'?)"],
    ),
    ("matrix: {n_arms: 5}", ["1:9 matrix: must be the path of a matrix file, or a family with its parameters"]),
    ("matrix: {source: mslr}", ["1:18 matrix.source: 'mslr' is not fetched data (there are mslr-informational,"]),
    ("matrix: {source: mslr-prefect}", ["1:18 matrix.source: 'mslr-prefect' is not fetched data (did you mean"]),
    (
        "matrix: {source: mslr-perfect}",
        ["1:9 matrix: mslr-perfect is not on this machine: get it with `duelbench matrix fetch mslr`"],
    ),
    (
        "matrix: {source: mslr-perfect, arms: [0, x], ams: 3}",
        [
            "1:39 matrix.arms.0: must be at least 1, got '0'",
            "1:42 matrix.arms.1: 'x' is not a whole number",
            "1:46 matrix.ams: unknown key 'ams' (did you mean 'arms'?)",
        ],
    ),
    ("matrix: {sorce: mslr-perfect}", ["1:10 matrix.sorce: unknown key 'sorce' (did you mean 'source'?)"]),
    ("matrix: {famly: flat}", ["1:10 matrix.famly: unknown key 'famly' (did you mean 'family'?)"]),
    ("matrix: {source: mslr-perfect, ams: 3}", ["1:32 matrix.ams: unknown key 'ams' (did you mean 'arms'?)"]),
    ("matrix: {source: mslr-perfect, arms: mslr4}", ["1:38 matrix.arms: arms 'mslr4': write numbers and ranges"]),
    ("problems: [{family: flat}, {family: flat}]", ["1:28 problems.1: the name 'flat' stands twice"]),
    (
        "regret: strong\nmatrix: {family: cyclic-blocks}",
        ["1:9 regret: 'strong' needs a Condorcet winner; cyclic-blocks has none"],
    ),
    ("problems: []", ["1:11 problems: is an empty list"]),
    ("problems: [" + "a.csv, " * 1001 + "]", ["1:11 problems: lists 1001, but at most 1000 are allowed"]),
    (
        "problems: {}",
        ["1:11 problems: is empty; write the path of a matrix file, a list of paths, or a mapping"],
    ),
    ("problems: {off: good.csv}", ["1:12 problems.off: must be a name, but YAML reads a bare off as false"]),
    ("problems: {a b: good.csv}", ["1:12 problems.a b: names a folder: use letters"]),
    ("problems: [good.csv, ./good.csv]", ["1:22 problems.1: the name 'good' stands twice"]),
    ("problems: {A: good.csv, a: cycle.csv}", ["1:28 problems.a: the name 'a' stands twice"]),
    ("problems: {a: good.csv, b: }", ["1:27 problems.b: has no value; write the path of a matrix file"]),
    (
        "matrix: good.csv\nproblems: [cycle.csv]",
        ["2:1 problems: stands beside 'matrix'; give one of the two"],
    ),
    # Regret and bounds
    ("regret: copland", ["1:9 regret: 'copland' is not a regret definition (did you mean 'copeland'?)"]),
    ("regret: [copeland, copeland]", ["1:20 regret.1: 'copeland' stands twice; remove one"]),
    ("regret: []", ["1:9 regret: is an empty list"]),
    (
        "matrix: cycle.csv\nregret: [copeland, strong, weak]",
        [
            "2:20 regret.1: 'strong' needs a Condorcet winner; cycle.csv has none",
            "2:28 regret.2: 'weak' needs a Condorcet winner; cycle.csv has none",
        ],
    ),
    (
        "regret: condorcet\nproblems: {a: good.csv, b: cycle.csv}",
        ["1:9 regret: 'condorcet' needs a Condorcet winner; cycle.csv has none"],
    ),
    (
        "bounds: [copeland, zoghi]",
        ["1:20 bounds.1: 'zoghi' is not a lower bound (there are copeland, ecw, condorcet)"],
    ),
    # Algorithms
    ("algorithms: []", ["1:13 algorithms: is an empty list"]),
    ("algorithms: [" + "rucb, " * 1001 + "]", ["1:13 algorithms: lists 1001, but at most 1000 are allowed"]),
    ("algorithms: {rucb: {}}", ["1:13 algorithms: is a list: begin every algorithm with '- '"]),
    (
        "algorithms: [RUCB, DTS, RMED, pure D-TS, Magic]",
        [
            "1:14 algorithms.0: 'RUCB' is not an algorithm (did you mean 'rucb'?)",
            "1:20 algorithms.1: 'DTS' is not an algorithm (did you mean 'd-ts'?)",
            "1:25 algorithms.2: 'RMED' is not an algorithm (did you mean 'rmed1'?)",
            "1:31 algorithms.3: 'pure D-TS' is not an algorithm (did you mean 'd-ts-pure'?)",
            "1:42 algorithms.4: 'Magic' is not an algorithm (`duelbench list algorithms` shows them; "
            "`--plug-in FILE` adds your own)",
        ],
    ),
    ("algorithms:\n  - rukb", ["2:5 algorithms.0: 'rukb' is not an algorithm (did you mean 'rucb'?)"]),
    (
        "algorithms:\n  - rucb\n  - no",
        ["3:5 algorithms.1: must be the id of an algorithm, such as rucb, but YAML reads a bare no"],
    ),
    (
        "algorithms:\n  - {rukb: {}}",
        ["2:6 algorithms.0.rukb: 'rukb' is not an algorithm (did you mean 'rucb'?)"],
    ),
    (
        "algorithms: [null]",
        ["1:14 algorithms.0: has no value; write the id of an algorithm, such as rucb, or remove it"],
    ),
    (
        "algorithms:\n  - rucb:\n    alpha: 1",
        ["2:5 algorithms.0: must be one algorithm, with its parameters indented"],
    ),
    (
        "algorithms:\n  - rucb: 0.51",
        ["2:11 algorithms.0.rucb: must be keys, as in '{label: RUCB}', not text"],
    ),
    (
        "algorithms:\n  - rucb: {aplha: 0.8}",
        ["2:12 algorithms.0.rucb.aplha: unknown parameter 'aplha' for rucb (did you mean 'alpha'?)"],
    ),
    ("algorithms:\n  - rucb: {alpha: 0.2}", ["2:19 algorithms.0.rucb.alpha: must be > 0.5, got 0.2"]),
    ("algorithms:\n  - rucb: {alpha: big}", ["2:19 algorithms.0.rucb.alpha: 'big' is not a number"]),
    ("algorithms:\n  - rucb: {alpha: 1e400}", ["2:19 algorithms.0.rucb.alpha: '1e400' is too large"]),
    ("algorithms:\n  - rucb: {alpha: .nan}", ["2:19 algorithms.0.rucb.alpha: '.nan' is not a number"]),
    (
        'algorithms:\n  - rucb: {alpha: "0,8"}',
        ["2:19 algorithms.0.rucb.alpha: '0,8' is not a number: write a decimal point"],
    ),
    ("algorithms:\n  - rucb: {alpha: }", ["2:18 algorithms.0.rucb.alpha: has no value"]),
    (
        "algorithms:\n  - rucb: {lable: a}\n  - rucb: {lable: b}",  # and not that a label stands twice
        [
            "2:12 algorithms.0.rucb.lable: unknown parameter 'lable' for rucb (did you mean 'label'?)",
            "3:12 algorithms.1.rucb.lable: unknown parameter 'lable' for rucb (did you mean 'label'?)",
        ],
    ),
    (
        "algorithms:\n  - rucb: {label: yes}",
        ["2:19 algorithms.0.rucb.label: must be text, but YAML reads a bare yes as"],
    ),
    (
        "algorithms:\n  - rucb\n  - rucb",
        ["3:5 algorithms.1: the label 'RUCB' stands twice; give each algorithm its own"],
    ),
    (
        "algorithms:\n  - rucb: {label: my rucb}\n  - rucb: {label: My-RUCB}",
        ["3:19 algorithms.1.rucb.label: the labels 'my rucb' and 'My-RUCB' give the same folder 'my-rucb'"],
    ),
    (
        "algorithms:\n  - rucb: {horizons: [1e3, 1e5]}",
        ["2:28 algorithms.0.rucb.horizons.1: must be at most the horizon, 10_000 rounds, got '1e5'"],
    ),
    (
        "algorithms:\n  - rucb: {horizons: [1e3, 1000]}",
        ["2:28 algorithms.0.rucb.horizons.1: '1000' stands twice; remove one"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=[text[:40] for text, _ in MISTAKES])
def test_a_mistake_is_named_with_its_place_and_mend(refusal, text, expected):
    *lines, count = refusal(completed(text))
    assert len(lines) == len(expected), lines
    for line, beginning in zip(lines, expected, strict=True):
        assert line.startswith(f"spec.yaml:{beginning}")
    assert count == f"{len(expected)} problem{'s' * (len(expected) != 1)}; nothing was run."


def test_the_matrices_that_a_spec_generates_are_bounded_together(refusal, monkeypatch):
    monkeypatch.setattr(problems, "MAX_GENERATED", 50)
    line, _ = refusal(completed("problems: [{family: flat, n_arms: 5}, {family: linear, n_arms: 6}]"))
    assert line.endswith("1:39 problems.1: the matrices generated up to here have more than 50 entries together")


def test_the_matrices_that_a_spec_names_are_bounded_together(refusal, monkeypatch):
    monkeypatch.setattr(problems, "MAX_ENTRIES", 15)
    line, _ = refusal(completed("problems: {a: good.csv, b: {family: flat, n_arms: 4}, c: good.csv}"))
    assert line.endswith("problems.c: the matrices up to here have more than 15 entries together")


MATRIX_MISTAKES = {
    "not-square.csv": "2 row(s) of 3 numbers; a preference matrix has as many rows as columns",
    "no-complement.csv": "together 1.1; they must add up to 1",
    "nan.csv": "row 1, column 2 (counted from 1; line 1) is nan",
    "outside.csv": "row 1, column 2 (counted from 1; line 1) is 1.2, not a probability",
    "diagonal.csv": "is 0.4, but an arm against itself has exactly 0.5: write 0.5",
    "words.csv": "row 1, column 2 (counted from 1; line 1) is 'high', not a number",
    "one-arm.csv": "a preference matrix has at least 2 rows and 2 columns",
    "empty.csv": "is empty; it must hold K rows of K numbers",
}


@pytest.mark.parametrize(("matrix", "reason"), MATRIX_MISTAKES.items())
def test_what_is_wrong_with_a_matrix_stands_at_its_path(refusal, matrix, reason):
    line, count = refusal(completed(f"problems:\n  first: good.csv\n  second: {matrix}"))
    assert line.startswith(f"spec.yaml:3:11 problems.second: {matrix}: ")
    assert reason in line
    assert count == "1 problem; nothing was run."


NOT_YAML = [
    ("", "1:1 the file is empty"),
    ("# only a comment\n", "1:1 the file is empty"),
    ("- rucb\n", "1:1 this is a list, but a spec is keys with values"),
    ("just words\n", "1:1 this is text, but a spec is keys with values"),
    ("runs: 3\n\tseed: 4\n", "2:1 a tab stands here; YAML indents with spaces"),
    ("algorithms:\n\t- rucb\n", "2:1 a tab stands here; YAML indents with spaces"),
    ("title: Figure 1: regret\n", "1:16 a ':' cannot stand here; quote the text or check the indentation"),
    ("title: 'it's'\n", "1:12 text after closing quotes; inside them write '' for '"),
    ("regret:\n  - copeland\n runs: 5\n", "3:2 the indentation does not fit the lines above"),
    ("title: @home\n", "1:8 text cannot begin with '@'; put it in quotes"),
    ("runs: 3\nseed\n", "3:1 a key without ':'; write 'key: value'"),
    ("runs: 3\n---\nruns: 4\n", "2:1 a second document begins here"),
    (
        "regret: [copeland\n",
        "2:1 not YAML: expected ',' or ']', but got '<stream end>' (while parsing a flow sequence, begun",
    ),
    ("title: 'open\n", "2:1 the file ends inside quotation marks"),
    ("runs: *three\n", "1:7 no anchor of this name stands before"),
    ("runs: &a 3\nseed: &a 4\n", "2:7 an anchor of this name stands before; choose another name"),
    ("regret: &r [copeland, *r]\n", "1:23 *r stands inside what it repeats"),
    ("problems: &p {a: *p}\n", "1:18 *p stands inside what it repeats"),
    ("runs: " + "[" * 5000 + "\n", "1:26 nested more than 20 levels deep"),
    ("- " * 5000 + "\n", "1:41 nested more than 20 levels deep"),
    ("regret: [" + "x, " * 10_000 + "]\n", "1:30001 more than 10000 values; this is not a spec"),
    ('title: "\\Uffffffff"\n', "1:11 not YAML: "),
    ("title: a\0b\n", "1:9 holds the control character U+0000; remove it"),
    ("title: a\x07b\n", "1:9 holds the control character U+0007; remove it"),
    (
        "runs: 3\ntitle: caf\xe9\n".encode("latin-1"),
        "2:11 the byte 0xe9 is not UTF-8 text; save the file as UTF-8",
    ),
]


@pytest.mark.parametrize(("content", "expected"), NOT_YAML, ids=[repr(content[:30]) for content, _ in NOT_YAML])
def test_what_is_no_mapping_in_yaml_is_refused_at_the_place_where_it_stops_being_one(refusal, content, expected):
    line, count = refusal(content)
    assert line.startswith(f"spec.yaml:{expected}")
    assert count == "1 problem; nothing was run."


def test_aliases_that_multiply_are_refused_before_they_are_written_out(refusal):
    levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    levels += [
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    line, _ = refusal("\n".join(levels))
    assert "aliases make this more than 10000 values" in line


def test_tags_of_python_are_never_followed(refusal, folder):
    lines = refusal(completed(f"title: !!python/object/apply:os.mkdir ['{folder}/made']"))
    assert lines[0].startswith("spec.yaml:1:8 the tag '!!python/object/apply:os.mkdir' is not used in specs; remove it")
    assert not (folder / "made").exists()


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file(refusal):
    lines = refusal(
        "name: demo\n"
        "horizon: '1e7.5'\n"
        "problems:\n"
        "  condorcet: no-complement.csv\n"
        "  other: cycle.csv\n"
        "regret: [condorcet, copland]\n"
        "rums: 5\n"
        "algorithms:\n"
        "  - rucb: {aplha: 0.51, alpha: 0.2, label: RUCB, lable: x}\n"
        "  - rukb\n"
        "  - {random: {label: Random}}\n"
        "  - random\n"
        "seed: -1\n"
    )
    places = [line.split(" ")[0].removeprefix("spec.yaml:") for line in lines[:-1]]
    assert places == ["2:10", "4:14", "6:10", "6:21", "7:1", "9:12", "9:32", "9:50", "10:5", "12:5", "13:7"]
    assert lines[-1] == "11 problems; nothing was run."


HIDDEN = {
    "an unknown kind of figure": (
        "figure: {kind: bar, columns: 9, x: [5, 1]}",
        ["1:16 figure.kind: 'bar' is", "1:30 figure.columns: must be at most 6", "1:36 figure.x: must increase"],
    ),
    "a figure of the wrong kind": (
        "figure: {kind: sweep, pool: 3, columns: 9}",
        [
            "1:16 figure.kind: needs the key 'sweep'",
            "1:23 figure.pool: is no option of the kind 'sweep'",
            "1:29 figure.pool: must be true or false",
            "1:41 figure.columns: must be at most 6",
        ],
    ),
    "an unknown key of a sweep": (
        "sweep: {ovr: horizon, values: [], games: 0}",
        ["1:9 sweep.ovr: unknown key 'ovr'", "1:31 sweep.values: is an empty list", "1:42 sweep.games: must be at"],
    ),
    "a wrong value of a sweep": (
        "sweep: {over: horizn, values: [5], games: 0, x: 1}",
        ["1:15 sweep.over: 'horizn' is no", "1:43 sweep.games: must be at least 1", "1:46 sweep.x: unknown key 'x'"],
    ),
    "what a sweep depends on": (
        "horizon: x\nsweep: {over: horizon, values: [5], gams: 3}",
        ["1:10 horizon: 'x' is not a whole number", "2:37 sweep.gams: unknown key 'gams'"],
    ),
    "an unknown key of a scale": (
        "scales:\n  a: {rums: 3, runs: 0}\n  b: {runs: x}",
        [
            "2:7 scales.a.rums: unknown key 'rums'",
            "2:22 at scale 'a': runs: must be at least 1",
            "3:13 at scale 'b': runs: 'x' is not a whole number",
        ],
    ),
    "a mistake at the spec's own size": (
        "runs: 0\nfeedback_delay: 50\nhorizon: 1e3\nscales:\n  a: {horizon: 10}",
        ["1:7 runs: must be at least 1", "2:17 at scale 'a': feedback_delay: must be at most the horizon, 10 rounds"],
    ),
    "a wrong problem": (
        "problems: {a: {family: random, n_arms: 1, seed: -1}, b: {source: nowhere, arms: x, ams: 3}}",
        [
            "1:40 problems.a.n_arms: must be >= 2",
            "1:49 problems.a.seed: must be at least 0",
            "1:66 problems.b.source: 'nowhere' is not fetched data",
            "1:81 problems.b.arms: arms 'x': write numbers",
            "1:84 problems.b.ams: unknown key 'ams'",
        ],
    ),
    "matrices beside scalar bandits": (
        "problems: {a: {means: [2]}, b: none.csv}",
        [
            "1:11 problems: has matrices and scalar bandits",
            "1:24 problems.a.means.0: must lie between 0 and 1",
            "1:32 problems.b: none.csv: there is no such file",
        ],
    ),
    "an unknown decision": (
        "problem: {decision: argmin, means: [2], names: [{}]}\nalgorithms: [savage]",
        [
            "1:21 problem.decision: 'argmin' is not a decision",
            "1:37 problem.means.0: must lie between 0 and 1",
            "1:49 problem.names.0: must be a name",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_no_mistake_hides_another(refusal, text, expected):
    text = completed(text)
    *lines, _ = refusal(text.replace("matrix: good.csv\n", "") if "problem:" in text else text)
    assert len(lines) == len(expected), lines
    for line, beginning in zip(lines, expected, strict=True):
        assert line.startswith(f"spec.yaml:{beginning}")


def test_a_misspelt_required_key_is_one_mistake_and_not_two(refusal):
    assert len(refusal("matrx: good.csv\nhorizn: 1e4\nalgoritms: [rucb]\n")) == 4


def test_missing_keys_are_named_with_an_example_each(refusal):
    lines = refusal("# a comment\nruns: 5\n")
    assert [line.split(";")[0] for line in lines] == [
        "spec.yaml:2:1 the key 'algorithms' is missing",
        "spec.yaml:2:1 the key 'horizon' is missing",
        "spec.yaml:2:1 the key 'matrix' (or 'problems') is missing",
        "3 problems",
    ]


def test_a_long_list_of_mistakes_is_cut(refusal):
    lines = refusal(completed("regret: [" + "x, " * 300 + "]"))
    assert len(lines) == 102
    assert lines[-2:] == ["... and 200 more", "300 problems; nothing was run."]


def test_a_mistake_behind_an_alias_is_named_once_where_it_is_written(refusal):
    text = "algorithms:\n  - rucb: &shared {alpha: 0.2}\n  - ccb: *shared"
    lines = refusal(completed(text))
    assert [line.split(" ")[0] for line in lines[:-1]] == ["spec.yaml:2:27", "spec.yaml:2:27"]


def test_an_algorithm_called_as_figures_call_it_is_answered_with_its_id():
    from duelbench.algorithms.registry import algorithms, suggestion

    known = algorithms()
    for algorithm in known.values():
        meant = suggestion(algorithm.name.lower()).removeprefix(" (did you mean '").removesuffix("'?)")
        assert known[meant].name == algorithm.name
