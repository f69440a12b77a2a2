"""The tokeniser of a pipeline in spaCy: raw text to tokens as they are written, with sentence boundaries.

Tokens of several words (French *du*, Italian *dammelo*) stay one token, and `token._.crossarc_words` has their words,
which the component `crossarc` parses. White space that is not one space behind a token becomes a token of its own, so
that `doc.text` is the text, as with other tokenisers of spaCy. The cost is that of the segmenter.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from ..errors import ParserError
from ..text import Pipeline, Segmenter, load_pipeline
from .docs import WORDS

_MODEL = "segmenter.crossarc"
_REGISTERED = "crossarc.Tokenizer.v1"


def _words(token: Token) -> list[str]:
    own = token.doc.user_data.get(WORDS, {}).get(token.i)
    return [token.text] if own is None else list(own)


class CrossarcTokenizer:
    """Cuts texts as the segmenter of a pipeline does; `nlp.tokenizer = CrossarcTokenizer(nlp, "en")`.

    Parameters:
        nlp: The spaCy pipeline, whose config will name the tokeniser, so that `spacy.load` finds it again; or its
            vocabulary, if it is never saved.
        model: A pipeline or a segmenter, a file of a pipeline, or a name that `crossarc models` lists; None before
            `from_disk`.
    """

    def __init__(
        self, nlp: Language | Vocab, model: Pipeline | Segmenter | str | os.PathLike[str] | None = None
    ) -> None:
        """Load the model, if there is one."""
        self.vocab = nlp.vocab if isinstance(nlp, Language) else nlp
        #: Whether `spacy.load` finds it again.
        self.is_configured = isinstance(nlp, Language)
        if isinstance(nlp, Language):
            nlp.config["nlp"]["tokenizer"] = {"@tokenizers": _REGISTERED}
        if isinstance(model, (str, os.PathLike)):
            model = load_pipeline(model)
        self.segmenter = model if model is None or isinstance(model, Segmenter) else model.segmenter
        if not Token.has_extension(WORDS):
            Token.set_extension(WORDS, getter=_words)

    def __call__(self, text: str) -> Doc:
        """Return a document with the tokens of a text."""
        if self.segmenter is None:
            raise ParserError("the tokeniser has no model: give a pipeline, or load it from a folder")
        found = self.segmenter.segment(text)
        tokens: list[str] = []
        spaces: list[bool] = []
        begins: list[bool] = []
        several: dict[int, tuple[str, ...]] = {}
        end, new = 0, True
        words = self.segmenter.words(found)
        for start, stop, final, own in zip(
            found.starts.tolist(), found.ends.tolist(), found.final.tolist(), words, strict=True
        ):
            _add_gap(text[end:start], tokens, spaces, begins)
            if len(own) > 1:
                several[len(tokens)] = own
            tokens.append(text[start:stop])
            spaces.append(False)
            begins.append(new)
            end, new = stop, final
        _add_gap(text[end:], tokens, spaces, begins)
        if begins:
            begins[0] = True
        doc = Doc(self.vocab, words=tokens, spaces=spaces, sent_starts=begins if tokens else None)
        if several:
            doc.user_data[WORDS] = several
        return doc

    # Files

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Write the segmenter into a folder, as `nlp.to_disk` does."""
        if not self.is_configured:
            warnings.warn(
                "the config of the pipeline does not name this tokeniser, and spacy.load will fail: make it with "
                "CrossarcTokenizer(nlp, …) in place of CrossarcTokenizer(nlp.vocab, …)",
                stacklevel=2,
            )
        if self.segmenter is not None:
            Path(path).mkdir(parents=True, exist_ok=True)
            self.segmenter.save(Path(path) / _MODEL)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> CrossarcTokenizer:
        """Read the segmenter that `to_disk` wrote."""
        if (Path(path) / _MODEL).exists():
            self.segmenter = Segmenter.load(Path(path) / _MODEL)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the segmenter as `nlp.to_bytes` does."""
        if self.segmenter is None:
            return b""
        with tempfile.TemporaryDirectory() as folder:
            self.to_disk(folder)
            return (Path(folder) / _MODEL).read_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> CrossarcTokenizer:
        """Read the segmenter from what `to_bytes` gave."""
        if data:
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / _MODEL).write_bytes(data)
                self.from_disk(folder)
        return self


def _add_gap(gap: str, tokens: list[str], spaces: list[bool], begins: list[bool]) -> None:
    """Keep the white space between two tokens: one space with the token before it, the rest as a token."""
    if gap.startswith(" ") and tokens:
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        tokens.append(gap)
        spaces.append(False)
        begins.append(False)


@spacy.registry.tokenizers(_REGISTERED)
def make_tokenizer(model: str | None = None) -> Callable[[Language], CrossarcTokenizer]:
    """Return what makes the tokeniser of a spaCy pipeline; its config is {"@tokenizers": "crossarc.Tokenizer.v1"}."""

    def tokenizer(nlp: Language) -> CrossarcTokenizer:
        made = CrossarcTokenizer(nlp.vocab, model)
        made.is_configured = True
        return made

    return tokenizer
