"""An HTTP server of a test, which writes exactly the bytes that the test names."""

from __future__ import annotations

import socket
import ssl
import threading
from typing import Callable, List, Optional

#: Writes the answer to a request, and returns when the connection is to be closed.
Respond = Callable[[socket.socket, bytes], None]


class RawServer:
    def __init__(self, respond: Respond, tls: Optional[ssl.SSLContext] = None) -> None:
        self.requests: List[bytes] = []
        self._respond = respond
        self._tls = tls
        self._is_closed = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._is_closed = True
        # Wakes the thread that waits for a connection.
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._threads[0].join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self._is_closed:
                connection.close()
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                request = _read_request(connection)
                self.requests.append(request)
                self._respond(connection, request)
        except OSError:
            # The client has gone: that is what the test is about.
            connection.close()


def _read_request(connection: socket.socket) -> bytes:
    raw = b""
    while b"\r\n\r\n" not in raw:
        part = connection.recv(65_536)
        if part == b"":
            return raw
        raw += part
    head, body = raw.split(b"\r\n\r\n", 1)
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


def answer(body: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nX-Request-Id: req_1\r\nContent-Length: {len(body)}\r\n{headers}"
    return head.encode() + b"\r\n" + body


def always(raw: bytes) -> Respond:
    return lambda connection, _request: connection.sendall(raw)


def in_turn(answers: List[bytes]) -> Respond:
    """The last one is for every further request. No bytes close the connection."""
    left = list(answers)
    lock = threading.Lock()

    def respond(connection: socket.socket, _request: bytes) -> None:
        with lock:
            raw = left.pop(0) if len(left) > 1 else left[0]
        if raw:
            connection.sendall(raw)

    return respond
