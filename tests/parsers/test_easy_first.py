"""Easy-first: every projective tree can be learnt, nothing else is built, and keeping scores changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.features.vocabularies import NO_FORMS
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.models.base import SentenceInputs
from crossarc.models.perceptron.options import PerceptronDefinition
from crossarc.models.perceptron.weights import PerceptronModel
from crossarc.parsers import Network, Perceptron, TransitionParser
from crossarc.transitions import LEFT_ARC, REDUCE, SHIFT, UNSHIFT, P, TransitionSystem, load_system

from ..support.parsers import SMALL, WITHOUT_DROPOUT, las
from ..support.trees import all_trees
from ..support.warned import bare_words

_MASK = (1 << 64) - 1
#: Two neighbours and how many dependents they have: all that decides whether to join them, if no two words are alike.
PAIR = "+".join(f"{word}.{known}" for word in ("s0", "b0") for known in ("lemma", "left_valency", "right_valency"))
#: Words on both sides, dependents of some of them, and one far away.
TEMPLATES = ("s0.upos+b0.upos", "s1.upos+b0.upos", "s0.l1.upos+b0.upos", "b1.r1.upos+s0.upos", "s2.upos+b4.upos")


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(150, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


def projective_trees(words: int) -> xa.Treebank:
    """All projective trees of up to so many words, with as many roots as there may be; no two words are alike."""
    trees = [heads for n in range(1, words + 1) for block in all_trees(n) for heads in block.tolist()]
    treebank = xa.Treebank.from_dicts(
        [
            [
                {"form": "_", "lemma": f"{number}-{word}", "head": head, "deprel": f"r{(head > word) + (head > 0)}"}
                for word, head in enumerate(heads, start=1)
            ]
            for number, heads in enumerate(trees)
        ]
    )
    return treebank[np.flatnonzero(~xa.classify(treebank).nonprojective)]


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first", "last"])
def test_every_projective_tree_is_learnt_by_heart(root: str) -> None:
    """What is right leads to every tree; the numbers of trees are those of 1, 3, 12, 55 and 273 (A001764)."""
    trees = projective_trees(5)
    assert np.bincount(np.diff(trees.word_offsets)).tolist() == [0, 1, 3, 12, 55, 273]
    scorer = Perceptron((PAIR,), (PAIR,))
    parser = TransitionParser("easy-first", artificial_root=root, scorer=scorer)
    report = parser.train(trees, epochs=20)
    assert report.lost_arcs == 0
    assert report.epochs[-1].mistakes == 0
    assert las(trees, parser.parse(trees)) == 1


@pytest.mark.kernel
@pytest.mark.parametrize("scorer", ["perceptron", "network"])
def test_only_projective_trees_are_built(scorer: str, train: xa.Treebank) -> None:
    """Whatever the model says: one that learnt next to nothing builds the strangest trees."""
    parser = TransitionParser("easy-first", scorer=SMALL if scorer == "network" else scorer)
    report = parser.train(train[:5], epochs=1)
    assert xa.classify(train[:5]).nonprojective.any()
    assert report.lost_arcs > 0
    parsed = parser.parse(train)
    assert not xa.classify(parsed).nonprojective.any()
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()


def feature(template: int, values: tuple[int, int]) -> int:
    """The feature of a template of two values, as kernel/features/features.cpp has it."""
    mixed = (template + 1) * 0x9E3779B97F4A7C15 & _MASK
    for value in values:
        mixed = (mixed ^ value) * 0xD6E8FEB86659FD93 & _MASK
        mixed ^= mixed >> 32
    return template << 32 | (mixed & 0xFFFFFFFF or 1)


def plain_heads(weights: dict[tuple[int, int], int], tags: list[int], names: list[str]) -> list[int]:
    """The heads of words with these tags: in every configuration every action is scored from nothing."""
    configuration = load_system("easy-first").start(len(tags))

    def value(word: int | None) -> int:
        return 0 if word is None else tags[word - 1]

    def at(words: list[int], place: int) -> int | None:
        return words[place] if place < len(words) else None

    def side(word: int | None, right: bool) -> int | None:
        """Its leftmost or rightmost dependent on that side."""
        own = [arc.dependent for arc in configuration.arcs if arc.head == word and (arc.dependent > arc.head) == right]
        return (max(own) if right else min(own)) if word is not None and own else None

    def score(transition: str, position: int) -> int:
        stack = (configuration.stack + configuration.buffer[:position])[::-1]
        buffer = configuration.buffer[position:]
        pairs = [
            (at(stack, 0), at(buffer, 0)),
            (at(stack, 1), at(buffer, 0)),
            (side(at(stack, 0), False), at(buffer, 0)),
            (side(at(buffer, 1), True), at(stack, 0)),
            (at(stack, 2), at(buffer, 4)),
        ]
        features = (feature(one, (value(first), value(second))) for one, (first, second) in enumerate(pairs))
        return sum(weights.get((known, names.index(transition)), 0) for known in features)

    while not configuration.is_terminal:
        actions = configuration.legal_actions()
        transition, position = max(
            sorted(actions, key=lambda action: (action[1], names.index(action[0]))), key=lambda action: score(*action)
        )
        configuration.apply(transition, position=position)
    heads = dict.fromkeys(range(1, len(tags) + 1), -1) | {arc.dependent: arc.head for arc in configuration.arcs}
    return [heads[word] for word in range(1, len(tags) + 1)]


@pytest.mark.kernel
def test_kept_scores_are_those_of_a_plain_version_that_keeps_none(train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = TransitionParser("easy-first", scorer=Perceptron(TEMPLATES, ("s0.upos+b0.upos",)))
    parser.train(train, epochs=2)
    assert parser.trained is not None
    model = parser.trained.model
    assert isinstance(model, PerceptronModel)
    packed, counts, classes, known = model.native.transition_rows()
    features = np.repeat(_kernel.unpack_ascending(packed), counts)
    weights = dict(zip(zip(features.tolist(), classes.tolist(), strict=True), known.tolist(), strict=True))
    inputs = parser.trained.definition.inputs(dev)
    heads, _ = model.parse_arcs(inputs, 1).by_word()
    names = list(parser.system.transitions)
    for first, last in zip(dev.word_offsets[:-1], dev.word_offsets[1:], strict=True):
        assert heads[first:last].tolist() == plain_heads(weights, inputs.values[first:last, 0].tolist(), names)


def test_a_network_learns_a_few_sentences_by_heart() -> None:
    """If a gradient were wrong anywhere on the way down to the embeddings, it could not."""
    few = xa.PseudoProjective("head").fit(xa.sample(25, seed=3)).encode(xa.sample(25, seed=3))
    parser = TransitionParser("easy-first", scorer=WITHOUT_DROPOUT)
    parser.train(few, epochs=60)
    assert las(few, parser.parse(few)) > 0.99


def test_it_is_about_as_good_as_arc_eager(train: xa.Treebank, dev: xa.Treebank) -> None:
    scores = {}
    for name in ("arc-eager", "easy-first"):
        parser = TransitionParser(name, encoding=xa.PseudoProjective("head"), scorer="perceptron")
        scores[name] = parser.train(train, dev=dev, epochs=5).las or 0
    assert scores["easy-first"] > scores["arc-eager"] - 0.03


@pytest.mark.slow
@pytest.mark.parametrize("scorer", [Perceptron(), Perceptron(learners=3), replace(SMALL, batch_sentences=24)])
def test_threads_and_breaking_off_change_nothing(
    scorer: Perceptron | Network, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    whole, broken, resumed = (TransitionParser("easy-first", scorer=scorer) for _ in range(3))
    whole.train(train, dev=dev, epochs=3, threads=1)
    whole.save(tmp_path / "whole")

    def stop_in_third(epoch: int, done: int, of: int) -> None:
        if epoch == 3:
            raise InterruptedError

    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(InterruptedError):
        broken.train(train, dev=dev, epochs=3, threads=2, checkpoint=checkpoint, on_progress=stop_in_third)
    resumed.train(train, dev=dev, epochs=3, threads=2, checkpoint=checkpoint, resume=True)
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()
    assert whole.parse(dev, threads=1).to_bytes() == whole.parse(dev, threads=3).to_bytes()


@pytest.mark.kernel
@pytest.mark.parametrize("scorer", ["perceptron", "network"])
@bare_words
def test_long_and_short_sentences_parse(scorer: str, train: xa.Treebank) -> None:
    parser = TransitionParser("easy-first", scorer=SMALL if scorer == "network" else scorer)
    parser.train(train[:20], epochs=1)
    parsed = parser.parse_batch([["a"] * 2000, ["b"], ["c", "d"]])
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    assert parser.parse(train[:0]).words == 0


def test_it_keeps_no_beam(train: xa.Treebank, tmp_path: Path) -> None:
    with pytest.raises(xa.ParserError, match="easy-first is greedy, it takes the surest arc first"):
        TransitionParser("easy-first", beam=2)
    parser = TransitionParser("easy-first", scorer="perceptron")
    parser.train(train[:20], epochs=1)
    with pytest.raises(xa.ParserError, match="there is no beam but 1"):
        parser.parse(train, beam=4)
    with pytest.raises(xa.ParserError, match="easy-first is greedy and keeps no scores"):
        parser.parse_nbest(train, 2)
    with pytest.raises(xa.ParserError, match="easy-first is greedy and keeps no scores"):
        parser.parse_scored(train)
    parser.save(tmp_path / "m.crossarc")
    file = read_model_file(tmp_path / "m.crossarc")
    write_model_file(tmp_path / "m.crossarc", ModelFile({**file.description, "beam": 4}, file.arrays))
    with pytest.raises(xa.FileError, match=r"m\.crossarc: .*no beam but 1"):
        xa.load(tmp_path / "m.crossarc")


@pytest.mark.kernel
def test_other_systems_that_choose_a_position_are_refused(train: xa.Treebank) -> None:
    own = TransitionSystem("mine", shift=SHIFT, left=SHIFT**P >> LEFT_ARC >> REDUCE >> UNSHIFT ** (P - 1))
    with pytest.raises(xa.ParserError, match=r"mine chooses a position with a transition: .* only easy-first parses"):
        TransitionParser(own)
    parser = TransitionParser("easy-first", scorer="perceptron")
    parser.train(train[:5], epochs=1)
    assert parser.trained is not None
    definition, model = parser.trained.definition, parser.trained.model
    assert isinstance(definition, PerceptronDefinition)
    with pytest.raises(xa.ParserError, match="of the systems that choose a position, parsers know easy-first only"):
        replace(definition, system=own).model(model.arrays())
    with pytest.raises(ValueError, match="no beam search for systems that choose a position"):
        model.search(SentenceInputs(np.zeros((1, 99), np.uint32), np.array([0, 1]), NO_FORMS), 2, 1, 1)
