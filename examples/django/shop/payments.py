"""What the shop does with Karba: ask for a payment, and deliver what was paid."""

import logging

from django.conf import settings

from karba import Karba, KarbaError

from .models import Delivery, Order, ReceivedEvent

log = logging.getLogger(__name__)
karba = Karba(secret_key=settings.KARBA_SECRET_KEY, url=settings.KARBA_URL, timeout=15)


def ask_for_payment(order: Order, name: str, msisdn: str) -> None:
    """The order is stored before. If the outcome stays unknown, its event arrives later."""
    try:
        karba.create_payment(
            {
                "amount": order.amount,
                "country": "NE",
                "currency": "XOF",
                "msisdn": msisdn,
                "transaction_id": order.id,
                "customer_name": name,
            }
        )
    except KarbaError as error:
        log.warning("order %s: %s", order.id, error)
        # Every other error means that there is no payment.
        if error.code != "outcome_unknown":
            fail(order.id, str(error))


def handle(received: ReceivedEvent) -> None:
    """Reads the payment back: what was received only says which one has changed."""
    try:
        payment = karba.read_payment(received.transaction_id)
        if payment["status"] == "succeeded":
            deliver(payment)
        elif payment["status"] == "failed":
            fail(received.transaction_id, payment.get("failure_reason", ""))
    except KarbaError as error:
        if error.code != "payment_not_found":
            raise
        log.error("event %s: its payment does not exist", received.id)
    ReceivedEvent.objects.filter(id=received.id).update(is_handled=True)


def deliver(payment: dict) -> None:
    order = Order.objects.filter(id=payment["external_reference"]).first()
    # A payment is in XOF unless it says otherwise.
    paid = (payment["amount"], payment.get("currency", "XOF"))
    if order is None or paid != (order.amount, order.currency):
        log.error("payment %s is not that of an order: look at it", payment["reference"])
        return
    # One write, which succeeds once. Send the goods after it, by its row.
    Delivery.objects.get_or_create(order=order)


def fail(order_id: str, why: str) -> None:
    """Only a pending order: an earlier payment of it may have been delivered."""
    Order.objects.filter(id=order_id, status="pending").update(status="failed", why=why)
