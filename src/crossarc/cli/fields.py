"""Options of commands that are made of the fields of dataclasses, where name, type, help and bounds stand once.

The help of an option is what the docstring of the class says of the parameter. A list is given as JSON, or by its
members with commas between them; a mapping as NAME=VALUE, again and again.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ..errors import ParserError
from ..options import ARGUMENTS, Bounds, parameter_texts

#: Options that are given again and again, under the name of a single value.
_SINGLE = {"options": "option"}


class FieldOptions:
    """Options for fields of a dataclass, under one heading of the help.

    Parameters:
        kind: The dataclass.
        names: The fields.
        panel: The heading.
        defaults: Whether options that are not given have the default of their field; else they are None.
    """

    def __init__(self, kind: Any, names: Iterable[str], panel: str, *, defaults: bool = True) -> None:
        """Look the fields up."""
        self._hints = get_type_hints(kind)
        texts, known = parameter_texts(kind), {field.name: field.default for field in fields(kind)}
        self._checks = {field.name: field.metadata.get("check", ARGUMENTS.get(field.name)) for field in fields(kind)}
        self.parameters = [
            self._parameter(name, texts[name], panel, known[name] if defaults and known[name] is not MISSING else None)
            for name in names
        ]

    def _parameter(self, name: str, text: str, panel: str, default: Any) -> inspect.Parameter:
        """Return what typer makes an option of."""
        kind, flag = self._kind(name), _flag(name)
        check = self._checks[name]
        bounds = check if isinstance(check, Bounds) and kind in (int, float) else None
        option = typer.Option(
            f"{flag}/--no-{flag[2:]}" if kind is bool and default is None else flag,
            help=" ".join(text.split()),
            rich_help_panel=panel,
            min=None if bounds is None else bounds.least,
            max=None if bounds is None else bounds.most,
            metavar="NAME=VALUE" if kind is Mapping else None,
        )
        given: Any = {Mapping: list[str], tuple: str}.get(kind, kind)
        if default is None:
            given = given | None
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[given, option]
        )

    def take(self, options: dict[str, Any]) -> dict[str, Any]:
        """Take what was given for the fields out of the options of a command."""
        given = {parameter.name: options.pop(parameter.name) for parameter in self.parameters}
        return {name: self._value(name, value) for name, value in given.items() if value is not None}

    def _value(self, name: str, value: Any) -> Any:
        if self._kind(name) is tuple:
            return _members(value)
        if self._kind(name) is not Mapping:
            return value
        pairs = [_pair(name, text) for text in value]
        return dict(pairs) if name == "about" else {key: json_or_text(text) for key, text in pairs}

    def _kind(self, name: str) -> Any:
        """Return what a field holds, if anything: a number, a text, a truth value, a list or a mapping."""
        hint = self._hints[name]
        (kind,) = (own for own in (get_args(hint) if isinstance(hint, UnionType) else (hint,)) if own is not type(None))
        return get_origin(kind) or kind


def json_or_text(text: str) -> Any:
    """Return a value as JSON has it, else the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _members(text: str) -> list[Any]:
    """Return a list that is given as JSON, or by members with commas between them."""
    for written in (text, f"[{text}]"):
        members = json_or_text(written)
        if isinstance(members, list):
            return members
    return text.split(",")


def _pair(name: str, text: str) -> tuple[str, str]:
    """Return the two sides of NAME=VALUE."""
    key, sign, value = text.partition("=")
    if not sign:
        raise ParserError(f"{_flag(name)} {text}: give NAME=VALUE")
    return key.replace("-", "_"), value


def _flag(name: str) -> str:
    return f"--{_SINGLE.get(name, name).replace('_', '-')}"
