"""How good are lemmas, of all words and of forms that training never saw? The embedded models.

Words are gold, tags are predicted. A form is unseen if no word of the training part has it, whatever its part of
speech; names, numbers, symbols, punctuation and foreign words are left out of these, and words whose lemma is `_` of
all. Lemmas of the Greek treebank are measured without its numbers of homonyms and remains of files. Beside it, the same
with gold tags: what the lemmatiser does where the tagger makes no mistakes.

    python benchmarks/lemmas.py [--part test] [--models FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import crossarc as xa
from common import Claims, at_least, print_table, treebank_path
from crossarc.features.vocabularies import normal_form
from crossarc.text import Pipeline, known_models
from crossarc.treebank.agdt import with_plain_lemmas, with_universal_tags

#: What all words and unseen forms must reach, in percent.
MUST = {"en": (97.6, 88.0), "grc": (91.0, 60.0)}
TREEBANKS = {"en": "en_ewt", "grc": "grc_agdt"}
#: Parts of speech that do not count among unseen forms.
LEFT_OUT = ("PROPN", "NUM", "SYM", "PUNCT", "X")
CLAIMS = Claims(
    {
        f"{name}, {words}": at_least(least)
        for name, limits in MUST.items()
        for words, least in zip(("all words", "unseen forms"), limits, strict=True)
    }
)


def part(name: str, wanted: str, pipeline: Pipeline) -> xa.Treebank:
    """A part of a treebank, with clean lemmas and the kind of tags that the model predicts."""
    (file,) = sorted(treebank_path(TREEBANKS[name]).glob(f"{wanted}.*"))
    treebank = xa.read(file, root="any").in_format("conllu")
    if name != "grc":
        return treebank
    clean = with_plain_lemmas(treebank)
    return with_universal_tags(clean) if "NOUN" in tag_values(pipeline) else clean


def tag_values(pipeline: Pipeline) -> tuple[str, ...]:
    """The parts of speech that a model predicts."""
    parser = pipeline.tagger or pipeline.parser
    assert isinstance(parser, xa.GraphParser) and parser.trained is not None
    return parser.trained.tags.values["upos"]


def shares(gold: xa.Treebank, found: xa.Treebank, seen: set[str]) -> tuple[float, float, int]:
    """How many percent of all lemmas and of those of unseen forms are right, and how many of these there are."""
    lemmas = np.array(gold.texts("lemma"))
    right = lemmas == np.array(found.texts("lemma"))
    counted = (lemmas != "_") | (np.array(gold.texts("form")) == "_")
    new = np.array([normal_form(form) not in seen for form in gold.texts("form")])
    new &= counted & ~np.isin(gold.texts("upos"), LEFT_OUT)
    return 100 * right[counted].mean(), 100 * right[new].mean(), int(new.sum())


def measure(name: str, pipeline: Pipeline, wanted: str) -> list[list[str]]:
    """The rows of one model, and its claims."""
    gold = part(name, wanted, pipeline)
    seen = set(map(normal_form, part(name, "train", pipeline).inventory("form")))
    rows = []
    for tags, empty in (("predicted", ("lemma", "upos", "xpos", "feats")), ("gold", ("lemma",))):
        bare = gold.replace(**{column: ["_"] * gold.words for column in empty})
        every, new, count = shares(gold, pipeline.parse(bare), seen)
        rows.append([f"{name}, {wanted}, {tags} tags", f"{every:.2f}", f"{new:.2f}", f"{count:,}"])
        if tags == "predicted":
            CLAIMS.measure(f"{name}, all words", every)
            CLAIMS.measure(f"{name}, unseen forms", new)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument(
        "--models", type=Path, help="a folder with en.crossarc, grc.crossarc; default: the embedded ones"
    )
    chosen = parser.parse_args()
    rows = []
    for name in MUST:
        known = known_models()[name].file if chosen.models is None else chosen.models / f"{name}.crossarc"
        if not known.exists():
            continue  # its claims were not measured, and do not hold
        pipeline = xa.load(known)
        assert isinstance(pipeline, Pipeline)
        rows += measure(name, pipeline, chosen.part)
    print_table(["lemmas, %", "all words", "unseen forms", "how many"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
