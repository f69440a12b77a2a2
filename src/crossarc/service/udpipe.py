"""`/process` as UDPipe's REST server has it: its parameters, and its formats of input and output.

Parameters `data`, `model`, `tokenizer`, `tagger`, `parser`, `input`, `output`, as the documentation of UDPipe's service
lists them. What is asked for is done: without `tokenizer` the data are sentences in the format `input`; without
`tagger` tags stay as they are, without `parser` heads do. O(characters), beside the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..treebank import NO_HEAD, Treebank, from_text
from .limits import Limits, RefusedError, check_size
from .models import TAGGER, TAGS, TOKENIZER, ServedModel

PARAMETERS = ("data", "model", "tokenizer", "tagger", "parser", "input", "output")
_TOKENIZER_OPTIONS = ("", "presegmented", "ranges", "normalized_spaces", "joint_with_parsing")
_RANGE = re.compile(r"TokenRange=\d+:\d+")
_MISC = re.compile(r"\t([^\t\n]*)$", re.M)


@dataclass(frozen=True)
class Asked:
    """What a request asks for, checked."""

    data: str
    tokenizer: frozenset[str] | None
    tagger: bool
    parser: bool
    input: str
    output: str

    @property
    def kind(self) -> tuple[bool, bool]:
        """Requests of the same kind are done together."""
        return self.tagger, self.parser


def asked(parameters: Mapping[str, str], model: ServedModel) -> Asked:
    """Check the parameters of a request against what a model can do."""
    if "data" not in parameters:
        raise RefusedError(400, "the parameter data is missing")
    tokenizer = None
    if "tokenizer" in parameters:
        tokenizer = frozenset(parameters["tokenizer"].split(";"))
        unknown = sorted(tokenizer - set(_TOKENIZER_OPTIONS))
        if unknown:
            known = "presegmented and ranges"
            raise RefusedError(400, f"unknown option of the tokenizer {unknown[0][:40]!r}: there are {known}")
        if TOKENIZER not in model.abilities:
            raise RefusedError(400, f"the model {model.name} has no tokenizer")
    tagger, parser = (parameters.get(name, "none") != "none" for name in ("tagger", "parser"))
    if tagger and TAGGER not in model.abilities:
        raise RefusedError(400, f"the model {model.name} has no tagger")
    return Asked(
        parameters["data"],
        tokenizer,
        tagger,
        parser,
        _format("input", parameters.get("input", "conllu"), ("conllu", "horizontal", "vertical")),
        _format("output", parameters.get("output", "conllu"), tuple(_WRITERS)),
    )


def _format(what: str, given: str, known: Sequence[str]) -> str:
    """Return the name of a format; UDPipe writes options behind it, as in conllu=v2."""
    name = given.partition("=")[0]
    if name not in known:
        raise RefusedError(400, f"unknown {what} format {given[:40]!r}: there are {', '.join(known)}")
    return name


def read(request: Asked, model: ServedModel, limits: Limits) -> Treebank:
    """Return the sentences of a request, with nothing in the columns that the model is to fill."""
    treebank = _sentences(request, model)
    check_sentences(treebank, limits)
    empty: dict[str, list[str]] = {}
    if request.tokenizer is None and request.tagger:
        empty |= {column: ["_"] * treebank.words for column in TAGS}
    if request.tokenizer is None and request.parser:
        treebank = treebank.replace(head=np.full(treebank.words, NO_HEAD, np.int32), deprel=["_"] * treebank.words)
    return treebank.replace(**empty) if empty else treebank


def check_sentences(treebank: Treebank, limits: Limits) -> None:
    """Refuse too many words, and sentences that are too long."""
    check_size("words", treebank.words, limits.words)
    longest = int(np.diff(treebank.word_offsets).max(initial=0))
    check_size("words in one sentence", longest, limits.sentence_words)


def _sentences(request: Asked, model: ServedModel) -> Treebank:
    if request.tokenizer is None:
        if request.input == "conllu":
            return from_conllu(request.data)
        return from_lines(request.data) if request.input == "horizontal" else from_words(request.data)
    if "presegmented" not in request.tokenizer:
        return model.segment(request.data)
    lines = [line for line in request.data.splitlines() if line.strip()]
    parts = [model.segment(line) for line in lines]
    return Treebank.concatenate([joined(part) for part in parts if part.words]) if parts else model.segment("")


def joined(treebank: Treebank) -> Treebank:
    """Return the sentences of a line as one: whoever gives a sentence a line knows where sentences end."""
    if len(treebank) < 2:
        return treebank
    lines = [line for sentence in treebank.to_text().split("\n\n") for line in sentence.split("\n") if line]
    rows, moved, before = [], 0, 0
    for line in lines:
        if line.startswith("#"):
            continue
        number, _, rest = line.partition("\t")
        first, separator, last = number.partition("-")
        if int(first) == 1 and before:
            moved, before = moved + before, 0
        if not separator:
            before = int(first)
        shifted = f"{int(first) + moved}{separator}{int(last) + moved if last else ''}"
        rows.append(f"{shifted}\t{rest}")
    return from_text("\n".join(rows) + "\n\n", "data", format="conllu", root="any")


def from_conllu(text: str) -> Treebank:
    """Read CoNLL-U; the empty line after the last sentence may be missing."""
    ended = text.rstrip("\r\n") + "\n\n" if text.strip() else ""
    return from_text(ended, "data", format="conllu", root="any")


def from_lines(text: str) -> Treebank:
    """Read sentences, one a line, whose words stand between spaces."""
    return _from_words([line.split() for line in text.splitlines() if line.strip()])


def from_words(text: str) -> Treebank:
    """Read one word a line, with an empty line after each sentence."""
    blocks = re.split(r"\n[^\S\n]*\n", text.replace("\r\n", "\n"))
    return _from_words([[word for line in block.splitlines() if (word := line.strip())] for block in blocks])


def _from_words(sentences: Sequence[Sequence[str]]) -> Treebank:
    return Treebank.from_words([[word.replace("\t", " ") for word in words] for words in sentences if words])


def parse(model: ServedModel, asked_for: tuple[bool, bool], treebanks: Sequence[Treebank]) -> list[Treebank]:
    """Tag and parse the sentences of several requests together."""
    tagger, parser = asked_for
    if not (tagger or parser):
        return list(treebanks)
    ends = np.cumsum([len(one) for one in treebanks]).tolist()
    given = Treebank.concatenate(treebanks)
    if not given.words:
        return list(treebanks)
    found = model.parse(given)
    if not tagger:  # a model that tags fills in what is missing, and nobody asked for that
        found = found.replace(**{column: given.texts(column) for column in model.predicted})
    if not parser:
        found = found.replace(head=given.head, deprel=given.texts("deprel"))
    return [found[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def write(request: Asked, treebank: Treebank) -> str:
    """Return sentences in the format that was asked for."""
    if request.tokenizer is not None and "ranges" not in request.tokenizer:
        return without_ranges(_WRITERS[request.output](treebank))
    return _WRITERS[request.output](treebank)


def without_ranges(text: str) -> str:
    """Leave the places of tokens in the text out of MISC."""
    if "TokenRange=" not in text:
        return text

    def misc(found: re.Match[str]) -> str:
        kept = [piece for piece in found[1].split("|") if not _RANGE.fullmatch(piece)]
        return "\t" + ("|".join(kept) or "_")

    return _MISC.sub(misc, text)


def _horizontal(treebank: Treebank) -> str:
    return "".join(" ".join(word.replace(" ", "\u00a0") for word in one.forms) + "\n" for one in treebank)


def _vertical(treebank: Treebank) -> str:
    return "".join("\n".join(one.forms) + "\n\n" for one in treebank)


def _plain(treebank: Treebank) -> str:
    return "".join(one.text + "\n" for one in treebank)


_WRITERS: dict[str, Callable[[Treebank], str]] = {
    "conllu": Treebank.to_text,
    "horizontal": _horizontal,
    "vertical": _vertical,
    "plaintext": _plain,
}
