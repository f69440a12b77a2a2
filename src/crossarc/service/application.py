"""The application: every address, what it takes, and how its answer is made. Needs FastAPI, the extra `serve`.

Work is done by two threads with bounded queues (`batching`): one parses for everybody in batches, the other draws,
steps and reports. The loop that speaks HTTP never computes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from .. import __version__
from ..errors import CrossarcError, TreebankError, is_broken
from ..reports.analysis import analyze
from ..reports.evaluation import evaluate
from ..transitions import TransitionSystem, systems
from ..treebank import Treebank
from . import answers, derivation, udpipe
from .batching import Job, Lane
from .gate import Direct, Gate
from .lecture import colour_rules, page_file
from .limits import Limits, RefusedError, check_size
from .metrics import Metrics
from .models import Models, RawText, ServedModel, parsed_together

_LOG = logging.getLogger("crossarc.service")
_PARSED_TOGETHER = ("/process", "/parse")
_MOST_PROBLEMS = 20
#: The page; nothing else of the machine is ever sent.
PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/docs": ("docs.html", "text/html; charset=utf-8"),
    "/page/style.css": ("style.css", "text/css; charset=utf-8"),
    "/page/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page/steps.js": ("steps.js", "text/javascript; charset=utf-8"),
    "/page/docs.js": ("docs.js", "text/javascript; charset=utf-8"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
}
Name = Annotated[str, Field(max_length=200)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ParseRequest(_Asked):
    """Sentences to be parsed, or, with `given`, to be shown with the trees they have."""

    data: Annotated[str, Field(description="Raw text, sentences or CoNLL-U.")]
    input: Literal["auto", "text", "lines", "words", "conllu"] = "auto"
    model: Annotated[Name | None, Field(description="By default the first that is served.")] = None
    given: Annotated[bool, Field(description="Take the trees of the data instead of parsing.")] = False
    nbest: Annotated[int, Field(ge=1, description="So many different trees of each sentence.")] = 1
    scores: Annotated[bool, Field(description="Scores of arcs, and probabilities where the parser has any.")] = True
    svg: Annotated[bool, Field(description="A drawing of each tree for a page with crossarc's styles.")] = False
    width: Annotated[float, Field(ge=100, le=20_000, description="Wider drawings have one word a line.")] = 1000.0
    layout: Literal["auto", "horizontal", "vertical"] = "auto"


class DrawRequest(_Asked):
    """A sentence of CoNLL-U to be drawn."""

    data: str
    format: Literal["svg", "tikz", "html", "text"] = "svg"
    layout: Literal["auto", "horizontal", "vertical"] = "auto"
    sentence: Annotated[int, Field(ge=1)] = 1
    tags: bool = True


class DeriveRequest(_Asked):
    """A sentence whose derivation is to be stepped through.

    Without `given`, and where the model goes by transitions of this system, they are those of the model, with its
    scores. Else they are those of the oracle of the system, for the tree that the data have or the model finds.
    """

    data: str
    input: Literal["auto", "text", "lines", "words", "conllu"] = "auto"
    model: Name | None = None
    given: bool = False
    system: Annotated[Name | None, Field(description="By default that of the model, else 2-planar.")] = None
    root: Annotated[Literal["none", "first", "last"], Field(description="The artificial root of an oracle.")] = "none"
    sentence: Annotated[int, Field(ge=1)] = 1
    width: Annotated[float, Field(ge=100, le=20_000, description="A wider drawing has one word a line.")] = 1000.0
    layout: Literal["auto", "horizontal", "vertical"] = "auto"


class TreesRequest(_Asked):
    """CoNLL-U with trees."""

    data: str


class EvaluateRequest(_Asked):
    """A gold standard and the output of a system, in CoNLL-U."""

    gold: str
    system: str


class Service:
    """Everything that requests need."""

    def __init__(self, models: Models, user_systems: Sequence[TransitionSystem], limits: Limits) -> None:
        """Start the threads."""
        self.models, self.limits = models, limits
        self.systems = systems.catalogue() | {one.name: one for one in user_systems}
        waiting, seconds = limits.waiting, limits.waiting_seconds
        self.parsing = Lane("parsing", waiting=waiting, waiting_seconds=seconds)
        self.other = Lane("other", waiting=max(8, waiting // 4), waiting_seconds=4 * seconds)
        self.metrics = Metrics([self.parsing, self.other])

    def check_room(self, path: str) -> None:
        """Refuse a request to parse before its body is read, if it would have to wait too long."""
        if path in _PARSED_TOGETHER:
            self.parsing.check_room()

    def stop(self) -> None:
        """Finish what was begun."""
        self.parsing.stop()
        self.other.stop()

    # Requests that the gate answers

    @property
    def direct(self) -> dict[str, Direct]:
        """What answers well-formed requests to parse; whatever else comes is for the routes of the application."""
        return {"/process": self._process_directly, "/parse": self._parse_directly}

    def _process_directly(self, scope: Any, body: bytes) -> Awaitable[bytes] | None:
        if scope["method"] not in ("GET", "POST") or udpipe.body_type(scope["headers"]) not in udpipe.FORMS:
            return None
        return self._processed(scope["query_string"], body)

    async def _processed(self, query: bytes, body: bytes) -> bytes:
        return await self.process(udpipe.decoded(query) | udpipe.decoded(body))

    def _parse_directly(self, scope: Any, body: bytes) -> Awaitable[bytes] | None:
        if scope["method"] != "POST" or udpipe.body_type(scope["headers"]) != "application/json":
            return None
        try:
            return self.parse(ParseRequest.model_validate(json.loads(body)))
        except (ValueError, RecursionError):
            return None

    # Work

    async def alone(self, size: int, work: Callable[[], Any]) -> Any:
        """Have something done by itself."""
        job = Job(None, max(1, size), work, lambda prepared: prepared, lambda result: result)
        return await self.other.do(job, self.limits.seconds)

    async def process(self, parameters: Mapping[str, str]) -> bytes:
        """Answer as UDPipe does."""
        model = self.models.choose(parameters.get("model"))
        asked = udpipe.asked(parameters, model)
        _check_texts(asked.data)

        def finish(treebank: Any) -> bytes:
            self.metrics.words[model.name] += treebank.words
            acknowledged = [f"crossarc {__version__}", *model.acknowledgements]
            text = udpipe.write(asked, treebank)
            return _json({"model": model.name, "acknowledgements": acknowledged, "result": text})

        def together(given: Sequence[Any]) -> Sequence[Any]:
            return parsed_together(
                model,
                given,
                lambda treebank: udpipe.check_sentences(treebank, self.limits),
                lambda whole, ends: udpipe.parse(model, asked.asked_for, whole, ends),
            )

        kind = ("process", model.name, asked.asked_for)
        job = Job(kind, max(1, len(asked.data)), lambda: udpipe.read(asked), together, finish)
        found: bytes = await self.parsing.do(job, self.limits.seconds)
        return found

    async def parse(self, asked: ParseRequest) -> bytes:
        """Parse sentences, and say what kinds of trees they have."""
        _check_texts(asked.data)
        if asked.nbest > self.limits.nbest:
            raise RefusedError(413, f"nbest is {asked.nbest}: at most {self.limits.nbest} trees are given")
        model = None if asked.given and not len(self.models) else self.models.choose(asked.model)
        options = answers.Options(asked.nbest, asked.scores, asked.svg, asked.width, asked.layout)
        name = "" if model is None or asked.given else model.name

        def read() -> Treebank | RawText:
            return answers.read_sentences(asked.data, asked.input, model)

        def parse(whole: Treebank, ends: list[int]) -> Sequence[answers.Parsed]:
            if asked.given or model is None:
                return [answers.given_trees(whole)]
            return answers.parse_together(model, options.kind, whole, ends)

        def together(given: Sequence[Any]) -> Sequence[Any]:
            return parsed_together(model, given, lambda one: answers.check_words(one, self.limits), parse)

        def finish(parsed: Any) -> bytes:
            if name:
                self.metrics.words[name] += int(parsed.treebank.word_offsets[-1])
            return _json({"model": name or None, **answers.answer(parsed, options, self.limits)})

        kind = None if asked.svg or asked.given else ("parse", name, options.kind)
        lane = self.other if asked.svg or asked.given else self.parsing
        found: bytes = await lane.do(Job(kind, max(1, len(asked.data)), read, together, finish), self.limits.seconds)
        return found

    async def derive(self, asked: DeriveRequest) -> bytes:
        """Return a derivation to step through."""
        _check_texts(asked.data)
        model = None if asked.given and not len(self.models) else self.models.choose(asked.model)
        system = None if asked.system is None else self.system(asked.system)
        found: bytes = await self.alone(len(asked.data), lambda: _json(self._derived(asked, model, system)))
        return found

    def _derived(
        self, asked: DeriveRequest, model: ServedModel | None, system: TransitionSystem | None
    ) -> dict[str, Any]:
        treebank = answers.read_alone(asked.data, asked.input, model, self.limits)
        if asked.sentence > len(treebank):
            raise RefusedError(400, f"no sentence {asked.sentence}: there are {len(treebank)}")
        one = treebank[asked.sentence - 1 : asked.sentence]
        check_size("words in a sentence to step through", one.words, self.limits.drawn_words)
        shown = derivation.derived(model, one, system, given=asked.given, root=asked.root)
        return shown.to_dict(asked.layout, asked.width)

    def system(self, name: str) -> TransitionSystem:
        """Return a system of the catalogue, or one that the command line named; never one of a file."""
        found = self.systems.get(name)
        if found is None:
            raise RefusedError(404, f"no transition system {name[:80]!r}: /catalogue lists them")
        return found

    def catalogue(self) -> dict[str, Any]:
        """Return what there is to choose from."""
        limits = {name: getattr(self.limits, name) for name in ("body", "words", "drawn_words", "nbest")}
        return {
            "version": __version__,
            "models": [one.describe() for one in self.models],
            "default_model": self.models.default,
            "systems": [
                {"name": name, "paper": systems.source(one), "stacks": one.stacks}
                for name, one in self.systems.items()
                if one.properties().bounded
            ],
            "limits": limits,
        }


def make_application(
    models: Models,
    user_systems: Sequence[TransitionSystem] = (),
    limits: Limits | None = None,
    origin: str | None = None,
) -> Gate:
    """Return the application for a server; `user_systems` are offered beside those of the catalogue."""
    service = Service(models, user_systems, limits or Limits())

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.get_running_loop().run_in_executor(None, service.stop)

    app = FastAPI(
        title="crossarc",
        version=__version__,
        description="Dependency parsing where arcs may cross. /process and /models are those of UDPipe.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_errors(app)
    _add_endpoints(app, service)
    _add_page(app)
    paths = [route.path for route in app.routes if hasattr(route, "path")]
    return Gate(
        app,
        service.limits,
        service.metrics,
        paths,
        check_room=service.check_room,
        direct=service.direct,
        refusal=_refusal,
        origin=origin,
    )


def _add_endpoints(app: FastAPI, service: Service) -> None:
    catalogue = _json(service.catalogue())

    @app.get("/process", summary="UDPipe's service", openapi_extra=udpipe.PROCESS_QUERY)
    @app.post("/process", summary="UDPipe's service", openapi_extra=udpipe.PROCESS_FORM)
    async def process(request: Request) -> Response:
        """Tokenize, tag and parse, with UDPipe's parameters as a query, a form or multipart data."""
        return _answer(await service.process(await _parameters(request, service.limits)))

    @app.get("/models", summary="The models, as UDPipe lists them")
    @app.post("/models", summary="The models, as UDPipe lists them", include_in_schema=False)
    async def models() -> Response:
        listed = {one.name: one.abilities for one in service.models}
        return _answer(_json({"models": listed, "default_model": service.models.default}))

    @app.get("/catalogue", summary="Models, transition systems and limits")
    async def known() -> Response:
        return _answer(catalogue)

    @app.post("/parse", summary="Trees with classes, offsets and probabilities")
    async def parse(asked: ParseRequest) -> Response:
        return _answer(await service.parse(asked))

    @app.post("/draw", summary="A sentence as SVG, TikZ, HTML or text")
    async def draw(asked: DrawRequest) -> Response:
        _check_texts(asked.data)
        limits = service.limits
        content = await service.alone(
            len(asked.data),
            lambda: answers.draw(asked.data, asked.format, asked.layout, asked.sentence, asked.tags, limits),
        )
        return _answer(content, _DRAWING_TYPES[asked.format])

    @app.post("/derive", summary="The transitions of a parse, step by step")
    async def derive(asked: DeriveRequest) -> Response:
        return _answer(await service.derive(asked))

    @app.post("/analyze", summary="The structural classes of a treebank")
    async def analyze_trees(asked: TreesRequest) -> Response:
        _check_texts(asked.data)
        work = lambda: _json(analyze(_trees(asked.data, service.limits)).to_dict())  # noqa: E731
        return _answer(await service.alone(len(asked.data), work))

    @app.post("/evaluate", summary="Scores of a system's output")
    async def evaluate_trees(asked: EvaluateRequest) -> Response:
        _check_texts(asked.gold, asked.system)

        def work() -> bytes:
            gold, system = (_trees(text, service.limits) for text in (asked.gold, asked.system))
            return _json(evaluate(gold, system, root="any").to_dict())

        return _answer(await service.alone(len(asked.gold) + len(asked.system), work))

    @app.get("/health", summary="Whether the service answers")
    async def health() -> Response:
        seconds = round(service.metrics.uptime, 1)
        models = len(service.models)
        return _answer(_json({"status": "ok", "version": __version__, "models": models, "seconds": seconds}))

    @app.get("/metrics", summary="Counts for Prometheus")
    async def metrics() -> Response:
        return _answer(service.metrics.text().encode(), "text/plain; version=0.0.4; charset=utf-8")


def _add_page(app: FastAPI) -> None:
    contents = {path: (page_file(name), kind) for path, (name, kind) in PAGE.items()}
    contents["/page/colours.css"] = (colour_rules(), "text/css; charset=utf-8")

    async def send(request: Request) -> Response:
        content, kind = contents[request.url.path]
        return Response(content.encode(), media_type=kind, headers={"cache-control": "no-cache"})

    for path in contents:
        app.add_route(path, send, methods=["GET"], include_in_schema=False)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    @app.exception_handler(CrossarcError)
    @app.exception_handler(Exception)
    async def wrong(request: Request, error: Exception) -> Response:
        return _error(_refusal(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        found = [
            {"where": ".".join(map(str, one["loc"])), "what": one["msg"]} for one in error.errors()[:_MOST_PROBLEMS]
        ]
        what = "; ".join(f"{one['where']}: {one['what']}" for one in found[:3])
        return _error(RefusedError(422, f"the request is not as it should be: {what}", {"problems": found}))

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        message = "no such address: /docs lists them" if error.status_code == 404 else str(error.detail)
        return _error(RefusedError(error.status_code, message, headers=error.headers or {}))


def _refusal(error: Exception) -> RefusedError:
    """Return the answer to a request that ends in an error."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, CrossarcError):
        problems = error.problems[:_MOST_PROBLEMS] if isinstance(error, TreebankError) else []
        return RefusedError(400, str(error), {"problems": [one.to_dict() for one in problems]} if problems else {})
    _LOG.error("internal error", exc_info=error)
    return RefusedError(500, f"internal error: {type(error).__name__}")


def _error(refused: RefusedError) -> Response:
    body = json.dumps(refused.to_dict()).encode()
    return Response(body, refused.status, headers=dict(refused.headers), media_type="application/json")


def _answer(content: bytes, kind: str = "application/json") -> Response:
    return Response(content, media_type=kind, headers={"cache-control": "no-store"})


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _check_texts(*texts: str) -> None:
    """Refuse what UTF-8 cannot hold: JSON may name half a surrogate pair."""
    if any(map(is_broken, texts)):
        raise RefusedError(400, "the data hold half a surrogate pair, which is no character")


def _trees(text: str, limits: Limits) -> Any:
    treebank = udpipe.from_conllu(text)
    udpipe.check_sentences(treebank, limits)
    return treebank


async def _parameters(request: Request, limits: Limits) -> dict[str, str]:
    """Return UDPipe's parameters: of the query, a form or multipart data, all in UTF-8."""
    found = udpipe.decoded(request.scope["query_string"])
    if request.method == "POST":
        kind = udpipe.body_type(request.scope["headers"])
        if kind == "multipart/form-data":
            found |= await _multipart(request, limits)
        elif kind in udpipe.FORMS:
            found |= udpipe.decoded(await request.body())
        else:
            raise RefusedError(415, f"{kind[:80]!r} is not taken here: send a form or multipart data")
    return found


async def _multipart(request: Request, limits: Limits) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        async with request.form(max_files=20, max_fields=100, max_part_size=limits.body) as form:
            for name, value in form.multi_items():
                found[name] = (await value.read()).decode() if isinstance(value, UploadFile) else value
    except UnicodeDecodeError as error:
        raise RefusedError(400, f"a file is not UTF-8: {error}") from error
    return found


_DRAWING_TYPES = {
    "svg": "image/svg+xml",
    "tikz": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
}
