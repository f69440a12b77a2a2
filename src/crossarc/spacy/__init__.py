"""crossarc in spaCy: `nlp.add_pipe("crossarc", config={"model": "my.crossarc"})`, and a tokeniser for raw text.

spaCy finds both by entry points, so that this package need not be imported. docs/guide/spacy.md shows them.
"""

from .component import CrossarcParser, make_component
from .noun_chunks import noun_chunks
from .tokenizer import CrossarcTokenizer, make_tokenizer

__all__ = ["CrossarcParser", "CrossarcTokenizer", "make_component", "make_tokenizer", "noun_chunks"]
