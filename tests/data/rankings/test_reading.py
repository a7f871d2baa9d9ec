"""Judged documents: what is read of files as they are, and what is said of files as they should not be."""

from dataclasses import replace

import numpy as np
import pytest

from duelbench.data.rankings import reading
from duelbench.data.rankings.orders import TIED, order_of
from duelbench.data.rankings.reading import blocks, read_block, read_scores, scan
from duelbench.errors import InputError


def read(path, *more):
    """Grades and orders of all queries of a file."""
    index = scan([str(path)])
    return read_block(index, np.array(more).reshape(len(more), index.n_documents))[:2]


@pytest.fixture
def write(tmp_path):
    """Write a file of that text; returns its path."""

    def written(text, name="train.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def ranks(order):
    """Documents by rank, and where ties are."""
    return [[int(rank) % TIED for rank in row] for row in order], [[bool(rank & TIED) for rank in row] for row in order]


def test_lines_of_letor_with_comments_gaps_and_other_line_ends_are_read(write):
    path = write(
        b"\xef\xbb\xbf# MQ2008\r\n2 qid:10032 1:0.05 2:0.0 3:1e-1 #docid = GX029-35 inc = 0.1 prob = 0.2\r\n\r\n"
        b"0 qid:10032 1:-.5 2:0.000 3:0.1 \r\n   # between\n1.0\tqid:x/7\t2:3\t#\n0 qid:x/7 3:1"
    )
    index = scan([str(path)])
    assert [(query.line, query.n_documents) for query in index.queries] == [(2, 2), (6, 2)]
    assert (index.first, index.last) == (1, 3)
    grades, orders = read(path)
    assert grades.tolist() == [2, 0, 1, 0]
    assert ranks(orders[:, :2]) == ([[0, 1], [0, 1], [0, 1]], [[False, False], [False, True], [False, True]])
    assert ranks(orders[:, 2:]) == ([[0, 1], [0, 1], [1, 0]], [[False, True], [False, False], [False, False]])


def test_orders_put_the_highest_first_and_mark_ties():
    draws = np.random.default_rng(2)
    for n in (1, 2, 7, 300):
        scores = draws.integers(0, 6, n).astype(float)
        order = order_of(scores[None])[0]
        documents = [int(rank) % TIED for rank in order]
        assert sorted(documents) == list(range(n))
        ranked = scores[documents]
        assert (np.diff(ranked) <= 0).all()
        assert [bool(rank & TIED) for rank in order[1:]] == (ranked[1:] == ranked[:-1]).tolist()


WRONG = {
    "1 qid:1 1:2\n1 1:2\n": r"train.txt: line 2 .*qid:",
    "1 qid:1 1:2\nqid:1 1:2\n": "line 2 .*grade",
    "1 qid:1 1:2\n1 qid:1 1:x\n": "line 2 .*'1:x'",
    "1 qid:1 1:2\n0 qid:1 1:nan\n": "train.txt: line 2 .*'1:nan'.*3:NULL",
    "1 qid:1 1:2 2:1e999 3:1\n": "line 1 .*infinite",
    "1 qid:1 1:2 2:3\n0 qid:1 1:2": "line 2 is cut short",
    "1 qid:1 2:2 1:3\n": "line 1: feature 1 ",
    "1 qid:1 1:2 5000:3\n": "line 1: feature 5000",
    "-1 qid:1 1:2\n": "line 1 .*'-1'",
    "1 qid:1 1:2\n1 qid:2 1:2\n1 qid:1 1:2\n": r"line 3: query '1' .*line 1.*scores of your own need the new order",
    "# nothing\n\n": "no judged documents",
    b"\x1f\x8b\x08rest": "archive",
    b"\xff\xfe1\x00": "UTF-16",
}


def test_what_is_wrong_is_named_with_its_line(write, tmp_path):
    for text, said in WRONG.items():
        with pytest.raises(InputError, match=said) as caught:
            read(write(text))
        assert "\n" not in str(caught.value)
    path = str(write("1 qid:1 1:2\n"))
    for paths, said in [([path, path], "appears again"), ([str(tmp_path / "none.txt")], "No such file")]:
        with pytest.raises(InputError, match=said):
            scan(paths)


def test_scores_are_one_number_per_document_and_features_may_be_counted_from_0(write):
    documents, _ = ranks(read(write("1 qid:1 0:1 2:7\n0 qid:1 0:2 2:8\n"), [3.0, 1.0])[1])
    assert documents == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert read_scores(str(write("0.5\n\n-2 # second\n1e3\n")), 3).tolist() == [0.5, -2, 1000]
    for text, why in {"1\nx\n": "line 2 is 'x'", "1\n": "1 scores for 2", "1\n2\n3\n": "3 scores for 2"}.items():
        with pytest.raises(InputError, match=why):
            read_scores(str(write(text)), 2)


def test_a_feature_that_could_not_be_computed_is_as_low_as_the_lowest(write):
    documents, ties = ranks(read(write("0 qid:1 1:NULL 2:NULL\n1 qid:1 1:-3 2:NULL\n1 qid:1 1:5 2:NULL\n"))[1])
    assert documents == [[2, 0, 1], [0, 1, 2]]
    assert ties == [[False, False, True], [False, True, True]]


def test_blocks_together_are_the_whole(write, monkeypatch):
    draws = np.random.default_rng(1)
    rows = [f"{draws.integers(3)} qid:{n // 5} 1:{draws.integers(4)} 2:{draws.random():.3f}\n" for n in range(200)]
    monkeypatch.setattr(reading, "BLOCK_BYTES", 300)
    index = scan([str(write("".join(rows[:120]), "a.txt")), str(write("".join(rows[120:]), "b.txt"))])
    some = [replace(index, queries=index.queries[part.start : part.stop]) for part in blocks(index)]
    assert len(some) > 8 and sum(len(one.queries) for one in some) == 40
    assert all(len({query.file for query in one.queries}) == 1 for one in some)
    parts = zip(*[read_block(one, np.zeros((0, one.n_documents)))[:2] for one in some], strict=True)
    for found, expected in zip(parts, read(write("".join(rows), "whole.txt")), strict=True):
        assert np.concatenate(found, axis=-1).tolist() == expected.tolist()
