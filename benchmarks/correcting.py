"""How much work do *fix and re-parse* and the order of doubt save who corrects trees? Simulated on EWT and AGDT test.

The embedded models parse the gold words of the test parts without tags. A person reads each sentence from left to right
and mends the first word whose head or label is wrong, until none is: without re-parsing that takes as many corrections
as there are wrong words. With it, all that was mended and all that was read before it is kept after each mended head,
and the rest is found again by constrained decoding: other arcs are often mended by that, sometimes broken. Where no
tree of the parser's class has what is kept, nothing is parsed again.

Doubt: sentences in the order of expected wrong heads a word, and in that of the file; the share of all wrong words that
is found when so much of the text was read.

Times: what the page waits for, by requests to `crossarc annotate` on this machine: an edit of a sentence of 60 words
with the doubt of its words, parsing it again, and the list of a file of 5,000 sentences, read anew; the least of 20.

    python benchmarks/correcting.py [--sentences 100]
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import crossarc as xa
from common import Claims, at_least, at_most, best_times, console, print_table, treebank_path
from crossarc.annotation import doubts, sentence_doubts
from crossarc.errors import ParserError
from crossarc.treebank import from_bytes

TREEBANKS = {"en_ewt": ("en", "test.conllu.gz"), "grc_agdt": ("grc", "test.conll.gz")}
#: Shares of the text that were read.
SHARES = (0.1, 0.2, 0.5)
FEWER = "{}, % fewer corrections with re-parsing"
FOUND = "{}, % of the wrong words in the most doubtful fifth of the text"

TIMES = {"an edit at 60 words, ms": 50, "fix and re-parse at 60 words, ms": 100, "opening 5,000 sentences, ms": 1000}
CLAIMS = Claims(
    {FEWER.format(name): at_least(15) for name in TREEBANKS}
    | {name: at_most(most) for name, most in TIMES.items()}
    | {FOUND.format(name): at_least(30) for name in TREEBANKS}
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
                if self.heads[row] != self.gold_heads[row]:
                    again.append(sentence)
                    self.mended_heads += 1
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
                found = self.parser.parse(given, keep_heads=True)
        except ParserError:
            if len(sentences) > 1:
                middle = len(sentences) // 2
                self.reparse(sentences[:middle])
                self.reparse(sentences[middle:])
            return
        self.heads[rows], self.labels[rows] = found.head, found.texts("deprel")


def found_by(order: np.ndarray, wrong: np.ndarray, words: np.ndarray) -> list[float]:
    """The shares of all wrong words that are found after SHARES of the text were read in this order."""
    read, found = np.cumsum(words[order]) / words.sum(), np.cumsum(wrong[order]) / wrong.sum()
    return [float(np.interp(share, np.concatenate([[0], read]), np.concatenate([[0], found]))) for share in SHARES]


def measure_times() -> None:
    """Ask a server of `crossarc annotate` as the page does."""
    train = xa.read(treebank_path("en_ewt", "train.conllu.gz"), root="any")[:5000]
    text = next(train[index : index + 1].to_text() for index in range(len(train)) if len(train[index]) == 60)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trees.conllu"
        xa.write(train, file)
        command = [
            sys.executable,
            "-c",
            "from crossarc.cli.main import main; main()",
            "annotate",
            str(file),
            "-m",
            "en",
            "-p0",
        ]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            try:
                port = int(re.findall(r":(\d+)/", server.stderr.readline())[0])
                edit = {"data": text, "model": "en", "edit": {"kind": "head", "word": 20, "value": "5"}}
                again = {"data": text, "model": "en", "keep": [20]}

                def read_anew() -> None:
                    file.touch()
                    ask(port, "/annotation/sentences", {"file": file.name})

                tasks = [lambda: ask(port, "/edit", edit), lambda: ask(port, "/reparse", again), read_anew]
                for name, times in zip(TIMES, best_times(tasks, 20), strict=True):
                    CLAIMS.measure(name, 1000 * times.wall)
            finally:
                server.terminate()


def ask(port: int, path: str, data: Mapping[str, object]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", path, json.dumps(data), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    answer.read()
    connection.close()


def compared(count: int, without: int, sentences: int) -> str:
    """Corrections a sentence, and how many fewer they are."""
    return f"{count / sentences:.2f} ({100 * (1 - count / without):.1f} % fewer)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, help="take the first so many sentences of each treebank")
    asked = parser.parse_args()
    rows, orders = [], []
    for name, (model, file) in TREEBANKS.items():
        gold = xa.read(treebank_path(name, file), root="any")[: asked.sentences]
        pipeline = xa.load(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = pipeline.parse(plain(gold))
        size, cells = len(gold), []
        for before in (False, True):
            corrected = Correction(pipeline, parsed, gold)
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
        ["treebank", "sentences", "without re-parsing", "mended words kept", "and all before them", "of heads alone"],
        rows,
    )
    console.print("Wrong words found")
    print_table(["treebank", "order", *(f"{100 * share:.0f} % read" for share in SHARES)], orders)
    measure_times()
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
