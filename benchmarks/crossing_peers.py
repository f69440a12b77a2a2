"""Peers that build crossing arcs, trained on the same data: UDPipe 1 with its swap system, pseudo-projective spaCy.

A peer is trained once and kept in a folder, under a name that says on how many words and how often it went through
them: `TREEBANK-PEER-WORDS-ITERATIONS`. Both get gold words; where gold tags are allowed, both see UPOS and UDPipe also
FEATS, else UDPipe trains a tagger of its own and spaCy sees words alone, as its parsers do by default.

UDPipe: transition system `swap`, oracle `static_lazy`, its usual sizes, a beam of five; spaCy: its default parser and
embeddings, with UPOS among their attributes; labelled actions are kept from three occurrences on, since rarer marks of
lifted arcs would be lost. Beside them a transition parser of ours, Covington's system with its network, learns from the
same words, so that there is a row that is comparable however few they are.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crossarc as xa
from crossarc.treebank.writing import convert

_SIZES = "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
_SYSTEM = "embedding_deprel=20;hidden_layer=200;transition_system=swap;transition_oracle=static_lazy"
_TAGGER = "models=1;templates_1=tagger;iterations_1=5;provide_lemma_1=0;use_lemma_1=0"
_BATCH_WORDS = 300

Parse = Callable[[xa.Treebank], xa.Treebank]


def first_words(treebank: xa.Treebank, words: int) -> xa.Treebank:
    """The first sentences of a treebank, of so many words together; 0 means all."""
    if not words or words >= treebank.words:
        return treebank
    return treebank[: int((treebank.word_offsets <= words).sum()) - 1]


def with_trees(treebank: xa.Treebank, heads: list[int], relations: list[str]) -> xa.Treebank:
    """The same words with the heads and relations that a peer gave."""
    return treebank.replace(head=heads, deprel=relations)


# UDPipe


def udpipe_sentences(treebank: xa.Treebank) -> Any:
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    named = treebank.replace(deprel=["dep" if relation == "_" else relation for relation in treebank.texts("deprel")])
    reader.setText(convert(named, "conllu").treebank.to_text())
    sentences, error, sentence = udpipe.Sentences(), udpipe.ProcessingError(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise RuntimeError(error.message)
    return sentences


def train_udpipe(train: xa.Treebank, path: Path, iterations: int, tags: bool) -> None:
    from ufal import udpipe

    error = udpipe.ProcessingError()
    single = int(all((sentence.heads == 0).sum() == 1 for sentence in train))
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        udpipe_sentences(train),
        udpipe.Sentences(),
        "none",
        "none" if tags else _TAGGER,
        f"iterations={iterations};{_SIZES}{_SYSTEM};single_root={single}",
        error,
    )
    if error.occurred():
        raise RuntimeError(error.message)
    path.write_bytes(model)


def load_udpipe(path: Path, tags: bool) -> Parse:
    from ufal import udpipe

    model, error = udpipe.Model.load(str(path)), udpipe.ProcessingError()

    def parse(treebank: xa.Treebank) -> xa.Treebank:
        heads: list[int] = []
        relations: list[str] = []
        for sentence in udpipe_sentences(treebank):
            if not tags:
                model.tag(sentence, udpipe.Pipeline.DEFAULT, error)
            model.parse(sentence, "beam_search=5", error)
            words = list(sentence.words)[1:]
            heads += [word.head for word in words]
            relations += [word.deprel for word in words]
        if error.occurred():
            raise RuntimeError(error.message)
        return with_trees(treebank, heads, relations)

    return parse


# spaCy


def spacy_documents(nlp: Any, treebank: xa.Treebank, *, tags: bool, trees: bool) -> list[Any]:
    """Documents of one sentence each; in spaCy the head of a root is the word itself."""
    from spacy.tokens import Doc

    documents = []
    for sentence in treebank:
        more: dict[str, Any] = {"tags": sentence.texts("upos")} if tags else {}
        if trees:
            heads = sentence.heads.tolist()
            more["heads"] = [head - 1 if head else word for word, head in enumerate(heads)]
            more["deps"] = sentence.deprels
        starts = [place == 0 for place in range(len(sentence))]
        documents.append(Doc(nlp.vocab, words=sentence.forms, sent_starts=None if trees else starts, **more))
    return documents


def _spacy_pipeline(tags: bool) -> Any:
    import spacy

    attributes = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 2500, **({"TAG": 100} if tags else {})}
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 96,
            "attrs": list(attributes),
            "rows": list(attributes.values()),
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": 96,
            "depth": 4,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }
    shape = {"state_type": "parser", "extra_state_tokens": False, "hidden_width": 64, "maxout_pieces": 2}
    model = {"@architectures": "spacy.TransitionBasedParser.v2", "tok2vec": tok2vec, "use_upper": True, **shape}
    nlp = spacy.blank("xx")
    nlp.add_pipe("parser", config={"min_action_freq": 3, "model": model})
    return nlp


def train_spacy(train: xa.Treebank, path: Path, iterations: int, tags: bool) -> None:
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(1)
    nlp = _spacy_pipeline(tags)
    seen, known = (spacy_documents(nlp, train, tags=tags, trees=trees) for trees in (False, True))
    examples = [Example(one, other) for one, other in zip(seen, known, strict=True)]
    optimizer = nlp.initialize(lambda: examples)
    order = random.Random(1)
    for _ in range(iterations):
        order.shuffle(examples)
        for batch in _batches(examples):
            nlp.update(batch, sgd=optimizer, drop=0.1)
    nlp.to_disk(path)


def _batches(examples: list[Any]) -> list[list[Any]]:
    """Cut examples into batches of about as many words each."""
    ends = itertools.accumulate(len(one.reference) for one in examples)
    groups = itertools.groupby(zip(ends, examples, strict=True), key=lambda one: one[0] // _BATCH_WORDS)
    return [[example for _, example in group] for _, group in groups]


def load_spacy(path: Path, tags: bool) -> Parse:
    nlp = _spacy_pipeline(tags).from_disk(path)

    def parse(treebank: xa.Treebank) -> xa.Treebank:
        heads: list[int] = []
        relations: list[str] = []
        for document in nlp.pipe(spacy_documents(nlp, treebank, tags=tags, trees=False)):
            own = [0 if word.head is word or word.head.i == word.i else word.head.i + 1 for word in document]
            heads += own
            relations += [word.dep_ or "dep" if head else "root" for word, head in zip(document, own, strict=True)]
        return with_trees(treebank, heads, relations)

    return parse


# A transition parser of ours, from the same words


def _without_tags(treebank: xa.Treebank) -> xa.Treebank:
    empty = ["_"] * treebank.words
    return treebank.replace(upos=empty, xpos=empty, feats=empty, lemma=empty)


def train_covington(train: xa.Treebank, path: Path, iterations: int, tags: bool) -> None:
    parser = xa.TransitionParser("covington")
    parser.train(train if tags else _without_tags(train), epochs=iterations, progress=False)
    parser.save(path)


def load_covington(path: Path, tags: bool) -> Parse:
    parser = xa.load(path)
    return lambda treebank: parser.parse(treebank if tags else _without_tags(treebank))


#: What trains a peer and what loads it, and how often each goes through its data by default.
PEERS: dict[str, tuple[Callable[[xa.Treebank, Path, int, bool], None], Callable[[Path, bool], Parse], int]] = {
    "udpipe": (train_udpipe, load_udpipe, 10),
    "spacy": (train_spacy, load_spacy, 10),
    "covington": (train_covington, load_covington, 20),
}


def trained_peer(
    name: str, treebank: str, train: xa.Treebank, folder: Path, iterations: int | None, *, tags: bool
) -> Parse:
    """Return what parses, trained now if the folder does not have it."""
    learn, load, usual = PEERS[name]
    iterations = iterations or usual
    path = folder / f"{treebank}-{name}-{train.words}-{iterations}{'.crossarc' if name == 'covington' else ''}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        learn(train, path, iterations, tags)
    return load(path, tags)
