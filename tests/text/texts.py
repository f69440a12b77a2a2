"""What tests of texts share: a small treebank with its text, and texts put together from segmented treebanks."""

from __future__ import annotations

import numpy as np

import crossarc as xa
from crossarc import _kernel
from crossarc.text import Segmentation, Segmenter, SegmenterOptions
from crossarc.text.surface import spaces_after, surface_tokens, unescaped
from crossarc.text.text_stream import TextStream

SMALL = SegmenterOptions(
    hidden_size=16, embedding_size=16, window=64, overlap=16, most_words=40, batch_characters=300, learning_rate=0.02
)
TEXT = """\
# newpar
# text = I don't know, Ann.
1	I	I	PRON	_	_	3	nsubj	_	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	do	AUX	_	_	4	aux	_	_
3	n't	not	PART	_	_	4	advmod	_	_
4	know	know	VERB	_	_	0	root	_	SpaceAfter=No
5	,	,	PUNCT	_	_	6	punct	_	_
6	Ann	Ann	PROPN	_	_	4	vocative	_	SpaceAfter=No
7	.	.	PUNCT	_	_	4	punct	_	_

# text = Go on!
1	Go	go	VERB	_	_	0	root	_	_
2	on	on	ADV	_	_	1	advmod	_	SpaceAfter=No
3	!	!	PUNCT	_	_	1	punct	_	SpacesAfter=\\n

# newpar
# text = She can't.
1	She	she	PRON	_	_	2	nsubj	_	_
2-3	can't	_	_	_	_	_	_	_	SpaceAfter=No
2	ca	can	AUX	_	_	0	root	_	_
3	n't	not	PART	_	_	2	advmod	_	_
4	.	.	PUNCT	_	_	2	punct	_	_

"""


def put_together(treebank: xa.Treebank) -> str:
    """The text of a segmented treebank, from its tokens and their spaces alone."""
    kept = treebank.aside_kind == int(_kernel.AsideKind.range)
    ranges = [line.split("\t") for line in treebank.pool.texts(treebank.aside_text[kept])]
    sentences = np.repeat(np.arange(len(treebank)), np.diff(treebank.aside_offsets))[kept]
    firsts = treebank.word_offsets[sentences] + treebank.aside_before[kept] - 1
    tokens = list(zip(treebank.texts("form"), treebank.texts("misc"), strict=True))
    for first, (ids, form, *_, misc) in zip(firsts.tolist(), ranges, strict=True):
        start, end = map(int, ids.split("-"))
        tokens[first : first + end - start + 1] = [(form, misc), *[("", "SpaceAfter=No")] * (end - start)]
    pieces: list[str] = []
    for form, misc in tokens:
        values = dict(value.split("=", 1) for value in misc.split("|"))
        pieces += (unescaped(values.get("SpacesBefore", "")), form, spaces_after(values))
    return "".join(pieces)


def forms(treebank: xa.Treebank) -> list[list[str]]:
    return [[token.text for token in surface_tokens(sentence)] for sentence in treebank]


def unmarked_sentences(count: int, seed: int) -> xa.Treebank:
    """Return sentences without marks: each ends with *fin*, which stands within them twice as often."""
    random = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        words = random.choice(["lama", "nor", "sedu", "fin"], size=8, p=[0.25, 0.25, 0.25, 0.25])
        sentences.append([*words.tolist(), "fin"])
    rows = [
        f"# text = {' '.join(words)}\n"
        + "".join(f"{number}\t{word}" + "\t_" * 8 + "\n" for number, word in enumerate(words, 1))
        for words in sentences
    ]
    return xa.from_text("\n".join([*rows, ""]))


def tokens(parts: list[Segmentation]) -> list[tuple[int, int, bool, bool]]:
    """Where tokens begin and end in the whole text, whether they are of several words and end sentences."""
    return [
        (part.begin + start, part.begin + end, several, final)
        for part in parts
        for start, end, several, final in zip(
            *(array.tolist() for array in (part.starts, part.ends, part.multiword, part.final)), strict=True
        )
    ]


def cut(segmenter: Segmenter, pieces: list[str], block: int) -> list[Segmentation]:
    """Cut a text that comes in pieces, in blocks of a size."""
    return list(TextStream(segmenter.boundaries, threads=1, block=block).segmentations(pieces))
