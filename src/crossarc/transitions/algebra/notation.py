"""Transition systems in the notation of the papers, computed from their compositions.

As in Figure 2 of Gómez-Rodríguez & Fernández-González 2012: ⟨Σ|i, j|B, A⟩ ⇒ …, with the side conditions below. What a
composition leaves is found by `symbolic`; where it has no such form, the composition itself is shown. O(steps).
"""

from __future__ import annotations

from .guards import Fact
from .symbolic import BLOCK, Condition, Effect, NoClosedForm, carry_out, unknown_stacks
from .transition import Definition, Transition

_LETTERS = "ijklmpqrstuvwxyz"
_MOST_STACKS_SHOWN = 4

_FACTS = {
    Fact.stack_has_head: ("∃h (h, {i}) ∈ A", "∄h (h, {i}) ∈ A"),
    Fact.buffer_has_head: ("∃h (h, {j}) ∈ A", "∄h (h, {j}) ∈ A"),
    Fact.connected: ("{i} ↔* {j} ∈ {arcs}", "{i} ↔* {j} ∉ {arcs}"),
    Fact.stack_reaches_buffer: ("{i} →* {j} ∈ {arcs}", "{i} →* {j} ∉ {arcs}"),
    Fact.buffer_reaches_stack: ("{j} →* {i} ∈ {arcs}", "{j} →* {i} ∉ {arcs}"),
    Fact.arc_from_stack: ("({i}, {j}) ∈ A", "({i}, {j}) ∉ A"),
    Fact.arc_from_buffer: ("({j}, {i}) ∈ A", "({j}, {i}) ∉ A"),
    Fact.stack_is_root: ("{i} = 0", "{i} ≠ 0"),
    Fact.buffer_is_root: ("{j} = 0", "{j} ≠ 0"),
    Fact.switched_round: ("SWITCH came {round} before", "SWITCH did not come {round} before"),
}
_ORDER = "0 < {i} < {j}"


def system_notation(system: Definition) -> str:
    """Return initial and terminal configurations and all transitions, one below the other."""
    stacks = ["λ1", "λ2"] if system.has_lists else _shown([stack.rest for stack in unknown_stacks(system)])
    initial, terminal = ["[]"] * len(stacks), [*stacks, "[]", "A"]
    lines = [f"initial ⟨{', '.join([*initial, '[1 … n]', '∅'])}⟩, terminal ⟨{', '.join(terminal)}⟩"]
    width = max(len(title(name, transition)) for name, transition in system.transitions.items())
    for name, transition in system.transitions.items():
        move, conditions = transition_notation(system, transition)
        lines.append(f"{title(name, transition):{width}}  {move}")
        lines += [f"{'':{width}}  only if {conditions}"] if conditions else []
    return "\n".join(lines)


def transition_notation(system: Definition, transition: Transition) -> tuple[str, str]:
    """Return what a transition does, ⟨…⟩ ⇒ ⟨…⟩, and its side conditions."""
    try:
        effect = carry_out(transition, system)
    except NoClosedForm:
        return " · ".join(repr(step).replace("g.", "") for step in transition.steps), ""
    names = _names(effect)
    lists = system.has_lists
    before = [
        *_shown([_joined([stack.rest_before, *stack.before], names) for stack in effect.stacks_before]),
        *(["λ2"] if lists else []),
        _joined([*effect.buffer_before, "B"], names),
    ]
    after = [
        *_shown([_joined([stack.rest, *stack.words], names) for stack in effect.stacks]),
        *([_joined([*effect.second, effect.second_rest or "[]"], names)] if lists else []),
        _joined([*effect.buffer, "B"], names),
        _arcs(effect, len(effect.arcs), names, system.is_undirected),
    ]
    conditions = [_disjunction(effect, condition, names, system) for condition in effect.conditions]
    if BLOCK in effect.buffer_before:
        conditions.append("π has p - 1 words")
    return f"⟨{', '.join([*before, 'A'])}⟩ ⇒ ⟨{', '.join(after)}⟩", " and ".join(conditions)


def title(name: str, transition: Transition) -> str:
    """Return the name as papers write it: LEFT-ARC, ATTACH-LEFT(p)."""
    return name.upper().replace("_", "-") + ("(p)" if transition.takes_position else "")


def _names(effect: Effect) -> dict[int, str]:
    """Letters in the order of the sentence: the stacks from below, then the buffer."""
    words = [word for stack in effect.stacks_before for word in stack.before] + effect.buffer_before
    letters = iter(_LETTERS)
    names = {BLOCK: "π"}
    for number, word in enumerate(words):
        if word not in names:
            names[word] = next(letters, f"w{number}")
    return names


def _joined(parts: list[int | str], names: dict[int, str]) -> str:
    return "|".join(part if isinstance(part, str) else names[part] for part in parts)


def _shown(stacks: list[str]) -> list[str]:
    return stacks if len(stacks) <= _MOST_STACKS_SHOWN else [*stacks[:2], "…", stacks[-1]]


def _arcs(effect: Effect, count: int, names: dict[int, str], undirected: bool) -> str:
    opening, closing = "{}" if undirected else "()"
    arcs = [f"{opening}{names[head]}, {names[dependent]}{closing}" for head, dependent in effect.arcs[:count]]
    return f"A ∪ {{{', '.join(arcs)}}}" if arcs else "A"


def _disjunction(effect: Effect, conjunctions: list[list[Condition]], names: dict[int, str], system: Definition) -> str:
    texts = [" and ".join(_condition(effect, each, names, system) for each in every) for every in conjunctions]
    return texts[0] if len(texts) == 1 else f"({' or '.join(texts)})"


def _condition(effect: Effect, condition: Condition, names: dict[int, str], system: Definition) -> str:
    template = _ORDER if condition.fact is None else _FACTS[condition.fact][0 if condition.holds else 1]
    i, j = (names.get(word, "") for word in condition.words)
    switches = "just" if system.stacks == 2 else f"{system.stacks - 1} times just"
    return template.format(i=i, j=j, arcs=_arcs(effect, condition.arcs, names, system.is_undirected), round=switches)
