"""`crossarc`: the commands in groups, and what happens when something goes wrong.

Exit codes: 0 done; 1 the answer is no (`check` found problems, `convert --lossless` would lose something); 2 bad use or
input, or output that cannot be written; 128 + n ended by signal n: 129 hung up, 130 interrupted, 141 nobody reads on,
143 terminated. Temporary files are removed then, too. No traceback reaches a user unless CROSSARC_DEBUG is set.
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import difflib
import functools
import gc
import inspect
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from inspect import cleandoc
from typing import Annotated, Any, NoReturn, TextIO, cast

import typer
from typer.core import TyperCommand, TyperGroup

from .output import fail, silence, speak, warnings_as_notes

_INTERRUPTED = 130
_NOT_READ_ON = 141
#: So many new objects are looked through for garbage together: what is loaded is none.
_OBJECTS = 100_000
#: Numbers of so many digits are left to Typer.
_DIGITS = 16
#: Signals that end a run, and what is said then.
_SIGNALS = {"SIGTERM": "terminated", "SIGHUP": "hung up"}
#: The commands, each a function in the module of its name, by the groups in which help lists them.
_GROUPS = {
    "Start here": ("demo", "sample"),
    "Parsing": ("train", "pretrain", "parse", "models", "serve", "info", "compress", "package", "features"),
    "Treebanks": ("check", "describe", "convert", "annotate"),
    "Structure": ("analyze", "draw"),
    "Transition systems": ("systems", "oracle"),
    "Encodings": ("encode", "decode"),
    "Evaluation": ("evaluate", "compare", "agreement"),
}
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names}

#: The headings under which help lists options that have none of their own, by their names.
_PANELS = {
    "Correcting": ("model", "against", "read_only"),
    "Address": ("host", "port", "origin", "hosts"),
    "Limits": ("body", "seconds", "waiting", "connections", "ranked_seconds"),
    "Model": ("name", "version", "licence", "card_note", "tokenizer", "bits", "prune"),
    "Oracle": ("method", "order", "sequences", "lost"),
    "Encoding": ("scheme", "lift_order", "covered_roots", "reconstruction", "signs", "search"),
    "Input": ("format", "input", "text", "root", "dev", "gold", "system", "raw", "words", "size", "seed", "scorer"),
    "Sentences": ("sentence", "first", "crossing", "all", "sentences"),
    "Trees": ("keep_heads", "keep_deps", "beam", "crossing_penalty", "nbest", "scores"),
    "Seeds": (),
    "Levels": (),
    "Scoring": ("undirected", "punctuation", "punctuation_pattern", "allow_invalid", "samples", "measure", "trained"),
    "Drawing": ("tags", "lines", "layout"),
    "Output": (
        *(
            "output",
            "to",
            "map",
            "steps",
            "json",
            "csv",
            "latex",
            "html",
            "full",
            "errors",
            "report",
            "lossless",
            "trace",
        ),
        *("checkpoint", "resume"),
    ),
    "Cores and machines": ("threads", "cluster", "workers", "shard", "device"),
    "Everywhere": ("force", "verbose", "quiet", "help"),
}
_PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names}

_VERBOSE = Annotated[
    int,
    typer.Option("--verbose", "-v", count=True, help="Say more on standard error; -vv also which files are read."),
]
_QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")]


def _spoken(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options -v and -q, which all have."""

    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        speak(options.get("verbose", 0), options.get("quiet", False))
        with warnings_as_notes():
            return command(*arguments, **{name: value for name, value in options.items() if name in own.parameters})

    kind = inspect.Parameter.KEYWORD_ONLY
    both = [
        inspect.Parameter("verbose", kind, default=0, annotation=_VERBOSE),
        inspect.Parameter("quiet", kind, default=False, annotation=_QUIET),
    ]
    parameters = [*own.parameters.values(), *(one for one in both if one.name not in own.parameters)]
    # Types, not their texts, which typer would evaluate again and again.
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    vars(run)["__signature__"] = own.replace(parameters=parameters)
    return run


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph of a help text, which the terminal breaks anew; indented examples stay."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(one if one.startswith(" ") else one.replace("\n", " ") for one in paragraphs)


class _Command(TyperCommand):
    """A command whose values are converted only if they need it, and whose options are listed by purpose."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        module = import_module(f".{self.name}", __package__)
        return super().parse_args(ctx, _repeated(args, getattr(module, "SEVERAL_VALUES", ())))

    def get_params(self, ctx: Any) -> list[Any]:
        return _by_purpose(_converted_if_needed(super().get_params(ctx), self.callback))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help; what stands in brackets there, as in crossarc[svm], is no style."""
        shown = copy.copy(self)
        shown.help = re.sub(r"\[(?=[a-z])", r"\\[", self.help or "")
        TyperCommand.format_help(shown, ctx, formatter)


class _Group(TyperGroup):
    """All commands; the same of the options before them."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _by_purpose(_converted_if_needed(super().get_params(ctx), self.callback))


def _repeated(words: list[str], flags: Iterable[str]) -> list[str]:
    """Write `--a 1 2` as `--a 1 --a 2`, of options that take all words up to the next option."""
    written: list[str] = []
    flag = ""
    for word in words:
        if word in flags:
            flag = word
        elif word.startswith("-") and word != "-":
            flag = ""
            written.append(word)
        else:
            written += [flag, word] if flag else [word]
    return written


def _by_purpose(parameters: list[Any]) -> list[Any]:
    """Give options the headings of help, in their order, and let flags be shown without a type."""
    for parameter in parameters:
        if parameter.param_type_name == "option":
            parameter.rich_help_panel = parameter.rich_help_panel or _PANEL_OF.get(parameter.name)
            if parameter.is_flag or parameter.count:
                parameter.metavar = ""
                parameter.show_default = False
    return sorted(parameters, key=_panel_index)


def _panel_index(parameter: Any) -> int:
    """Return which heading of help comes first: those of all commands, of the command, and what is everywhere."""
    panel, order = getattr(parameter, "rich_help_panel", None), [None, *_PANELS]
    return len(order) if panel == "Everywhere" else order.index(panel) if panel in order else len(order) - 1


def _converted_if_needed(parameters: list[Any], command: Callable[..., Any] | None) -> list[Any]:
    """Let parameters take texts, whole numbers and defaults as they are.

    Typer asks pydantic to convert every value, and to import pydantic takes longer than to parse a page.
    """
    kinds = {} if command is None else inspect.signature(command).parameters
    for parameter in parameters:
        kind = kinds[parameter.name].annotation if parameter.name in kinds else None
        vars(parameter)["process_value"] = functools.partial(_value, parameter, kind)
    return parameters


def _value(parameter: Any, kind: Any, context: Any, value: Any) -> Any:
    """Return the value of a parameter, as it is unless it has to be converted or is missing."""
    held = getattr(kind, "__origin__", kind)
    is_text = held in (str, str | None, list[str], list[str] | None)
    if is_text and isinstance(value, (list, tuple)) and value:
        return list(value)
    if held in (int, int | None) and isinstance(value, str):
        value = _whole_number(value, getattr(kind, "__metadata__", ()))
    is_number = isinstance(value, str) and not is_text
    if is_number or parameter.multiple or parameter.nargs != 1 or (value is None and parameter.required):
        return type(parameter).process_value(parameter, context, value)
    return value if parameter.callback is None else parameter.callback(context, parameter, value)


def _whole_number(text: str, options: Iterable[Any]) -> int | str:
    """Return a number within the bounds of an option; the text of any other, for Typer to say what is wrong."""
    if not (text.isascii() and text.isdigit() and len(text) < _DIGITS):
        return text
    number = int(text)
    for option in options:
        if (option.min is not None and number < option.min) or (option.max is not None and number > option.max):
            return text
    return number


@functools.cache
def application(*names: str, outline: bool = False) -> typer.Typer:
    """Return the program with these commands, or with all; in outline, without their options, for its help alone."""
    program = typer.Typer(
        name="crossarc",
        cls=_Group,
        help="Dependency parsing and treebank analysis where arcs may cross.",
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in names or _GROUP_OF:
        module = import_module(f".{name}", __package__)
        command = getattr(module, name)
        text = _paragraphs(command.__doc__ or "")
        run = _outlined if outline else _spoken(getattr(module, "with_options", lambda plain: plain)(command))
        program.command(name, cls=_Command, help=text, rich_help_panel=_GROUP_OF[name])(run)
    program.callback()(_options)
    return program


def _outlined() -> None:
    """Stand for a command of which only the help is asked for."""


def _program() -> typer.Typer:
    """Return what the arguments ask for: one command, or the list of all for help and to say which there are."""
    first = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    if first in _GROUP_OF:
        return application(first)
    # The shell asks for the options of all commands by a variable of the environment.
    return application(outline=not any(name.endswith("_COMPLETE") for name in os.environ))


def __getattr__(name: str) -> Any:
    """`app` is the program with all commands, made when it is asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return application()


def _print_version(asked: bool) -> None:
    if asked:
        from .. import __version__

        print(f"crossarc {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
            rich_help_panel="Everywhere",
        ),
    ] = False,
) -> None:
    pass


def program() -> None:
    """Run the command line as a process of its own, which ends at once: giving memory back bit by bit takes long."""
    try:
        main()
    except SystemExit as ended:
        # Threads that still run are waited for, as the interpreter does.
        if threading.active_count() > 1 or not isinstance(ended.code, int):
            raise
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(ended.code)


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(_OBJECTS)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # threads of numpy wait asleep, not busily
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no reason to stop
    code = _run()
    gc.freeze()  # what is left is not looked through for garbage once more at the end
    try:
        sys.stdout.flush()
    except OSError:  # said already; Python would complain once more when it closes the stream
        silence(sys.stdout)
    sys.exit(code)


class _ClosedOutput:
    """Stands for a standard output that was closed: whoever prints is refused, other commands run."""

    encoding = "utf-8"

    @property
    def buffer(self) -> NoReturn:
        self.write("")

    def write(self, text: str) -> NoReturn:
        from ..errors import FileError

        raise FileError("standard output is closed: open it, or give a file for the output")

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def _open_closed_streams() -> None:
    """Open standard streams that were closed (`>&-`), lest the next file that is opened takes their place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    if sys.stdout is None:
        sys.stdout = cast(TextIO, _ClosedOutput())


class _Ended(BaseException):
    """A signal asked the program to end: it does so by way of everything that has to be tidied up."""


@contextlib.contextmanager
def _signals_tidy_up() -> Iterator[None]:
    """Let the signals that ask a program to end raise `_Ended`; what is ignored (`nohup`) stays so."""
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}

    def end(number: int, frame: object) -> None:
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)  # a second one must not disturb the tidying up
        raise _Ended(number)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run() -> int:
    """Run a command and print what it has to say; return the exit code."""
    from ..errors import CrossarcError

    try:
        with _signals_tidy_up():
            result = _program()(sys.argv[1:] or ["--help"], standalone_mode=False)
            sys.stdout.flush()
        code = result if isinstance(result, int) else 0
        return fail("interrupted", code) if code == _INTERRUPTED else code
    except _Ended as ended:
        number = signal.Signals(ended.args[0])
        return fail(_SIGNALS[number.name], 128 + number)
    except (KeyboardInterrupt, typer.Abort):
        return fail("interrupted", _INTERRUPTED)
    except CrossarcError as error:
        return fail(str(error))
    except BrokenPipeError:  # the reader (`head`, say) has seen enough
        return _NOT_READ_ON
    except SystemExit as ended:  # typer's way with a broken pipe, while it prints help; 1 would mean "the answer is no"
        if isinstance(ended.__context__, BrokenPipeError):
            return _NOT_READ_ON
        raise
    except Exception as error:
        if hasattr(error, "format_message"):
            return fail(_usage_message(error))
        if os.environ.get("CROSSARC_DEBUG"):
            raise
        if isinstance(error, OSError):  # files are named; what has no name is standard output
            return fail(f"{error.filename or 'standard output: cannot be written'}: {error.strerror or error}")
        return fail(f"internal error: {type(error).__name__}: {error} (CROSSARC_DEBUG=1 shows where; please report it)")


def _usage_message(error: Any) -> str:
    """One line: what is wrong with the call and what would be right."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "crossarc"
    message = str(error.format_message()).rstrip(".")
    if getattr(error, "option_name", None) and "No such option" in message and context:
        options = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
        message = f"no such option: {error.option_name}; {_instead(error.option_name, 'options', [*options, '--help'])}"
    elif "No such command" in message and context:
        commands = context.command.commands
        given = next((word for word in sys.argv[1:] if f"'{word}'" in message), "")
        message = f"no such command: {given}; {_instead(given, 'commands', commands)}"
    elif "unexpected extra argument" in message:
        extra = message.partition("(s) (")[2].removesuffix(")")
        message = f"one argument too many: {extra}"
    return f"{command}: {message} (see {command} --help)"


def _instead(given: str, what: str, names: Iterable[str]) -> str:
    """What was meant, as far as that can be guessed, or else all there are."""
    near = difflib.get_close_matches(given.partition("=")[0], names, n=2)
    return f"did you mean {' or '.join(near)}?" if near else f"the {what} are {', '.join(sorted(names))}"
