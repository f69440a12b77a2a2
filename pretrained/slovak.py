"""Relations of Slovak trees that were annotated before the treebank's release, as the release has them.

Relative clauses are acl:relcl, not acl; objects in the dative, the genitive and the instrumental without a preposition
are obl:arg, not obj or iobj. What needs the sense of a verb, such as which phrases with prepositions are arguments,
stays as it was. O(words).
"""

from __future__ import annotations

from collections.abc import Iterator

from crossarc.treebank import Sentence, Treebank

#: Cases of objects that the release has as obliques.
_OBLIQUE = frozenset({"Dat", "Gen", "Ins"})


def with_relations_of_release(treebank: Treebank) -> Treebank:
    """Return the treebank with the relations of the release; heads stay."""
    return treebank.replace(deprel=[relation for sentence in treebank for relation in _relations(sentence)])


def _relations(sentence: Sentence) -> Iterator[str]:
    with_relative, with_preposition = _clauses(sentence), _heads_of(sentence, "case")
    governed = _heads_of(sentence, "nummod") | _heads_of(sentence, "det:numgov")
    for word, token in enumerate(sentence, 1):
        if token.deprel == "acl" and word in with_relative:
            yield "acl:relcl"
        elif (
            token.deprel in ("obj", "iobj")
            and token.feats.get("Case") in _OBLIQUE
            and word not in with_preposition
            and word not in governed  # *päť kníh*: the numeral asks for the genitive, not the verb
        ):
            yield "obl:arg"
        else:
            yield token.deprel


def _heads_of(sentence: Sentence, relation: str) -> set[int]:
    pairs = zip(sentence.heads, sentence.deprels, strict=True)
    return {int(head) for head, found in pairs if found == relation}


def _clauses(sentence: Sentence) -> set[int]:
    """Return the words below which there is a relative pronoun or adverb."""
    heads = list(sentence.heads)
    above: set[int] = set()
    for word, token in enumerate(sentence, 1):
        if "Rel" in token.feats.get("PronType", ""):
            while word > 0 and word not in above:
                above.add(word)
                word = int(heads[word - 1])
    return above
