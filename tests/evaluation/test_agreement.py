"""Agreement of two annotators: symmetric, 1 with oneself, kappa as in Cohen's definition, other words refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.evaluation import agreement

from ..support.commands import crossarc


def with_labels(labels: list[str]) -> xa.Treebank:
    rows = "".join(
        f"{number}\tw{number}\t_\tX\t_\t_\t{number - 1}\t{label}\t_\t_\n" for number, label in enumerate(labels, 1)
    )
    return xa.from_text(f"# sent_id = s\n{rows}\n")


def test_kappa_is_agreement_beyond_chance() -> None:
    """Of 50 words 20 are called a and 15 b by both: 0.7 where 0.5 would be chance, which is the textbook's 0.4."""
    one, other = ["a"] * 25 + ["b"] * 25, ["a"] * 20 + ["b"] * 5 + ["a"] * 10 + ["b"] * 15
    found = agreement(with_labels(one), with_labels(other))
    assert [found.uas, found.las, found.label_accuracy, found.kappa] == pytest.approx([1, 0.7, 0.7, 0.4])
    assert found.same_sentences == 0
    assert found.confusions == (("b", "a", 10), ("a", "b", 5))


def test_agreement_is_symmetric_and_that_of_evaluation() -> None:
    gold = xa.sample(50, seed=1)
    numbers = np.random.default_rng(1)
    labels = [label if numbers.random() < 0.8 else "dep" for label in gold.texts("deprel")]
    other = gold.replace(deprel=labels)
    there, back, same = agreement(gold, other), agreement(other, gold), agreement(gold, gold)
    assert (there.kappa, there.las) == (back.kappa, back.las)
    assert there.las == pytest.approx(xa.evaluate(gold, other, root="any").las)
    assert (same.uas, same.las, same.kappa, same.confusions, same.same_sentences) == (1, 1, 1, (), 50)


def test_other_words_are_refused() -> None:
    with pytest.raises(xa.CrossarcError, match=r"sentence 1 \(s\) has other words"):
        agreement(with_labels(["a", "b"]), with_labels(["a"]))
    with pytest.raises(xa.CrossarcError, match="have 5 and 3 sentences"):
        agreement(xa.sample(5, seed=1), xa.sample(5, seed=1)[:3])


def test_the_command(tmp_path: Path) -> None:
    xa.write(with_labels(["root", "b", "b"]), tmp_path / "ann.conllu")
    xa.write(with_labels(["root", "b", "c"]), tmp_path / "bo.conllu")
    run = crossarc("agreement", "ann.conllu", "bo.conllu", cwd=tmp_path)
    assert run.stdout.splitlines() == [
        "1 sentences, 3 words; 0.0 % of the sentences are the same",
        "UAS 100.00   LAS 66.67   labels 66.67",
        "Cohen's kappa of labels 0.500",
        "     1 × b / c",
    ]
    told = json.loads(crossarc("agreement", "ann.conllu", "bo.conllu", "--json", cwd=tmp_path).stdout)
    assert told["kappa"] == pytest.approx(0.5) and told["confusions"] == [["b", "c", 1]]
