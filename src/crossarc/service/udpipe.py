"""`/process` as UDPipe's REST server has it: its parameters, and its formats of input and output.

Parameters `data`, `model`, `tokenizer`, `tagger`, `parser`, `input`, `output`, as the documentation of UDPipe's service
lists them. What is asked for is done: without `tokenizer` the data are sentences in the format `input`; without
`tagger` tags stay as they are, without `parser` heads do. O(characters), beside the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

import numpy as np

from ..treebank import NO_HEAD, Treebank, from_text
from .limits import Limits, RefusedError, check_size
from .models import TAGGER, TAGS, TOKENIZER, RawText, ServedModel

FORMS = ("application/x-www-form-urlencoded", "")
_TOKENIZER_OPTIONS = ("", "presegmented", "ranges", "normalized_spaces", "joint_with_parsing")
#: MISC that is the place of a token, and MISC that ends with it.
_NOTHING_ELSE = re.compile(r"\tTokenRange=\d+:\d+$", re.M)
_ONE_OF_SEVERAL = re.compile(r"(\t[^\t\n]+)\|TokenRange=\d+:\d+$", re.M)


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
    def asked_for(self) -> tuple[bool, bool]:
        """Whether tags and trees are."""
        return self.tagger, self.parser


def body_type(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the type of a body."""
    for name, value in headers:
        if name == b"content-type":
            return value.decode("latin-1").partition(";")[0].strip().lower()
    return ""


def decoded(encoded: bytes) -> dict[str, str]:
    """Return the parameters of a query or a form, in UTF-8."""
    try:
        text = encoded.decode("ascii") if encoded.isascii() else encoded.decode()
        return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100))
    except ValueError as error:
        raise RefusedError(400, f"the parameters cannot be read: {error}") from error


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


def read(request: Asked) -> Treebank | RawText:
    """Return the sentences of a request, with nothing in the columns that the model is to fill, or its raw text."""
    if request.tokenizer is not None:
        return RawText(request.data, "presegmented" in request.tokenizer)
    if request.input == "conllu":
        treebank = from_conllu(request.data)
    else:
        treebank = from_lines(request.data) if request.input == "horizontal" else from_words(request.data)
    empty: dict[str, list[str]] = {}
    if request.tagger:
        empty |= {column: ["_"] * treebank.words for column in TAGS}
    if request.parser:
        treebank = treebank.replace(head=np.full(treebank.words, NO_HEAD, np.int32), deprel=["_"] * treebank.words)
    return treebank.replace(**empty) if empty else treebank


def check_sentences(treebank: Treebank, limits: Limits) -> None:
    """Refuse too many words, and sentences that are too long."""
    check_size("words", treebank.words, limits.words)
    longest = int(np.diff(treebank.word_offsets).max(initial=0))
    check_size("words in one sentence", longest, limits.sentence_words)


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


def parse(model: ServedModel, asked_for: tuple[bool, bool], given: Treebank, ends: Sequence[int]) -> list[Treebank]:
    """Tag and parse the sentences of several requests together; `ends` says where those of each end."""
    tagger, parser = asked_for
    found = given
    if given.words and (tagger or parser):
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
    return _ONE_OF_SEVERAL.sub(r"\1", _NOTHING_ELSE.sub("\t_", text))


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
_ABOUT = {
    "data": "The text, or sentences in the format `input`.",
    "model": "A name, or its beginning up to a hyphen; by default the first model.",
    "tokenizer": "Cut raw text; options `presegmented` (a sentence a line) and `ranges`, joined by `;`.",
    "tagger": "Find tags, lemmas and features.",
    "parser": "Find trees.",
    "input": "conllu, horizontal or vertical, where there is no `tokenizer`.",
    "output": "conllu, horizontal, vertical or plaintext.",
}
#: What the documents say of requests.
PROCESS_QUERY = {
    "parameters": [
        {"name": name, "in": "query", "required": name == "data", "schema": {"type": "string"}, "description": about}
        for name, about in _ABOUT.items()
    ]
}
_FORM = {
    "schema": {
        "type": "object",
        "required": ["data"],
        "properties": {name: {"type": "string", "description": about} for name, about in _ABOUT.items()},
    }
}
PROCESS_FORM = {"requestBody": {"content": {"application/x-www-form-urlencoded": _FORM, "multipart/form-data": _FORM}}}
