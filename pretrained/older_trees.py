"""Makes trees of older releases of a treebank as a model of a newer one would write them, to learn from beside it.

A recipe lists their files as `[[parts]]` with `part = "older"`, and in `manner` whose rules they follow: dutch.py or
vedic.py. These rename what has another name since and attach anew what is attached by another rule. What needs more
than a rule, a model of the newer release decides: heads of words that the rules leave open (punctuation, particles), in
trees that are otherwise as they were, and which subtype a relation has that the older release does not divide. Tags
that the rules do not know are left out: what the treebank itself never has teaches nothing. Sentences that are no trees
or that stand in the treebank (train, dev or test) are left out and counted. O(words), and for these O(sentences of
both).

    python pretrained/older_trees.py nl --repositories clones --treebanks treebanks --model nl -o words
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import dutch
import numpy as np
import vedic
from agdt_words import HeldOut
from recipe import Recipe, read_recipe, recipe_names
from treebanks import OLDER, files, read, share_of

import crossarc as xa
from crossarc._arrays import Flags
from crossarc.errors import CrossarcError

#: What `manner` of an entry may name.
MANNERS: dict[str, ModuleType] = {"dutch": dutch, "vedic": vedic}


def universal(relation: str) -> str:
    """Return a relation without its subtype."""
    return relation.partition(":")[0]


def trees_of(content: bytes) -> bytes:
    """Return a file without the sentences in which a word is its own head."""
    blocks = re.split(rb"\n\s*\n", content)
    own_head = re.compile(rb"(?m)^(\d+)\t(?:[^\t\n]*\t){5}\1\t")
    return b"".join(block.strip(b"\n") + b"\n\n" for block in blocks if block.strip() and not own_head.search(block))


def possible_labels(relation: str, known: Iterable[str], alternatives: Iterable[str]) -> list[int]:
    """Return the numbers of the labels that a relation of an older release may stand for.

    One with a subtype that is known is that label; others may have any subtype, or be one of the alternatives.
    """
    labels = list(known)
    if ":" in relation and relation in labels:
        return [labels.index(relation)]
    wanted = {universal(relation), *alternatives}
    return [number for number, label in enumerate(labels) if universal(label) in wanted or label in wanted]


def are_leaves(trees: xa.Treebank) -> Flags:
    """Whether words are neither roots nor heads, so that the tree stays one wherever they hang."""
    starts = trees.word_offsets[:-1].repeat(np.diff(trees.word_offsets))
    leaves = trees.head > 0
    leaves[(starts + trees.head - 1)[trees.head > 0]] = False
    return leaves


def in_manner_of(model: Any, trees: xa.Treebank, manner: ModuleType) -> xa.Treebank:
    """Return older trees as the rules and a model of a newer release have them."""
    trees = manner.with_relations_of_release(trees)
    trained = model.parser.trained
    inputs = trained.definition.inputs(trees)
    # Among all trees: whatever class the model's own are of, the older ones need not be.
    free = replace(trained, trees="unrestricted")
    known = np.where(manner.left_open(trees) & are_leaves(trees), -1, trees.head).astype(np.int32)
    heads = free.find(inputs, 0, heads=known).heads
    scores = trained.model.label_scores(inputs, heads)
    labels = []
    for word, relation in enumerate(trees.texts("deprel")):
        wanted, others = ("root", ()) if not heads[word] else (relation, manner.alternatives(relation))
        possible = possible_labels(wanted, trained.labels, others) or list(range(len(trained.labels)))
        labels.append(trained.labels[possible[int(scores[word, possible].argmax())]])
    return trees.replace(head=heads, deprel=labels)


def make(recipe: Recipe, given: argparse.Namespace) -> None:
    """Write the older trees of a recipe."""
    held_out = HeldOut(sorted((given.treebanks / recipe.treebank).glob("*.conllu.gz")))
    try:
        model = xa.load(given.model or recipe.name)
    except CrossarcError as error:
        raise SystemExit(f"{recipe.name}: a model of today's release is needed, --model: {error}") from error
    parts, broken, left_out = [], 0, 0
    for entry in recipe.parts:
        if entry["part"] != OLDER:
            continue
        for name, content in files(entry, entry["path"], given.repositories).items():
            whole = trees_of(content)
            broken += content.count(b"\n1\t") - whole.count(b"\n1\t")
            treebank = share_of(read(name, whole), entry)
            rooted = np.add.reduceat(treebank.head == 0, treebank.word_offsets[:-1]) == 1
            broken += int((~rooted).sum())
            treebank = treebank[np.flatnonzero(rooted)]
            new = [index for index, sentence in enumerate(treebank) if not held_out.has(sentence.forms)]
            left_out += len(treebank) - len(new)
            parts.append(in_manner_of(model, treebank[new], MANNERS[entry["manner"]]))
    trees = xa.Treebank.concatenate(parts)
    path = given.output / recipe.trees["folder"] / "train.conllu.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    xa.write(trees, path)
    print(f"{path}: {len(trees):,} sentences, {trees.words:,} words")
    print(f"{left_out:,} sentences that stand in the treebank and {broken:,} that are no trees were left out")


def main() -> None:
    """Write the older trees of recipes."""
    with_older = [name for name in recipe_names() if any(e["part"] == OLDER for e in read_recipe(name).parts)]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*with_older, []], default=[], help="default: all that have them")
    parser.add_argument("--repositories", type=Path, required=True, help="the folder of clones")
    parser.add_argument("--treebanks", type=Path, default=os.environ.get("CROSSARC_TREEBANKS"))
    parser.add_argument("--model", help="a model of the newer release; by default the one that has the recipe's name")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    if given.treebanks is None:
        parser.error("CROSSARC_TREEBANKS, the folder of treebanks, is not set: give --treebanks")
    for name in given.names or with_older:
        make(read_recipe(name), given)


if __name__ == "__main__":
    main()
