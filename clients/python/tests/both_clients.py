"""Runs one test with the blocking and with the asyncio client."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Callable

from karba import AsyncKarba, Karba


class AsyncAsBlocking:
    """AsyncKarba with the methods of Karba: each call runs in an event loop of its own."""

    def __init__(self, **options: Any) -> None:
        self._client = AsyncKarba(**options)

    def __repr__(self) -> str:
        return repr(self._client)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._client, name)
        return _blocking(member) if callable(member) else member


def _blocking(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        if inspect.isasyncgenfunction(inspect.unwrap(method)) or _is_iterator(method):
            return _rows(method(*args, **options))
        result = method(*args, **options)
        return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result

    return call


def _is_iterator(method: Callable[..., Any]) -> bool:
    return method.__name__ == "events" or method.__name__.startswith("each_")


async def _awaited(result: Any) -> Any:
    return await result


def _rows(rows: Any) -> Any:
    """Row by row, as a blocking iterator gives them: the caller may leave after any of them."""
    loop = asyncio.new_event_loop()
    try:
        while True:
            try:
                yield loop.run_until_complete(rows.__anext__())
            except StopAsyncIteration:
                return
    finally:
        loop.run_until_complete(rows.aclose())
        loop.close()


CLIENTS = {"blocking": Karba, "asyncio": AsyncAsBlocking}
