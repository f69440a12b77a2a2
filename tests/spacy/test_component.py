"""The component and the tokeniser, with spaCy itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.text import Pipeline, SegmenterOptions

from ..support.parsers import SMALL_WORDS
from ..support.warned import bare_words

spacy = pytest.importorskip("spacy")
pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def treebank() -> xa.Treebank:
    return xa.sample(60, seed=1)


@pytest.fixture(scope="module")
def model(treebank: xa.Treebank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    parser = xa.TransitionParser("2-planar", scorer="perceptron")
    parser.train(treebank, epochs=3)
    path = tmp_path_factory.mktemp("models") / "sample.crossarc"
    parser.save(path)
    return path


@pytest.fixture(scope="module")
def pipeline(treebank: xa.Treebank) -> Pipeline:
    parser = xa.GraphParser("unrestricted", network=SMALL_WORDS, predict=("upos", "lemma", "feats"))
    options = SegmenterOptions(embedding_size=8, hidden_size=8)
    return Pipeline.train(treebank, parser=parser, segmenter=options, epochs=2, segmenter_epochs=2)


def with_crossarc(model: object, **config: object) -> Any:
    nlp = spacy.blank("xx")
    import crossarc.spacy  # noqa: F401 - where the package is not installed, spaCy does not find the entry point

    nlp.add_pipe("crossarc", config={"model": None if model is None else str(model), **config})
    return nlp


def heads(doc: Any) -> list[int]:
    """The heads as CoNLL-U has them, sentence by sentence."""
    return [
        0 if token.head == token else token.head.i - sentence.start + 1 for sentence in doc.sents for token in sentence
    ]


def test_documents_get_the_trees_of_the_parser(treebank: xa.Treebank, model: Path) -> None:
    nlp = with_crossarc(model)
    parsed = xa.load(model).parse(treebank)
    docs = treebank.replace(head=[-1] * treebank.words).to_spacy(nlp.vocab)
    found = list(nlp.get_pipe("crossarc").pipe(docs, batch_size=7))
    assert [head for doc in found for head in heads(doc)] == parsed.head.tolist()
    relations = [token.dep_ for doc in found for token in doc]
    assert relations == ["ROOT" if head == 0 else text for head, text in zip(parsed.head, parsed.deprel, strict=True)]
    assert all(len(list(doc.sents)) == 1 for doc in found)
    assert any(xa.classify([sentence.heads]).nonprojective[0] for sentence in parsed)  # arcs do cross
    one = nlp.get_pipe("crossarc")(treebank[:1].replace(head=[-1] * len(treebank[0])).to_spacy(nlp.vocab)[0])
    assert heads(one) == parsed[0].heads.tolist()


@bare_words
def test_sentences_of_a_document_stay_apart_and_white_space_hangs_on_words(model: Path) -> None:
    nlp = with_crossarc(model)
    words = ["\n", "pafigadaki", "polesian", "  ", ".", "vols", "\t", "ka", " "]
    starts = [True, False, False, False, False, True, False, False, False]
    doc = nlp.get_pipe("crossarc")(spacy.tokens.Doc(nlp.vocab, words=words, sent_starts=starts))
    assert [sentence.start for sentence in doc.sents] == [0, 5]
    assert [doc[place].head.i for place in (0, 3, 6, 8)] == [1, 2, 5, 7]
    assert [doc[place].dep_ for place in (0, 3)] == ["dep", "dep"]
    assert sum(token.head == token for token in doc) == 2
    bare = spacy.tokens.Doc(nlp.vocab, words=["pafigadaki", "polesian", "."])  # no sentence boundaries: one sentence
    assert len(list(nlp.get_pipe("crossarc")(bare).sents)) == 1
    assert len(nlp("")) == 0
    blank = nlp.get_pipe("crossarc")(spacy.tokens.Doc(nlp.vocab, words=[" ", "\n"]))
    assert [token.text for token in blank] == [" ", "\n"]
    apart = spacy.tokens.Doc(nlp.vocab, words=["vols", "\n", "\n"], sent_starts=[True, True, False])
    assert [len(sentence) for sentence in nlp.get_pipe("crossarc")(apart).sents][:1] == [1]


def test_scores_are_in_extensions(treebank: xa.Treebank, pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.save(tmp_path / "pipeline.crossarc")
    nlp = with_crossarc(tmp_path / "pipeline.crossarc", scores=True)
    words = treebank[:3].replace(head=[-1] * treebank[:3].words)
    docs = list(nlp.get_pipe("crossarc").pipe(words.to_spacy(nlp.vocab)))
    found = pipeline.parse_nbest(words, 1)
    expected = np.exp(np.minimum(found.scores, 0))
    assert [token._.crossarc_probability for doc in docs for token in doc] == pytest.approx(expected.tolist())
    assert [token._.crossarc_score for token in docs[0]] == pytest.approx(found.scores[: len(docs[0])].tolist())
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(docs[0].to_bytes())
    assert again[0]._.crossarc_probability == docs[0][0]._.crossarc_probability
    plain = with_crossarc(tmp_path / "pipeline.crossarc")
    doc = plain.get_pipe("crossarc")(words.to_spacy(plain.vocab)[0])
    assert doc[0]._.crossarc_probability is None


def test_what_the_model_predicts_is_filled_in(treebank: xa.Treebank, pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.save(tmp_path / "pipeline.crossarc")
    nlp = with_crossarc(tmp_path / "pipeline.crossarc")
    bare = xa.Treebank.from_words([sentence.forms for sentence in treebank[:5]])
    docs = list(nlp.get_pipe("crossarc").pipe(bare.to_spacy(nlp.vocab)))
    expected = pipeline.parse(bare)
    assert [token.pos_ for doc in docs for token in doc] == ["" if tag == "_" else tag for tag in expected.upos]
    assert [token.lemma_ for doc in docs for token in doc] == ["" if text == "_" else text for text in expected.lemma]
    assert [str(token.morph) or "_" for doc in docs for token in doc] == expected.feats.tolist()
    tagged = treebank[:5].replace(head=[-1] * treebank[:5].words).to_spacy(nlp.vocab)
    assert [token.pos_ for doc in nlp.get_pipe("crossarc").pipe(tagged) for token in doc] == treebank[:5].upos.tolist()


@pytest.mark.parametrize("way", ["disk", "bytes"])
@bare_words
def test_pipelines_are_saved_and_loaded(model: Path, tmp_path: Path, way: str) -> None:
    moved = tmp_path / "moved.crossarc"
    moved.write_bytes(model.read_bytes())
    nlp = with_crossarc(moved)
    moved.unlink()  # the model is in the folder of the pipeline, too
    doc = nlp("pafigadaki polesian .")
    if way == "disk":
        nlp.to_disk(tmp_path / "nlp")
        assert (tmp_path / "nlp" / "crossarc" / "model.crossarc").exists()
        again = spacy.load(tmp_path / "nlp")
    else:
        again = with_crossarc(None)
        again.from_bytes(nlp.to_bytes())
    assert heads(again("pafigadaki polesian .")) == heads(doc)


@bare_words
def test_several_processes(model: Path) -> None:
    nlp = with_crossarc(model, threads=1)
    texts = ["pafigadaki polesian .", "vols ka doi ?"] * 3
    expected = [heads(nlp(text)) for text in texts]
    assert [heads(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)] == expected


def test_several_roots_become_one_with_the_relations_that_they_had() -> None:
    """The embedded model of Ancient Greek, whose full stops are roots beside the predicate."""
    nlp = with_crossarc("grc")
    doc = nlp.get_pipe("crossarc")(
        spacy.tokens.Doc(
            nlp.vocab, ["μῆνιν", "ἄειδε", "θεὰ", "Πηληϊάδεω", "Ἀχιλῆος", ".", "ἄνδρα", "μοι", "ἔννεπε", "."]
        )
    )
    model = xa.load("grc")
    (parsed,) = model.parse(xa.Treebank.from_words([[token.text for token in doc]]))
    roots = np.flatnonzero(parsed.heads == 0)
    assert len(roots) > 1
    (sentence,) = doc.sents
    assert sentence.root.i in roots
    assert all(doc[int(row)].head == sentence.root for row in roots)
    kept = [token.i for token in doc if token.i not in roots]
    assert [doc[row].head.i + 1 for row in kept] == [int(parsed.heads[row]) for row in kept]
    assert [token.dep_ for token in doc if token != sentence.root] == [
        word.deprel for row, word in enumerate(parsed) if row != sentence.root.i
    ]


def test_what_spacy_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(xa.ParserError, match="the component has no model"):
        with_crossarc(None)("a text")
    with pytest.raises(xa.ParserError, match="No such file"):
        with_crossarc(tmp_path / "missing.crossarc")("a text")


def test_the_tokeniser_keeps_the_text_and_the_words_of_tokens(pipeline: Pipeline, tmp_path: Path) -> None:
    from crossarc.spacy import CrossarcTokenizer

    nlp = spacy.blank("xx")
    nlp.tokenizer = CrossarcTokenizer(nlp, pipeline)
    for text in ("pafigadaki polesian.", " \n vols  ka\n\ndoi ? ", "", "\n"):
        assert nlp(text).text == text
    text = "pafigadaki polesian. Vols ka doi?"
    doc = nlp(text)
    found = pipeline.segmenter.segment(text)
    assert [token.text for token in doc if not token.is_space] == [
        text[start:end] for start, end in zip(found.starts, found.ends, strict=True)
    ]
    assert len(list(doc.sents)) == int(found.final.sum())
    assert [token._.crossarc_words for token in doc] == [list(words) for words in pipeline.segmenter.words(found)]
    nlp.to_disk(tmp_path / "nlp")
    for _ in range(2):  # one that was loaded is saved again
        again = spacy.load(tmp_path / "nlp")
        assert [token.text for token in again(text)] == [token.text for token in doc]
        again.to_disk(tmp_path / "nlp")
    nlp.tokenizer = CrossarcTokenizer(nlp.vocab).from_disk(tmp_path / "nlp" / "tokenizer")
    assert [token.text for token in nlp(text)] == [token.text for token in doc]
    with pytest.warns(UserWarning, match=r"make it with CrossarcTokenizer\(nlp, …\)"):
        nlp.to_disk(tmp_path / "nlp")


def test_a_long_document_without_sentences_is_cut(pipeline: Pipeline) -> None:
    """It does not take the batch of `nlp.pipe` with it."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("crossarc").take(pipeline)
    words = ["vols", "ka", "doi", "."] * 1000 + ["vols"] * 4196
    texts = ["vols ka doi .", " ".join(words), "vols"]
    with pytest.warns(xa.text.LongSentenceWarning, match=r"1 sentence of more than 4,096 words cut: set sentence"):
        short, long, last = nlp.pipe(texts)
    assert [len(sentence) for sentence in long.sents] == [4000, 4096, 100]
    assert all(token.dep_ for doc in (short, long, last) for token in doc)
    assert heads(short) == heads(nlp(texts[0]))


@bare_words
def test_tokens_of_several_words_get_the_head_of_their_highest_word(model: Path) -> None:
    nlp = with_crossarc(model)
    parser = xa.load(model)
    words = [["vols", "ka"], ["doi"], ["pafigadaki", "polesian", "doi"], ["."]]
    doc = spacy.tokens.Doc(nlp.vocab, words=["".join(own) for own in words])
    doc.user_data["crossarc_words"] = {0: ("vols", "ka"), 2: ("pafigadaki", "polesian", "doi")}
    nlp.get_pipe("crossarc")(doc)
    assert isinstance(parser, xa.TrainableParser)
    tree = parser.parse([word for own in words for word in own])
    token_of = [place for place, own in enumerate(words) for _ in own]
    for place in range(len(words)):
        own = [word for word in tree if token_of[word.id - 1] == place]
        highest = min(own, key=lambda word: (len(word.ancestors), word.id))
        expected = place if highest.head_token is None else token_of[highest.head_token.id - 1]
        assert doc[place].head.i == expected


def test_spacy_finds_the_component_by_its_entry_point(model: Path, tmp_path: Path) -> None:
    """Whatever is installed here: with the entry points of pyproject.toml, in a process of its own."""
    text = (REPOSITORY / "pyproject.toml").read_text()
    points = re.findall(r"^\[project\.entry-points\.(spacy_\w+)\]\n((?:.+\n)+)", text, re.M)
    assert [group for group, _ in points] == ["spacy_factories", "spacy_tokenizers"]
    folder = tmp_path / "crossarc_points-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: crossarc-points\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("".join(f"[{group}]\n{lines}".replace('"', "") for group, lines in points))
    code = (
        "import spacy\n"
        f"nlp = spacy.blank('xx'); nlp.add_pipe('crossarc', config={{'model': {str(model)!r}}})\n"
        "make = spacy.registry.tokenizers.get('crossarc.Tokenizer.v1')\n"
        "print(len(list(nlp('pafigadaki polesian .').sents)), make.__name__)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout == "1 make_tokenizer\n", run.stderr


def test_noun_chunks_by_relations_of_universal_dependencies(tmp_path: Path) -> None:
    """Prepositions and relative clauses do not belong to them; pipelines that were saved have them, too."""
    nlp = with_crossarc("en")
    doc = nlp("The old state-run bank of New York gave John's two sisters what they wanted.")
    found = [chunk.text for chunk in doc.noun_chunks]
    assert found == ["The old state-run bank", "New York", "John's two sisters", "what", "they"]
    assert {chunk.label_ for chunk in doc.noun_chunks} == {"NP"}
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")(doc.text)
    assert [chunk.text for chunk in again.noun_chunks] == found


def test_noun_chunks_have_no_gaps() -> None:
    from crossarc.spacy import noun_chunks

    words, tags = ["big", "I", "saw", "the", "houses"], ["ADJ", "PRON", "VERB", "DET", "NOUN"]
    relations = ["amod", "nsubj", "ROOT", "det", "obj"]
    vocab = spacy.blank("xx").vocab
    doc = spacy.tokens.Doc(vocab, words=words, pos=tags, heads=[4, 2, 2, 4, 2], deps=relations)
    assert [doc[start:end].text for start, end, _ in noun_chunks(doc)] == ["I", "the houses"]


def test_a_model_with_several_roots_and_its_tokeniser_are_saved(tmp_path: Path) -> None:
    """Ancient Greek: one sentence for each of the text, the text as it was, and the same from the folder."""
    from crossarc.spacy import CrossarcTokenizer

    nlp = with_crossarc("grc")
    nlp.tokenizer = CrossarcTokenizer(nlp, "grc")
    text = "ἄνδρα μοι ἔννεπε, μοῦσα, πολύτροπον. πολλῶν δ᾽ ἀνθρώπων ἴδεν ἄστεα."
    doc = nlp(text)
    assert doc.text == text and [len([token for token in sent if token.head == token]) for sent in doc.sents] == [1, 1]
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")(text)
    assert [(token.text, token.head.i, token.dep_) for token in again] == [
        (token.text, token.head.i, token.dep_) for token in doc
    ]
