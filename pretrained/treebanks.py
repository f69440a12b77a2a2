"""Makes the treebanks of recipes from clones of public repositories: the parts that `[[parts]]` of a recipe lists.

Each entry says which part it belongs to (train, dev or test), the repository, the commit and the path of a file or a
folder, and which share of the sentences of each file is taken, from and to; without a repository the file is one of
`--treebanks`. `agreeing`: a second folder with the same files by other annotators; sentences are taken where both agree
on every head and relation. `relations = "slovak"`: those of an older annotation become those of the release
(slovak.py). `spaces = false`: what the file gives as text has spaces between all tokens, and is left out; spaces are
guessed, so that a segmenter has texts to learn from. Sentences of train that stand in dev or test are left out and
counted. O(words), and for these O(sentences of train × sentences of dev and test). Of the files of a folder each
sentence is taken once. Entries of the part "older" are for older_trees.py.

    python pretrained/treebanks.py nl la --repositories clones -o treebanks

A repository owner/name is looked for as clones/name, with or without a work tree.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

from agdt_trees import conllu
from agdt_words import HeldOut
from recipe import Recipe, read_recipe, recipe_names
from slovak import with_relations_of_release

import crossarc as xa
from crossarc.text.surface import guessed_tokens

#: The part of a recipe that is not the treebank's: older_trees.py makes it.
OLDER = "older"
#: What `relations` of an entry may name.
RELATIONS = {"slovak": with_relations_of_release}


def git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True).stdout


def files(entry: dict[str, Any], path: str, repositories: Path) -> dict[str, bytes]:
    """Return the contents of a file of a commit, or of all files of a folder, by name."""
    repository = repositories / entry["repository"].partition("/")[2]
    listed = git(repository, "ls-tree", "-r", entry["commit"], "--", path).decode().splitlines()
    if not listed:
        raise SystemExit(f"{repository} has no {path} at {entry['commit']}")
    blobs = (line.split("\t") for line in listed)
    return {Path(name).name: git(repository, "cat-file", "blob", about.split()[2]) for about, name in blobs}


def read(name: str, content: bytes, *, spaces: bool = True) -> xa.Treebank:
    """Return the sentences of a file, CoNLL-U or AGDT."""
    if name.endswith(".xml"):
        content = conllu(name, content).encode()
    if not spaces:
        content = re.sub(rb"(?m)^# text = .*\n", b"", content)
    # Files that were never released have columns that were left empty.
    treebank = xa.read(BytesIO(re.sub(rb"\t(?=[\t\n])", rb"\t_", content)), root="any")
    return treebank if spaces else with_guessed_spaces(treebank)


def with_guessed_spaces(treebank: xa.Treebank) -> xa.Treebank:
    """Return a treebank that says in MISC between which words there may have been no spaces."""
    tokens = (token for sentence in treebank for token in guessed_tokens(sentence.forms))
    return treebank.replace(misc=["_" if token.spaces else "SpaceAfter=No" for token in tokens])


def share_of(treebank: xa.Treebank, entry: dict[str, Any]) -> xa.Treebank:
    begin, end = entry.get("share", (0, 1))
    return treebank[round(begin * len(treebank)) : round(end * len(treebank))]


def agreed(one: xa.Treebank, other: xa.Treebank) -> xa.Treebank:
    """Return the sentences in which two annotators gave every word the same head and relation."""
    same = [
        index
        for index, (left, right) in enumerate(zip(one, other, strict=False))
        if left.forms == right.forms and left.deprels == right.deprels and list(left.heads) == list(right.heads)
    ]
    return one[same]


def entry_sentences(entry: dict[str, Any], repositories: Path | None, treebanks: Path | None) -> xa.Treebank:
    """Return the sentences of an entry of a recipe."""
    if "repository" not in entry:
        if treebanks is None:
            raise SystemExit(f"{entry['path']} is a file of --treebanks: give that folder")
        treebank = share_of(xa.read(treebanks / entry["path"], root="any"), entry)
        return treebank if entry.get("spaces", True) else with_guessed_spaces(treebank.in_format("conllu"))
    if repositories is None:
        raise SystemExit(f"{entry['repository']} is a repository: give --repositories, the folder of clones")
    parts = {
        name: read(name, content, spaces=entry.get("spaces", True))
        for name, content in files(entry, entry["path"], repositories).items()
        if name.endswith((".conllu", ".xml"))
    }
    if second := entry.get("agreeing"):
        others = files(entry, second, repositories)
        parts = {name: agreed(part, read(name, others[name])) for name, part in parts.items() if name in others}
    sentences = xa.Treebank.concatenate([share_of(part, entry) for part in parts.values()])
    if older := entry.get("relations"):
        sentences = RELATIONS[older](sentences)
    return without_repetitions(sentences) if len(parts) > 1 else sentences


def without_repetitions(treebank: xa.Treebank) -> xa.Treebank:
    """Return each sentence once: folders of files have passages that several annotators did."""
    first = {tuple(sentence.forms): index for index, sentence in reversed(list(enumerate(treebank)))}
    return treebank[sorted(first.values())]


def make(recipe: Recipe, given: argparse.Namespace) -> None:
    """Write the parts of the treebank of a recipe."""
    folder = given.output / recipe.treebank
    folder.mkdir(parents=True, exist_ok=True)
    entries: dict[str, list[xa.Treebank]] = {"dev": [], "test": [], "train": []}
    for entry in recipe.parts:
        if entry["part"] == OLDER:
            continue
        entries[entry["part"]].append(entry_sentences(entry, given.repositories, given.treebanks))
    for part in ("dev", "test"):
        xa.write(xa.Treebank.concatenate(entries[part]), folder / f"{part}.conllu.gz")
    kept, left_out = [], 0
    # A later entry gives way to earlier ones too, so that no sentence is there with two analyses.
    known = [folder / f"{part}.conllu.gz" for part in ("dev", "test")]
    for treebank in entries["train"]:
        held_out = HeldOut(known)
        new = [index for index, sentence in enumerate(treebank) if not held_out.has(sentence.forms)]
        left_out += len(treebank) - len(new)
        kept.append(treebank[new])
        xa.write(xa.Treebank.concatenate(kept), folder / "train.conllu.gz")
        known = [*known[:2], folder / "train.conllu.gz"]
    train = xa.Treebank.concatenate(kept)
    sizes = ", ".join(f"{part} {len(xa.Treebank.concatenate(entries[part])):,}" for part in ("dev", "test"))
    print(
        f"{folder}: train {len(train):,} sentences, {train.words:,} words; {sizes}; {left_out} were left out of train"
    )


def main() -> None:
    """Write the treebanks of recipes."""
    with_parts = [name for name in recipe_names() if read_recipe(name).parts]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*with_parts, []], default=[], help="default: all that have parts")
    parser.add_argument("--repositories", type=Path, help="the folder of clones")
    parser.add_argument("--treebanks", type=Path, default=os.environ.get("CROSSARC_TREEBANKS"))
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    for name in given.names or with_parts:
        make(read_recipe(name), given)


if __name__ == "__main__":
    main()
