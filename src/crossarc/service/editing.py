"""Editing over HTTP: sentences that are changed and drawn anew, heads that are found again, files that are saved.

`/edit` and `/reparse` take sentences and give them back: they write nothing, and every service has them. The addresses
under `/annotation` read and write the files of a `Workspace`, and only `crossarc annotate` has them; files go by name.
An edit costs its sentence and its drawing, to save costs the file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from fastapi import FastAPI, Request
from fastapi.responses import Response
from pydantic import Field

from ..annotation import (
    Block,
    Document,
    Edit,
    Reparser,
    Workspace,
    doubts,
    edited,
    faults,
    sentence_doubts,
    split_blocks,
    version,
    with_arcs,
)
from ..annotation.block import DEPREL, HEAD, LEMMA, MISC, UPOS
from ..drawing import Picture
from ..drawing.layout import Orientation
from ..drawing.render_svg import page_svg
from ..errors import CrossarcError, ParserError, clean
from ..evaluation.agreement import agreement
from ..structure.crossings import crossing_pairs
from ..structure.planes import planes_of_arcs
from ..treebank import Treebank, from_bytes
from . import answers
from .limits import Limits, RefusedError, check_size
from .messages import Answer, Name, RequestFields, as_json, check_texts
from .models import Models, ServedModel
from .reparsers import Reparsers

#: Gives the doubt of the words of a sentence, if a parser has any.
Doubt = Callable[[Treebank], list[float] | None]
_COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
#: Sentences that are listed, or looked at for doubt, in one request.
_MOST_LISTED = 500
_SHOWN_TEXT = 200


class EditFields(RequestFields):
    """One edit, as `crossarc.annotation.Edit` has it."""

    kind: Name
    word: int = 1
    value: Annotated[str, Field(max_length=2000)] = ""
    last: int = 0


class EditRequest(RequestFields):
    """A sentence of CoNLL-U or CoNLL-X, and what is to be done to it; two sentences to be joined."""

    data: str
    edit: Annotated[EditFields | None, Field(description="Without one the sentences are only drawn.")] = None
    format: Literal["conllu", "conllx"] = "conllu"
    model: Annotated[Name | None, Field(description="Whose probabilities say which words are in doubt.")] = None
    width: Annotated[float, Field(ge=100, le=20_000)] = 1000.0
    layout: Orientation = "auto"


class ReparseRequest(RequestFields):
    """A sentence of which some words keep head and label, and the others get those that a model finds around them."""

    data: str
    keep: Annotated[list[int], Field(description="The words that keep what they have.")]
    format: Literal["conllu", "conllx"] = "conllu"
    model: Name | None = None
    file: Annotated[
        Name | None, Field(description="The file of `crossarc annotate` that it is in, whose labels are looked at.")
    ] = None
    width: Annotated[float, Field(ge=100, le=20_000)] = 1000.0
    layout: Orientation = "auto"


class ListRequest(RequestFields):
    """Sentences of a file, from one on."""

    file: Name
    start: Annotated[int, Field(ge=0)] = 0
    count: Annotated[int, Field(ge=1, le=_MOST_LISTED)] = 50
    model: Name | None = None


class SaveRequest(RequestFields):
    """Sentences of a file that are replaced: which versions of them were edited, and what they are now."""

    file: Name
    sentence: Annotated[int, Field(ge=0)]
    versions: Annotated[list[Name], Field(min_length=1, max_length=20)]
    data: str


class EditingService(Protocol):
    """What editing needs of a service."""

    models: Models
    limits: Limits

    def alone(self, work: Callable[[], bytes], *texts: str) -> Awaitable[bytes]:
        """Have something done by itself."""


def add_editing(app: FastAPI, service: EditingService, reparsers: Reparsers) -> None:
    """Add what every service has: it writes nothing."""

    @app.post("/edit", summary="A sentence after an edit, drawn anew")
    async def edit(request: EditRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_edited(service, reparsers, request)), request.data))

    @app.post("/reparse", summary="A sentence parsed again around what is kept")
    async def reparse(request: ReparseRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_reparsed(service, reparsers, request)), request.data))


def add_annotation(app: FastAPI, service: EditingService, workspace: Workspace, reparsers: Reparsers) -> None:
    """Add what reads and writes the files of a workspace."""

    @app.post("/annotation/prepare", summary="Have a sentence read that is likely to be parsed again")
    async def prepare(request: ReparseRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_prepared(service, reparsers, request)), request.data))

    @app.get("/annotation", summary="The files that are corrected")
    async def annotation(request: Request) -> Response:
        return Answer(await service.alone(lambda: as_json(_files(workspace))))

    @app.post("/annotation/sentences", summary="Sentences of a file")
    async def sentences(request: ListRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_listed(workspace, request))))

    @app.post("/annotation/doubt", summary="The share of wrong heads that sentences are to be expected to have")
    async def doubt(request: ListRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_doubted(service, workspace, request))))

    @app.post("/annotation/differences", summary="In how many words sentences differ from a second annotation")
    async def differences(request: ListRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_different(workspace, request))))

    @app.post("/annotation/save", summary="Save sentences")
    async def save(request: SaveRequest) -> Response:
        return Answer(await service.alone(lambda: as_json(_saved(workspace, request)), request.data))


# Sentences


def _edited(service: EditingService, reparsers: Reparsers, request: EditRequest) -> dict[str, Any]:
    text = request.data.encode()
    if request.edit is not None:
        text = edited(text, Edit(**request.edit.model_dump()), request.format)
    doubt = None
    if request.model is not None:
        doubt = partial(_word_doubts, service.models.choose(request.model), reparsers)
    return {"sentences": _views(text, request, doubt, service.limits)}


def _prepared(service: EditingService, reparsers: Reparsers, request: ReparseRequest) -> dict[str, Any]:
    _reparser(service, reparsers, request)
    return {"prepared": True}


def _reparser(
    service: EditingService, reparsers: Reparsers, request: ReparseRequest
) -> tuple[ServedModel, Block, Reparser]:
    model = service.models.choose(request.model)
    if not model.model.abilities.keeps_heads:
        raise RefusedError(400, f"{model.name} cannot keep heads: choose a graph parser, or a pipeline with one")
    block, bare = (Block.from_bytes(request.data.encode()) for _ in range(2))
    for row in bare.words:
        row[HEAD] = row[DEPREL] = "_"
    sentence = from_bytes(bare.to_bytes(), "data", format=request.format, root="partial")
    answers.check_words(sentence, service.limits)
    return model, block, reparsers.get(model, sentence.replace(deps=["_"] * sentence.words), request.file)


def _reparsed(service: EditingService, reparsers: Reparsers, request: ReparseRequest) -> dict[str, Any]:
    model, block, reparser = _reparser(service, reparsers, request)
    words = np.arange(1, len(block) + 1)
    heads = np.array(block.heads(), np.int32)
    kept = np.isin(words, request.keep) & (heads >= 0)
    reparsed = reparser.again(kept, heads, [row[DEPREL] for row in block.words])
    if reparsed is None:
        raise RefusedError(400, f"with these heads there is no tree that {model.name} can build")
    arcs = zip(reparsed.heads.tolist(), reparsed.labels, strict=True)
    again = {word: arc for word, arc in enumerate(arcs, start=1) if not kept[word - 1]}
    text = with_arcs(request.data.encode(), again, request.format)
    (view,) = _views(text, request, None, service.limits)
    for word, doubt in zip(view["words"], reparsed.doubts.tolist(), strict=True):
        word["doubt"] = round(doubt, 4)
    return {"sentences": [view]}


def _views(
    text: bytes, request: EditRequest | ReparseRequest, doubt: Doubt | None, limits: Limits
) -> list[dict[str, Any]]:
    return [_view(block, request, doubt, limits) for block in split_blocks(text)]


def _view(text: bytes, request: EditRequest | ReparseRequest, doubt: Doubt | None, limits: Limits) -> dict[str, Any]:
    """Return a sentence with its drawing, what is to be said of its tree, and the doubt of its words."""
    wrong = faults(text, request.format)
    treebank = None if wrong else from_bytes(text, "data", format=request.format, root="any")
    block = Block.from_bytes(text)
    check_size("words in a sentence to edit", len(block), limits.drawn_words)
    words: list[dict[str, Any]] = [dict(zip(_COLUMNS, row, strict=True)) for row in block.words]
    doubted = None if doubt is None or treebank is None else doubt(treebank)
    for word, share in zip(words, doubted or (), strict=False):
        word["doubt"] = round(share, 4)
    return {
        "data": text.decode(),
        "words": words,
        "tokens": [
            {"first": first, "last": last, "form": row[1], "misc": row[MISC]} for first, last, row in block.ranges()
        ],
        "id": block.comment("sent_id"),
        "text": block.comment("text") or block.surface(),
        "whole": not wrong,
        "said": [clean(f"{fault.message}: {fault.remedy}.") for fault in wrong[:3]] or _said(treebank, block),
        "svg": page_svg(_picture(block), request.layout, request.width),
    }


def _said(treebank: Treebank | None, block: Block) -> list[str]:
    if treebank is None or not treebank[0].has_heads:
        return ["No word has a head yet."]
    roots = block.roots()
    several = [f"{len(roots)} roots: words {', '.join(map(str, roots[:10]))}."] if len(roots) > 1 else []
    return [*several, *answers.in_words(treebank[0], answers.classified(treebank), 0)]


def _picture(block: Block) -> Picture:
    """Return what is drawn, of trees that are not finished, too."""
    heads = np.array(block.heads(), np.int32)
    words = block.words
    dependents = np.flatnonzero(heads > 0).astype(np.int32) + 1
    numbers, _ = planes_of_arcs(heads[dependents - 1], dependents, len(heads), answers.BUDGET)
    planes = np.zeros(len(heads), np.int32)
    planes[dependents - 1] = numbers
    pairs = crossing_pairs(heads[dependents - 1], dependents, len(heads))
    crossing = {dependent for pair in pairs for _, dependent in pair}
    return Picture(
        heads=tuple(heads.tolist()),
        forms=tuple(row[1] for row in words),
        labels=tuple(row[DEPREL] for row in words),
        tags=tuple(row[UPOS] for row in words),
        lines=(tuple(row[LEMMA] for row in words),),
        planes=tuple(planes.tolist()),
        crossing=tuple(word in crossing for word in range(1, len(heads) + 1)),
        title=block.comment("text") or block.surface(),
    )


def _word_doubts(model: ServedModel, reparsers: Reparsers, treebank: Treebank) -> list[float] | None:
    try:
        of_words: list[float] = reparsers.likely_heads(model, treebank).doubts(treebank.head).tolist()
    except ParserError:  # a parser without probabilities
        return None
    return of_words


# Files


def _files(workspace: Workspace) -> dict[str, Any]:
    files = []
    for name, document in workspace.documents.items():
        document.refresh()
        treebank = document.treebank()
        inventories = {column: list(treebank.inventory(column)) for column in ("deprel", "upos")}
        entry = {"name": name, "sentences": len(document), "words": treebank.words, "format": document.format}
        other = workspace.others.get(name)
        if other is not None:
            entry["other"] = other.path.name
            try:
                entry["agreement"] = agreement(treebank, other.treebank()).to_dict()
            except CrossarcError as error:
                entry["agreement"] = {"error": str(error)}
        files.append({**entry, **inventories})
    return {"files": files, "read_only": workspace.read_only}


def _entry(block: bytes, index: int, other: Document | None = None) -> dict[str, Any]:
    sentence = Block.from_bytes(block)
    text = sentence.comment("text") or sentence.surface()
    entry = {
        "index": index,
        "id": sentence.comment("sent_id"),
        "text": text[:_SHOWN_TEXT],
        "words": len(sentence),
        "version": version(block),
        "data": block.decode(),
    }
    if other is not None and index < len(other):
        entry["other"] = other.blocks[index].decode()
    return entry


def _listed(workspace: Workspace, request: ListRequest) -> dict[str, Any]:
    document, other = workspace.document(request.file), workspace.others.get(request.file)
    document.refresh()
    blocks = document.blocks
    shown = range(request.start, min(len(blocks), request.start + request.count))
    return {"total": len(blocks), "sentences": [_entry(blocks[index], index, other) for index in shown]}


def _doubted(service: EditingService, workspace: Workspace, request: ListRequest) -> dict[str, Any]:
    model = service.models.choose(request.model)
    treebank = workspace.document(request.file).treebank(request.start, request.start + request.count)
    check_size("words", treebank.words, service.limits.words)
    expected = sentence_doubts(doubts(model.model, treebank, threads=model.threads), treebank)
    shares = expected / np.maximum(1, np.diff(treebank.word_offsets))
    return {"doubts": [round(doubt, 4) for doubt in shares.tolist()]}


def _different(workspace: Workspace, request: ListRequest) -> dict[str, Any]:
    """Count for each sentence the words with another head or label; all, where the words are others."""
    document, other = workspace.document(request.file), workspace.others.get(request.file)
    if other is None:
        raise RefusedError(404, "there is no second annotation: start with crossarc annotate FILE --against OTHER")
    end = request.start + request.count
    pairs = zip(document.blocks[request.start : end], other.blocks[request.start : end], strict=False)
    return {"differences": [_count_different(Block.from_bytes(one), Block.from_bytes(two)) for one, two in pairs]}


def _count_different(one: Block, two: Block) -> int:
    mine, theirs = one.words, two.words
    if [row[1] for row in mine] != [row[1] for row in theirs]:
        return len(mine)
    return sum(a[HEAD : DEPREL + 1] != b[HEAD : DEPREL + 1] for a, b in zip(mine, theirs, strict=True))


def _saved(workspace: Workspace, request: SaveRequest) -> dict[str, Any]:
    check_texts(request.data)
    text = request.data.encode()
    start = workspace.save(request.file, request.sentence, request.versions, text)
    document = workspace.document(request.file)
    count = len(split_blocks(text))
    return {
        "total": len(document),
        "sentences": [_entry(document.blocks[index], index) for index in range(start, start + count)],
    }
