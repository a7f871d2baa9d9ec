"""Collections that are made up: they are what they were asked to be."""

import numpy as np
import pytest

from duelbench.data.rankings.generator import SHARES, as_lines, generated, parameters_of, write_generated
from duelbench.errors import InputError


def made(seed=3, **given):
    queries = list(generated(seed, parameters_of({name: str(value) for name, value in given.items()})))
    return np.array([grades for grades, _ in queries]), np.array([features for _, features in queries])


def test_grades_have_their_shares_and_features_their_qualities():
    grades, features = made(queries=1000, documents=20, features=4, kinds=1, levels=0, lowest=-0.5, highest=0.7)
    assert np.bincount(grades.ravel()) / grades.size == pytest.approx(np.array(SHARES[5]), abs=0.01)
    assert features.mean() == pytest.approx(0, abs=0.02) and features.std() == pytest.approx(1, abs=0.02)
    # Grades grow with relevance, and relevance with the feature where its quality is positive.
    correlations = [np.corrcoef(grades.ravel(), features[:, :, k].ravel())[0, 1] for k in range(4)]
    steps = [correlations[k] / quality for k, quality in enumerate((0.7, 0.3, -0.1, -0.5))]
    assert steps == pytest.approx([np.mean(steps)] * 4, rel=0.15)


def test_every_other_feature_has_ties_and_queries_do_not_depend_on_how_many_there_are():
    _, features = made(queries=20, documents=30, features=4, levels=5)
    assert [len(np.unique(features[:, :, k])) for k in range(4)] == [600, 5, 600, 5]
    assert (made(queries=5, documents=30, features=4, levels=5)[1] == features[:5]).all()
    assert not (made(seed=4, queries=5, documents=30, features=4, levels=5)[1] == features[:5]).any(axis=(0, 1)).all()


def test_a_collection_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    asked = parameters_of({"queries": "3", "documents": "2"})
    path = tmp_path / "made.txt"
    write_generated(path, 1, asked, "a comment")
    lines = path.read_text().splitlines()
    assert lines[0] == "# a comment" and len(lines) == 7
    assert "".join(line + "\n" for line in lines[1:3]) == as_lines(1, *next(generated(1, asked)))
    monkeypatch.setattr("duelbench.data.rankings.generator.as_lines", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_generated(tmp_path / "other.txt", 1, asked, "")
    assert [file.name for file in tmp_path.iterdir()] == ["made.txt"]


def test_parameters_that_cannot_be_are_refused():
    for name, value, why in [("query", "5", "'queries'"), ("queries", "0.5", "queries"), ("grades", "4", "2, 3, 5")]:
        with pytest.raises(InputError, match=why):
            parameters_of({name: value})


def test_kinds_of_queries_differ_in_which_feature_is_good():
    _, one = made(queries=300, documents=50, features=2, kinds=1, levels=0, lowest=0.5, highest=0.5)
    _, many = made(queries=300, documents=50, features=2, kinds=3, levels=0, lowest=0.5, highest=0.5, spread=0.4)
    alike, unlike = ([np.corrcoef(query.T)[0, 1] for query in features] for features in (one, many))
    assert np.std(unlike) > 1.5 * np.std(alike)
