"""The pipeline: raw text to trees, with a segmenter, a tagger and lemmatiser, and a parser in one model file.

The segmenter cuts a text into sentences and words; a graph parser with `predict` finds tags, lemmas and trees on one
encoder; another parser gets its tags from such a graph parser, the `tagger`. What the input says already is kept: tags,
lemmas, features, and heads where a sentence has some and lacks others. O(characters), and the cost of the parser.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .._arrays import Flags
from ..errors import ParserError, clean
from ..features.lemma_rules import Dictionary
from ..features.misspellings import Misspellings
from ..models import Biaffine
from ..models.model_file import MISFITS, Arrays, ModelFile, ModelFileError, check_fields, reason
from ..options import Check, checked_threads, named, nullable, number, one_of, structure, text
from ..parsers.analyses import Analyses
from ..parsers.base import ABOUT, Abilities, ParseOptions, Parser
from ..parsers.candidates import Candidates
from ..parsers.data_size import network_options
from ..parsers.graph.parser import GraphParser
from ..parsers.graph.trained import GraphTrained
from ..parsers.input_columns import columns_read
from ..parsers.trainable import TrainableParser, parser_from_file, required
from ..training.report import Epoch, TrainingReport
from ..treebank import Treebank
from ..treebank.agdt import UPOS, with_letters_as_universal_tags
from .boundaries import LONGEST_SENTENCE
from .greek import GreekSpelling, as_greek
from .network import SegmenterOptions
from .segmenter import Segmenter
from .word_boundaries import WordNetwork, asking_words
from .words import Numbering, Segmentation

TYPE = "pipeline"
#: The columns that a pipeline finds, where the training data have them.
TAGS = ("upos", "xpos", "feats", "lemma")
#: Parts that files need not mention, and all of them.
_SELDOM = ("spelling", "words")
_PARTS = ("segmenter", "parser", "tagger", *_SELDOM)
#: Short texts are parsed together until there are so many characters.
_TOGETHER = 1 << 15
#: With more characters that the training data did not have, a text is of another language.
_MOST_UNKNOWN = 0.5
#: Letters of a text that are looked at for that.
_LETTERS = 2000
_ENOUGH_LETTERS = 10


class UnknownLanguageWarning(UserWarning):
    """A text in characters that the model was not trained with."""


class LongSentenceWarning(UserWarning):
    """A text without ends of sentences for so long that one was cut."""


def check_about(name: str, value: Any) -> None:
    """Refuse what does not say where a model comes from."""
    scores = named(named(number(0, 1), 100), 100)
    check_fields(name, value, {}, {**dict.fromkeys(ABOUT, nullable(text)), "scores": scores})


_FIELDS: Mapping[str, Check] = {
    "type": one_of(TYPE),
    "segmenter": structure,
    "parser": structure,
    "tagger": nullable(structure),
    "about": check_about,
}


class Pipeline(Parser):
    """Raw text to trees: `nlp(text)` gives a treebank.

    Parameters:
        segmenter: Cuts texts into sentences and words.
        parser: A trained parser.
        tagger: A trained graph parser that predicts the tags which `parser` reads, where that does not predict them.
        about: Where it comes from, for `info` and `crossarc models`: `name`, `language`, `domain` (of which texts),
            `licence`, `attribution`, `source`, `command`, `crossarc` (the version), and `scores`, tables of shares from
            0 to 1 by what they are measured on.
        spelling: Of a model for Greek, what matches forms in other spellings to those that it learnt from.
        words: What says by the encoder of `parser` where sentences end, for the segmenter where it is in doubt.
    """

    type = TYPE

    def __init__(
        self,
        segmenter: Segmenter,
        parser: TrainableParser,
        tagger: TrainableParser | None = None,
        *,
        spelling: GreekSpelling | None = None,
        words: WordNetwork | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Put the parts together; those that were not trained are refused."""
        for part in (parser, *([] if tagger is None else [tagger])):
            if part.trained is None:
                raise ParserError("a part of the pipeline was not trained: call train, or load a model")
        if tagger is not None and not tagger.abilities.predicts:
            raise ParserError('the tagger predicts no tags: train a GraphParser with predict=("upos", …)')
        self.segmenter = segmenter if words is None else asking_words(segmenter, parser, words)
        self.words = words
        self._parser = parser
        self.tagger = tagger
        self.spelling = spelling
        self.about = dict(about or {})
        #: How the parser was trained, after `train`.
        self.report: TrainingReport | None = None
        self._known = frozenset(segmenter.characters)
        self._warned = False
        self._letters = _predicts_letters(parser if tagger is None else tagger)

    # Training

    @staticmethod
    def train(
        train: Treebank,
        dev: Treebank | None = None,
        *,
        parser: TrainableParser | None = None,
        tagger: TrainableParser | None = None,
        segmenter: Segmenter | SegmenterOptions | None = None,
        epochs: int | None = None,
        segmenter_epochs: int = 20,
        patience: int | None = None,
        seed: int = 1,
        threads: int = 0,
        device: str | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        dictionary: Dictionary | None = None,
        about: Mapping[str, Any] | None = None,
        on_segmenter_epoch: Callable[[int, float], None] | None = None,
        on_start: Callable[[TrainingReport], None] | None = None,
        on_progress: Callable[[int, int, int], None] | None = None,
        on_epoch: Callable[[Epoch], None] | None = None,
        taught: Treebank | None = None,
        taught_share: float = 0.5,
        teacher: Parser | None = None,
    ) -> Pipeline:
        """Train a segmenter and a parser on a treebank.

        `parser`: one that was not trained, by default a graph parser that predicts the tags and lemmas of the training
        data, with the options that their size asks for (`crossarc.parsers.data_size`); a parser that reads tags and
        predicts none gets a `tagger`, such a graph parser. `segmenter`: its options, or a trained one. `epochs`,
        `patience`, `device`, `checkpoint`, `resume`, `taught`, `teacher` and the functions are those of `Parser.train`,
        for the parser; the segmenter has its checkpoint beside that, with `.segmenter` behind the name, until all parts
        are trained.
        `dictionary`: lemmas that are known beside those of the treebank. `on_segmenter_epoch` is told the number of
        each epoch of the segmenter and the share of its mistakes.
        """
        saved_segmenter = None if checkpoint is None else Path(f"{os.fspath(checkpoint)}.segmenter")
        if not isinstance(segmenter, Segmenter):
            segmenter = Segmenter.train(
                train,
                segmenter,
                epochs=segmenter_epochs,
                seed=seed,
                threads=threads,
                checkpoint=saved_segmenter,
                resume=resume,
                on_epoch=on_segmenter_epoch,
            )
            if segmenter.report is not None and segmenter.report.interrupted:
                raise KeyboardInterrupt  # there is no parser yet
            if dev is not None:
                segmenter.calibrate(dev, threads=threads)
        columns = tuple(name for name in TAGS if train.inventory(name).keys() - {"_"})
        network = Biaffine.from_dict(network_options(train.words))
        chosen = GraphParser("auto", network=network, predict=columns) if parser is None else parser
        command = (about or {}).get("command")

        def learn(part: TrainableParser, saved: str | os.PathLike[str] | None = None) -> TrainingReport:
            return part.train(
                train,
                dev=dev,
                epochs=epochs,
                patience=patience,
                seed=seed,
                threads=threads,
                device=device,
                checkpoint=saved,
                resume=resume and saved is not None,
                command=command,
                on_start=on_start,
                on_progress=on_progress,
                on_epoch=on_epoch,
                taught=taught,
                taught_share=taught_share,
                teacher=teacher,
            )

        report = learn(chosen, checkpoint)
        read = columns_read(required(chosen.trained).definition.vocabularies)
        if set(read) & set(columns) - set(chosen.abilities.predicts):
            tagger = tagger or GraphParser("auto", network=network, predict=columns)
            learn(tagger)
        elif tagger is not None:
            raise ParserError("the parser reads no tags that it does not predict itself: leave out the tagger")
        spelling = GreekSpelling.fit(train)
        pipeline = Pipeline(
            segmenter, chosen, tagger, spelling=spelling, about={"crossarc": __version__, **(about or {})}
        )
        pipeline.report = report
        if "lemma" in pipeline.abilities.predicts and not report.interrupted:
            pipeline.learn_lemmas(train, dictionary)
        if saved_segmenter is not None and not report.interrupted:
            saved_segmenter.unlink(missing_ok=True)
        return pipeline

    def learn_lemmas(self, train: Treebank, dictionary: Dictionary | None = None) -> None:
        """Learn a lemmatiser from the treebank that the pipeline was trained on, as `GraphParser.learn_lemmas` does."""
        tagger = self.parser if self.tagger is None else self.tagger
        if not isinstance(tagger, GraphParser):
            raise ParserError("this pipeline predicts no lemmas: train one whose treebank has them")
        tagger.learn_lemmas(train, dictionary)

    # Texts

    def __call__(self, text: str, *, threads: int = 0) -> Treebank:
        """Return the sentences of a text with words, tags, lemmas and trees.

        MISC has the spaces behind tokens (`SpaceAfter=No`, `SpacesAfter`) and their places in the text (`TokenRange`,
        also `token.start` and `token.end`), which give back the text; of a Greek word that a hyphen divides at
        the end of a line, FORM is the word and the places show what was written. `# newpar` says where a paragraph
        begins.
        """
        (treebank,) = self.stream([text], threads=threads)
        return treebank

    def stream(self, texts: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Return a treebank for each of many texts, in their order; short ones are parsed together."""
        threads = checked_threads(threads)
        waiting: list[str] = []
        characters = 0
        for written in texts:
            if not isinstance(written, str):
                raise ParserError(f"a text is a str, not {type(written).__name__}: decode bytes, or parse a treebank")
            self._notice_language(written)
            waiting.append(written)
            characters += len(written)
            if characters >= _TOGETHER:
                yield from self._parsed_together(waiting, threads)
                waiting, characters = [], 0
        yield from self._parsed_together(waiting, threads)

    def _parsed_together(self, texts: Sequence[str], threads: int) -> Iterator[Treebank]:
        if not texts:
            return
        segmentations = self.segmenter.segment_all(texts, threads=threads)
        treebanks = [self._words(tokens, Numbering()) for tokens in segmentations]
        parsed = self.parse(Treebank.concatenate(treebanks), threads=threads)
        ends = np.cumsum([len(treebank) for treebank in treebanks]).tolist()
        for start, end in zip([0, *ends], ends, strict=False):
            yield parsed[start:end]

    def stream_text(self, blocks: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Return the treebanks of one text that comes in blocks, in bounded memory however long it is."""
        return self.parse_stream(self.segmented(blocks, threads=threads), threads=threads)

    def segmented(self, blocks: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        numbering = Numbering()
        for tokens in self.segmenter.segmentations(self._noticed_language(blocks), threads=checked_threads(threads)):
            yield self._words(tokens, numbering)

    def segmented_lines(self, blocks: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        numbering = Numbering()
        for tokens in self.segmenter.segment_lines(self._noticed_language(blocks), threads=checked_threads(threads)):
            yield self._words(tokens, numbering)

    def segmented_texts(self, texts: Sequence[str], *, in_lines: Sequence[bool], threads: int = 0) -> list[Treebank]:
        return self.segmenter.treebanks(texts, in_lines=in_lines, threads=threads)

    def _words(self, tokens: Segmentation, numbering: Numbering) -> Treebank:
        """Return the sentences of a text with their words; say so if some were too long."""
        if tokens.too_long:
            most = self.segmenter.boundaries.most_words
            warnings.warn(
                f"sentences of more than {most} words, or {LONGEST_SENTENCE:,} characters, were cut where one probably "
                "ends",
                LongSentenceWarning,
                stacklevel=4,
            )
        return tokens.treebank(self.segmenter.other_words(tokens), numbering=numbering)

    def _noticed_language(self, blocks: Iterable[str]) -> Iterator[str]:
        for block in blocks:
            self._notice_language(block)
            yield block

    def _notice_language(self, text: str) -> None:
        """Warn, once, of a text in characters that the model does not know."""
        if self._warned:
            return
        read = text[:_LETTERS] if self.spelling is None else as_greek(text[:_LETTERS]).lower()
        letters = [letter for letter in read if letter.isalpha()]
        share = sum(letter not in self._known for letter in letters) / max(1, len(letters))
        if len(letters) >= _ENOUGH_LETTERS and share > _MOST_UNKNOWN:
            self._warned = True
            beta_code = "; words in these letters are read as beta code" if self.spelling is not None else ""
            known = f"it was {self._trained_on()}{beta_code if text.isascii() else ''}"
            warnings.warn(
                f"{100 * share:.0f} % of the letters are none that the model knows: {known}",
                UnknownLanguageWarning,
                stacklevel=4,
            )

    def _trained_on(self) -> str:
        """Say which language and texts it learnt from."""
        return trained_on(self.about, self.parser.info()["trained_on"])

    # Treebanks

    @property
    def parser(self) -> TrainableParser:
        return self._parser

    @property
    def name(self) -> str:
        return self.parser.name

    @property
    def abilities(self) -> Abilities:
        known = self.parser.abilities
        predicts = known.predicts if self.tagger is None else self.tagger.abilities.predicts
        return replace(known, raw_text=True, predicts=predicts)

    def _parsed(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        """Keep what is given and find what is missing; of heads, keep those of incomplete trees unless told."""
        reader = self._reader()
        if reader is None:
            return self._with_tags(self._read(treebank, options))
        return reader.written(self._with_tags(self._read(reader.read(treebank), options)), treebank)

    def _reader(self) -> GreekSpelling | Misspellings | None:
        """Return what has words in other spellings, or misspelt ones, read as those that are known."""
        if self.spelling is not None:
            return self.spelling
        parser = self.parser if self.tagger is None else self.tagger
        lemmas = parser.trained.tags.lemmas if isinstance(parser.trained, GraphTrained) else None
        return None if lemmas is None else lemmas.misspellings

    def _with_tags(self, treebank: Treebank) -> Treebank:
        """Return what was found with tags of Universal Dependencies in place of the AGDT's letters."""
        return with_letters_as_universal_tags(treebank) if self._letters and treebank.words else treebank

    def _read(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        tagged = self._tagged(treebank, options.threads)
        partial = _partial_trees(tagged)
        if options.keep_heads is not None or not partial.any():
            return self._with_trees(tagged, options)
        parts = [
            self._with_trees(tagged[partial], options._replace(keep_heads=True)),
            self._with_trees(tagged[~partial], options),
        ]
        order = np.argsort(np.concatenate([np.flatnonzero(partial), np.flatnonzero(~partial)]))
        return Treebank.concatenate(parts)[order]

    def _with_trees(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        return self.parser.parse(treebank, **options._asdict())

    def _analyses(self, treebank: Treebank, n: int, options: ParseOptions) -> Analyses:
        reader = self._reader()
        tagged = self._tagged(treebank if reader is None else reader.read(treebank), options.threads)
        analyses = self.parser.parse_nbest(tagged, n, beam=options.beam, threads=options.threads)
        analyses = replace(analyses, treebank=self._with_tags(analyses.treebank))
        if reader is None:
            return analyses
        before = treebank[np.repeat(np.arange(len(treebank)), np.diff(analyses.offsets))]
        return replace(analyses, treebank=reader.written(analyses.treebank, before))

    def candidates(self, sentence: Treebank, heads: int, labels: int, *, threads: int = 0) -> Candidates:
        reader = self._reader()
        read = sentence if reader is None else reader.read(sentence)
        return self.parser.candidates(self._tagged(read, threads), heads, labels, threads=threads)

    def _tagged(self, treebank: Treebank, threads: int) -> Treebank:
        """Return a treebank with the tags that the parser reads and does not predict itself."""
        if self.tagger is None or not treebank.words:
            return treebank
        tagged = self.tagger.parse(treebank, threads=threads)
        return treebank.replace(**{column: tagged.texts(column) for column in self.tagger.abilities.predicts})

    # Files

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the parts of a pickle; segmenters are pickled without what asks for words."""
        self.__dict__.update(state)
        if self.words is not None:
            self.segmenter = asking_words(self.segmenter, self.parser, self.words)

    def model_file(self, bits: int = 16, prune: float = 0.0) -> ModelFile:
        check_about("about", self.about)
        parts = {"segmenter": ModelFile(*self.segmenter.to_parts(bits)), "parser": self.parser.model_file(bits, prune)}
        if self.tagger is not None:
            parts["tagger"] = self.tagger.model_file(bits)
        for name, part in zip(_SELDOM, (self.spelling, self.words), strict=True):
            if part is not None:
                parts[name] = ModelFile(*part.to_parts())
        description = {"tagger": None, **{name: part.description for name, part in parts.items()}}
        arrays: Arrays = {f"{name}/{key}": array for name, part in parts.items() for key, array in part.arrays.items()}
        return ModelFile({"type": TYPE, "about": self.about, **description}, arrays)

    @classmethod
    def from_model_file(cls, file: ModelFile) -> Pipeline:
        """Return the pipeline of a model file; `crossarc.load` opens it. What it says is checked before it is used."""
        data = file.description
        check_fields("description", data, _FIELDS, dict.fromkeys(_SELDOM, structure))
        parts = {name: ModelFile(data[name], _part(file.arrays, name)) for name in _PARTS if data.get(name) is not None}
        try:
            segmenter = Segmenter.from_parts(parts["segmenter"].description, parts["segmenter"].arrays)
        except MISFITS as error:
            raise ModelFileError(f"the segmenter of the pipeline is damaged ({reason(error)})") from error
        parser = parser_from_file(parts["parser"])
        tagger = parser_from_file(parts["tagger"]) if "tagger" in parts else None
        if tagger is not None and not tagger.abilities.predicts:
            raise ModelFileError("the tagger of the pipeline is no graph parser that predicts tags")
        spelling = None
        if "spelling" in parts:
            spelling = GreekSpelling.from_parts(parts["spelling"].description, parts["spelling"].arrays)
        words = WordNetwork.from_parts(parts["words"].arrays) if "words" in parts else None
        try:
            return cls(segmenter, parser, tagger, spelling=spelling, words=words, about=data["about"])
        except ParserError as error:
            raise ModelFileError(f"the parts of the pipeline do not fit together ({error})") from error

    # Information

    def __repr__(self) -> str:
        """Say what it is and what it was trained on."""
        name = f"{self.about['name']}, " if self.about.get("name") else ""
        return f"<Pipeline {name}{type(self.parser).__name__} {self.parser.name}, {self._trained_on()}>"

    def info(self) -> dict[str, Any]:
        """Return plain data about all parts, as `crossarc info --json` prints it.

        `type`; what `about` says: `name`, `language`, `domain`, `licence`, `attribution`, `source`, `command`,
        `crossarc`, `scores`; then of each part what its own `info` says: `segmenter`, `parser` and, if there is one,
        `tagger`.
        """
        description, arrays = self.segmenter.to_parts()
        boundaries = description["boundaries"]
        segmenter = {
            **{key: value for key, value in boundaries.items() if isinstance(value, bool | int | float)},
            **boundaries.get("options", {}),
            "characters": len(self.segmenter.characters),
            "multiword_tokens": len(self.segmenter.expansions.tokens),
            "weights": sum(int(array.size) for array in arrays.values()),
        }
        about = {key: clean(self.about[key]) for key in ABOUT if self.about.get(key) is not None}
        return {
            "type": TYPE,
            **about,
            "scores": self.about.get("scores", {}),
            "segmenter": segmenter,
            "parser": self.parser.info(),
            **({} if self.tagger is None else {"tagger": self.tagger.info()}),
        }


def trained_on(about: Mapping[str, Any], sources: Sequence[str]) -> str:
    """Say which language and which texts, the first that its source names, a model learnt from."""
    texts = (about.get("source") or ", ".join(sources)).partition(";")[0]
    language = about.get("language")
    return f"trained on {language} ({texts})" if language else f"trained on {texts or 'unknown texts'}"


def _part(arrays: Arrays, name: str) -> Arrays:
    """Return the arrays of a part under their own names."""
    return {key.partition("/")[2]: array for key, array in arrays.items() if key.partition("/")[0] == name}


def _predicts_letters(parser: TrainableParser) -> bool:
    """Whether a parser predicts parts of speech as the letters of the AGDT."""
    values = parser.trained.tags.values.get("upos", ()) if isinstance(parser.trained, GraphTrained) else ()
    return len(values) > 1 and UPOS.keys() >= {value for value in values if value != "_"}


def _partial_trees(treebank: Treebank) -> Flags:
    """Return of each sentence whether some words have heads and others have none."""
    if not treebank.words:
        return np.zeros(len(treebank), bool)
    missing = np.add.reduceat((treebank.head < 0).astype(np.int64), treebank.word_offsets[:-1])
    return np.asarray((missing > 0) & (missing < np.diff(treebank.word_offsets)))
