"""Outputs to be scored: gold trees with mistakes in them, and one text cut into words in two ways."""

from __future__ import annotations

import io
import random
from typing import Any

import crossarc as xa

RELATIONS = ["nsubj", "obj", "obl", "nmod:poss", "nsubj:pass", "case", "det", "mark", "aux:pass", "cc", "punct", "conj"]
TAGS = ["NOUN", "VERB", "ADP", "DET", "PUNCT"]
FEATURES = ["_", "Case=Nom", "Case=Nom|Number=Sing", "Number=Sing|Typo=Yes", "Typo=Yes", "Foo=Bar|Person=1"]


def official(gold: str, system: str) -> Any:
    """The scores of PyPI's udtools by name."""
    from udtools import udeval

    sides = (udeval.load_conllu(io.StringIO(text), "text", {"multiple_roots_okay": True}) for text in (gold, system))
    return udeval.evaluate(*sides)


def assert_official(gold: str, system: str) -> xa.Evaluation:
    """Every measure equals the official one in every count, and F to the last digit."""
    expected = official(gold, system)
    found = xa.evaluate(xa.from_text(gold, format="conllu"), xa.from_text(system, format="conllu"))
    scores = found.scores.conll2018
    assert scores is not None
    assert set(scores) == set(expected) - {"ELAS", "EULAS"}
    for name, score in scores.items():
        theirs = expected[name]
        counts = (theirs.correct, theirs.gold_total, theirs.system_total)
        assert (score.correct, score.gold, score.system) == counts, name
        ratios = [ratio if ratio == ratio else 0.0 for ratio in (score.precision, score.recall, score.f1)]
        assert ratios == [theirs.precision, theirs.recall, theirs.f1], name
    return found


def is_below(heads: list[int], word: int, ancestor: int) -> bool:
    while word and word != ancestor:
        word = heads[word - 1]
    return word == ancestor


def wrong_heads(heads: list[int], rate: float, choose: random.Random) -> list[int]:
    """Attach some words elsewhere, so that the result is a tree with the same root."""
    heads = list(heads)
    for word in range(1, len(heads) + 1):
        target = choose.randint(1, len(heads))
        if heads[word - 1] and choose.random() < rate and not is_below(heads, target, word):
            heads[word - 1] = target
    return heads


def with_mistakes(gold: xa.Treebank, rate: float = 0.15, seed: int = 1) -> xa.Treebank:
    """The same words with mistakes in heads, relations, tags, features and lemmas."""
    choose = random.Random(seed)
    heads = [head for sentence in gold for head in wrong_heads(sentence.heads.tolist(), rate, choose)]

    def changed(column: str, among: list[str], rate: float) -> list[str]:
        return [choose.choice(among) if choose.random() < rate else text for text in gold.texts(column)]

    relations = changed("deprel", list(gold.inventory("deprel"))[:20], rate)
    return gold.replace(
        head=heads,
        deprel=["root" if head == 0 else relation for head, relation in zip(heads, relations, strict=True)],
        upos=changed("upos", TAGS, rate / 2),
        feats=changed("feats", list(gold.inventory("feats"))[:20], rate / 2),
        lemma=changed("lemma", ["x", "_"], rate / 2),
    )


def cut_text(characters: str, choose: random.Random, longest: int = 4) -> str:
    """Cut a text into sentences and tokens at random, some of them of several words, with random trees."""
    sentences: list[list[str]] = [[]]
    words = 0
    start = 0
    while start < len(characters):
        end = min(len(characters), start + choose.randint(1, longest))
        token = characters[start:end]
        if choose.random() < 0.35:
            parts = [choose.choice(["a", "b", "A", token, "ab"]) for _ in range(choose.randint(1, 3))]
            sentences[-1].append(f"{words + 1}-{words + len(parts)}\t{token}" + 8 * "\t_")
        else:
            parts = [token]
        for part in parts:
            words += 1
            sentences[-1].append(f"{words}\t{part}")
        start = end
        if choose.random() < 0.2 and start < len(characters):
            sentences.append([])
            words = 0
    return "".join(annotated(lines, choose) for lines in sentences)


def annotated(lines: list[str], choose: random.Random) -> str:
    """Give the words of a sentence random columns and a random tree."""
    words = sum("-" not in line.split("\t")[0] for line in lines)
    order = choose.sample(range(1, words + 1), words)
    heads = {word: order[choose.randrange(place)] if place else 0 for place, word in enumerate(order)}
    text = ""
    for line in lines:
        if line.count("\t") == 1:
            head = heads[int(line.split("\t")[0])]
            relation = choose.choice(RELATIONS) if head else "root"
            columns = [choose.choice(values) for values in (["l", "m", "_"], TAGS, ["X", "Y"], FEATURES)]
            line = "\t".join([line, *columns, str(head), relation, "_", "_"])
        text += line + "\n"
    return text + "\n"
