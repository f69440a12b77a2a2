"""Pipelines of a few sentences that are trained in a second, for tests."""

from __future__ import annotations

import crossarc as xa
from crossarc.text import Pipeline, SegmenterOptions

TEXT = """\
# newpar
# text = I don't know, Ann.
1	I	I	PRON	_	_	4	nsubj	_	_
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
SMALL = SegmenterOptions(cells=16, dimension=16, window=64, overlap=16, most_words=40, batch=300, rate=0.02)


def tiny_parser() -> xa.GraphParser:
    """A parser of words alone, not trained."""
    network = xa.Biaffine(
        groups=(("lower",),), dimensions=(8,), characters=0, layers=1, cells=8, arc=8, label=8, batch=100
    )
    return xa.GraphParser("projective", network=network, cutoff=1)


def tiny_pipeline() -> Pipeline:
    """A pipeline that learnt three sentences by heart."""
    return Pipeline.train(
        xa.from_text(TEXT * 30),
        parser=tiny_parser(),
        segmenter=SMALL,
        epochs=3,
        segmenter_epochs=25,
        threads=1,
        about={"language": "Tiny", "licence": "none", "source": "a tiny treebank"},
    )
