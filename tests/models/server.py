"""A server on this machine that speaks OpenAI's chat protocol by a script.

A script is a list of lines, one for each request, or a function that answers a request's body.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One answer of the server."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    #: the body ends this many bytes early
    missing: int = 0
    #: nothing is sent before the server is closed
    hangs: bool = False
    #: the same answer in pieces, for a request that asks for a stream
    pieces: tuple[Mapping[str, Any], ...] = ()


Answer = Callable[[Body], Line]
Script = Iterable[Line] | Answer


def says(text: str | None, *, finish: str = "stop", **message: Any) -> Line:
    """An answer in words."""
    return _completion({"role": "assistant", "content": text, **message}, finish)


def calls(name: str, arguments: Mapping[str, Any] | str, *, finish: str = "tool_calls") -> Line:
    """An answer that calls one tool."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
    return _completion({"role": "assistant", "content": None, "tool_calls": [call]}, finish)


def fails(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Line:
    """An error of the provider; ``retry_after="7"`` becomes a header."""
    error = {"message": message, "type": "scripted", "param": None, "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Line(status=status, body=_json({"error": error}), headers=named)


def sends(value: Any) -> Line:
    """A body as it is: JSON, or bytes."""
    return Line(body=value if isinstance(value, bytes) else _json(value))


def truncated() -> Line:
    """An answer whose connection ends in the middle of the body."""
    whole = says("a long answer " * 20)
    return Line(body=whole.body, missing=100)


def hangs() -> Line:
    """No answer at all."""
    return Line(hangs=True)


def _completion(message: Mapping[str, Any], finish: str) -> Line:
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {**_envelope("chat.completion"), "choices": [choice], "usage": usage}
    return Line(body=_json(body), pieces=tuple(_pieces(message, finish, usage)))


def _pieces(
    message: Mapping[str, Any], finish: str, usage: Mapping[str, int]
) -> Iterator[Mapping[str, Any]]:
    """The message in two halves, its end, and what it cost."""
    text = message.get("content") or ""
    half = len(text) // 2
    for part in (text[:half], text[half:]):
        if part:
            yield _piece({"role": "assistant", "content": part})
    for index, call in enumerate(message.get("tool_calls", ())):
        yield _piece({"role": "assistant", "tool_calls": [{"index": index, **call}]})
    yield _piece({}, finish)
    yield {**_envelope("chat.completion.chunk"), "choices": [], "usage": usage}


def _piece(delta: Mapping[str, Any], finish: str | None = None) -> Mapping[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**_envelope("chat.completion.chunk"), "choices": [choice]}


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": "scripted"}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class ChatServer:
    """The server; `requests` holds the bodies it got. Close it, or use it as a context."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Body] = []
        self.play(script)
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address that clients are given."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def play(self, script: Script) -> None:
        """Follow this script from now on."""
        self._answer = script if callable(script) else _in_order(script)

    def close(self) -> None:
        """Let hanging requests go and stop."""
        self._closed.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> "ChatServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, body: Body) -> Line:
        """Record a request and give its answer."""
        with self._lock:
            self.requests.append(body)
            return self._answer(body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                line = server.answer(body)
                if line.hangs:
                    server._closed.wait(10)
                elif body.get("stream") and line.pieces:
                    self._stream(line)
                else:
                    self._send(line)

            def _send(self, line: Line) -> None:
                self._start(line, "application/json", {"Content-Length": str(len(line.body))})
                self.wfile.write(line.body[: len(line.body) - line.missing])

            def _stream(self, line: Line) -> None:
                self._start(line, "text/event-stream", {})
                for piece in line.pieces:
                    self.wfile.write(b"data: " + _json(piece) + b"\n\n")
                self.wfile.write(b"data: [DONE]\n\n")

            def _start(self, line: Line, kind: str, headers: Mapping[str, str]) -> None:
                self.send_response(line.status)
                for name, value in {"Content-Type": kind, **headers, **line.headers}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                """Nothing: tests read `requests`."""

        return Handler


def _in_order(lines: Iterable[Line]) -> Answer:
    left = iter(lines)
    return lambda _body: next(left, fails(418, "the script has ended"))
