"""Nearest neighbours: equal to a plain program on random data, ties and all, and to TiMBL where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc import _kernel
from crossarc.models.classifiers.memory import MemoryBased, MemoryClassifier, gain_ratios

from ..support.plain_memory import PlainMemory, Settings


def index_of(rows: list[list[int]], classes: list[int], count: int, settings: Settings) -> _kernel.InstanceBase:
    return _kernel.InstanceBase(
        np.array(rows, np.uint32).reshape(-1),
        np.array(classes, np.int32),
        class_count=count,
        order=np.array(settings.order, np.int32),
        weights=np.array(settings.weights, np.float64),
        nearest=settings.nearest,
        threshold=settings.threshold,
        overlap=settings.overlap,
        inverse_distance=settings.inverse_distance,
    )


def found(index: _kernel.InstanceBase, questions: list[list[int]]) -> list[list[tuple[float, list[int]]]]:
    offsets, distances, starts, members = index.neighbours(np.array(questions, np.uint32).reshape(-1), 2)
    groups = [
        (float(distance), members[starts[number] : starts[number + 1]].tolist())
        for number, distance in enumerate(distances)
    ]
    return [groups[offsets[number] : offsets[number + 1]] for number in range(len(questions))]


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[list[int]], Settings]:
    """Few values, so that many distances are equal; values from 6 on are in no example."""
    features = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 5), min_size=features, max_size=features)
    rows = draw(st.lists(row, min_size=1, max_size=30))
    classes = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    asked = st.lists(st.integers(0, 7), min_size=features, max_size=features)
    questions = draw(st.lists(asked, min_size=1, max_size=6))
    settings = Settings(
        draw(st.integers(1, 4)),
        draw(st.integers(1, 4)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 0.3]), min_size=features, max_size=features)),
        draw(st.permutations(range(features))),
    )
    return rows, classes, questions, settings


@pytest.mark.kernel
@given(problems())
def test_neighbours_and_votes_are_those_of_a_plain_program(
    problem: tuple[list[list[int]], list[int], list[list[int]], Settings],
) -> None:
    rows, classes, questions, settings = problem
    plain, index = PlainMemory(rows, classes, settings), index_of(rows, classes, 4, settings)
    for question, groups in zip(questions, found(index, questions), strict=True):
        expected = plain.neighbours(question, settings.nearest)
        assert [members for _, members in groups] == [members for _, members in expected]
        assert [distance for distance, _ in groups] == pytest.approx([distance for distance, _ in expected], abs=1e-12)
    ranks = index.rank(np.array(questions, np.uint32).reshape(-1), 1).reshape(-1, 4)
    for question, ranking in zip(questions, np.argsort(ranks, axis=1).tolist(), strict=True):
        assert plain.accepts(question, ranking)


@pytest.mark.kernel
def test_many_instances_and_threads_give_the_same_neighbours() -> None:
    """So many that most are never reached."""
    random = np.random.default_rng(1)
    rows = random.zipf(1.6, (4000, 6)).clip(0, 200)
    classes = (rows[:, 0] + rows[:, 1]) % 5
    questions = random.zipf(1.6, (12, 6)).clip(0, 220)
    settings = Settings(5, 3, False, True, [1.0] * 6, [3, 1, 0, 2, 5, 4])
    index = index_of(rows.tolist(), classes.tolist(), 5, settings)
    plain = PlainMemory(rows.tolist(), classes.tolist(), settings)
    for question, groups in zip(questions.tolist(), found(index, questions.tolist()), strict=True):
        assert [members for _, members in groups] == [members for _, members in plain.neighbours(question, 5)]
    asked = questions.astype(np.uint32).reshape(-1)
    np.testing.assert_array_equal(index.rank(asked, 1), index.rank(asked, 4))


def test_gain_ratios_are_those_of_a_small_table() -> None:
    """One column tells the class, one nothing, one is constant, and one of four values tells it at twice the price."""
    numbers = np.array([[1, 1, 7, 1], [1, 2, 7, 2], [2, 1, 7, 3], [2, 2, 7, 4]], np.uint32)
    classes = np.array([0, 0, 1, 1], np.int32)
    assert gain_ratios(numbers, classes).tolist() == [1.0, 0.0, 0.0, 0.5]


@pytest.mark.parametrize("weights", ["none", "gain-ratio"])
@pytest.mark.parametrize("threshold", [1, 3])
def test_neighbours_are_those_of_timbl(weights: str, threshold: int, tmp_path: Path) -> None:
    timbl = shutil.which("timbl")
    if timbl is None:
        pytest.skip("TiMBL is not installed: apt-get install timbl")
    random = np.random.default_rng(threshold)
    rows, asked = (random.zipf(1.7, (count, 5)).clip(0, 30).astype(np.uint32) for count in (300, 40))
    classes = (rows[:, 0] + rows[:, 1] * rows[:, 2]).astype(np.int32) % 4
    for name, table, ends in (("train", rows, classes), ("test", asked, np.zeros(len(asked), np.int32))):
        lines = (" ".join(map(str, [*row, f"c{end}"])) for row, end in zip(table, ends, strict=True))
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    given = f"-f train -t test -a IB1 -m M -k 12 -d ID -L {threshold} +v di+db+k -o out".split()
    chosen = ["-w", "0" if weights == "none" else "1"]
    subprocess.run([timbl, *given, *chosen], cwd=tmp_path, check=True, capture_output=True)
    options = MemoryBased(weights=weights, threshold=threshold)
    index = MemoryClassifier(options, rows, classes, 4).index
    ours = found(index, asked.tolist())
    theirs = timbl_neighbours((tmp_path / "out").read_text())
    assert len(ours) == len(theirs) == len(asked)
    for groups, expected in zip(ours, theirs, strict=True):
        assert len(groups) == 5
        for (distance, members), (other, counts) in zip(groups, expected[:5], strict=True):
            assert distance == pytest.approx(other, abs=1e-6)  # it prints six digits of weights' sums
            assert np.bincount(classes[members], minlength=4).tolist() == counts


def timbl_neighbours(output: str) -> list[list[tuple[float, list[int]]]]:
    """The distances and the numbers of neighbours of each class that TiMBL wrote; equal distances are one."""
    questions: list[list[tuple[float, list[int]]]] = []
    for line in output.splitlines():
        if not line.startswith("#"):
            questions.append([])
            continue
        between, distance = line.partition("{")[2].split("}")
        counts = [0] * 4
        for pair in between.split(","):
            name, number = pair.split()
            counts[int(name[1:])] = round(float(number))
        groups = questions[-1]
        # Sums of the same numbers in another order differ in the last digit, and TiMBL takes them for two.
        if groups and float(distance) - groups[-1][0] < 1e-12:
            groups[-1] = (groups[-1][0], [one + other for one, other in zip(groups[-1][1], counts, strict=True)])
        else:
            groups.append((float(distance), counts))
    return questions


@pytest.mark.kernel
def test_what_no_memory_can_be_made_of_is_refused() -> None:
    good = Settings(5, 1, False, True, [1.0, 1.0], [0, 1])
    index_of([[1, 2]], [0], 1, good)
    for settings, classes, message in [
        (good._replace(order=[0, 0]), [0], "every feature once"),
        (good._replace(weights=[1.0]), [0], "as many weights as features"),
        (good._replace(weights=[1.0, -1.0]), [0], "weights are numbers from 0 on"),
        (good._replace(weights=[1.0, float("nan")]), [0], "weights are numbers from 0 on"),
        (good._replace(nearest=0), [0], "1 or more"),
        (good, [1], "a class has no such number"),
        (good, [0, 0], "as many rows of values as classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            index_of([[1, 2]], classes, 1, settings)
    with pytest.raises(ValueError, match="a value for each feature"):
        index_of([[1, 2]], [0], 1, good).rank(np.zeros(3, np.uint32), 1)
