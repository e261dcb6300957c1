"""One exchange with blocking sockets, within its deadline."""

from __future__ import annotations

import http.client
import queue
import socket
import ssl
import threading
import time
from typing import Any, List, Optional, Union

from ._http import (
    ATTEMPT_SECONDS,
    READ_BYTES,
    AnswerBytes,
    AnswerTooLarge,
    Deadline,
    Outcome,
    Request,
    Sender,
    lost,
    outcome_of,
    request_bytes,
)


def send(
    sender: Sender, tls: Optional[ssl.SSLContext], request: Request, deadline: Deadline
) -> Outcome:
    """One attempt."""
    ends_at = time.monotonic() + min(ATTEMPT_SECONDS + request.answer_within, deadline.left())
    received = AnswerBytes(sender, request)
    try:
        with _connect(sender, tls, ends_at) as connection:
            _write(connection, memoryview(request_bytes(sender, request)), ends_at)
            _read(connection, received, ends_at)
    except (OSError, http.client.HTTPException, ValueError, AnswerTooLarge) as cause:
        return lost(sender, request, cause)
    return outcome_of(sender, request, received)


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise socket.timeout("the deadline is over")
    return left


def _write(connection: socket.socket, rest: memoryview, ends_at: float) -> None:
    while len(rest) > 0:
        connection.settimeout(_left(ends_at))
        rest = rest[connection.send(rest) :]


def _read(connection: socket.socket, received: AnswerBytes, ends_at: float) -> None:
    while True:
        connection.settimeout(_left(ends_at))
        part = connection.recv(READ_BYTES)
        if part == b"" or received.add(part):
            return


def _connect(sender: Sender, tls: Optional[ssl.SSLContext], ends_at: float) -> socket.socket:
    connection = _connect_to_any(_look_up(sender, ends_at), ends_at)
    if tls is None:
        return connection
    try:
        connection.settimeout(_left(ends_at))
        return tls.wrap_socket(connection, server_hostname=sender.address.host)
    except BaseException:
        connection.close()
        raise


def _connect_to_any(found: List[Any], ends_at: float) -> socket.socket:
    failure: Optional[OSError] = None
    for at, (family, kind, protocol, _name, place) in enumerate(found):
        connection = socket.socket(family, kind, protocol)
        try:
            # An address that does not answer leaves time for the others.
            connection.settimeout(_left(ends_at) / (len(found) - at))
            connection.connect(place)
            return connection
        except OSError as error:
            connection.close()
            failure = error
        except BaseException:
            connection.close()
            raise
    raise failure or OSError("the name of the service has no address")


def _look_up(sender: Sender, ends_at: float) -> List[Any]:
    """The system's look-up of a name has no deadline of its own: it runs in a thread."""
    host, port = sender.address.host, sender.address.port
    answer: "queue.SimpleQueue[Union[List[Any], Exception]]" = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answer.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.put(error)

    if _is_number(host):
        look_up()
    else:
        threading.Thread(target=look_up, daemon=True).start()
    try:
        found = answer.get(timeout=_left(ends_at))
    except queue.Empty:
        raise socket.timeout("the name of the service was not found in time") from None
    if isinstance(found, Exception):
        raise found
    return found


def _is_number(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
            return True
        except OSError:
            continue
    return False
