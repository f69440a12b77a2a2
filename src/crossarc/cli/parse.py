"""`crossarc parse`: trees for texts and sentences, by a trained parser or pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from .draw import print_pictures
from .export import has_format, line_names, output_kind, pictures_of, write_as
from .options import Cluster, Force, InputFormat, Lines, Threads, Workers, bounded
from .output import fail, is_watched, note, sentences_of, tracked
from .reporting import write_page

if TYPE_CHECKING:
    from ..parsers import Parser
    from ..treebank import Treebank


def parse(
    model: Annotated[
        str,
        typer.Argument(help="A model file that crossarc train wrote, or a name of crossarc models.", metavar="MODEL"),
    ],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="A text or a treebank file; .gz and .xz too; - for standard input; several, or folders, if -o is one.",
            metavar="[FILE…]",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="File to write, the format by its ending: .conllu, a table (.csv .tsv .xlsx), .json, .spacy or "
            "drawings (.svg .html .pdf .png .tex); .gz and .xz are compressed; - for standard output. Of several "
            "files: a folder.",
        ),
    ] = "-",
    to: Annotated[
        str | None, typer.Option("--to", help="Of several files: the format, by its ending; conllu by default.")
    ] = None,
    lines: Lines = None,
    text: Annotated[
        str | None, typer.Option("--text", help="Parse this text instead of a file, and draw its trees.")
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            "--input",
            help="What the file holds: text, lines (a sentence each), words (one a line, an empty line after each "
            "sentence) or conllu; by default recognised by content, but for lines; "
            "parsers that take no raw text take all for conllu.",
        ),
    ] = None,
    keep_heads: Annotated[
        bool,
        typer.Option("--keep-heads", help="Keep all heads that are given; without, those of incomplete trees alone."),
    ] = False,
    keep_deps: Annotated[
        bool,
        typer.Option(
            "--keep-deps", help="Keep DEPS, where arcs that stood for old heads follow; without, it is empty."
        ),
    ] = False,
    beam: Annotated[
        int | None, bounded("--beam", "Beam width of the search, 1 is greedy; by default as in training.")
    ] = None,
    crossing_penalty: Annotated[
        float | None,
        typer.Option(
            "--crossing-penalty",
            help="By how much crossing arcs must be better than others; by default as in training.",
        ),
    ] = None,
    nbest: Annotated[int | None, bounded("--nbest", "Write up to so many different trees of each sentence.")] = None,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write Score= and Margin= of arcs into MISC; graph parsers Probability=, too."),
    ] = False,
    steps: Annotated[
        str | None,
        typer.Option("--steps", help="Write a page that steps through the parse, for lectures.", metavar="PATH"),
    ] = None,
    cluster: Cluster = None,
    workers: Workers = None,
    shard: Annotated[
        int, bounded("--shard", "With --cluster: megabytes of a part into which large files are cut.")
    ] = 32,
    format: InputFormat = None,
    threads: Threads = 0,
    force: Force = False,
) -> None:
    """Parse raw text, words or CoNLL-U.

    A pipeline (crossarc models lists those that are installed) takes raw text, sentences, words and CoNLL-U, and keeps
    what is given: tags, lemmas, features, and heads of sentences where some words have one and others have none. Tokens
    of raw text have their spaces and places in MISC, which give back the text. Tags that are given stay,
    and trees follow UPOS and XPOS if the model learnt it; where they do not, a note says so.

    A parser takes CoNLL-U or words: HEAD and DEPREL are replaced, DEPS, which belonged to the old heads, is emptied,
    everything else stays byte for byte. The words should have the lemmas, tags and features that the training data had.
    A parser of enhanced graphs replaces DEPS, and HEAD and DEPREL stay.

    Files of any size are parsed in constant memory; every sentence gets a tree, and their order stays. The output may
    be the input file, which is replaced when all of it is parsed. The time grows with the number of words, but with
    Covington's systems, which look at all pairs of words, with the square of the length of a sentence: 1,000 words take
    seconds, 10,000 some minutes. Ctrl-C ends it at any time.

    The ending of the output says its format. A table has a row for each word; drawings have parts of speech under the
    words, and what --lines asks for; PDF has a page for each sentence. For .xlsx crossarc[xlsx] has to be installed,
    for .spacy crossarc[spacy], for .pdf and .png crossarc[drawing].

    With --nbest the trees of a sentence follow one another, best first, with comments crossarc_rank and crossarc_score.
    The score of an arc is that of the transition which built it, the margin how much better it was than the next best;
    a root that no transition attached has neither. The score of a graph parser is the logarithm of the probability that
    the head is right; crossarc evaluate says whether these probabilities hold.

    With --steps a page is written instead of trees: it shows the transitions of the first sentences one by one, with
    stacks, buffer, arcs and the scores of all transitions. A parser that goes by no transitions is shown by those of
    the 2-planar system that build its trees.

    Several files and folders are parsed into the folder of -o, on all cores: corpus/news/a.txt becomes
    out/news/a.conllu. A file appears when it is complete; run again, the command passes over what is done and goes on.

    With --cluster many files are parsed by many workers, on this machine or others: large files in parts, each into a
    file of its own in the folder of -o, with a manifest of counts and checksums. Run again, it parses what is missing.

    Examples:

        crossarc parse en letter.txt -o letter.conllu

        crossarc parse en letter.txt -o letter.csv

        crossarc parse en letter.txt -o letter.pdf --lines lemma,feats

        crossarc parse en --text "Which book did you say she wanted to read?"

        crossarc parse my.crossarc test.conllu -o parsed.conllu

        zcat large.conllu.gz | crossarc parse my.crossarc | gzip > parsed.conllu.gz

        crossarc parse my.crossarc test.conllu --nbest 5 --scores

        crossarc parse my.crossarc test.conllu --steps lecture.html

        crossarc parse en a.txt b.txt corpus/ -o parsed/

        crossarc parse en corpus/ -o tables/ --to csv

        crossarc parse en 'corpus/*.txt.gz' -o parsed/ --cluster local
    """
    from ..files import check_outputs
    from ..text import load
    from ..text.inputs import INPUTS, input_treebanks, no_text, opened

    if input is not None and input not in INPUTS:
        raise typer.Exit(fail(f"crossarc parse: --input is one of {', '.join(INPUTS)}, not {input}"))
    file = files[0] if files and len(files) == 1 else "-"
    if text is not None and (files or input not in (None, "text")):
        raise typer.Exit(fail("crossarc parse: --text is the text itself: leave out the file and --input"))
    if cluster is not None:
        _refuse_with_cluster(
            text=text is not None,
            nbest=nbest is not None,
            scores=scores,
            keep_heads=keep_heads,
            keep_deps=keep_deps,
            steps=steps is not None,
            crossing_penalty=crossing_penalty is not None,
            to=to is not None,
            lines=lines is not None,
        )
        details = {"input": input, "format": format, "beam": beam, "force": force}
        _parse_corpus(model, files or [], output, cluster, workers, shard, details)
        return
    shown_lines = line_names(lines, "upos")
    options = ParseOptions(beam, nbest, scores, keep_heads, keep_deps, threads)
    into_folder = Path(output).is_dir() or output.endswith(("/", os.sep))
    if len(files or []) > 1 or Path(file).is_dir() or (into_folder and file != "-" and text is None):
        if steps is not None:
            raise typer.Exit(fail("crossarc parse: --steps goes with one file"))
        _parse_many(model, files or [], output, to, crossing_penalty, options, (input, format), shown_lines, force)
        return
    if to is not None:
        raise typer.Exit(fail("crossarc parse: --to is for several files: of one the ending of -o says the format"))
    kind = output_kind(output, force=force)
    # The input may be replaced, at the end; standard output that is appended to it would be read again and again.
    check_outputs([(kind, output)], [model, file if output == "-" or kind != "treebank" else None], force=force)
    parser = load(model)
    if crossing_penalty is not None:
        parser.set_crossing_penalty(crossing_penalty)
    if steps is not None and (nbest is not None or scores or beam or keep_heads or keep_deps or output != "-"):
        raise typer.Exit(fail("crossarc parse: --steps shows greedy parsing, and goes with no other output"))
    if text is not None:
        if not parser.abilities.raw_text:
            raise no_text(model)
        if steps is not None:
            _write_steps(steps, model, parser, parser.segmented([text], threads=threads), threads)
            return
        parsed = list(options.parsed(parser, parser.segmented([text], threads=threads)))
        if output != "-":
            write_as(kind, parsed, output, shown_lines)
        else:
            print_pictures(pictures_of(parsed, shown_lines))
        return
    with opened(file) as content:
        given = input_treebanks(parser, content, input, format, model, threads=threads, keep_heads=keep_heads)
        pieces = _noted_tags(parser, given)
        shown = tracked(sentences_of(pieces, file), "parsing", words=lambda piece: int(piece.word_offsets[-1]))
        if steps is not None:
            _write_steps(steps, model, parser, shown, threads)
            return
        write_as(kind, options.parsed(parser, shown), output, shown_lines, Path(file).name if file != "-" else "")


def _parse_many(
    model: str,
    files: list[str],
    output: str,
    to: str | None,
    crossing_penalty: float | None,
    options: ParseOptions,
    given_as: tuple[str | None, str | None],
    lines: list[str],
    force: bool,
) -> None:
    """Parse several files, or all of folders, each into a file in the folder of the output."""
    from ..text import load
    from ..text.inputs import input_treebanks, opened
    from ..text.many import planned
    from ..text.registry import find
    from .many import check_results, parse_files

    if output == "-" or "-" in files:
        raise typer.Exit(fail("crossarc parse: several files are parsed into a folder: give files and -o FOLDER"))
    if has_format(output) and not output.endswith(("/", os.sep)) and not Path(output).is_dir():
        told = f"{output} is the name of a file, and several files are parsed into a folder"
        raise typer.Exit(fail(f"crossarc parse: {told}: give -o FOLDER and its format with --to, or -o {output}/"))
    ending = "." + (to or "conllu").lower().lstrip(".")
    kind = output_kind(f"results{ending}")
    decides = {
        **options._asdict(),
        "threads": None,
        "as": given_as,
        "crossing_penalty": crossing_penalty,
        "lines": lines,
    }
    tasks = planned(files, output, ending, os.fspath(find(model)), decides)
    check_results(tasks, kind, model, force=force)
    parser = load(model)
    if crossing_penalty is not None:
        parser.set_crossing_penalty(crossing_penalty)

    def parsed(source: str, threads: int) -> Iterator[Treebank]:
        with opened(source) as content:
            own = options._replace(threads=threads)
            given = input_treebanks(parser, content, *given_as, model, threads=threads, keep_heads=options.keep_heads)
            yield from own.parsed(parser, _noted_tags(parser, given))

    parse_files(tasks, parsed, lambda pieces, path: write_as(kind, pieces, path, lines), options.threads)


def _noted_tags(parser: Parser, pieces: Iterator[Treebank]) -> Iterator[Treebank]:
    """Say once of tags that are given and that the model predicts and does not read: they do not reach the trees."""
    predicted = [name for name in ("upos", "xpos", "feats", "lemma") if name in parser.abilities.predicts]
    said = False
    for piece in pieces:
        given = [] if said else [name.upper() for name in predicted if piece.column(name).any()]
        unread = [name for name in given if name not in parser.parser.info()["columns"]]
        if unread:
            said = True
            names = ", ".join(unread)
            note(f"note: {names} of the input stay, but do not change the trees: the model does not read them")
        yield piece


def _write_steps(path: str, model: str, parser: Parser, pieces: Iterator[Treebank], threads: int) -> None:
    """Write how the first sentences are parsed, step by step."""
    from ..stepping import MOST_SENTENCES, derived, lecture_page

    sentences = islice((piece[number : number + 1] for piece in pieces for number in range(len(piece))), MOST_SENTENCES)
    derivations = [derived(parser, sentence, threads=threads).to_dict() for sentence in sentences]
    write_page(path, lecture_page(f"{Path(model).stem}: {parser.parser.name}", derivations))


def _refuse_with_cluster(**given: bool) -> None:
    for name, is_given in given.items():
        if is_given:
            raise typer.Exit(fail(f"crossarc parse: --{name.replace('_', '-')} goes without --cluster: leave it out"))


def _parse_corpus(
    model: str, files: list[str], output: str, cluster: str, workers: int | None, shard: int, options: dict[str, Any]
) -> None:
    """Parse many files on a cluster, and say what was done."""
    from ..cluster import parse_corpus

    if not files or "-" in files or output == "-":
        raise typer.Exit(fail("crossarc parse: --cluster takes files and writes into a folder: give both, -o FOLDER"))
    shown = is_watched()
    corpus = parse_corpus(
        model, files, output, cluster=cluster, workers=workers, shard_bytes=shard << 20, progress=shown, **options
    )
    before = f", {corpus.skipped:,} of them done before" if corpus.skipped else ""
    note(f"{len(corpus.records):,} shards{before}: {corpus.sentences:,} sentences, {corpus.words:,} words")
    note(f"wrote {corpus.manifest}")


class ParseOptions(NamedTuple):
    """How sentences are parsed: the options of the command."""

    beam: int | None
    nbest: int | None
    scores: bool
    keep_heads: bool
    keep_deps: bool
    threads: int

    def parsed(self, parser: Parser, pieces: Iterator[Treebank]) -> Iterator[Treebank]:
        """Return the pieces with trees, several of each sentence if there are to be."""
        if self.keep_heads:
            if self.nbest is not None or self.scores or self.keep_deps:
                raise typer.Exit(fail("crossarc parse: --keep-heads goes without --nbest, --scores and --keep-deps"))
            if not parser.abilities.keeps_heads:
                raise typer.Exit(fail("crossarc parse: --keep-heads is for graph parsers and pipelines with one"))
            return (parser.parse(piece, beam=self.beam, threads=self.threads, keep_heads=True) for piece in pieces)
        if self.keep_deps and (self.nbest is not None or self.scores):
            raise typer.Exit(fail("crossarc parse: --keep-deps goes without --nbest and --scores"))
        if self.nbest is None and not self.scores:
            return parser.parse_stream(pieces, beam=self.beam, threads=self.threads, keep_deps=self.keep_deps)
        return self._analysed(parser, pieces)

    def _analysed(self, parser: Parser, pieces: Iterator[Treebank]) -> Iterator[Treebank]:
        for piece in pieces:
            analyses = parser.parse_nbest(piece, self.nbest or 1, beam=self.beam, threads=self.threads)
            if self.scores:
                analyses = analyses.with_scores()
            if self.nbest is not None:
                analyses = analyses.with_ranks()
            yield analyses.treebank
