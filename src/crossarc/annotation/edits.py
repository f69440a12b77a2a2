"""Edits of sentences: heads, labels, other columns, multiword tokens, words, and where sentences begin and end.

`edited` takes the text of a sentence (of two, if they are joined) and gives the new text, of two sentences after a cut.
It changes what the edit says and what must follow: numbers of words, DEPS that mirror the arc, `# text` if the tokens
made it before. A tree may be unfinished between two edits, with a cycle or without some heads: `faults` says so, and
only what has none is saved. Everything else that no treebank may hold is refused. O(bytes of the sentence).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import Problem, TreebankError, is_broken
from ..treebank import from_bytes
from .block import (
    DEPREL,
    DEPS,
    EMPTY,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    Block,
    EditError,
    Row,
    follow_in_deps,
    has_space,
    set_space,
    split_blocks,
)

#: The columns that are changed by themselves.
COLUMNS = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS, "misc": MISC}
#: Problems that a tree may have while it is edited.
UNFINISHED = frozenset({"cycle", "head_missing", "no_root", "several_roots"})
_ROOT, _UNKNOWN, _JOINED = "root", "dep", "parataxis"


@dataclass(frozen=True)
class Edit:
    """What is to be done to which word.

    `kind` is a column (`form`, `lemma`, `upos`, `xpos`, `feats`, `misc`, `deprel`, `head`), to be set to `value`; or
    `group` words up to `last` into a multiword token, `ungroup` one, `split` a word into those of `value`, `merge`
    words up to `last` into one, `cut` the sentence before the word, or `join` two sentences.
    """

    kind: str
    word: int = 1
    value: str = ""
    last: int = 0


def edited(text: bytes, edit: Edit, format: str = "conllu") -> bytes:
    """Return the text after an edit; what cannot be done, or no file can hold, is an `EditError`."""
    _refuse(text, format)
    blocks = [Block.from_bytes(block) for block in split_blocks(text)]
    if len(blocks) != (2 if edit.kind == "join" else 1):
        raise EditError("an edit takes one sentence, and to join takes two")
    if format == "conllx" and edit.kind in ("group", "ungroup", "split", "merge"):
        raise EditError("CoNLL-X has no multiword tokens: convert the file to CoNLL-U first")
    if is_broken(edit.value) or any(sign in edit.value for sign in "\t\r\n"):
        raise EditError("a value holds neither tabs nor line ends, nor half a surrogate pair")
    if edit.kind == "join":
        after = [_joined(*blocks)]
    elif edit.kind == "cut":
        after = list(_cut(blocks[0], edit.word))
    else:
        work = _EDITS.get(edit.kind)
        if work is None:
            raise EditError(f"no edit {edit.kind[:40]!r}: there are {', '.join([*_EDITS, 'cut', 'join'])}")
        made = blocks[0].comment("text") == blocks[0].surface()
        work(blocks[0], edit)
        if made:
            blocks[0].set_comment("text", blocks[0].surface())
        after = blocks
    result = b"".join(block.to_bytes() for block in after)
    _refuse(result, format)
    return result


def with_arcs(text: bytes, arcs: Mapping[int, tuple[int, str]], format: str = "conllu") -> bytes:
    """Return a sentence in which words have these heads and labels, as if each was set by itself."""
    block = Block.from_bytes(text)
    for word, (head, label) in arcs.items():
        _set_arc(block, word, str(head), label)
    result = block.to_bytes()
    _refuse(result, format)
    return result


def _refuse(text: bytes, format: str) -> None:
    """Refuse what is wrong and will not become right by further edits of the tree."""
    refused = [problem for problem in faults(text, format) if problem.name not in UNFINISHED]
    if refused:
        raise EditError(f"{refused[0].message}: {refused[0].remedy}")


def faults(text: bytes, format: str = "conllu") -> list[Problem]:
    """Return what is wrong with sentences; with several roots nothing is."""
    try:
        from_bytes(text, format=format, root="any", threads=1)
    except TreebankError as error:
        return list(error.problems)
    return []


# Columns


def _set_column(block: Block, edit: Edit) -> None:
    block.word(edit.word)[COLUMNS[edit.kind]] = edit.value or EMPTY


def _set_label(block: Block, edit: Edit) -> None:
    row = block.word(edit.word)
    _set_arc(block, edit.word, row[HEAD], edit.value or EMPTY)


def _set_head(block: Block, edit: Edit) -> None:
    """Set the head; the label of a root is of no other word, and a word that is no root any more needs one."""
    row, head = block.word(edit.word), edit.value or EMPTY
    if head != EMPTY and not (head.isdecimal() and len(head) < 8 and int(head) <= len(block)):
        raise EditError(f"a head is a number from 0 to {len(block)}, not {head[:40]!r}")
    if head == str(edit.word):
        raise EditError(f"word {edit.word} cannot be its own head: attach it to another word, or to 0")
    label = row[DEPREL]
    if head == "0":
        label = _as_root(block, label) if row[HEAD] != "0" else label
    elif label in (_ROOT, EMPTY) and head != EMPTY:
        label = _UNKNOWN
    _set_arc(block, edit.word, EMPTY if head == EMPTY else str(int(head)), label)


def _set_arc(block: Block, word: int, head: str, label: str) -> None:
    row = block.word(word)
    old = row[HEAD], row[DEPREL]
    row[HEAD], row[DEPREL] = head, label
    follow_in_deps(row, old, (head, label))


def _as_root(block: Block, label: str) -> str:
    """Return the label of a word that becomes a root: `root`, unless other roots here are called otherwise."""
    return _ROOT if {block.word(word)[DEPREL] for word in block.roots()} <= {_ROOT} else label


# Multiword tokens and words


def _group(block: Block, edit: Edit) -> None:
    """Make a multiword token of words, written as `value` or as all of them together."""
    first, last = _span(block, edit)
    if any(start <= last and first <= end for start, end, _ in block.ranges()):
        raise EditError("one of these words is in a multiword token already: undo that first")
    rows = [block.word(word) for word in range(first, last + 1)]
    token = [EMPTY] * (MISC + 1)
    token[ID], token[FORM] = f"{first}-{last}", edit.value or "".join(row[FORM] for row in rows)
    set_space(token, has_space(rows[-1]))
    for row in rows:
        set_space(row, True)
    block.rows.insert(_index_of(block, rows[0]), token)


def _ungroup(block: Block, edit: Edit) -> None:
    """Let the words of a multiword token be tokens of their own, written without spaces between them."""
    first, last, token = _required_range(block, edit.word)
    for word in range(first, last):
        set_space(block.word(word), False)
    set_space(block.word(last), has_space(token))
    del block.rows[_index_of(block, token)]


def _split(block: Block, edit: Edit) -> None:
    """Split a word into words, the first of which keeps its arc: a multiword token, written as the word was."""
    forms, word = edit.value.split(), block.word(edit.word)
    if len(forms) < 2:
        raise EditError("to split a word takes two words or more, with spaces between them")
    more = len(forms) - 1
    token, has_heads = block.range_of(edit.word), word[HEAD] != EMPTY
    block.renumber(lambda number: number + more if number > edit.word else number)
    if token is None:
        row = [EMPTY] * (MISC + 1)
        row[ID], row[FORM], row[MISC] = f"{edit.word}-{edit.word + more}", word[FORM], word[MISC]
        block.rows.insert(_index_of(block, word), row)
    else:
        token[2][ID] = f"{token[0]}-{token[1] + more}"
    word[FORM], word[MISC] = forms[0], EMPTY
    index = _index_of(block, word) + 1
    while index < len(block.rows) and "." in block.rows[index][ID]:  # empty nodes stand behind their word
        index += 1
    for number, form in enumerate(forms[1:], start=edit.word + 1):
        row = [str(number), form, *[EMPTY] * 8]
        if has_heads:
            row[HEAD], row[DEPREL] = str(edit.word), _UNKNOWN
        if word[DEPS] != EMPTY:
            row[DEPS] = f"{edit.word}:{_UNKNOWN}"
        block.rows.insert(index, row)
        index += 1


def _merge(block: Block, edit: Edit) -> None:
    """Make one word of several: the highest of them keeps its columns and its arc, and the others' words join it."""
    first, last = _span(block, edit)
    inside = [token for token in block.ranges() if token[0] <= last and first <= token[1]]
    if any(start < first or end > last for start, end, _ in inside):
        raise EditError("a multiword token goes on beyond these words: take all of it")
    words = range(first, last + 1)
    top = min(words, key=lambda word: len([above for above in block.path(word)[1:] if above in words]))
    kept, ends = block.word(top), block.word(last)
    whole = inside[0][2] if len(inside) == 1 and inside[0][:2] == (first, last) else None
    kept[FORM] = whole[FORM] if whole else "".join(block.word(word)[FORM] for word in words)
    set_space(kept, has_space(whole or ends))
    gone = [block.word(word) for word in words if word != top] + [row for _, _, row in inside]
    # Empty nodes that stood behind these words would have to be counted anew: they go, as what depends on them does.
    nodes = [row for row in block.rows if row[ID].partition(".")[1] and first <= int(row[ID].partition(".")[0]) <= last]
    _drop_nodes(block, {row[ID] for row in nodes})
    block.rows = [row for row in block.rows if not any(row is other for other in (*gone, *nodes))]
    block.renumber(lambda number: first if first <= number <= last else number - (last - first) * (number > last))
    others = [item for item in kept[DEPS].split("|") if not item.startswith(f"{first}:")]
    kept[DEPS] = "|".join(others) or EMPTY


def _drop_nodes(block: Block, nodes: set[str]) -> None:
    """Remove what names these empty nodes from DEPS."""
    for row in block.rows:
        if ":" in row[DEPS] and nodes:
            row[DEPS] = "|".join(i for i in row[DEPS].split("|") if i.partition(":")[0] not in nodes) or EMPTY


# Sentences


def _cut(block: Block, word: int) -> tuple[Block, Block]:
    """Cut before a word. Arcs over the cut go to the root of their half, which is the first of them if it has none."""
    block.word(word)
    if word == 1:
        raise EditError("a sentence is cut before one of its words but the first")
    token = block.range_of(word)
    if token is not None and token[0] < word:
        raise EditError("a multiword token stands over the cut: cut before or behind it")
    size = len(block)
    is_called_root = _as_root(block, "") == _ROOT
    index = _index_of(block, token[2] if token is not None else block.word(word))
    halves = []
    for rows, words in ((block.rows[:index], range(1, word)), (block.rows[index:], range(word, size + 1))):
        half = Block("", [], rows, block.line_end, 2 * block.line_end)
        _attach_inside(half, words, is_called_root)
        half.renumber({number: number - words.start + 1 for number in words}.get)
        halves.append(half)
    first, second = halves
    first.before, first.comments, second.after = block.before, block.comments, block.after
    name = first.comment("sent_id")
    if name is not None:
        second.comments.append(f"# sent_id = {name}-{word}")
    if first.comment("text") is not None:
        second.comments.append(f"# text = {second.surface()}")
        first.set_comment("text", first.surface())
    return first, second


def _attach_inside(half: Block, words: range, is_called_root: bool) -> None:
    """Give the words of a half whose heads are in the other one a head in this one; numbers are still the old ones."""
    heads = {int(row[ID]): row for row in half.words}
    outside = [n for n, row in heads.items() if row[HEAD] not in (EMPTY, "0") and int(row[HEAD]) not in words]
    root = next((number for number, row in heads.items() if row[HEAD] == "0"), None)
    for number in outside:
        row = heads[number]
        old, new = (row[HEAD], row[DEPREL]), (str(root), row[DEPREL])
        if root is None:
            root, new = number, ("0", _ROOT if is_called_root else old[1])
        row[HEAD], row[DEPREL] = new
        follow_in_deps(row, old, new)


def _joined(first: Block, second: Block) -> Block:
    """Join two sentences; a single root of the second depends on that of the first, several stay roots."""
    size, roots = len(first), first.roots()
    made = all(block.comment("text") == block.surface() for block in (first, second))
    texts = [block.comment("text") for block in (first, second)]
    below = second.roots()
    second.renumber(lambda number: number + size)
    if len(roots) == 1 and len(below) == 1:
        row = second.rows[_index_of(second, second.words[below[0] - 1])]
        old = row[HEAD], row[DEPREL]
        row[HEAD] = str(roots[0])
        row[DEPREL] = _JOINED if old[1] == _ROOT else old[1]
        follow_in_deps(row, old, (row[HEAD], row[DEPREL]))
    if any(row[ID].startswith("0.") for row in second.rows):
        raise EditError("the second sentence begins with an empty node: it cannot be joined to another")
    joined = Block(first.before, first.comments, [*first.rows, *second.rows], first.line_end, second.after)
    if texts[0] is not None and texts[1] is not None:
        joined.set_comment("text", joined.surface() if made else f"{texts[0]} {texts[1]}")
    return joined


# Helpers


def _span(block: Block, edit: Edit) -> tuple[int, int]:
    block.word(edit.word)
    block.word(edit.last)
    if edit.last <= edit.word:
        raise EditError("this takes two words or more, from the left to the right")
    return edit.word, edit.last


def _required_range(block: Block, word: int) -> tuple[int, int, Row]:
    block.word(word)
    token = block.range_of(word)
    if token is None:
        raise EditError(f"word {word} is in no multiword token")
    return token


def _index_of(block: Block, row: Row) -> int:
    return next(index for index, other in enumerate(block.rows) if other is row)


_EDITS: dict[str, Callable[[Block, Edit], None]] = {
    **dict.fromkeys(COLUMNS, _set_column),
    "head": _set_head,
    "deprel": _set_label,
    "group": _group,
    "ungroup": _ungroup,
    "split": _split,
    "merge": _merge,
}
KINDS: Sequence[str] = (*_EDITS, "cut", "join")
