"""
One HTTP exchange without its sockets: the bytes of a request, and what the bytes of its answer
mean. http.client reads the answer, so that the blocking and the asyncio client understand every
answer in the same way.
"""

from __future__ import annotations

import http.client
import io
import json
import platform
import re
import socket
import ssl
import time
from dataclasses import dataclass
from email.message import Message
from typing import Any, Dict, Mapping, Optional, Union, cast
from urllib.parse import urlsplit

from .errors import KarbaError, api_error_code, misused
from .version import __version__

#: One attempt; a long poll adds its duration.
ATTEMPT_SECONDS = 10.0
READ_BYTES = 65_536
LARGEST_HEAD_BYTES = 65_536
#: Of statements and of files; other answers have a smaller limit.
LARGEST_FILE_BYTES = 512 * 1024 * 1024
USER_AGENT = f"karba-python/{__version__} python/{platform.python_version()}"


class SecretKey:
    """A secret key that no traceback, log or debugger shows by accident."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "SecretKey(…)"

    def __reduce__(self) -> str:
        raise TypeError("A secret key is not pickled.")

    def reveal(self) -> str:
        return self._text


@dataclass(frozen=True)
class Address:
    """Where the service is."""

    is_tls: bool
    host: str
    port: int
    #: The host as a header has it, with its port unless it is the usual one.
    authority: str
    #: The path before /api/v1.
    prefix: str

    @property
    def url(self) -> str:
        return f"{'https' if self.is_tls else 'http'}://{self.authority}{self.prefix}"


_NOT_AN_ADDRESS = "url is the http or https address of the service."


def address_of(url: str) -> Address:
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        raise misused(_NOT_AN_ADDRESS)
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError as cause:
        raise misused(_NOT_AN_ADDRESS) from cause
    is_plain = parts.username is None and parts.query == "" and parts.fragment == ""
    if parts.scheme not in ("http", "https") or not host or not is_plain:
        raise misused(_NOT_AN_ADDRESS)
    if not parts.path.isascii():
        raise misused(_NOT_AN_ADDRESS)
    path = re.sub(r"/api/v1$", "", parts.path.rstrip("/"))
    shown = f"[{host}]" if ":" in host else host
    usual = 443 if parts.scheme == "https" else 80
    return Address(
        is_tls=parts.scheme == "https",
        host=host,
        port=usual if port is None else port,
        authority=shown if port in (None, usual) else f"{shown}:{port}",
        prefix=path,
    )


@dataclass(frozen=True)
class Sender:
    """What every request of a client has in common."""

    address: Address
    secret_key: SecretKey
    environment: str
    max_answer_bytes: int


@dataclass(frozen=True)
class Request:
    method: str
    #: Below /api/v1, with its query.
    path: str
    payment_type: str = "mobile"
    #: JSON.
    body: Optional[bytes] = None
    #: Whether the body of a 200 is a file.
    is_file: bool = False
    #: The duration of a long poll.
    answer_within: float = 0.0
    #: Whether the answer may be as large as a file.
    is_large: bool = False


def request_bytes(sender: Sender, request: Request) -> bytes:
    """The whole request. Do not keep it in a variable: a traceback would show the key."""
    has_length = request.method == "POST"
    lines = [
        f"{request.method} {sender.address.prefix}/api/v1{request.path} HTTP/1.1",
        f"Host: {sender.address.authority}",
        "Content-Type: application/json",
        f"Authorization: Bearer {sender.secret_key.reveal()}",
        f"Svc-Target-Environment: {sender.environment}",
        f"Svc-Payment-Type: {request.payment_type}",
        f"User-Agent: {USER_AGENT}",
        "Accept: */*",
        # A connection for each request: one that was kept may be gone when it is needed, and that
        # would be another lost answer.
        "Connection: close",
        *([f"Content-Length: {len(request.body or b'')}"] if has_length else []),
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + (request.body or b"")


class Deadline:
    """For a whole call with its retries."""

    def __init__(self, seconds: float, max_retries: int) -> None:
        self._ends_at = time.monotonic() + seconds
        self.max_retries = max_retries

    def left(self) -> float:
        return max(0.0, self._ends_at - time.monotonic())


@dataclass(frozen=True)
class Answered:
    """A 200."""

    body: Any


@dataclass(frozen=True)
class Refused:
    """An error of the service."""

    error: KarbaError


@dataclass(frozen=True)
class TryLater:
    """Nothing was recorded."""

    error: KarbaError
    after_seconds: float


@dataclass(frozen=True)
class Lost:
    """The outcome is unknown."""

    error: KarbaError
    #: False if the same would come again: an answer that is too large, a wrong certificate.
    may_repeat: bool = True


Outcome = Union[Answered, Refused, TryLater, Lost]


class Answer(Dict[str, Any]):
    """The body of an answer, which knows its request."""

    request_id: Optional[str] = None


class FileAnswer(bytes):
    """A file, which knows its request."""

    request_id: Optional[str] = None


def request_id_of(answer: object) -> Optional[str]:
    """The id of the request that returned this: quote it to the operator of the service."""
    return answer.request_id if isinstance(answer, (Answer, FileAnswer)) else None


class AnswerTooLarge(Exception):
    """The rest of the answer is not read."""


def most_bytes(sender: Sender, request: Request) -> int:
    own = sender.max_answer_bytes
    return max(own, LARGEST_FILE_BYTES) if request.is_large else own


class _File:
    """What http.client takes for a socket."""

    def __init__(self, raw: bytes) -> None:
        self.file = io.BytesIO(raw)

    def makefile(self, _mode: str) -> io.BytesIO:
        return self.file


def _begun(raw: bytes, method: str) -> "tuple[http.client.HTTPResponse, int]":
    """The answer with its head read, and where its body begins."""
    file = _File(raw)
    answer = http.client.HTTPResponse(cast(socket.socket, file), method=method)
    try:
        answer.begin()
    except BaseException:
        answer.close()
        raise
    return answer, file.file.tell()


class AnswerBytes:
    """The bytes of one answer: takes them as they come, and says when there are enough."""

    def __init__(self, sender: Sender, request: Request) -> None:
        self._method = request.method
        self._most = most_bytes(sender, request)
        self._raw = bytearray()
        self._is_head_read = False
        self._is_chunked = False
        self._ends_at: Optional[int] = None

    def add(self, part: bytes) -> bool:
        """Whether the answer is whole. Raises AnswerTooLarge."""
        self._raw += part
        if not self._is_head_read:
            self._read_head()
        if len(self._raw) > self._most + LARGEST_HEAD_BYTES:
            raise AnswerTooLarge
        if self._ends_at is not None:
            return len(self._raw) >= self._ends_at
        return self._is_chunked and self._raw.endswith(b"0\r\n\r\n") and self._is_whole()

    def _read_head(self) -> None:
        if b"\r\n\r\n" not in self._raw:
            if len(self._raw) > LARGEST_HEAD_BYTES:
                raise AnswerTooLarge
            return
        self._is_head_read = True
        answer, body_at = _begun(bytes(self._raw), self._method)
        with answer:
            self._is_chunked = bool(answer.chunked)
            length = answer.length
        if length is not None:
            if length > self._most:
                raise AnswerTooLarge
            self._ends_at = body_at + length

    def _is_whole(self) -> bool:
        try:
            self.read()
        except http.client.HTTPException:
            return False
        return True

    def read(self) -> "tuple[int, Message, bytes]":
        """Raises an HTTPException if the answer was cut."""
        answer, _ = _begun(bytes(self._raw), self._method)
        with answer:
            return answer.status, answer.headers, answer.read()


def outcome_of(sender: Sender, request: Request, received: AnswerBytes) -> Outcome:
    try:
        status, headers, body = received.read()
    except (http.client.HTTPException, ValueError) as cause:
        return lost(sender, request, cause)
    request_id = headers.get("x-request-id")
    if request.is_file and status == 200:
        file = FileAnswer(body)
        file.request_id = request_id
        return Answered(file)
    parsed = _parse(body)
    if status == 200 and parsed is not None:
        answer = Answer(parsed, **_addresses_in(headers))
        answer.request_id = request_id
        return Answered(answer)
    error = _error_of(status, headers, parsed)
    # Without an id the answer comes from a proxy, which does not know whether the payment was
    # recorded.
    if request_id is not None and status in (429, 503):
        return TryLater(error, _seconds_of(headers.get("retry-after")))
    # After a 5xx, a 408 or a truncated 200 the payment may have been recorded.
    if status >= 500 or status in (429, 408, 200) or status < 200:
        return Lost(error)
    return Refused(error)


def lost(sender: Sender, request: Request, cause: BaseException) -> Lost:
    if isinstance(cause, AnswerTooLarge):
        message = f"The answer has more than {most_bytes(sender, request)} bytes."
        return Lost(KarbaError("unexpected_answer", message), may_repeat=False)
    where = sender.address.authority
    message = f"The service at {where} could not be reached, or its answer was lost."
    # A certificate that is not valid stays so.
    may_repeat = not isinstance(cause, ssl.SSLCertVerificationError)
    return Lost(KarbaError("no_answer", message, cause=cause), may_repeat)


def _error_of(status: int, headers: Message, body: Optional[Mapping[str, Any]]) -> KarbaError:
    message = None if body is None else body.get("message")
    kept_after = headers.get("svc-kept-after")
    return KarbaError(
        api_error_code(headers.get("svc-error-code")),
        message if isinstance(message, str) else f"The service answered {status}.",
        param=headers.get("svc-error-param"),
        hint=headers.get("svc-error-hint"),
        status=status,
        request_id=headers.get("x-request-id"),
        existing_reference=headers.get("svc-existing-reference"),
        kept_after=int(kept_after) if re.fullmatch(r"\d{1,18}", kept_after or "") else None,
        removed_until=headers.get("svc-removed-until"),
    )


def _addresses_in(headers: Message) -> Mapping[str, str]:
    """The addresses of a link's page and of a payment's receipt are in headers."""
    page = headers.get("svc-page-url")
    receipt = headers.get("svc-receipt-url")
    return {
        **({} if page is None else {"page_url": page}),
        **({} if receipt is None else {"receipt_url": receipt}),
    }


def _parse(body: bytes) -> Optional[Mapping[str, Any]]:
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _seconds_of(written: Optional[str]) -> float:
    is_number = written is not None and re.fullmatch(r"[0-9]{1,6}", written) is not None
    return float(written or 0) if is_number else 0.0
