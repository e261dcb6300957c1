"""
Creates the orders that it reads from standard input as JSON, many at once, and prints the
reference of each as JSON: from the names to the references. With `asyncio`, as tasks of one event
loop; otherwise as threads.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from karba import AsyncKarba, Karba

AT_ONCE = 20
SETTINGS: Any = {
    "secret_key": os.environ["SECRET_KEY"],
    "url": os.environ["KARBA_URL"],
    "timeout": 60,
}


def with_threads(orders: List[Any]) -> List[Any]:
    karba = Karba(**SETTINGS)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(karba.create_payment, orders))


async def with_asyncio(orders: List[Any]) -> List[Any]:
    karba = AsyncKarba(**SETTINGS)
    places = asyncio.Semaphore(AT_ONCE)

    async def create(order: Any) -> Any:
        async with places:
            return await karba.create_payment(order)

    return list(await asyncio.gather(*(create(order) for order in orders)))


def main() -> None:
    orders = json.load(sys.stdin)
    is_asyncio = "asyncio" in sys.argv
    made = asyncio.run(with_asyncio(orders)) if is_asyncio else with_threads(orders)
    names = [order["transaction_id"] for order in orders]
    references: Dict[str, str] = {name: each["reference"] for name, each in zip(names, made)}
    print(json.dumps(references))


if __name__ == "__main__":
    main()
