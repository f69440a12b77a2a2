"""How much work do *fix and re-parse* and the order of doubt save who corrects trees? Simulated on EWT and AGDT test.

The embedded models parse the gold words of the test parts without tags. A person reads each sentence from left to right
and mends the first word whose head or label is wrong, until none is: without re-parsing that takes as many corrections
as there are wrong words. With it, the rest is found again after each, around all that is kept: other arcs are often
mended by that, sometimes broken. Where no tree of the parser's class has what is kept, nothing is parsed again. Three
ways: constrained decoding alone, with the arcs read before the mended word kept (after mended heads; labels say nothing
to it); as the editor does, `crossarc.annotation.Reparser`, with the mended words kept; and with all that was read.
How labels go together is counted in the parsed file, without what is right in it.

Doubt: sentences in the order of expected wrong heads a word, and in that of the file; the share of all wrong words that
is found when so much of the text was read. Times are in benchmarks/editor.py.

    python benchmarks/correcting.py [--part dev] [--sentences 100]
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

import crossarc as xa
from common import Claims, at_least, console, print_table, treebank_path
from crossarc.annotation import Habits, Reparser, doubts, sentence_doubts
from crossarc.errors import ParserError
from crossarc.treebank import from_bytes

TREEBANKS = {"en_ewt": ("en", "conllu"), "grc_agdt": ("grc", "conll")}
#: Shares of the text that were read.
SHARES = (0.1, 0.2, 0.5)
FEWER = "{}, % fewer corrections with re-parsing"
FOUND = "{}, % of the wrong words in the most doubtful fifth of the text"

CLAIMS = Claims(
    {FEWER.format(name): at_least(15) for name in TREEBANKS} | {FOUND.format(name): at_least(30) for name in TREEBANKS}
)


def plain(gold: xa.Treebank) -> xa.Treebank:
    """The words alone, without tags, heads and labels."""
    lines = [
        "\n".join(f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_" for number, form in enumerate(sentence.forms, 1)) + "\n\n"
        for sentence in gold
    ]
    return from_bytes("".join(lines).encode(), format="conllu", root="any")


class Correction:
    """Sentences that are corrected together, round by round; a round mends one word of each that has a wrong one."""

    #: Whether a mended label says something about other words.
    labels_tell = False

    def __init__(self, parser: xa.Parser, parsed: xa.Treebank, gold: xa.Treebank) -> None:
        self.parser, self.gold = parser, gold
        self.columns = list(zip(*map(parsed.texts, ("form", "lemma", "upos", "xpos", "feats")), strict=True))
        self.gold_heads, self.gold_labels = gold.head, np.array(gold.texts("deprel"), object)
        self.heads, self.labels = parsed.head.copy(), np.array(parsed.texts("deprel"), object)
        #: Of each sentence, and those of them that mended a head.
        self.corrections, self.mended_heads = np.zeros(len(gold), np.int64), 0
        self.kept = np.zeros(gold.words, bool)

    @property
    def wrong(self) -> np.ndarray:
        """Which words have another head or label than in the treebank."""
        return np.asarray((self.heads != self.gold_heads) | (self.labels != self.gold_labels))

    def run(self, before: bool) -> None:
        """Correct everything; `before`: keep what was read before a mended word, too."""
        starts, ends = self.gold.word_offsets[:-1], self.gold.word_offsets[1:]
        open_ = np.arange(len(self.gold))
        while len(open_):
            wrong = self.wrong
            again = []
            left = []
            for sentence in open_.tolist():
                rows = np.flatnonzero(wrong[starts[sentence] : ends[sentence]])
                if not len(rows):
                    continue
                row = starts[sentence] + rows[0]
                mended_head = self.heads[row] != self.gold_heads[row]
                self.mended_heads += int(mended_head)
                if mended_head or self.labels_tell:
                    again.append(sentence)
                self.heads[row], self.labels[row] = self.gold_heads[row], self.gold_labels[row]
                self.kept[row] = True
                if before:
                    self.kept[starts[sentence] : row] = True
                self.corrections[sentence] += 1
                left.append(sentence)
            self.reparse(np.array(again, np.int64))
            open_ = np.array(left, np.int64)

    def text(self, sentence: int) -> str:
        """A sentence with the heads and labels that are kept, and the tags that were found."""
        start = int(self.gold.word_offsets[sentence])
        lines = []
        for number, cells in enumerate(self.columns[start : int(self.gold.word_offsets[sentence + 1])], 1):
            row = start + number - 1
            arc = (str(self.heads[row]), str(self.labels[row])) if self.kept[row] else ("_", "_")
            lines.append("\t".join([str(number), *cells, *arc, "_", "_"]))
        return "\n".join(lines) + "\n\n"

    def reparse(self, sentences: np.ndarray) -> None:
        """Find again what is not kept; a batch in which a sentence has no such tree is halved until that is alone."""
        if not len(sentences):
            return
        offsets = self.gold.word_offsets
        rows = np.concatenate([np.arange(offsets[one], offsets[one + 1]) for one in sentences])
        given = from_bytes("".join(map(self.text, sentences.tolist())).encode(), format="conllu", root="partial")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed = self.parser.parse(given, keep_heads=True)
        except ParserError:
            if len(sentences) > 1:
                middle = len(sentences) // 2
                self.reparse(sentences[:middle])
                self.reparse(sentences[middle:])
            return
        self.heads[rows], self.labels[rows] = parsed.head, parsed.texts("deprel")


class HintedCorrection(Correction):
    """The same with what the editor does."""

    labels_tell = True

    def __init__(self, reparsers: list[Reparser], parser: xa.Parser, parsed: xa.Treebank, gold: xa.Treebank) -> None:
        super().__init__(parser, parsed, gold)
        self.reparsers = reparsers

    def reparse(self, sentences: np.ndarray) -> None:
        for sentence in sentences.tolist():
            rows = slice(*self.gold.word_offsets[sentence : sentence + 2].tolist())
            if self.kept[rows].all():
                continue
            again = self.reparsers[sentence].again(self.kept[rows], self.heads[rows], self.labels[rows].tolist())
            if again is not None:
                self.heads[rows], self.labels[rows] = again.heads, again.labels


def read_sentences(parser: xa.Parser, parsed: xa.Treebank) -> list[Reparser]:
    """Have the network read all sentences; how labels go together is counted in the parsed file."""
    reparsers = [Reparser(parser, parsed[index : index + 1]) for index in range(len(parsed))]
    habits = Habits.of(parsed, reparsers[0].candidates.names)
    for reparser in reparsers:
        reparser.habits = habits
    return reparsers


def found_by(order: np.ndarray, wrong: np.ndarray, words: np.ndarray) -> list[float]:
    """The shares of all wrong words that are found after SHARES of the text were read in this order."""
    read, met = np.cumsum(words[order]) / words.sum(), np.cumsum(wrong[order]) / wrong.sum()
    return [float(np.interp(share, np.concatenate([[0], read]), np.concatenate([[0], met]))) for share in SHARES]


def compared(count: int, without: int, sentences: int) -> str:
    """Corrections a sentence, and how many fewer they are."""
    return f"{count / sentences:.2f} ({100 * (1 - count / without):.1f} % fewer)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--sentences", type=int, help="take the first so many sentences of each treebank")
    asked = parser.parse_args()
    rows, orders = [], []
    for name, (model, ending) in TREEBANKS.items():
        gold = xa.read(treebank_path(name, f"{asked.part}.{ending}.gz"), root="any")[: asked.sentences]
        pipeline = xa.load(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = pipeline.parse(plain(gold))
        size, cells = len(gold), []
        reparsers = read_sentences(pipeline, parsed)
        for corrected, before in (
            (Correction(pipeline, parsed, gold), True),
            (HintedCorrection(reparsers, pipeline, parsed, gold), False),
            (HintedCorrection(reparsers, pipeline, parsed, gold), True),
        ):
            wrong = np.add.reduceat(corrected.wrong.astype(np.int64), gold.word_offsets[:-1])
            heads = int((corrected.heads != corrected.gold_heads).sum())
            corrected.run(before)
            cells.append(compared(int(corrected.corrections.sum()), int(wrong.sum()), size))
        rows.append(
            [name, f"{size:,}", f"{wrong.sum() / size:.2f}", *cells, compared(corrected.mended_heads, heads, size)]
        )
        CLAIMS.measure(FEWER.format(name), 100 * (1 - corrected.corrections.sum() / wrong.sum()))
        words = np.diff(gold.word_offsets)
        doubtful = sentence_doubts(doubts(pipeline, parsed), parsed)
        for what, order in (
            ("most doubt a word", np.argsort(-doubtful / words, kind="stable")),
            ("most doubt a sentence", np.argsort(-doubtful, kind="stable")),
            ("as in the file", np.arange(size)),
        ):
            shares = found_by(order, wrong, words)
            orders.append([name, what, *(f"{100 * share:.1f} %" for share in shares)])
            if what == "most doubt a word":
                CLAIMS.measure(FOUND.format(name), 100 * shares[1])
    console.print("Corrections a sentence")
    print_table(
        ["treebank", "sentences", "without", "decoding alone", "mended words kept", "and all before", "of heads alone"],
        rows,
    )
    console.print("Wrong words found")
    print_table(["treebank", "order", *(f"{100 * share:.0f} % read" for share in SHARES)], orders)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
