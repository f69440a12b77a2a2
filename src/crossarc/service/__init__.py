"""The service: REST endpoints that UDPipe's clients can speak to, further ones, and a page to look at trees.

`crossarc serve` starts it. What needs FastAPI and uvicorn (the extra `serve`) is in `application` and `server` alone;
everything else, such as derivations to step through and the files for lectures, is there without them.
"""
