"""`crossarc parse`: trees for sentences, by a trained parser."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Force, InputFile, InputFormat, Output, Threads, bounded
from .output import sentences_of, tracked, warnings_as_notes


def parse(
    model: Annotated[str, typer.Argument(help="A model that crossarc train wrote.", metavar="MODEL")],
    file: InputFile = "-",
    output: Output = "-",
    beam: Annotated[
        int | None, bounded("--beam", "Beam width of the search, 1 is greedy; by default as in training.")
    ] = None,
    nbest: Annotated[int | None, bounded("--nbest", "Write up to so many different trees of each sentence.")] = None,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write Score= and Margin= of arcs into MISC; graph parsers Probability=, too."),
    ] = False,
    format: InputFormat = None,
    threads: Threads = 0,
    force: Force = False,
) -> None:
    """Parse sentences: HEAD and DEPREL are replaced, arcs in DEPS follow them, everything else stays byte for byte.

    The words should have the lemmas, tags and features that the training data had. Files of any size are parsed in
    constant memory; every sentence gets a tree, and their order stays. A parser of enhanced graphs replaces DEPS, and
    HEAD and DEPREL stay. The output may be the input file, which is replaced when all of it is parsed.

    The time grows with the number of words, but with Covington's systems, which look at all pairs of words, with the
    square of the length of a sentence: 1,000 words take seconds, 10,000 some minutes. Ctrl-C ends it at any time.

    With --nbest the trees of a sentence follow one another, best first, with comments crossarc_rank and crossarc_score.
    The score of an arc is that of the transition which built it, the margin how much better it was than the next best;
    a root that no transition attached has neither. The score of a graph parser is the logarithm of the probability that
    the head is right; crossarc evaluate says whether these probabilities hold.

    Examples:

        crossarc parse my.crossarc test.conllu -o parsed.conllu

        zcat large.conllu.gz | crossarc parse my.crossarc | gzip > parsed.conllu.gz

        crossarc parse my.crossarc test.conllu --nbest 5 --scores
    """
    from ..parsers import load
    from ..treebank import stream, write
    from ..treebank.files import check_outputs

    # The input may be replaced, at the end; standard output that is appended to it would be read again and again.
    check_outputs([("treebank", output)], [model, file if output == "-" else None], force=force)
    parser = load(model)
    with warnings_as_notes():
        given = sentences_of(stream(file, format=format, root="any"), file)
        pieces = tracked(given, "parsing", words=lambda piece: int(piece.word_offsets[-1]))
        if nbest is None and not scores:
            write(parser.parse_stream(pieces, beam=beam, threads=threads), output)
            return
        found = (parser.parse_nbest(piece, nbest or 1, beam=beam, threads=threads) for piece in pieces)
        if scores:
            found = (one.with_scores() for one in found)
        if nbest is not None:
            found = (one.with_ranks() for one in found)
        write((one.treebank for one in found), output)
