"""A shop with FastAPI and asyncio: order, pay, webhook, deliver once."""

import asyncio
import logging
import os
import sqlite3
import uuid
from html import escape
from typing import Any, List, Tuple
from urllib.parse import parse_qs

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from karba import AsyncKarba, KarbaError, verify_webhook

NEEDED = ["KARBA_URL", "SECRET_KEY", "SECRET_HASH", "SIGNING_SECRET"]
if missing := [name for name in NEEDED if not os.environ.get(name)]:
    raise SystemExit(f"Set {', '.join(missing)}.")

PRICE = 2500
FORM = f"""<form method="post" action="/orders"><p>A pagne, {PRICE} F CFA</p>
<p><label>Name <input name="name" required></label></p>
<p><label>Mobile money <input name="msisdn" required></label></p><button>Pay</button></form>"""
TABLES = """
create table if not exists orders
  (id text primary key, amount integer, currency text, status text, why text);
create table if not exists events (id text primary key, transaction_id text, is_handled integer);
create table if not exists deliveries (order_id text primary key);
"""
#: When a payment could not be read back.
LOOK_AGAIN_SECONDS = 2

log = logging.getLogger("shop")
karba = AsyncKarba(secret_key=os.environ["SECRET_KEY"], url=os.environ["KARBA_URL"], timeout=15)
app = FastAPI()


async def run(sql: str, values: Tuple[Any, ...] = ()) -> List[Any]:
    """One statement, which is on disk afterwards. In a thread: a disk may be slow."""

    def in_thread() -> List[Any]:
        path = os.path.join(os.environ.get("DATA", "."), "orders.db")
        database = sqlite3.connect(path, isolation_level=None, timeout=20)
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()

    return await asyncio.to_thread(in_thread)


@app.post("/hook")
async def webhook(request: Request) -> Response:
    """Verifies, stores, answers. The task of `handle_events` does the rest."""
    try:
        event = verify_webhook(
            await request.body(),
            request.headers,
            secret_hash=os.environ["SECRET_HASH"],
            signing_secret=os.environ["SIGNING_SECRET"],
        )
    except KarbaError as error:
        if error.code != "webhook_not_valid":
            raise
        return Response(status_code=401)
    if event["event"] in ("payment.succeeded", "payment.failed"):
        values = (event["id"], event["data"]["external_reference"])
        await run("insert or ignore into events values (?, ?, 0)", values)
        app.state.has_events.set()
    return Response(status_code=204)


async def handle_events() -> None:
    while True:
        app.state.has_events.clear()
        if await are_handled():
            await app.state.has_events.wait()
        else:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def are_handled() -> bool:
    """False if an event could not be handled now: it stays open."""
    failures = 0
    events = await run("select id, transaction_id from events where not is_handled")
    for event_id, transaction_id in events:
        try:
            await handle(event_id, transaction_id)
        except (KarbaError, sqlite3.Error) as error:
            failures += 1
            log.warning("event %s: %s", event_id, error)
    return failures == 0


async def handle(event_id: str, transaction_id: str) -> None:
    """Reads the payment back: what was received only says which one has changed."""
    try:
        payment = await karba.read_payment(transaction_id)
        if payment["status"] == "succeeded":
            await deliver(payment)
        elif payment["status"] == "failed":
            await fail(transaction_id, payment.get("failure_reason", ""))
    except KarbaError as error:
        if error.code != "payment_not_found":
            raise
        log.error("event %s: its payment does not exist", event_id)
    await run("update events set is_handled = 1 where id = ?", (event_id,))


async def deliver(payment: Any) -> None:
    """One write, which succeeds once. Send the goods after it, by its row."""
    # A payment is in XOF unless it says otherwise.
    paid = (payment["amount"], payment.get("currency", "XOF"))
    order_id = payment["external_reference"]
    if await run("select amount, currency from orders where id = ?", (order_id,)) != [paid]:
        log.error("payment %s is not that of an order: look at it", payment["reference"])
        return
    await run("insert or ignore into deliveries values (?)", (order_id,))


async def fail(order_id: str, why: str) -> None:
    """Only a pending order: an earlier payment of it may have been delivered."""
    sql = "update orders set status = 'failed', why = ? where id = ? and status = 'pending'"
    await run(sql, (why, order_id))


@app.on_event("startup")
async def start() -> None:
    for table in TABLES.split(";"):
        await run(table)
    app.state.has_events = asyncio.Event()
    app.state.handling = asyncio.create_task(handle_events())


@app.get("/")
async def home() -> Response:
    return HTMLResponse(FORM)


@app.post("/orders")
async def place_order(request: Request) -> Response:
    form = parse_qs((await request.body()).decode())
    order_id = str(uuid.uuid4())
    # Stored before its payment is asked for: if the answer is lost, its event still finds it.
    await run("insert into orders values (?, ?, 'XOF', 'pending', '')", (order_id, PRICE))
    try:
        await karba.create_payment(
            {
                "amount": PRICE,
                "country": "NE",
                "currency": "XOF",
                "msisdn": form.get("msisdn", [""])[0],
                "transaction_id": order_id,
                "customer_name": form.get("name", [""])[0],
            }
        )
    except KarbaError as error:
        log.warning("order %s: %s", order_id, error)
        # Every other error means that there is no payment.
        if error.code != "outcome_unknown":
            await fail(order_id, str(error))
    return RedirectResponse(f"/orders/{order_id}", status_code=303)


@app.get("/orders/{order_id}")
async def show_order(order_id: str) -> Response:
    sql = (
        "select case when order_id is null then status else 'delivered' end, why"
        " from orders left join deliveries on order_id = id where id = ?"
    )
    rows = await run(sql, (order_id,))
    if len(rows) == 0:
        return Response(status_code=404)
    [(status, why)] = rows
    return HTMLResponse(f"<p>Order {escape(order_id)}: <b>{status}</b> {escape(why)}</p>")
