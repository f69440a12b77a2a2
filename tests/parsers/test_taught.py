"""Sentences that a teacher parsed: what is learnt from them, how they are mixed with gold ones, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.parsers.taught import mixture

SMALL: dict[str, Any] = {"layers": 1, "hidden_size": 24, "character_size": 0, "arc_hidden_size": 24}


def student() -> xa.GraphParser:
    return xa.GraphParser("projective", network=xa.Biaffine(label_hidden_size=16, batch_words=200, **SMALL))


def test_gold_sentences_are_repeated_until_the_share_is_right() -> None:
    gold, taught = xa.sample(10, seed=1), xa.sample(100, seed=2)
    known = set(gold.texts("deprel"))
    fit = [sentence for sentence in taught if len(sentence) >= 3 and known.issuperset(sentence.texts("deprel"))]
    different = {" ".join(sentence.forms): len(sentence) for sentence in fit}
    for share in (0.9, 0.5, 0.1):
        copies = max(1, round(sum(different.values()) * (1 - share) / share / gold.words))
        mixed = mixture(gold, taught, share).treebank
        assert mixed[: len(gold)].texts("form") == gold.texts("form")
        assert len(mixed) == copies * len(gold) + len(different)


def test_sentences_that_teach_nothing_are_left_out() -> None:
    gold = xa.sample(10, seed=1)
    taught = gold.replace(deprel=["strange" if word == 0 else label for word, label in enumerate(gold.texts("deprel"))])
    mixed = mixture(gold, taught + gold + gold, 0.5).treebank
    words = {" ".join(sentence.forms) for sentence in gold if len(sentence) >= 3}
    assert len(mixed) - len(gold) <= len(words)
    assert "strange" not in mixed.texts("deprel")
    with pytest.raises(xa.ParserError, match="has relations of the treebank"):
        mixture(gold, taught[:1], 0.5)
    with pytest.raises(xa.ParserError, match="a share between 0 and 1, not 1"):
        mixture(gold, gold, 1)


@pytest.mark.slow
def test_a_student_learns_what_its_teacher_knows() -> None:
    """With few gold trees it parses better for those that a teacher gave; what it knows of words stays that of gold."""
    gold, held_out = xa.sample(12, seed=1), xa.sample(60, seed=9)
    taught = xa.sample(150, seed=5)  # as a perfect teacher parses them
    alone, learnt = student(), student()
    alone.train(gold, epochs=12)
    learnt.train(gold, epochs=12, taught=taught, taught_share=0.8)
    before, after = (xa.evaluate(held_out, parser.parse(held_out)).las for parser in (alone, learnt))
    assert after > before + 0.05
    names = [parser.trained.definition.vocabularies.sizes for parser in (alone, learnt) if parser.trained]
    assert names[0] == names[1]


def test_words_of_taught_sentences_are_known_as_far_as_asked_for() -> None:
    gold, taught = xa.sample(10, seed=1), xa.sample(60, seed=5)
    network = xa.Biaffine(
        label_hidden_size=16, batch_words=200, taught_words=7, groups=(("lower",),), embedding_sizes=(8,), **SMALL
    )
    parser = xa.GraphParser("projective", network=network)
    parser.train(gold, epochs=1, taught=taught)
    assert parser.trained is not None
    known = parser.trained.definition.vocabularies.known["lower"]
    of_gold = xa.GraphParser("projective", network=replace(network, taught_words=0))
    of_gold.train(gold, epochs=1, taught=taught)
    assert of_gold.trained is not None
    alone = of_gold.trained.definition.vocabularies.known["lower"]
    assert known[:-7] == alone
    assert set(known[-7:]) <= {form.lower() for form in taught.texts("form")}.difference(alone)


def test_transition_parsers_are_taught_too() -> None:
    gold, taught = xa.sample(6, seed=1), xa.sample(20, seed=5)
    parser = xa.TransitionParser("arc-eager", scorer=xa.Perceptron())
    report = parser.train(gold, epochs=1, taught=taught)
    assert report.sentences == len(mixture(gold, taught, 0.5).treebank) > len(gold)


def test_treebanks_lose_their_trees_and_texts_need_a_pipeline(tmp_path: Path) -> None:
    parser = student()
    parser.train(xa.sample(10, seed=1), epochs=1)
    treebank = xa.sample(5, seed=3)
    xa.write(treebank, tmp_path / "a.conllu")
    taught = xa.teach(parser, [tmp_path / "a.conllu"])
    np.testing.assert_array_equal(taught.head, parser.parse(treebank).head)
    (tmp_path / "a.txt").write_text("A text.\n", encoding="utf-8")
    with pytest.raises(xa.ParserError, match="takes words and no raw text: give a pipeline"):
        xa.teach(parser, [tmp_path / "a.txt"])


def test_texts_are_cut_and_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("She slept. He met a man.\n\nThey left.\n", encoding="utf-8")
    told: list[tuple[int, int]] = []
    taught = xa.teach(xa.load("en"), [tmp_path], on_progress=lambda files, words: told.append((files, words)))
    assert [sentence.forms[0] for sentence in taught] == ["She", "He", "They"]
    assert taught.has_heads and told[-1] == (0, taught.words)


def test_processes_parse_the_same_in_the_same_order(tmp_path: Path) -> None:
    xa.write(xa.sample(2100, seed=3), tmp_path / "a.conllu")  # two pieces
    (tmp_path / "b.txt").write_text("She slept. He met a man.\n\nThey left.\n", encoding="utf-8")
    texts = [tmp_path / "a.conllu", tmp_path / "b.txt"]
    told: list[int] = []
    alone = xa.teach(xa.load("en"), texts, threads=2)
    both = xa.teach(xa.load("en"), texts, processes=2, on_progress=lambda files, words: told.append(files))
    assert both.to_text() == alone.to_text()
    assert told == [0, 0, 1]
