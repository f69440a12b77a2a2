"""Tags and lemmas of the Ancient Greek and Latin Dependency Treebank (AGDT, LDT) as Universal Dependencies have them.

A tag of the AGDT has nine positions: part of speech, person, number, tense, mood, voice, gender, case, degree. A table
gives the UPOS and the features of UD for the letters of each; what it does not have, and what is missing in a tag that
is too short, is left out. The tag itself stays in XPOS, and relations stay those of the AGDT. Names are those of
UD_Ancient_Greek-Perseus, but a few things are decided here:

- εἰμί is a VERB, also with a predicate: in the trees of the AGDT it is the head, and UD's `cop` does not exist;
- names are NOUN, for the tags do not know names;
- conjunctions are SCONJ by their lemma (`SUBORDINATORS`), where that says nothing by the relation AuxC, else CCONJ;
- words without a letter or digit are PUNCT whatever their tag, and words with one that have the tag of punctuation X;
- aorist and imperfect are Tense=Past, the latter with Aspect=Imp; the perfect is Tense=Past with Aspect=Perf, the
  pluperfect Tense=Pqp, the future perfect Tense=Fut with Aspect=Perf; the middle and the medio-passive are Voice=Mid;
- "deponent" (in a few Greek tags) is no voice of UD and is left out.

Lemmas lose the numbers of homonyms and become words again where they are remains of files in beta code: `comma1` and
`θυοτε1` ("quote") are the mark itself, `ʼἀπόλλων1` is Ἀπόλλων, `κατά-ἕζομαι` καθέζομαι. Each different word is looked
at once; O(words).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from .._arrays import Flags, positions_of
from ..errors import CrossarcError
from .treebank import Treebank

POSITIONS = 9
_NOTHING = "_"
#: The UPOS of the first letter; conjunctions are CCONJ or SCONJ.
UPOS: Mapping[str, str] = {
    "n": "NOUN",
    "v": "VERB",
    "t": "VERB",  # participles in the first Latin files
    "a": "ADJ",
    "d": "ADV",
    "l": "DET",
    "g": "PART",
    "c": "CCONJ",
    "b": "CCONJ",  # those that coordinate, in Pedalion
    "r": "ADP",
    "p": "PRON",
    "m": "NUM",
    "i": "INTJ",
    "e": "INTJ",
    "u": "PUNCT",
    "x": "X",
    "-": "X",
}
#: The features of each further position by letter.
FEATURES: tuple[Mapping[str, str], ...] = (
    {"1": "Person=1", "2": "Person=2", "3": "Person=3"},
    {"s": "Number=Sing", "p": "Number=Plur", "d": "Number=Dual"},
    {
        "p": "Tense=Pres",
        "i": "Aspect=Imp|Tense=Past",
        "r": "Aspect=Perf|Tense=Past",
        "l": "Tense=Pqp",
        "t": "Aspect=Perf|Tense=Fut",
        "f": "Tense=Fut",
        "a": "Tense=Past",
    },
    {
        "i": "Mood=Ind|VerbForm=Fin",
        "s": "Mood=Sub|VerbForm=Fin",
        "o": "Mood=Opt|VerbForm=Fin",
        "m": "Mood=Imp|VerbForm=Fin",
        "n": "VerbForm=Inf",
        "p": "VerbForm=Part",
        "d": "VerbForm=Ger",
        "g": "VerbForm=Gdv",
        "u": "VerbForm=Sup",
    },
    {"a": "Voice=Act", "p": "Voice=Pass", "m": "Voice=Mid", "e": "Voice=Mid"},
    {"m": "Gender=Masc", "f": "Gender=Fem", "n": "Gender=Neut", "c": "Gender=Com"},
    {
        "n": "Case=Nom",
        "g": "Case=Gen",
        "d": "Case=Dat",
        "a": "Case=Acc",
        "v": "Case=Voc",
        "b": "Case=Abl",
        "l": "Case=Loc",
    },
    {"p": "Degree=Pos", "c": "Degree=Cmp", "s": "Degree=Sup"},
)
_TAG = re.compile("[a-z-][123-][a-z-]{7}")


def _bare(word: str) -> str:
    """Return a word in small letters without marks above and below them."""
    return "".join(filter(str.isalpha, unicodedata.normalize("NFD", word.casefold())))


def _bare_words(words: str) -> frozenset[str]:
    return frozenset(map(_bare, words.split()))


#: Greek conjunctions that subordinate, without accents: those that the relation AuxC has more often than COORD.
SUBORDINATORS = _bare_words("""
    αν ατε διοπερ διοτι εαν ει ειος ειπερ ενθα επαν επει επειδαν επειδη επειπερ επην εστε ευτε εως ημος ηνικα ηυτε ινα
    καθα καθοτι καιπερ καν μεχρι μη μηποτε οθι οθουνεκα οποταν οποτε οπως οσακις οταν οτε οτι ουνεκα οφρα παρος πλην
    πριν ως ωσανει ωσει ωσπερ ωστε
""")
#: Greek and Latin conjunctions that coordinate.
_COORDINATORS = _bare_words("""
    αλλα αταρ αυταρ δε ειτα ειτε επειτα η ηδε ηε ημεν ιδε και μεντοι μηδε μητε ομως ουδε ουτε τε
    ac at atque aut et nec neque que sed vel
""")


def with_universal_tags(treebank: Treebank) -> Treebank:
    """Return a treebank whose UPOS and FEATS are those of UD, made from the nine positions in XPOS.

    >>> import crossarc as xa
    >>> words = xa.Treebank.from_columns(["ἄειδε"], lemma=["ἀείδω"], xpos=["v2spma---"], lengths=[1])
    >>> words = with_universal_tags(words)
    >>> words.upos[0], words.feats[0]
    ('VERB', 'Mood=Imp|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin|Voice=Act')
    """
    tags, of_word = treebank.distinct_texts("xpos")
    known = np.array([_TAG.fullmatch(tag) is not None for tag in tags], bool)[of_word]
    if known.sum() < len(known) / 2:
        odd = tags[int(of_word[np.flatnonzero(~known)[0]])]
        raise CrossarcError(
            f"these are not tags of the AGDT, which have nine positions like v2spma---: {odd!r} in XPOS"
        )
    words = list(zip(*(treebank.texts(name) for name in ("form", "lemma", "xpos", "deprel")), strict=True))
    pairs = {word: universal_tag(*word) for word in set(words)}
    return treebank.replace(upos=[pairs[word][0] for word in words], feats=[pairs[word][1] for word in words])


def with_letters_as_universal_tags(treebank: Treebank) -> Treebank:
    """Return a treebank in which words whose UPOS is a letter of the AGDT, and those alone, have UPOS and FEATS of UD.

    For what models give that learnt the AGDT's letters: words whose tags were given keep them.
    """
    columns = [treebank.texts(name) for name in ("form", "lemma", "xpos", "deprel", "upos", "feats")]
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for word in set(zip(*columns, strict=True)):
        *known, upos, feats = word
        tag = universal_tag(*known) if upos in UPOS else (upos, feats)
        found[word] = (tag[0], tag[1] if feats == _NOTHING else feats)
    pairs = [found[word] for word in zip(*columns, strict=True)]
    return treebank.replace(upos=[upos for upos, _ in pairs], feats=[feats for _, feats in pairs])


def universal_tag(form: str, lemma: str, tag: str, relation: str = "_") -> tuple[str, str]:
    """Return the UPOS and the features of a word of the AGDT.

    >>> universal_tag("λόγων", "λόγος", "n-p---mg-")
    ('NOUN', 'Case=Gen|Gender=Masc|Number=Plur')
    """
    if not any(map(str.isalnum, form)):
        return "PUNCT", "_"
    upos = UPOS.get(tag[:1], "X")
    if upos == "PUNCT":
        return "X", "_"
    if upos == "CCONJ" and _subordinates(lemma, relation):
        upos = "SCONJ"
    return upos, _features(tag)


@lru_cache(maxsize=1 << 12)
def _features(tag: str) -> str:
    pairs = (names[letter] for names, letter in zip(FEATURES, tag[1:], strict=False) if letter in names)
    return "|".join(sorted("|".join(pairs).split("|"), key=str.lower)) or "_"


def _subordinates(lemma: str, relation: str) -> bool:
    bare = _bare(lemma)
    return bare in SUBORDINATORS or (bare not in _COORDINATORS and relation.startswith("AuxC"))


# Lemmas

#: Words of English that files in beta code hold as lemmas: quote, other, unknown, hyphen, punc, article, and adj.
_DEBRIS = frozenset(
    {"θυοτε", "οτηερ", "υνκνοων", "ηψπηεν", "πυνξ", "αρτιξλε", "αδj", "comma", "period", "punc", "?", "??", "???"}
)
#: Lemmas that some files spell in another way than the others and the dictionaries do.
_SPELLINGS: Mapping[str, str] = {
    "Ἀθήναιος": "Ἀθηναῖος",
    "Ἀλλὰ": "ἀλλά",
    "ἀλλα": "ἀλλά",
    "δ’": "δέ",
    "δε": "δέ",
    "είμί": "εἰμί",
    "εχω": "ἔχω",
    "ἐνειμί": "ἔνειμι",
    "ἐπι": "ἐπί",
    "κατα": "κατά",
    "μετα": "μετά",
    "μηδ’": "μηδέ",
    "ξψρυς": "Κῦρος",
    "ὀ": "ὁ",
    "ὁς": "ὅς",
    "οὐδ’": "οὐδέ",
    "οὐδε": "οὐδέ",
    "οὐτε": "οὔτε",
    "παρα": "παρά",
    "πάτηρ": "πατήρ",
    "περιεῖμι": "περίειμι",
    "συ": "σύ",
    "ὑπο": "ὑπό",
    "φῖλος": "φίλος",
    "Ὁ": "ὁ",
}
_ACUTE, _GRAVE, _CIRCUMFLEX, _SMOOTH, _ROUGH = "\u0301\u0300\u0342\u0313\u0314"
#: Marks that stand for those above letters: apostrophes, spacing breathings, the tilde.
_COMBINING = str.maketrans(
    {
        **dict.fromkeys("\u02bc\u1fbd\u1fbf\u2019", _SMOOTH),
        **dict.fromkeys("\u02bd\u1ffe", _ROUGH),
        "\u1fce": _SMOOTH + _ACUTE,
        "\u1fde": _ROUGH + _ACUTE,
        "~": _CIRCUMFLEX,
        _GRAVE: _ACUTE,
    }
)
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_NO_LETTERS = re.compile("[%{}\\[\\]<>]")
_VOWELS = "αεηιουω"


def with_plain_lemmas(treebank: Treebank) -> Treebank:
    """Return a treebank whose lemmas have no numbers of homonyms and none of the remains of other files.

    >>> import crossarc as xa
    >>> words = xa.Treebank.from_columns(["μῆνιν", ","], lemma=["μῆνις1", "comma1"], lengths=[2])
    >>> list(with_plain_lemmas(words).lemma)
    ['μῆνις', ',']
    """
    words = list(zip(treebank.texts("form"), treebank.texts("lemma"), _may_be_names(treebank).tolist(), strict=True))
    plain = {word: plain_lemma(*word) for word in set(words)}
    return treebank.replace(lemma=[plain[word] for word in words])


def plain_lemma(form: str, lemma: str, may_be_name: bool = False) -> str:
    """Return the lemma of a word as a dictionary writes it; "_" where there is none.

    A word that may be a name, because it stands within a sentence and may decline, has a lemma with a capital if it has
    one itself.

    >>> plain_lemma("Ὀδυσσῆα", "ʼὀδυσσεύς1"), plain_lemma("Ζηνὸς", "ζεύς", True), plain_lemma('"', "θυοτε1")
    ('Ὀδυσσεύς', 'Ζεύς', '"')
    """
    if not any(map(str.isalnum, form)):
        return form
    plain = unicodedata.normalize("NFC", lemma.rstrip("0123456789") or lemma)
    if plain in _DEBRIS:
        return _NOTHING
    if _GREEK.search(plain):
        if re.search("[A-Za-z]", plain):  # γυνhv: who knows which letters are meant
            return _NOTHING
        plain = _greek_word(_NO_LETTERS.sub("", plain))
    if may_be_name and form[0] != form[0].lower():
        plain = plain[:1].title() + plain[1:]
    return plain


def _may_be_names(treebank: Treebank) -> Flags:
    """Return which words are nouns or adjectives behind another word."""
    forms, of_form = treebank.distinct_texts("form")
    tags, of_tag = treebank.distinct_texts("xpos")
    letters = np.array([any(map(str.isalpha, form)) for form in forms], bool)[of_form]
    flags: Flags = np.array([tag[:1] in ("n", "a") for tag in tags], bool)[of_tag]
    flags[1:] &= letters[:-1]
    flags &= positions_of(treebank.word_offsets) > 1
    return flags


@lru_cache(maxsize=1 << 16)
def _greek_word(lemma: str) -> str:
    """Return a Greek lemma with its marks above the letters that they belong to, in one word."""
    *prefixes, word = re.split("[,-]", lemma)
    if prefixes and all(prefixes) and word:
        for prefix in reversed(prefixes):
            word = _compound(prefix, word)
    elif prefixes:
        return lemma  # a part of a word, or a mark
    marked = unicodedata.normalize("NFD", word).translate(_COMBINING)
    letters: list[str] = []
    waiting = ""
    for character in marked:
        last = letters[-1] if letters else ""
        if not unicodedata.combining(character):
            takes = character.lower() in _VOWELS
            letters.append(character + waiting if takes else character)
            waiting = "" if takes else waiting
        elif last and last[0].lower() in _VOWELS + "ρ":
            letters[-1] = last if character in last else last + character
        elif character not in waiting:
            waiting += character
    plain = unicodedata.normalize("NFC", "".join(letters))
    if waiting == _SMOOTH:  # an elision
        plain += "’"
    if marked[:1] in (_SMOOTH, _ROUGH):  # what beta code writes before a capital
        plain = plain[:1].title() + plain[1:]
    return _SPELLINGS.get(plain, plain)


def _compound(prefix: str, word: str) -> str:
    """Return a verb with a preposition before it: κατά and ἕζομαι make καθέζομαι."""
    first = unicodedata.normalize("NFD", prefix).replace(_ACUTE, "")
    rest = unicodedata.normalize("NFD", word)
    rough = _ROUGH in rest[:3]
    rest = rest[:3].replace(_SMOOTH, "").replace(_ROUGH, "") + rest[3:]
    if rest[0] in _VOWELS:
        if first[-1] in "αιο" and first not in ("περι", "προ"):
            first = first[:-1]
        if rough:
            first = first[:-1] + {"τ": "θ", "π": "φ"}.get(first[-1], first[-1])
        first = "ἐξ" if prefix == "ἐκ" else first
    elif first[-1] == "ν":
        before = next((nasal for nasal, letters in _NASALS.items() if rest[0] in letters), "ν")
        first = first[:-1] + before
    return unicodedata.normalize("NFC", first + rest)


#: What the last letter of ἐν and σύν becomes before a letter.
_NASALS: Mapping[str, str] = {"γ": "κγχξ", "μ": "πβφμψ", "λ": "λ", "ρ": "ρ"}
