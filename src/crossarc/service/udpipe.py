"""`/process` as UDPipe's REST server has it: its parameters, and its formats of input and output.

Parameters `data`, `model`, `tokenizer`, `tagger`, `parser`, `input`, `output`, as the documentation of UDPipe's service
lists them. What is asked for is done: without `tokenizer` the data are sentences in the format `input`; without
`tagger` tags stay as they are, without `parser` heads do. O(characters), beside the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from ..treebank import NO_HEAD, Treebank, from_text
from .limits import Limits, RefusedError, check_size, check_text
from .models import TAGGER, TAGS, TOKENIZER, RawText, ServedModel

FORMS = ("application/x-www-form-urlencoded", "")
#: The format of raw text that is cut by rules of no language, for models without a tokenizer, too.
GENERIC = "generic_tokenizer"
_TOKENIZER_OPTIONS = ("", "presegmented", "ranges", "normalized_spaces", "joint_with_parsing")
#: MISC that is the range of a token in the text, and MISC that ends with it.
_ALONE = re.compile(r"\tTokenRange=\d+:\d+$", re.M)
_AFTER_OTHERS = re.compile(r"(\t[^\t\n]+)\|TokenRange=\d+:\d+$", re.M)


@dataclass(frozen=True)
class ProcessRequest:
    """The parameters of a request, checked."""

    data: str
    tokenizer: frozenset[str] | None
    generic: bool
    tagger: bool
    parser: bool
    input: str
    output: str

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str], model: ServedModel) -> ProcessRequest:
        """Check parameters against what a model can do."""
        if "data" not in parameters:
            raise RefusedError(400, "the parameter data is missing")
        given = parameters.get("input", "conllu")
        input = _format("input", given, ("conllu", GENERIC, "horizontal", "vertical"))
        generic = input == GENERIC and "tokenizer" not in parameters
        tokenizer = None
        if generic or "tokenizer" in parameters:
            options = given.partition("=")[2] if generic else parameters["tokenizer"]
            tokenizer = frozenset(options.split(";"))
            unknown = sorted(tokenizer - set(_TOKENIZER_OPTIONS))
            if unknown:
                known = "presegmented and ranges"
                raise RefusedError(400, f"unknown option of the tokenizer {unknown[0][:40]!r}: there are {known}")
        tagger, parser = (parameters.get(name, "none") != "none" for name in ("tagger", "parser"))
        for ability, needed in ((TOKENIZER, tokenizer is not None and not generic), (TAGGER, tagger)):
            if needed and ability not in model.abilities:
                raise RefusedError(400, f"the model {model.name} has no {ability}")
        output = _format("output", parameters.get("output", "conllu"), tuple(_WRITERS))
        return cls(parameters["data"], tokenizer, generic, tagger, parser, input, output)

    def read(self, limits: Limits) -> Treebank | RawText:
        """Return the sentences, with nothing in the columns that the model is to fill, or the raw text."""
        if self.tokenizer is not None:
            check_text(self.data, limits)
            return RawText(self.data, "presegmented" in self.tokenizer, self.generic)
        treebank = _READERS[self.input](self.data)
        empty: dict[str, Any] = dict.fromkeys(TAGS if self.tagger else (), ["_"] * treebank.words)
        if self.parser:
            empty |= {"head": np.full(treebank.words, NO_HEAD, np.int32), "deprel": ["_"] * treebank.words}
        return treebank.replace(**empty) if empty else treebank

    def parse(self, model: ServedModel, given: Treebank, ends: Sequence[int]) -> list[Treebank]:
        """Tag and parse the sentences of several requests like this; `ends` says where those of each end."""
        parsed = given
        if given.words and (self.tagger or self.parser):
            parsed = model.parse(given)
            if not self.tagger:  # a model that tags fills in what is missing, which is not part of this request
                parsed = parsed.replace(**{column: given.texts(column) for column in model.predicted})
            if not self.parser:
                parsed = parsed.replace(head=given.head, deprel=given.texts("deprel"))
        return [parsed[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def write(self, treebank: Treebank) -> str:
        """Return sentences in the format of the output."""
        text = _WRITERS[self.output](treebank)
        return without_ranges(text) if self.tokenizer is not None and "ranges" not in self.tokenizer else text


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


def _format(what: str, given: str, known: Sequence[str]) -> str:
    """Return the name of a format; UDPipe writes options behind it, as in conllu=v2."""
    name = given.partition("=")[0]
    if name not in known:
        raise RefusedError(400, f"unknown {what} format {given[:40]!r}: there are {', '.join(known)}")
    return name


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


def without_ranges(text: str) -> str:
    """Leave the ranges of tokens in the text out of MISC."""
    return _AFTER_OTHERS.sub(r"\1", _ALONE.sub("\t_", text))


def _horizontal(treebank: Treebank) -> str:
    return "".join(" ".join(word.replace(" ", "\u00a0") for word in sentence.forms) + "\n" for sentence in treebank)


_READERS = {"conllu": from_conllu, "horizontal": from_lines, "vertical": from_words}
_WRITERS: dict[str, Callable[[Treebank], str]] = {
    "conllu": Treebank.to_text,
    "horizontal": _horizontal,
    "vertical": lambda treebank: "".join("\n".join(sentence.forms) + "\n\n" for sentence in treebank),
    "plaintext": lambda treebank: "".join(sentence.text + "\n" for sentence in treebank),
}
_ABOUT = {
    "data": "The text, or sentences in the format `input`.",
    "model": "A name, its beginning up to a hyphen, or that of a model of UDPipe; by default the first model.",
    "tokenizer": "Cut raw text; options `presegmented` (a sentence a line) and `ranges`, joined by `;`.",
    "tagger": "Find tags, lemmas and features.",
    "parser": "Find trees.",
    "input": "conllu, horizontal, vertical or generic_tokenizer, where there is no `tokenizer`.",
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
