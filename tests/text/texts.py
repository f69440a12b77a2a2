"""What tests of texts share: a small treebank with its text, and texts put together from segmented treebanks."""

from __future__ import annotations

import crossarc as xa
from crossarc.text import SegmenterOptions
from crossarc.text.surface import surface_tokens, unescaped

SMALL = SegmenterOptions(cells=16, dimension=16, window=64, overlap=16, most_words=40, batch=300, rate=0.02)
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
    pieces = []
    for sentence in treebank:
        if before := sentence[0].misc.get("SpacesBefore"):
            pieces.append(unescaped(before))
        for several in sentence.multiword_tokens[:1]:
            if several.first == 1 and (before := several.misc.get("SpacesBefore")):
                pieces.append(unescaped(before))
        for token in surface_tokens(sentence):
            pieces += (token.text, token.spaces)
    return "".join(pieces)


def forms(treebank: xa.Treebank) -> list[list[str]]:
    return [[token.text for token in surface_tokens(sentence)] for sentence in treebank]
