"""A merchant's program as a type checker sees it. It is checked and never run."""

from __future__ import annotations

from typing import Optional

from karba import AsyncKarba, Karba, KarbaError, verify_webhook
from karba.facts import FailureReason, Payment


def use(karba: Karba) -> Optional[Payment]:
    for entry in karba.each_entry({"limit": 10}):
        print(entry["amount"] + 1, entry["kind"])
    for refund in karba.each_refund({"status": "open"}):
        print(refund["refund_id"] if "refund_id" in refund else refund["reference"])
    karba.list_payments({"from": "2026-11-01", "status": "failed"})
    karba.list_payments({"form": "2026-11-01"})  # type: ignore[arg-type]
    karba.list_payments({"status": "paid"})  # type: ignore[typeddict-item]
    karba.create_payment({"amount": 1500})  # type: ignore[typeddict-item]
    try:
        payment = karba.read_payment("order-1")
        receipt: Optional[str] = payment.get("receipt_url")
        print(receipt)
        return payment
    except KarbaError as error:
        if error.code == "payment_not_found":
            return None
        if error.code == "payment_is_missing":  # type: ignore[comparison-overlap]
            return None
        raise


async def use_with_asyncio(karba: AsyncKarba) -> int:
    async for settlement in karba.each_settlement():
        async for line in karba.each_settlement_line(settlement["settlement"]):
            print(line["booked_at"])
    file: bytes = await karba.download_month({"month": "2026-10"})
    return len(file)


def take(body: bytes) -> Optional[FailureReason]:
    event = verify_webhook(body, {}, secret_hash="x")
    if event["event"] == "statement.ready":
        print(event["data"]["statements"])
        return None
    if event["event"] == "payment.failed":
        return event["data"].get("failure_reason")
    if event["event"] == "payment.succeeded":
        amount: str = event["data"]["amount"]  # type: ignore[assignment]
        print(amount)
    return None
