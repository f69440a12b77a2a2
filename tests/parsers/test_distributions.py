"""Distributions of a teacher: those of its network in the kernel, learnt in the sentences that it parsed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.tags import PREDICTED
from crossarc.parsers.graph.teaching import teaching_by

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")

SMALL: dict[str, Any] = {
    "layers": 1,
    "hidden_size": 16,
    "arc_hidden_size": 16,
    "label_hidden_size": 8,
    "character_size": 8,
    "batch_words": 150,
    "learning_rate": 0.01,
}


def parser(trees: str = "unrestricted", **options: Any) -> xa.GraphParser:
    return xa.GraphParser(trees, network=xa.Biaffine.from_dict({**SMALL, **options}), predict=PREDICTED)


@pytest.fixture(scope="module")
def gold() -> xa.Treebank:
    return xa.sample(60, seed=3)


@pytest.fixture(scope="module")
def texts() -> xa.Treebank:
    return xa.Treebank.from_words([sentence.forms for sentence in xa.sample(80, seed=4)])


@pytest.fixture(scope="module", params=[0, 6])
def teacher(request: pytest.FixtureRequest, gold: xa.Treebank) -> xa.GraphParser:
    made = parser("1-endpoint-crossing", crossed_hidden_size=request.param)
    made.train(gold, epochs=12, threads=1)
    return made


def test_they_are_those_of_the_kernel(teacher: xa.GraphParser, gold: xa.Treebank, texts: xa.Treebank) -> None:
    from crossarc.models.neural.torch.distillation import TorchTeacher

    taught = teacher.parse(texts, threads=1)
    both = xa.Treebank.concatenate([gold[:5], taught[:7]])
    trained: Any = teacher.trained
    labels = (*reversed(trained.labels), "none of its labels")
    teaching = teaching_by(teacher, trained.definition, labels, both, first=5)
    sentences = np.array([2, 6, 9], np.int32)
    lengths = np.diff(both.word_offsets)[sentences]
    position = torch.tensor([[row, word + 1] for row, length in enumerate(lengths) for word in range(length)])
    chosen = both[sentences]
    crossed = torch.zeros(chosen.words, dtype=torch.int64) if trained.model.scores_crossed else None
    said = TorchTeacher(teaching, "cpu").read(
        sentences, position, torch.from_numpy(chosen.head.astype(np.int64)), crossed
    )
    inputs = trained.definition.bare_inputs(chosen)
    uncrossed, of_crossed = trained.model.joint_scores(inputs, threads=1)
    first, word, longest = 0, 0, int(lengths.max()) + 1
    for row, length in enumerate(lengths):
        width = length + 1
        for matrix, kernel in enumerate([uncrossed] if of_crossed is None else [uncrossed, of_crossed]):
            expected = np.exp(kernel[first : first + width * width].reshape(width, width).T[1:])
            found = said.arcs[word : word + length, matrix * longest : matrix * longest + width].numpy()
            np.testing.assert_allclose(found, expected if row else 0 * expected, atol=2e-4)
        first, word = first + width * width, word + length
    taught_words = slice(int(lengths[0]), None)
    scores = torch.from_numpy(trained.model.label_scores(inputs, chosen.head, threads=1)).softmax(dim=1).numpy()
    np.testing.assert_allclose(said.labels[taught_words, :-1].numpy(), scores[taught_words, ::-1], atol=2e-4)
    assert not said.labels[:, -1].any() and not said.labels[: int(lengths[0])].any()
    scores = torch.from_numpy(trained.model.tag_scores(inputs, threads=1)).split(list(trained.tags.sizes), dim=1)
    assert list(said.tags) == list(trained.tags.columns)
    for of_tag, expected in zip(said.tags.values(), scores, strict=True):
        np.testing.assert_allclose(of_tag[taught_words], expected.softmax(dim=1)[taught_words], atol=2e-4)


def test_a_word_that_is_told_nothing_learns_its_class() -> None:
    from crossarc.models.neural.torch.distillation import soft_loss

    scores = torch.tensor([[1.0, 2.0, 0.5], [0.0, 1.0, 3.0], [2.0, 2.0, 2.0]])
    classes = torch.tensor([1, 2, -1])
    hard = soft_loss(scores, classes, None)
    assert hard[2] == 0 and hard[0] == pytest.approx(-float(scores[0].log_softmax(0)[1]))
    taught = torch.tensor([[0.0, 0.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    soft = soft_loss(scores, classes, taught)
    logs = scores.log_softmax(dim=1)
    assert soft.tolist() == pytest.approx([float(hard[0]), -float(logs[1, 0] + logs[1, 2]) / 2, float(np.log(3))])


@pytest.mark.parametrize("crossed", [0, 5])
def test_a_student_comes_to_say_what_its_teacher_says(
    teacher: xa.GraphParser, gold: xa.Treebank, texts: xa.Treebank, crossed: int
) -> None:
    taught = teacher.parse(texts, threads=1)
    distances = []
    for told in (None, teacher):
        student = parser("1-endpoint-crossing", crossed_hidden_size=crossed, hidden_size=12)
        student.train(gold[:10], epochs=30, threads=1, device="cpu", taught=taught, taught_share=0.9, teacher=told)
        models: list[Any] = [each.trained for each in (student, teacher)]
        first, second = (
            np.exp(each.model.arc_scores(each.definition.bare_inputs(texts), threads=1)) for each in models
        )
        distances.append(float(np.abs(first - second).mean()))
    assert distances[1] < distances[0]


def test_where_that_cannot_be(gold: xa.Treebank, texts: xa.Treebank, teacher: xa.GraphParser) -> None:
    taught = teacher.parse(texts, threads=1)
    with pytest.raises(xa.ParserError, match="in the sentences that it parsed: give them as taught"):
        parser().train(gold, epochs=1, device="cpu", teacher=teacher)
    with pytest.raises(xa.ParserError, match="learnt by graph parsers, with torch: give a device"):
        parser().train(gold, epochs=1, taught=taught, teacher=teacher)
    with pytest.raises(xa.ParserError, match="learnt by graph parsers, with torch"):
        xa.TransitionParser("arc-eager").train(gold, epochs=1, taught=taught, teacher=teacher, device="cpu")
    with pytest.raises(xa.ParserError, match="distributions are those of a graph parser"):
        parser().train(gold, epochs=1, taught=taught, teacher=xa.TransitionParser("arc-eager"), device="cpu")
    likelihood = parser()
    likelihood.scorer = replace(likelihood.scorer, objective="likelihood")
    with pytest.raises(xa.ParserError, match="take the objective heads"):
        likelihood.train(gold, epochs=1, taught=taught, teacher=teacher, device="cpu")
