"""The measures of the CoNLL 2018 shared task equal those of PyPI's udtools, whatever the files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa
from crossarc import _kernel

from ..support.outputs import assert_official, cut_text, official, with_mistakes


@pytest.mark.slow
@pytest.mark.kernel
def test_one_text_cut_in_two_ways(announce: list[str]) -> None:
    """Random tokens, multiword tokens and sentence boundaries; few letters, so that forms are often equal."""
    pairs = 150 if _kernel.sanitized else 600
    choose = random.Random(7)
    aligned = words = 0
    for _ in range(pairs):
        characters = "".join(choose.choice("aabABc") for _ in range(choose.randint(1, 40)))
        longest = choose.randint(1, 4)
        found = assert_official(cut_text(characters, choose, longest), cut_text(characters, choose, longest))
        aligned += found.scores.pair.aligned
        words += found.scores.pair.gold.words
    assert 0 < aligned < words  # neither all nor none, or the test would show nothing
    announce.append(f"official measures: {pairs} pairs of texts, {aligned:,} of {words:,} words aligned")


@pytest.mark.parametrize("folder", ["en_ewt", "la_circse", "cop_scriptorium", "pt_bosque"])
def test_trees_with_mistakes(treebanks: Path, folder: str) -> None:
    gold = xa.read(treebanks / folder / "test.conllu.gz")[:250]
    for rate in (0.02, 0.3):
        system = with_mistakes(gold, rate)
        found = assert_official(gold.to_text(), system.to_text())
        assert 0.2 < found.las < 1


def test_the_sample_with_mistakes() -> None:
    gold = xa.sample(300)
    assert_official(gold.to_text(), with_mistakes(gold).to_text())
    assert_official(gold.to_text(), gold.to_text())


def test_several_roots() -> None:
    """They are allowed where somebody allows them; udtools counts each."""
    gold = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tobj\t_\t_\n\n"
    system = gold.replace("\t1\tobj", "\t0\troot")
    found = xa.evaluate(xa.from_text(gold), xa.from_text(system, root="any"), root="any")
    assert found.scores.conll2018 is not None
    assert found.scores.conll2018["UAS"].correct == official(gold, system)["UAS"].correct == 1


@pytest.fixture(scope="module")
def udpipe(treebanks: Path) -> Any:
    """A parser of a few sentences, with tokeniser and tagger: bad, and real."""
    from ufal import udpipe

    train = xa.read(treebanks / "pt_bosque" / "train.conllu.gz")[:25]
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(train.to_text())
    sentences, error = udpipe.Sentences(), udpipe.ProcessingError()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "epochs=1;batch_size=20;early_stopping=0;dimension=16;learning_rate=0.02",
        "iterations=1;models=1;guesser_suffix_rules=2;guesser_enrich_dictionary=0",
        "iterations=1;hidden_layer=10;embedding_upostag=10;embedding_feats=0;embedding_form=5;embedding_deprel=5",
        error,
    )
    assert not error.occurred(), error.message
    return model


@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_real_parser(treebanks: Path, udpipe: Any, tmp_path: Path, announce: list[str]) -> None:
    """UDPipe trained on the spot: on gold words, and on raw text with its own tokens and sentences."""
    from ufal import udpipe as library

    (tmp_path / "model.udpipe").write_bytes(udpipe)
    model = library.Model.load(str(tmp_path / "model.udpipe"))
    gold = xa.read(treebanks / "pt_bosque" / "test.conllu.gz")[:100]
    error = library.ProcessingError()
    for start, text in (("conllu", gold.to_text()), ("tokenize", "\n".join(one.text for one in gold))):
        pipeline = library.Pipeline(model, start, library.Pipeline.DEFAULT, library.Pipeline.DEFAULT, "conllu")
        parsed = pipeline.process(text, error)
        assert not error.occurred(), error.message
        found = assert_official(gold.to_text(), parsed)
        assert found.scores.pair.same_words == (start == "conllu")
        announce.append(f"UDPipe from {start}: LAS {100 * found.las:.2f}, equal to udtools in all measures")
