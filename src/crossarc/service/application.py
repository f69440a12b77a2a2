"""The application: every address, what it takes, and how its answer is made. Needs FastAPI, the extra `serve`.

Work is done by two threads with bounded queues (`batching`): one parses for everybody in batches, the other draws,
steps, reports, and does what is long piece by piece. The loop that speaks HTTP never computes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from .. import __version__
from ..annotation import ConflictError, Workspace
from ..errors import CrossarcError, ForbiddenFileError, TreebankError
from ..reports.analysis import analyze
from ..reports.evaluation import evaluate
from ..stepping import derived
from ..stepping.lecture import SHARED_FILES, colour_rules, shared_file
from ..transitions import TransitionSystem, systems
from ..treebank import Treebank
from . import answers, udpipe
from .batching import BatchQueue, Job
from .editing import add_annotation, add_editing
from .limits import Cost, CostModel, Limits, RefusedError, check_size, text_seconds
from .messages import Answer, Name, RequestFields, as_json, check_texts
from .metrics import Metrics
from .models import Models, RawText, ServedModel, Task
from .reparsers import Reparsers
from .request_limits import Receive, RequestLimits, Send

_LOG = logging.getLogger("crossarc.service")
_PARSED_TOGETHER = ("/process", "/parse")
_MOST_PROBLEMS = 20
#: Fields of a request in JSON: one with more is refused before each of them is looked at.
_MOST_FIELDS = 100
#: Requests with more characters are done apart, in pieces.
_LONG_TEXT = 10_000
#: The page; nothing else of the machine is ever sent.
PAGE = {
    "/": "index.html",
    "/docs": "docs.html",
    "/favicon.svg": "favicon.svg",
    **{f"/page/{name}": name for name in ("page.js", "docs.js", "edit.js", *SHARED_FILES)},
}
#: The same where files are corrected.
ANNOTATION_PAGE = {**PAGE, "/": "annotate.html", "/text": "index.html", "/page/annotate.js": "annotate.js"}
_TEXT_TYPES = {"html": "html", "css": "css", "js": "javascript", "tikz": "plain", "text": "plain"}


class ParseRequest(RequestFields):
    """Sentences to be parsed, or, with `given`, to be shown with the trees they have."""

    data: Annotated[str, Field(description="Raw text, sentences or CoNLL-U.")]
    input: Literal["auto", "text", "lines", "words", "conllu"] = "auto"
    model: Annotated[Name | None, Field(description="By default the first that is served.")] = None
    given: Annotated[bool, Field(description="Take the trees of the data instead of parsing.")] = False
    nbest: Annotated[int, Field(ge=1, description="So many different trees of each sentence.")] = 1
    scores: Annotated[bool, Field(description="Scores of arcs, and probabilities where the parser has any.")] = True
    svg: Annotated[bool, Field(description="Drawings of the first 100 trees, for a page with crossarc's styles.")] = (
        False
    )
    width: Annotated[float, Field(ge=100, le=20_000, description="Wider drawings have one word a line.")] = 1000.0
    layout: Literal["auto", "horizontal", "vertical"] = "auto"


class DrawRequest(RequestFields):
    """A sentence of CoNLL-U to be drawn."""

    data: str
    format: Literal["svg", "tikz", "html", "text"] = "svg"
    layout: Literal["auto", "horizontal", "vertical"] = "auto"
    sentence: Annotated[int, Field(ge=1)] = 1
    tags: bool = True


class DeriveRequest(RequestFields):
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
    costs: Annotated[bool, Field(description="Say of each transition how many arcs of the tree it loses.")] = False
    width: Annotated[float, Field(ge=100, le=20_000, description="A wider drawing has one word a line.")] = 1000.0
    layout: Literal["auto", "horizontal", "vertical"] = "auto"


class TreesRequest(RequestFields):
    """CoNLL-U with trees."""

    data: str


class EvaluateRequest(RequestFields):
    """A gold standard and the output of a system, in CoNLL-U."""

    gold: str
    system: str


class _Routes:
    """The endpoints by their addresses: FastAPI describes them, a table finds them, and all errors are answered here.

    No address has parameters, and no endpoint dependencies; to look for them would cost as much as a sentence.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._table = {
            (method, route.path): (route.endpoint, get_type_hints(route.endpoint).get("request", Request))
            for route in app.routes
            for method in getattr(route, "methods", None) or ()
        }
        self.paths = frozenset(path for _, path in self._table)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            answer = await self._answer(Request(scope, receive))
        except Exception as error:
            answer = _error(_refusal(error))
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path = request.scope["path"]
        endpoint, kind = self._table.get((request.method, path), (None, Request))
        if endpoint is not None:
            answer: Response = await endpoint(request if kind is Request else await _validated(request, kind))
            return answer
        if path in self.paths:
            allowed = sorted(method for method, known in self._table if known == path)
            raise RefusedError(405, "Method Not Allowed", headers={"Allow": ", ".join(allowed)})
        if path.rstrip("/") in self.paths:
            return RedirectResponse(request.url.replace(path=path.rstrip("/")))
        raise RefusedError(404, "no such address: /docs lists them")


async def _validated(request: Request, model: type[RequestFields]) -> RequestFields:
    body = await request.body()
    try:
        kind = udpipe.body_type(request.scope["headers"])
        is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
        data = json.loads(body) if is_json else body
        if isinstance(data, dict):
            check_size("fields", len(data), _MOST_FIELDS)
        content: RequestFields = model.model_validate(data)
        return content
    except ValidationError as error:
        wrong = [(".".join(["body", *map(str, problem["loc"])]), problem["msg"]) for problem in error.errors()]
    except (ValueError, RecursionError) as error:
        wrong = [("body", f"JSON decode error: {str(error)[:80]}")]
    what = "; ".join(f"{where}: {message}" for where, message in wrong[:3])
    problems = [{"where": where, "what": message} for where, message in wrong[:_MOST_PROBLEMS]]
    raise RefusedError(422, f"the request is not as it should be: {what}", {"problems": problems})


class Service:
    """Everything that requests need."""

    def __init__(self, models: Models, user_systems: Sequence[TransitionSystem], limits: Limits) -> None:
        """Start the threads."""
        self.models, self.limits = models, limits
        self.systems = systems.catalogue() | {system.name: system for system in user_systems}
        waiting, seconds = limits.waiting, limits.waiting_seconds
        self.other = BatchQueue(
            "other", waiting=max(8, waiting // 4), waiting_seconds=4 * seconds, long_seconds=limits.seconds
        )
        self.parsing = BatchQueue("parsing", waiting=waiting, waiting_seconds=seconds, long_queue=self.other)
        self.metrics = Metrics([self.parsing, self.other])

    def check_room(self, path: str) -> None:
        """Refuse a request to parse before its body is read, if it would have to wait too long."""
        if path in _PARSED_TOGETHER:
            self.parsing.check_room()

    def stop(self) -> None:
        """Finish what was begun."""
        self.parsing.stop()
        self.other.stop()

    # Work

    async def alone(self, work: Callable[[], bytes], *texts: str) -> bytes:
        """Have something done by itself that is made of these texts."""
        check_texts(*texts)
        job = Job(None, max(1, sum(map(len, texts))), work, lambda prepared: prepared, lambda result: result)
        content: bytes = await self.other.do(job, self.limits.seconds)
        return content

    async def process(self, parameters: Mapping[str, str]) -> bytes:
        """Answer as UDPipe does."""
        model = self.models.choose(parameters.get("model"))
        request = udpipe.ProcessRequest.from_parameters(parameters, model)
        check_texts(request.data)

        def check(treebank: Treebank) -> Cost:
            udpipe.check_sentences(treebank, self.limits)
            return model.costs.parsing(treebank, 1, self.limits)

        def join(parsed: list[Treebank]) -> bytes:
            treebank = Treebank.concatenate(parsed) if len(parsed) > 1 else parsed[0]
            self.metrics.count_words(model.name, treebank.words)
            acknowledged = [f"crossarc {__version__}", *model.acknowledgements]
            return as_json({"model": model.name, "acknowledgements": acknowledged, "result": request.write(treebank)})

        read, parse = partial(request.read, self.limits), partial(request.parse, model)
        task = Task(model, read, check, parse, lambda parsed, first: parsed, join)
        return await self._do(task, ("process", model.name, request.tagger, request.parser), request.data)

    async def parse(self, request: ParseRequest) -> bytes:
        """Parse sentences, and say what kinds of trees they have."""
        check_texts(request.data)
        if request.nbest > self.limits.nbest:
            raise RefusedError(413, f"nbest is {request.nbest}: at most {self.limits.nbest} trees are given")
        model = self._model(request)
        options = answers.Options(request.nbest, request.scores, request.svg, request.width, request.layout)
        name = "" if model is None or request.given else model.name

        def read() -> Treebank | RawText:
            return answers.read_sentences(request.data, request.input, model, self.limits)

        def check(treebank: Treebank) -> Cost:
            answers.check_words(treebank, self.limits)
            costs = CostModel.free if request.given or model is None else model.costs.parsing
            return costs(treebank, request.nbest, self.limits).and_telling(treebank, request.nbest, request.svg)

        def parse(whole: Treebank, ends: Sequence[int]) -> Sequence[answers.Parsed]:
            if request.given or model is None:
                return answers.given_together(whole, ends)
            return answers.parse_together(model, options.kind, whole, ends)

        def tell(parsed: answers.Parsed, first: int) -> dict[str, Any]:
            if name:
                self.metrics.count_words(name, int(parsed.treebank.word_offsets[-1]))
            return answers.answer(parsed, options, self.limits, first * options.nbest)

        task = Task(
            model, read, check, parse, tell, lambda told: as_json({"model": name or None, **answers.joined(told)})
        )
        return await self._do(task, ("parse", name, options), request.data, apart=request.nbest > 1)

    async def _do(self, task: Task[Any], kind: Hashable, data: str, apart: bool = False) -> bytes:
        """Have a task done by the thread that parses for everybody, or apart, as all that have a long text."""
        job = Job(kind, max(1, len(data)), task.read, task.together, task.finish)
        if job.size > _LONG_TEXT:
            job.kind, job.size, apart = None, 1, True
            job.together = lambda given: [task.in_pieces(given[0], text_seconds(data))]
        content: bytes = await (self.other if apart else self.parsing).do(job, self.limits.seconds)
        return content

    def derive(self, request: DeriveRequest) -> bytes:
        """Return a derivation to step through."""
        model = self._model(request)
        system = None if request.system is None else self.system(request.system)
        treebank = answers.read_alone(request.data, request.input, model, self.limits)
        if request.sentence > len(treebank):
            raise RefusedError(400, f"no sentence {request.sentence}: there are {len(treebank)}")
        sentence = treebank[request.sentence - 1 : request.sentence]
        check_size("words in a sentence to step through", sentence.words, self.limits.stepped_words)
        parser, threads = (None, 0) if model is None else (model.model, model.threads)
        shown = derived(parser, sentence, system, given=request.given, root=request.root, threads=threads)
        return as_json(shown.to_dict(request.layout, request.width, costs=request.costs))

    def _model(self, request: ParseRequest | DeriveRequest) -> ServedModel | None:
        return None if request.given and not len(self.models) else self.models.choose(request.model)

    def system(self, name: str) -> TransitionSystem:
        """Return a system of the catalogue, or one that the command line named; never one of a file."""
        system = self.systems.get(name)
        if system is None:
            raise RefusedError(404, f"no transition system {name[:80]!r}: /catalogue lists them")
        return system

    def catalogue(self) -> dict[str, Any]:
        """Return what there is to choose from."""
        limits = {name: getattr(self.limits, name) for name in ("body", "words", "drawn_words", "nbest")}
        return {
            "version": __version__,
            "models": [model.describe() for model in self.models],
            "default_model": self.models.default,
            "systems": [
                {"name": name, "paper": systems.source(system), "stacks": system.stacks}
                for name, system in self.systems.items()
                if system.properties().bounded
            ],
            "limits": limits,
        }


def make_application(
    models: Models,
    user_systems: Sequence[TransitionSystem] = (),
    limits: Limits | None = None,
    origin: str | None = None,
    hosts: Sequence[str] = (),
    workspace: Workspace | None = None,
) -> RequestLimits:
    """Return the application for a server; `user_systems` are offered beside those of the catalogue.

    `origin` and `hosts`: as `RequestLimits` has them. `workspace`: files that are corrected; without it no endpoint
    reads or writes any.
    """
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
    _add_endpoints(app, service)
    reparsers = Reparsers(workspace)
    add_editing(app, service, reparsers)
    if workspace is not None:
        add_annotation(app, service, workspace, reparsers)
    _add_page(app, PAGE if workspace is None else ANNOTATION_PAGE)
    routes = _Routes(app)
    return RequestLimits(
        routes, service.limits, service.metrics, routes.paths, check_room=service.check_room, origin=origin, hosts=hosts
    )


def _add_endpoints(app: FastAPI, service: Service) -> None:
    limits = service.limits
    catalogue = as_json(service.catalogue())

    @app.get("/process", summary="UDPipe's service", openapi_extra=udpipe.PROCESS_QUERY)
    @app.post("/process", summary="UDPipe's service", openapi_extra=udpipe.PROCESS_FORM)
    async def process(request: Request) -> Response:
        """Tokenize, tag and parse, with UDPipe's parameters as a query, a form or multipart data."""
        return Answer(await service.process(await _parameters(request, limits)))

    @app.get("/models", summary="The models, as UDPipe lists them")
    @app.post("/models", summary="The models, as UDPipe lists them", include_in_schema=False)
    async def models(request: Request) -> Response:
        listed = {model.name: model.abilities for model in service.models}
        return Answer(as_json({"models": listed, "default_model": service.models.default}))

    @app.get("/catalogue", summary="Models, transition systems and limits")
    async def known(request: Request) -> Response:
        return Answer(catalogue)

    @app.post("/parse", summary="Trees with classes, offsets and probabilities")
    async def parse(request: ParseRequest) -> Response:
        return Answer(await service.parse(request))

    @app.post("/draw", summary="A sentence as SVG, TikZ, HTML or text")
    async def draw(request: DrawRequest) -> Response:
        choices = (request.format, request.layout, request.sentence, request.tags)
        content = await service.alone(lambda: answers.draw(request.data, *choices, limits), request.data)
        return Answer(content, _media_type(request.format))

    @app.post("/derive", summary="The transitions of a parse, step by step")
    async def derive(request: DeriveRequest) -> Response:
        return Answer(await service.alone(lambda: service.derive(request), request.data))

    @app.post("/analyze", summary="The structural classes of a treebank")
    async def analyze_trees(request: TreesRequest) -> Response:
        return Answer(
            await service.alone(
                lambda: as_json(analyze(_trees(request.data, limits), budget=answers.BUDGET).to_dict()), request.data
            )
        )

    @app.post("/evaluate", summary="Scores of a system's output")
    async def evaluate_trees(request: EvaluateRequest) -> Response:
        def work() -> bytes:
            gold, system = (_trees(text, limits) for text in (request.gold, request.system))
            return as_json(evaluate(gold, system, root="any").to_dict())

        return Answer(await service.alone(work, request.gold, request.system))

    @app.get("/health", summary="Whether the service answers")
    async def health(request: Request) -> Response:
        seconds = round(service.metrics.uptime, 1)
        models = len(service.models)
        return Answer(as_json({"status": "ok", "version": __version__, "models": models, "seconds": seconds}))

    @app.get("/metrics", summary="Counts for Prometheus")
    async def metrics(request: Request) -> Response:
        return Answer(service.metrics.text(), b"text/plain; version=0.0.4; charset=utf-8")


def _add_page(app: FastAPI, pages: Mapping[str, str]) -> None:
    contents = {path: (_page_file(name), _media_type(name.rpartition(".")[2])) for path, name in pages.items()}
    contents["/page/colours.css"] = (colour_rules(), _media_type("css"))

    async def send(request: Request) -> Response:
        content, kind = contents[request.url.path]
        return Answer(content.encode(), kind, b"no-cache")

    for path in contents:
        app.add_route(path, send, methods=["GET"], include_in_schema=False)


def _page_file(name: str) -> str:
    if name in SHARED_FILES:
        return shared_file(name)
    return (files("crossarc.service") / "page" / name).read_text(encoding="utf-8")


def _media_type(kind: str) -> bytes:
    return b"image/svg+xml" if kind == "svg" else f"text/{_TEXT_TYPES[kind]}; charset=utf-8".encode()


def _refusal(error: Exception) -> RefusedError:
    """Return the answer to a request that ends in an error."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, (ConflictError, ForbiddenFileError)):
        return RefusedError(409 if isinstance(error, ConflictError) else 403, str(error))
    if isinstance(error, CrossarcError):
        problems = error.problems[:_MOST_PROBLEMS] if isinstance(error, TreebankError) else []
        return RefusedError(
            400, str(error), {"problems": [problem.to_dict() for problem in problems]} if problems else {}
        )
    _LOG.error("internal error", exc_info=error)
    return RefusedError(500, f"internal error: {type(error).__name__}")


def _error(refused: RefusedError) -> Response:
    body = json.dumps(refused.to_dict()).encode()
    return Response(body, refused.status, headers=dict(refused.headers), media_type="application/json")


def _trees(text: str, limits: Limits) -> Any:
    treebank = udpipe.from_conllu(text)
    udpipe.check_sentences(treebank, limits)
    return treebank


async def _parameters(request: Request, limits: Limits) -> dict[str, str]:
    """Return UDPipe's parameters: of the query, a form or multipart data, all in UTF-8."""
    parameters = udpipe.decoded(request.scope["query_string"])
    if request.method == "POST":
        kind = udpipe.body_type(request.scope["headers"])
        if kind == "multipart/form-data":
            parameters |= await _multipart(request, limits)
        elif kind in udpipe.FORMS:
            parameters |= udpipe.decoded(await request.body())
        else:
            raise RefusedError(415, f"{kind[:80]!r} is not taken here: send a form or multipart data")
    return parameters


async def _multipart(request: Request, limits: Limits) -> dict[str, str]:
    parameters: dict[str, str] = {}
    try:
        async with request.form(max_files=20, max_fields=100, max_part_size=limits.body) as form:
            for name, value in form.multi_items():
                parameters[name] = (await value.read()).decode() if isinstance(value, UploadFile) else value
    except UnicodeDecodeError as error:
        raise RefusedError(400, f"a file is not UTF-8: {error}") from error
    except MultiPartException as error:
        raise RefusedError(400, error.message) from error
    return parameters
