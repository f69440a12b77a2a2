"""Whether a treebank keeps the rules of Universal Dependencies: their levels of validity, above well-formed files.

Level 2 is about values: UPOS and the universal part of relations that UD has, features in their form and order, each
sentence with an id of its own and its text. Level 3 is about what the guidelines say of every language: `root` and
only that below 0, punctuation, which neither crosses nor makes others cross, relations whose head comes first. Tests
have the names of the official validator (udtools), and find what it finds; it has more of them, and where it is
installed `official_problems` asks it instead. O(words), and O(n) for each punctuation mark of a non-projective tree;
the official validator takes several times as long.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from .._arrays import Ids, Offsets, items_of
from ..errors import CrossarcError, imported
from ..structure import classify
from ..treebank import Problem, Treebank
from ..treebank.formats import UNIVERSAL_TAGS

#: The levels that are checked here; the official validator has two more, for single languages.
LEVELS, OFFICIAL_LEVELS = 3, 5

_TAGS = frozenset(tag.decode() for tag in UNIVERSAL_TAGS) - {"CONJ", "_"}
_RELATIONS = frozenset(
    (
        *("acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop"),
        *("csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list"),
        *("mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root"),
        *("vocative", "xcomp"),
    )
)
_HEAD_FIRST = ("conj", "fixed", "flat", "goeswith", "appos")
_FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Z0-9a-z]*(?:,[A-Z0-9][A-Z0-9a-z]*)*)")
_RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
_SPACES = re.compile(r"\s")

#: A test that a value fails: its name, what is wrong, what to do.
Fault = tuple[str, str, str]


def level_problems(treebank: Treebank, level: int) -> list[Problem]:
    """Return what is wrong with a treebank that is well-formed, up to a level of `LEVELS`, in the order of lines."""
    if treebank.format != "conllu":
        raise CrossarcError(
            f"{treebank.sources[0]}: levels above 1 are those of Universal Dependencies, in CoNLL-U alone"
        )
    lines = _lines(treebank)
    faults: list[tuple[int, int, Fault]] = []
    if level >= 2:
        faults += _of_values(treebank, "upos", _tag_faults, lines)
        faults += _of_values(treebank, "feats", _feature_faults, lines)
        faults += _of_values(treebank, "deprel", _relation_faults, lines)
        faults += _of_sentences(treebank)
    if level >= LEVELS:
        faults += _of_trees(treebank, lines)
    faults.sort(key=lambda entry: entry[:2])
    names = {sentence: treebank[sentence].metadata.get("sent_id", "") for sentence in {entry[1] for entry in faults}}
    return [
        Problem(treebank.sources[0], line, sentence + 1, names[sentence], name, (), what, remedy)
        for line, sentence, (name, what, remedy) in faults
    ]


def _lines(treebank: Treebank) -> Offsets:
    """Return the line of each word in its file."""
    lines = np.zeros(treebank.words, np.int64)
    for index in range(len(treebank)):
        start, end = treebank.word_offsets[index : index + 2].tolist()
        asides = slice(*treebank.aside_offsets[index : index + 2].tolist())
        before = np.searchsorted(np.sort(treebank.aside_before[asides]), np.arange(1, end - start + 1), side="right")
        lines[start:end] = treebank.origin(index)[1] + np.arange(end - start) + before
    return lines


def _of_values(
    treebank: Treebank, name: str, faults: Callable[[str], tuple[Fault, ...]], lines: Offsets
) -> Iterator[tuple[int, int, Fault]]:
    """Test each different value of a column once, and name the words that have it."""
    ids: Ids = treebank.column(name)
    sentences = items_of(treebank.word_offsets)
    for value, text in zip(different := np.unique(ids), treebank.pool.texts(different), strict=True):
        if wrong := faults(text):
            for row in np.flatnonzero(ids == value).tolist():
                yield from ((int(lines[row]), int(sentences[row]), fault) for fault in wrong)


def _tag_faults(tag: str) -> tuple[Fault, ...]:
    if tag in _TAGS:
        return ()
    return (("unknown-upos", f'unknown UPOS "{tag}"', f"use one of {', '.join(sorted(_TAGS))}"),)


def _relation_faults(relation: str) -> tuple[Fault, ...]:
    if not _RELATION.fullmatch(relation):
        remedy = "write small English letters, and a subtype after a colon"
        return (("invalid-deprel", f'the relation "{relation}" has not the form of one', remedy),)
    if relation.partition(":")[0] in _RELATIONS:
        return ()
    return (("unknown-udeprel", f'unknown relation "{relation}"', f"use one of {', '.join(sorted(_RELATIONS))}"),)


def _feature_faults(text: str) -> tuple[Fault, ...]:
    if text == "_":
        return ()
    features = text.split("|")
    faults: list[Fault] = []
    if [feature.lower() for feature in features] != sorted(feature.lower() for feature in features):
        faults.append(
            ("unsorted-features", f'the features "{text}" are not in order', "sort them, capitals as small letters")
        )
    names = []
    for feature in features:
        match = _FEATURE.fullmatch(feature)
        if match is None:
            remedy = "write Name=Value, or Name=Value,Value, with capitals first and letters and digits alone"
            faults.append(("invalid-feature", f'the feature "{feature}" has not the form of one', remedy))
            names.append(feature)
            continue
        names.append(match[1])
        values = match[2].split(",")
        if len(set(values)) < len(values):
            faults.append(("repeated-feature-value", f'a value is twice in "{feature}"', "write it once"))
        if [value.lower() for value in values] != sorted(value.lower() for value in values):
            faults.append(("unsorted-feature-values", f'the values of "{feature}" are not in order', "sort them"))
    if len(set(names)) < len(names):
        faults.append(("repeated-feature", f'a feature is twice in "{text}"', "write it once, its values with commas"))
    return tuple(faults)


def _of_sentences(treebank: Treebank) -> Iterator[tuple[int, int, Fault]]:
    """Test comments: every sentence has an id of its own, and the text of its words."""
    seen: set[str] = set()
    for index, sentence in enumerate(treebank):
        line = treebank.origin(index)[1]
        known = sentence.metadata
        name = known.get("sent_id")
        if name is None:
            yield line, index, ("missing-sent-id", "there is no sent_id", "add a comment # sent_id = …")
        elif name in seen:
            remedy = "give every sentence an id of its own"
            yield line, index, ("non-unique-sent-id", f'the sent_id "{name}" a second time', remedy)
        seen.add(name or "")
        if "text" not in known:
            yield line, index, ("missing-text", "there is no text", "add a comment # text = …")
        elif _SPACES.sub("", known["text"]) != _SPACES.sub("", sentence.joined):
            remedy = "let the forms, ranges in place of their words, be those of # text"
            yield line, index, ("text-form-mismatch", "the words are not those of # text", remedy)


def _of_trees(treebank: Treebank, lines: Offsets) -> Iterator[tuple[int, int, Fault]]:
    """Test relations with heads and tags, and punctuation that crosses or makes others cross."""
    heads = treebank.head
    if (heads < 0).any():
        raise CrossarcError(f"{treebank.sources[0]}: level 3 is about trees, and words have no heads: check level 2")
    sentences = items_of(treebank.word_offsets)
    relations = [text.partition(":")[0] for text in treebank.texts("deprel")]
    tags, features = treebank.texts("upos"), treebank.texts("feats")
    classes = classify(treebank)
    for row, relation in enumerate(relations):
        head, sentence = int(heads[row]), int(sentences[row])
        start = int(treebank.word_offsets[sentence])
        tag = _external_tag(features[row]) or tags[row]
        faults: list[Fault] = []
        if (head == 0) != (relation == "root"):
            names = ("0-is-not-root", "root-is-not-0")
            faults.append(
                (names[head != 0], f'the relation is "{relation}" and the head {head}', "write root for 0 alone")
            )
        if relation == "punct" and tag != "PUNCT":
            remedy = "correct the tag or the relation"
            faults.append(("rel-upos-punct", f'a word with the tag {tag} is "punct"', remedy))
        if tag == "PUNCT" and relation not in ("punct", "root"):
            remedy = "punctuation is punct, or root where nothing else is"
            faults.append(("upos-rel-punct", f'a word with the tag PUNCT is "{relation}"', remedy))
        if relation in _HEAD_FIRST and row - start + 1 < head:
            remedy = "let the first word be the head"
            faults.append((f"right-to-left-{relation}", f'the head of "{relation}" comes later', remedy))
        if relation == "punct" and classes.nonprojective[sentence]:
            end = int(treebank.word_offsets[sentence + 1])
            faults += _crossing_faults(heads[start:end].tolist(), row - start + 1, bool(classes.arc_nonprojective[row]))
        yield from ((int(lines[row]), sentence, fault) for fault in faults)


@cache
def _external_tag(features: str) -> str:
    return next((feature[7:] for feature in features.split("|") if feature.startswith("ExtPos=")), "")


def _crossing_faults(heads: list[int], word: int, nonprojective: bool) -> Iterator[Fault]:
    """Test a punctuation mark, as the official validator does it: an ancestor in the same gap is to blame itself."""
    above, node = set(), word
    while node:
        node = heads[node - 1]
        above.add(node)
    parent = heads[word - 1]
    first, last = (parent + 1, len(heads)) if parent < word else (1, parent - 1)
    caused = []
    for other in range(first, last + 1):
        its_head = heads[other - 1]
        crosses = its_head > word if other < word else its_head < word and other > word
        behind = its_head > parent if parent < word else its_head < parent
        if crosses and its_head not in above and (behind or (other < word) == (parent < word)):
            caused.append(other)
    if caused:
        named = ", ".join(map(str, caused))
        yield "punct-causes-nonproj", f"punctuation makes arcs to {named} cross", "attach it to a word of its gap"
    if nonprojective:
        yield "punct-is-nonproj", "an arc to punctuation is non-projective", "attach it to a word without crossing"


def official_problems(text: str, name: str, level: int, language: str | None) -> list[Problem]:
    """Return the errors that the official validator finds, up to a level of `OFFICIAL_LEVELS`. Needs udtools.

    The last two levels are about one language, named by its code.
    """
    tools = imported("udtools", "check")
    validator = tools.Validator(lang=language or "ud", level=level, output=None)
    state = imported("udtools.state", "check").State()
    state.current_file_name = name
    validator.validate_file_handle(io.StringIO(text), state)
    validator.validate_end(state)
    numbers: dict[str, int] = {}
    problems = []
    errors = [incident for incident in state.error_tracker if incident.is_error()]
    for incident in sorted(errors, key=lambda incident: incident.lineno):
        sentence = numbers.setdefault(str(incident.sentid), len(numbers) + 1)
        message = " ".join(str(incident.message).split()).rstrip(".")
        remedy = f"level {incident.level}, {incident.testid}, of the official validator"
        problems.append(
            Problem(
                name, int(incident.lineno), sentence, str(incident.sentid or ""), incident.testid, (), message, remedy
            )
        )
    return problems
