"""Recipes of models, recipes/NAME.toml: what a pipeline is trained on, how, and where that comes from."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import danish
import numpy as np
import wordnet

import crossarc as xa
from crossarc.features.lemma_rules import ANY_PART, Dictionary
from crossarc.features.vocabularies import normal_form
from crossarc.text.pipeline import TAGS
from crossarc.treebank.agdt import with_plain_lemmas, with_universal_tags


def with_words_as_tokens(treebank: xa.Treebank) -> xa.Treebank:
    """Return a treebank in which words that are written together are tokens without a space between them.

    For languages whose multiword tokens are their words, one behind the other, so that a segmenter learns where words
    end from characters, and not from the endings of tokens.
    """
    written = BytesIO()
    xa.write(treebank, written)
    lines: list[str] = []
    last, spaces = 0, "_"
    for line in written.getvalue().decode().splitlines():
        fields = line.split("\t")
        if "-" in fields[0] and len(fields) > 1:
            last, spaces = int(fields[0].partition("-")[2]), fields[9]
            continue
        if len(fields) > 1 and fields[0].isdigit() and int(fields[0]) <= last:
            own = "SpaceAfter=No" if int(fields[0]) < last or "SpaceAfter=No" in spaces else "_"
            others = [value for value in fields[9].split("|") if value != "_" and not value.startswith("Space")]
            fields[9] = "|".join(sorted([*others, own] if own != "_" else others)) or "_"
        elif not line:
            last = 0
        lines.append("\t".join(fields))
    return xa.read(BytesIO("".join(f"{line}\n" for line in lines).encode()), root="any")


#: A word in small letters, and how often it must be there.
_SMALL_WORD, _SEVERAL = re.compile(r"(?<![\w'’])[a-z]{4,}(?![\w'’])"), 4
FOLDER = Path(__file__).resolve().parent / "recipes"
#: How parts of a treebank may be changed before anything is trained or measured on them.
PREPARATIONS: dict[str, Callable[[xa.Treebank], xa.Treebank]] = {
    "universal tags": with_universal_tags,
    "plain lemmas": with_plain_lemmas,
    "universal tags of DDT": danish.with_universal_tags,
    "words as tokens": with_words_as_tokens,
}


@dataclass(frozen=True)
class Recipe:
    """What a pipeline is made from; TOML has the same names."""

    name: str
    language: str
    treebank: str
    source: str
    licence: str
    #: Where the text of the licence is.
    deed: str
    attribution: str
    #: What kinds of texts the treebank has.
    domain: str = ""
    #: Whether it comes with the package; else it is a distribution of its own, models/NAME.
    embedded: bool = False
    #: Whether the treebank has the spaces of its texts, so that scores from raw text say something.
    raw: bool = True
    #: Which files of public repositories its parts are made of (treebanks.py); none if the treebank is there as it is.
    parts: tuple[dict[str, Any], ...] = ()
    preparation: tuple[str, ...] = ()
    #: Where lemmas are known from beside the treebank: "wordnet" (wordnet.py).
    dictionary: str | None = None
    #: The folder of texts whose frequent words are spelt right.
    word_texts: str | None = None
    #: `folder`, `source` and `licence` of words of other treebanks (agdt_words.py) that teach lemmas and spellings.
    words: dict[str, str] = field(default_factory=dict)
    #: The embedded model whose segmenter is taken; by default one is trained.
    segmenter_of: str | None = None
    segmenter_epochs: int = 20
    #: By default that of `training`.
    segmenter_seed: int | None = None
    #: From so many sentences, evenly spread over the training part, the segmenter learns; by default from all.
    segmenter_sentences: int | None = None
    #: Whether the segmenter gets other networks (other_networks.py), which learn from the texts of the teacher.
    other_networks: bool = False
    #: Whether words say by the encoder of the parser where sentences end (word_network.py).
    sentences_by_words: bool = False
    #: Options of `SegmenterOptions`.
    segmenter: dict[str, Any] = field(default_factory=dict)
    #: How the shipped network was made, where it was not by the command that the card has.
    made: str = ""
    #: What was seen to be wrong, or is to be known.
    remarks: tuple[str, ...] = ()
    #: What the remarks were seen in and how that was read; empty if nobody read what it gives.
    read: str = "some forty sentences of the development part"
    #: `folder`, `source` and `licence` of an encoder that has read.
    encoder: dict[str, str] = field(default_factory=dict)
    #: Trees of other treebanks that are learnt, too: `folder`, `share` of an epoch, `source` and `licence`.
    trees: dict[str, Any] = field(default_factory=dict)
    #: `model`, which parses the texts of `folder`, `share` of an epoch, `source` and `licence` of the texts;
    #: `distributions`: whether what it finds probable is learnt, or its best trees and tags.
    teacher: dict[str, Any] = field(default_factory=dict)
    #: `epochs`, `seed` and `last`: take the last epoch, and dev only for what is calibrated on it.
    training: dict[str, Any] = field(default_factory=dict)
    #: Options of `Biaffine`.
    network: dict[str, Any] = field(default_factory=dict)

    def part(self, treebanks: Path, name: str, *, universal: bool = True) -> xa.Treebank:
        """Return the train, dev or test part of the treebank, with all its roots, prepared.

        `universal`: False for models that were trained before tags became universal.
        """
        folder = treebanks / self.treebank
        for file in sorted(folder.glob(f"{name}.*")):
            # Where there are no comments, features alone do not show the format.
            known = "conllu" if ".conllu" in file.suffixes else None
            treebank = xa.read(file, format=known, root="any").in_format("conllu")
            for preparation in self.preparation:
                if universal or preparation != "universal tags":
                    treebank = PREPARATIONS[preparation](treebank)
            return treebank
        hint = "; treebanks.py makes it of public repositories" if self.parts else ""
        raise SystemExit(f"{folder} has no part {name}{hint}")

    def with_words(self, train: xa.Treebank, folder: Path | None, *, universal: bool = True) -> xa.Treebank:
        """Return the training part and, as one more sentence, the words of other treebanks whose forms it lacks."""
        if not self.words or folder is None:
            return train
        more = replace(self, treebank=self.words["folder"]).part(folder, "train", universal=universal)
        known = set(map(normal_form, train.inventory("form")))
        new = np.array([normal_form(form) not in known for form in more.form]) & (more.lemma != "_")
        columns = {name: getattr(more, name)[new].tolist() for name in ("form", *TAGS)}
        return train + xa.Treebank.from_columns(**columns, lengths=[int(new.sum())])

    def taught(self, words: Path | None, texts: Path | None, kept: Path | None, threads: int) -> dict[str, Any]:
        """Return sentences to learn beside those of the treebank, their share of an epoch, and whose distributions.

        Nothing if there are none; by the names that `Pipeline.train` has. `kept`: a file with what the teacher made of
        the texts, which is written if it is not there.
        """
        if self.trees and words is not None:
            more = replace(self, treebank=self.trees["folder"]).part(words, "train")
            return {"taught": more, "taught_share": self.trees["share"]}
        if not self.teacher or texts is None:
            return {}
        teacher = xa.load(self.teacher["model"])
        if kept is not None and kept.exists():
            taught = xa.read(kept, root="any")
        else:
            folder = texts / self.teacher["folder"]
            # Of a folder, texts alone are read.
            files = [folder, *sorted(folder.glob("*.conllu"))]
            taught = xa.teach(teacher, files, processes=threads or os.cpu_count() or 1)
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                xa.write(taught, kept)
        distributions = teacher if self.teacher.get("distributions") else None
        return {"taught": taught, "taught_share": self.teacher["share"], "teacher": distributions}

    @property
    def licences(self) -> str:
        """The licences of the treebank, of further words and of the encoder."""
        more = {"words": self.words, "trees": self.trees, "encoder": self.encoder, "texts": self.teacher}
        return "; ".join([self.licence, *(f"{name} {of['licence']}" for name, of in more.items() if of)])

    @property
    def sources(self) -> str:
        """The treebank, what else lemmas were learnt from, and the encoder."""
        more = {"words": self.words, "trees": self.trees, "encoder": self.encoder}
        sources = [self.source, *([f"lemmas: {wordnet.NAME}"] if self.dictionary else [])]
        sources += [f"{name}: {of['source']}" for name, of in more.items() if of]
        if self.teacher:
            sources.append(f"texts, parsed by {self.teacher['model']}: {self.teacher['source']}")
        return "; ".join(sources)

    def known_lemmas(self, texts: Path | None) -> Dictionary | None:
        """Return lemmas that are known beside those of the treebank, and words of texts that are not misspelt."""
        if self.dictionary != "wordnet":
            return None
        known = wordnet.dictionary()
        forms = _frequent_forms(texts / self.word_texts) if texts is not None and self.word_texts else ()
        return known._replace(exceptions={**known.exceptions, ANY_PART: _abbreviations(self.name)}, forms=forms)


def _frequent_forms(folder: Path) -> list[str]:
    """Return the words in small letters that texts have several times."""
    counts: Counter[str] = Counter()
    for file in sorted(folder.glob("*.txt")):
        counts.update(_SMALL_WORD.findall(file.read_text(encoding="utf-8")))
    return sorted(form for form, count in counts.items() if count >= _SEVERAL)


def _abbreviations(name: str) -> dict[str, list[str]]:
    """Return the abbreviations of a model's language, with their lemmas: a line for each, # for remarks."""
    lines = (FOLDER.parent / "abbreviations" / f"{name.partition('-')[0]}.txt").read_text(encoding="utf-8").splitlines()
    return {form: [lemma] for form, lemma in (line.split() for line in lines if not line.startswith("#"))}


def read_recipe(name: str) -> Recipe:
    """Return the recipe of a name."""
    toml: Any = import_module("tomllib")  # of Python 3.11; the package itself needs no more than 3.10
    data = toml.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return Recipe(name, **fields)


def recipe_names() -> list[str]:
    """Return the names of all recipes."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))
