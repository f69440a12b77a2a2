"""What does the embedded English model make of twenty textbook sentences with crossing arcs?

docs/theory/textbook-sentences.conllu has the sentences with their gold trees: extraposition, long wh-movement,
fronting, parentheticals and scrambling; fourteen in English, three each in Dutch and German, whose words `en` does not
know. It gets the gold words and nothing else. An arc is right if it is non-projective in both trees and has the right
head. `--write` puts the table into docs/theory/textbook-sentences.md, between its markers.

    python benchmarks/textbook.py [--model en] [--write]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import crossarc as xa
from crossarc.reports.raw_text import evaluate_pipeline
from crossarc.text import load_pipeline

THEORY = Path(__file__).resolve().parent.parent / "docs" / "theory"
SENTENCES, PAGE = THEORY / "textbook-sentences.conllu", THEORY / "textbook-sentences.md"
BEGIN, END = "<!-- table: benchmarks/textbook.py --write -->\n", "<!-- end of the table -->\n"
LANGUAGES = {"en": "English", "nl": "Dutch", "de": "German"}

Arc = tuple[int, int]


def comment(sentence: xa.Sentence, name: str) -> str:
    """The value of a comment `# name = value`."""
    return next(line.split("=", 1)[1].strip() for line in sentence.comments if line.startswith(f"# {name} ="))


def named(arcs: set[Arc], sentence: xa.Sentence) -> str:
    """Arcs in words: head → dependent."""
    forms = ["", *sentence.forms]
    return ", ".join(f"{forms[head]} → {forms[dependent]}" for head, dependent in sorted(arcs)) or "–"


def rows(gold: xa.Treebank, parsed: xa.Treebank) -> list[list[str]]:
    """A row for each sentence: the crossing arcs that are right, that are missed, and that should not be there."""
    found = []
    for ours, theirs in zip(gold, parsed, strict=True):
        wanted, built = (set(one.tree.nonprojective_arcs) for one in (ours, theirs))
        arcs = (named(own, ours) for own in (wanted & built, wanted - built, built - wanted))
        heads = f"{int((ours.heads == theirs.heads).sum())} of {len(ours)}"
        found.append([comment(ours, "text"), comment(ours, "construction"), *arcs, heads])
    return found


def summary(gold: xa.Treebank, parsed: xa.Treebank) -> list[str]:
    """A line for each language: crossing arcs that are right, of how many, and in which sentences they are all."""
    lines = []
    for code, language in LANGUAGES.items():
        own = [number for number, sentence in enumerate(gold) if comment(sentence, "language") == code]
        pairs = [tuple(set(one[number].tree.nonprojective_arcs) for one in (gold, parsed)) for number in own]
        right = sum(len(wanted & built) for wanted, built in pairs)
        exact = sum(wanted == built for wanted, built in pairs)
        wanted, built = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
        lines.append(
            f"{language}: {right} of {wanted} crossing arcs are right, {built} were built; "
            f"in {exact} of {len(own)} sentences these are all, and no others."
        )
    return lines


def table(found: list[list[str]]) -> str:
    heads = ["sentence", "construction", "right", "missed", "built, but not there", "right heads"]
    lines = [heads, ["---"] * len(heads), *found]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def section(model: str) -> str:
    """The text of the page between its markers."""
    gold = xa.read(SENTENCES)
    parsed = evaluate_pipeline(load_pipeline(model), gold, words=True).scores.pair.system.treebank
    lines = "".join(f"- {line}\n" for line in summary(gold, parsed))
    return f"{BEGIN}\n{table(rows(gold, parsed))}\n{lines}\n{END}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="en", help="a model by name or file; default: en")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    text = section(options.model)
    print(text)
    if options.write:
        page = PAGE.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(before + text + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
