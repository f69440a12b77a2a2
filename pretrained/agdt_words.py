"""Makes words with lemmas, tags and trees of treebanks in the XML of the AGDT, to learn from beside a treebank.

A repository is a git directory; files are read from its newest commit. Words that were added for ellipsis are left out,
and so are sentences that stand in held-out parts of a treebank, or that contain one of these: they are compared by
letters, without accents, spaces and punctuation, and counted. With `--trees MODEL` heads are taken over, and sentences
with added words, without a tree, or with relations and tags that the model does not have, are left out, too; the newer
letter b for conjunctions becomes c. Punctuation, which other treebanks hang elsewhere, gets the heads that the model
gives it in trees that are otherwise as they were. What is written is CoNLL-U.

    python pretrained/agdt_words.py pedalion-trees/.git --folder public/xml -o grc_pedalion/train.conllu.gz \
        --held-out grc_agdt/dev.conll.gz grc_agdt/test.conll.gz
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
from texts import content, letters_of

import crossarc as xa
from crossarc.parsers.punctuation import punctuation_words

#: Sentences of fewer letters are the same by chance.
LEAST = 20


class Word(NamedTuple):
    form: str
    lemma: str
    tag: str
    relation: str
    id: str
    head: str


def documents(repository: Path, folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the XML files of a folder, as far as the copy of the repository has them."""
    listed = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-r", "HEAD", folder], check=True, capture_output=True, text=True
    )
    for line in listed.stdout.splitlines():
        description, name = line.split("\t")
        document = content(repository, description.split()[2])
        if document is None:
            print(f"{name} is missing from this copy")
        elif name.endswith(".xml"):
            yield name, document


#: Attributes of words in the XML.
ATTRIBUTES = ("form", "lemma", "postag", "relation", "id", "head")


def sentences(document: bytes, language: str, *, trees: bool) -> Iterator[list[Word]]:
    """Yield the sentences of a file that have words, those of one language; `trees`: those that have one."""
    root = ElementTree.fromstring(document)
    if not root.get("{http://www.w3.org/XML/1998/namespace}lang", language).startswith(language):
        return
    for sentence in root.iter("sentence"):
        words = [
            Word(*((word.get(name) or "_").strip() or "_" for name in ATTRIBUTES))
            for word in sentence.iter("word")
            if not (word.get("artificial") or word.get("insertion_id"))
        ]
        words = [word for word in words if word.form != "_" and not any(map(str.isspace, "".join(word)))]
        if words and (not trees or (len(words) == len(list(sentence.iter("word"))) and tree(words) is not None)):
            yield words


def tree(words: list[Word]) -> list[int] | None:
    """Return the heads of a sentence; None if they are no tree, or a word has none, or no label."""
    number = {"0": 0, **{word.id: index for index, word in enumerate(words, start=1)}}
    heads = [number.get(word.head, -1) for word in words]
    if -1 in heads or len(number) != len(words) + 1 or "_" in {word.relation for word in words}:
        return None
    for start in range(1, len(words) + 1):
        word = start
        for _ in words:
            word = heads[word - 1] if word else 0
        if word:  # a cycle
            return None
    return heads


def in_manner_of(model: Any, trees: xa.Treebank) -> xa.Treebank:
    """Return the trees whose relations and tags a model has, with punctuation where the model has it."""
    trained = model.parser.trained
    known = set(trained.labels)
    tags = ["c" + tag[1:] if tag.startswith("b") else tag for tag in trees.texts("xpos")]
    strange = [
        relation not in known or len(tag) != 9 or tag.startswith("z")
        for relation, tag in zip(trees.texts("deprel"), tags, strict=True)
    ]
    trees = trees.replace(xpos=tags)
    trees = trees[np.flatnonzero(np.add.reduceat(strange, trees.word_offsets[:-1]) == 0)]
    marks = punctuation_words(trees, tags=False)
    # Among all trees: some of these are 1-endpoint-crossing, and some are not.
    free = replace(trained, trees="unrestricted")
    heads = np.where(marks, -1, trees.head).astype(np.int32)
    reattached = free.find(trained.definition.bare_inputs(trees), 0, heads=heads)
    labels = np.where(marks, np.array(trained.labels)[reattached.labels], trees.texts("deprel"))
    return trees.replace(head=reattached.heads, deprel=labels.tolist())


class HeldOut:
    """The sentences of held-out parts, by letters."""

    def __init__(self, files: list[Path]) -> None:
        """Read them."""
        known = [letters_of("".join(sentence.forms)) for file in files for sentence in xa.read(file, root="any")]
        self._long = [letters for letters in known if len(letters) >= LEAST]
        self._all = frozenset(known)
        self._together = "\n".join(known)

    def has(self, forms: Iterable[str]) -> bool:
        """Whether a sentence is one of these, a part of one, or has one in it."""
        letters = letters_of("".join(forms))
        if len(letters) < LEAST:
            return letters in self._all
        return letters in self._together or any(other in letters for other in self._long)


def main() -> None:
    """Write the words, and print how many sentences were left out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--folder", default="", help="where the XML files are; default: anywhere")
    parser.add_argument("--language", default="grc")
    parser.add_argument("--held-out", nargs="+", type=Path, required=True)
    parser.add_argument("--trees", metavar="MODEL", help="take over heads, too, of punctuation those of a model")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    held_out = HeldOut(given.held_out)
    kept: list[list[Word]] = []
    left_out = 0
    for name, document in documents(given.repository, given.folder or "."):
        try:
            of_file = list(sentences(document, given.language, trees=given.trees is not None))
        except ElementTree.ParseError as error:
            print(f"{name} is not well-formed ({error})")
            continue
        new = [words for words in of_file if not held_out.has(word.form for word in words)]
        left_out += len(of_file) - len(new)
        kept += new
    columns = zip(*(word for words in kept for word in words), strict=True)
    form, lemma, xpos, deprel, *_ = map(list, columns)
    words = xa.Treebank.from_columns(form, lemma=lemma, xpos=xpos, deprel=deprel, lengths=list(map(len, kept)))
    if given.trees is not None:
        words = words.replace(head=np.array([head for sentence in kept for head in tree(sentence) or ()], np.int32))
        words = in_manner_of(xa.load(given.trees), words)
    given.output.parent.mkdir(parents=True, exist_ok=True)
    xa.write(words, given.output)
    print(f"{given.output}: {len(words):,} sentences, {words.words:,} words; {left_out} sentences are held out")


if __name__ == "__main__":
    main()
