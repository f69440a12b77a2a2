"""Tags of the Danish Dependency Treebank as Universal Dependencies have them.

The part of speech is made of the two letters in XPOS and, for determiners, of what hangs on them; features by a table,
several values of one feature joined by commas, and those that are unmarked left out. Words that are written with a
space have an underscore in the treebank and keep it. O(words).
"""

from __future__ import annotations

from crossarc.treebank import Treebank


def _table(pairs: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in pairs.split())


UPOS = _table(
    "AN:ADJ AC:NUM AO:ADJ CC:CCONJ CS:SCONJ I:INTJ NC:NOUN NP:PROPN PC:PRON PD:DET PI:DET PO:DET PP:PRON PT:PRON RG:ADV"
    " SP:ADP U:PART VA:VERB VE:VERB XA:X XF:X XP:PUNCT XR:SYM XS:SYM XX:X"
)
#: The relations of nouns to their determiners, which are the heads.
_OF_NOUNS = frozenset({"nobj", "possd"})
_VALUES = _table(
    "common:Com neuter:Neut sing:Sing plur:Plur nom:Nom gen:Gen def:Def indef:Ind pos:Pos comp:Cmp sup:Sup abs:Abs"
    " active:Act passive:Pass present:Pres past:Past 1:1 2:2 3:3 yes:Yes polite:Form formal:Form"
)
_FEATURES = _table(
    "degree:Degree gender:Gender number:Number case:Case def:Definite definiteness:Definite voice:Voice tense:Tense"
    " person:Person reflexive:Reflex possessor:Number[psor] register:Polite"
)
_MOODS = {
    "indic": ("Mood=Ind", "VerbForm=Fin"),
    "imper": ("Mood=Imp", "VerbForm=Fin"),
    "infin": ("VerbForm=Inf",),
    "partic": ("VerbForm=Part",),
    "gerund": ("VerbForm=Ger",),
}


def universal_features(features: str) -> str:
    """Return features as UD writes them.

    >>> universal_features("mood=indic|tense=past|voice=active")
    'Mood=Ind|Tense=Past|VerbForm=Fin|Voice=Act'
    >>> universal_features("gender=common/neuter|number=plur|case=unmarked")
    'Gender=Com,Neut|Number=Plur'
    """
    universal: set[str] = set()
    for feature in features.split("|"):
        name, _, value = feature.partition("=")
        values = sorted(_VALUES[each] for each in value.split("/") if each in _VALUES)
        if name == "mood":
            universal.update(_MOODS[value])
        elif name in _FEATURES and values:
            universal.add(f"{_FEATURES[name]}={','.join(values)}")
    return "|".join(sorted(universal, key=str.lower)) or "_"


def with_universal_tags(treebank: Treebank) -> Treebank:
    """Return the treebank with UPOS and FEATS of UD; XPOS and relations stay."""
    upos: list[str] = []
    for sentence in treebank:
        heads, relations = sentence.heads, sentence.deprels
        followed = {int(head) for head, relation in zip(heads, relations, strict=True) if relation in _OF_NOUNS}
        for word, tag in enumerate(sentence.xpos, 1):
            alone = tag in ("PD", "PI", "PO") and word not in followed
            upos.append("PRON" if alone else UPOS.get(tag, "X"))
    return treebank.replace(upos=upos, feats=list(map(universal_features, treebank.texts("feats"))))
