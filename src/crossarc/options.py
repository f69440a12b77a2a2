"""Options: what a value may be is declared once, at the field of a dataclass; checks and conversions follow from it.

A *check* takes the name of a value, for the message, and the value; it returns the value as it is kept, or refuses it.
Fields of dataclasses that derive from `Options` have checks, given by `option` and `bounded`: whoever makes them, a
program, a command line or a model file, gets the same refusals. Model files check with the same functions what is no
dataclass, and `ARGUMENTS` has the numbers that functions and commands take. O(size of the values).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from numbers import Real
from operator import index
from typing import Any, TypeVar

from .errors import OptionError, ParserError, clean, shown

#: Returns a value as it is kept, or refuses it by an `OptionError`; the name is for the message.
Check = Callable[[str, Any], Any]

LONGEST_TEXT = 10_000
#: Templates of transitions or of labels, as they are written; groups of attributes of words.
MOST_TEMPLATES = 4096
#: More labels than that no model tells apart.
MOST_LABELS = 32_000
#: No count is larger: sentences, words, updates.
LARGEST_COUNT = 1 << 48
_LARGE = 1_000_000_000
#: Control characters, which would do something to a terminal, and halves of characters, which cannot be printed.
_UNPRINTABLE = re.compile(r"[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
#: What a line of CoNLL-U can hold as a label: no space, tab, line end or NUL, and nothing that is not Unicode.
_LABEL = re.compile(r"[^ \t\n\r\0\ud800-\udfff]+")
#: A parameter that a docstring explains.
_PARAMETER = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.M)
_PARAMETERS = "\nParameters:\n"


def refusal(name: str, kind: object, value: Any) -> OptionError:
    """Return the error for a value that is not of a kind."""
    # Python refuses to print very long numbers.
    given = "a number beyond 10^30" if isinstance(value, int) and abs(value) > 10**30 else shown(clean(repr(value)))
    return OptionError(f"{name} is {kind}, not {given}")


@dataclass(frozen=True)
class Bounds:
    """Checks numbers: from `least` to `most`, these two included unless they are `open`."""

    least: float
    most: float
    whole: bool = True
    open_least: bool = False
    open_most: bool = False

    def __contains__(self, value: Any) -> bool:
        large_enough = self.least < value if self.open_least else self.least <= value
        return bool(large_enough and (value < self.most if self.open_most else value <= self.most))

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        low = f"above {self.least:,}, up" if self.open_least else f"from {self.least:,}"
        return f"{kind} {low} to {'less than ' if self.open_most else ''}{self.most:,}"

    def __call__(self, name: str, value: Any) -> Any:
        """Return the number as one of Python's; what is none, infinite or out of bounds is refused."""
        number: Any = None
        if isinstance(value, bool):
            pass
        elif not self.whole:
            number = value if isinstance(value, int) else float(value) if isinstance(value, Real) else None
        elif hasattr(value, "__index__"):
            number = index(value)
        if number is None or number not in self:
            raise refusal(name, self, value)
        return number


def whole(least: int, most: int) -> Bounds:
    """Check that a value is a whole number within bounds."""
    return Bounds(least, most)


def number(least: float, most: float) -> Bounds:
    """Check that a value is a number within bounds."""
    return Bounds(least, most, whole=False)


def text(name: str, value: Any) -> str:
    """Check that a value is a text that can be shown."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or _UNPRINTABLE.search(value):
        raise refusal(name, f"a text without control characters of at most {LONGEST_TEXT:,} letters", value)
    return value


def file_name(name: str, value: Any) -> str:
    """Check that a value is a text; names of files may hold anything."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise refusal(name, f"a text of at most {LONGEST_TEXT:,} letters", value)
    return value


def truth(name: str, value: Any) -> bool:
    """Check that a value is true or false."""
    if type(value) is not bool:
        raise refusal(name, "true or false", value)
    return value


def one_of(*allowed: str) -> Check:
    """Check that a value is one of some texts."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise refusal(name, f"one of {', '.join(allowed)}", value)
        return value

    return check


def nullable(member: Check) -> Check:
    """Check a value that may be None."""
    return lambda name, value: None if value is None else member(name, value)


def listed(member: Check, least: int, most: int, members: str = "members") -> Check:
    """Check a list and all of its members; it is kept as a tuple."""

    def check(name: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            raise refusal(name, f"a list of {least:,} to {most:,} {members}", value)
        return tuple(member(f"{name}[{place}]", each) for place, each in enumerate(value))

    return check


def named(member: Check, most: int) -> Check:
    """Check an object whose names are not known beforehand, and all of its values."""

    def check(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > most:
            raise refusal(name, f"an object of at most {most:,} names", value)
        return {key: member(f"{name}.{shown(key)}", each) for key, each in value.items()}

    return check


def structure(name: str, value: Any) -> Any:
    """Check that a value is an object; the class that it is made into checks the rest."""
    if not isinstance(value, dict):
        raise refusal(name, "an object with names and values", value)
    return value


def plain(name: str, value: Any) -> Any:
    """Check a value that is only shown: a number, a text, a truth value, nothing, or a list of these."""
    if isinstance(value, list | tuple):
        return listed(plain, 0, 1000)(name, value)
    if isinstance(value, str):
        return text(name, value)
    return value if value is None or type(value) is bool else number(-LARGEST_COUNT, LARGEST_COUNT)(name, value)


def tree_labels(name: str, value: Any) -> tuple[str, ...]:
    """Check a list of different labels that can be written into a treebank and read again."""
    labels: tuple[str, ...] = listed(label, 1, MOST_LABELS, "labels")(name, value)
    if len(set(labels)) != len(labels):
        raise OptionError(f"{name} has a label twice")
    return labels


def label(name: str, value: Any) -> str:
    """Check that a value is a label that can be written into a treebank."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not _LABEL.fullmatch(value):
        raise refusal(name, "a label, a text without spaces and line ends", value)
    return value


# Options as dataclasses

_CHECK = "check"
_LATER = "later"
AnyOptions = TypeVar("AnyOptions", bound="Options")


def option(default: Any, check: Check) -> Any:
    """Return a field of a dataclass that takes what a check lets pass; a default of None passes, too."""
    return field(default=default, metadata={_CHECK: check})


def bounded(
    default: float | None, least: float, most: float, *, open_least: bool = False, open_most: bool = False
) -> Any:
    """Return a field of a dataclass that takes numbers within bounds: whole ones unless the default is a `float`."""
    return option(default, Bounds(least, most, not isinstance(default, float), open_least, open_most))


def later(declared: Any) -> Any:
    """Return a field that model files of earlier versions do not have: there it has its default."""
    return field(default=declared.default, metadata={**declared.metadata, _LATER: True})


def share(default: float) -> Any:
    """Return a field of a dataclass that takes a share below 1, such as dropout."""
    return bounded(default, 0, 1, open_most=True)


def _fields(options: Any) -> tuple[Field[Any], ...]:
    return fields(options)


def redefined(kind: type[Any], name: str, default: Any) -> Any:
    """Return a field of options with another default than those that they derive from have."""
    (known,) = (each for each in fields(kind) if each.name == name)
    return field(default=default, metadata=known.metadata, kw_only=known.kw_only is True)


class Options:
    """The base of dataclasses of options: they are checked when they are made, and converted from and to plain data."""

    def __init_subclass__(cls) -> None:
        """Let the docstring explain the parameters of the bases, too, which are explained there alone."""
        super().__init_subclass__()
        explained = inspect.cleandoc(cls.__doc__ or "")
        known = {name for name, _ in _PARAMETER.findall(explained)}
        more = [f"    {name}: {text}\n" for name, text in parameter_texts(cls).items() if name not in known]
        cls.__doc__ = explained.replace(_PARAMETERS, _PARAMETERS + "".join(more))

    def __post_init__(self) -> None:
        for each in _fields(self):
            value = getattr(self, each.name)
            if _CHECK in each.metadata and not (value is None and each.default is None):
                object.__setattr__(self, each.name, each.metadata[_CHECK](each.name, value))

    @classmethod
    def option_names(cls) -> list[str]:
        """Return the names of all options, those that are given by name only last."""
        known = sorted(_fields(cls), key=lambda each: each.kw_only is True)
        return [each.name for each in known if each.init]

    @classmethod
    def from_dict(cls: type[AnyOptions], data: Mapping[str, Any], *, complete: bool = False) -> AnyOptions:
        """Make them of plain data by name; unknown names are refused, and missing ones where all must be there."""
        names = cls.option_names()
        for name in data:
            if name not in names:
                raise ParserError(f"no option {name!r} of {cls.described()}: its options are {', '.join(names)}")
        known = _fields(cls)
        needed = {each.name for each in known if each.default is MISSING or (complete and _LATER not in each.metadata)}
        if missing := sorted(needed - set(data)):
            raise ParserError(f"the options of {cls.described()} lack {', '.join(missing)}")
        return cls(**data)

    @classmethod
    def described(cls) -> str:
        """Return what messages call them."""
        return f"the scorer {cls.name}" if hasattr(cls, "name") else cls.__name__

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data."""
        return {each.name: _plain(getattr(self, each.name)) for each in _fields(self)}


def parameter_texts(kind: type) -> dict[str, str]:
    """Return what the docstring of a class, or of those that it derives from, says of each parameter."""
    # Python 3.13 and newer have taken the indentation away already.
    docstrings = (inspect.cleandoc(base.__doc__ or "") for base in reversed(kind.__mro__))
    return {name: text for docstring in docstrings for name, text in _PARAMETER.findall(docstring)}


def _plain(value: Any) -> Any:
    if isinstance(value, Options):
        return value.to_dict()
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


# Arguments of functions and commands

#: What each number may be that is no field of options, by the name of the argument.
ARGUMENTS = {
    "threads": whole(0, 1024),
    "seed": whole(0, 2**63 - 1),
    "workers": whole(1, 100_000),
    "shard": whole(1, 100_000),
    "samples": whole(1, 1_000_000),
    "sentences": whole(0, 10_000_000),
    "beam": whole(1, 10_000),
    "nbest": whole(1, 10_000),
    "epochs": whole(1, 100_000),
    "segmenter_epochs": whole(1, 100_000),
    "patience": whole(1, 100_000),
    "trials": whole(0, 100_000),
    "cutoff": whole(1, _LARGE),
    "prune": Bounds(0, 1, whole=False, open_most=True),
}


def checked(name: str, value: Any) -> int:
    """Return the value of an argument that is a whole number; what is out of its bounds is refused."""
    number: int = ARGUMENTS[name](name, value)
    return number


def checked_threads(threads: Any) -> int:
    """Return a number of threads; 0 is as many as CROSSARC_THREADS says, or as there are cores."""
    if type(threads) is int and threads in ARGUMENTS["threads"]:  # the usual case, at once
        return threads
    return checked("threads", threads)
