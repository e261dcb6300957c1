"""One exchange with asyncio's streams, within its deadline. Cancelling it closes the connection."""

from __future__ import annotations

import asyncio
import http.client
import ssl
from typing import Optional

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


async def send(
    sender: Sender, tls: Optional[ssl.SSLContext], request: Request, deadline: Deadline
) -> Outcome:
    """One attempt."""
    seconds = min(ATTEMPT_SECONDS + request.answer_within, deadline.left())
    received = AnswerBytes(sender, request)
    try:
        await asyncio.wait_for(_exchange(sender, tls, request, received), seconds)
    except (
        asyncio.TimeoutError,
        OSError,
        http.client.HTTPException,
        ValueError,
        AnswerTooLarge,
    ) as cause:
        return lost(sender, request, cause)
    return outcome_of(sender, request, received)


async def _exchange(
    sender: Sender, tls: Optional[ssl.SSLContext], request: Request, received: AnswerBytes
) -> None:
    host, port = sender.address.host, sender.address.port
    reader, writer = await asyncio.open_connection(host, port, ssl=tls)
    try:
        writer.write(request_bytes(sender, request))
        await writer.drain()
        while True:
            part = await reader.read(READ_BYTES)
            if part == b"" or received.add(part):
                return
    finally:
        writer.transport.abort()
