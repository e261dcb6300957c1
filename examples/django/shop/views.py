"""The webhook, and the pages of the shop."""

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.html import format_html
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from karba import KarbaError, verify_webhook

from .models import Delivery, Order, ReceivedEvent
from .payments import ask_for_payment

PRICE = 2500
FORM = f"""<form method="post" action="/orders"><p>A pagne, {PRICE} F CFA</p>
<p><label>Name <input name="name" required></label></p>
<p><label>Mobile money <input name="msisdn" required></label></p><button>Pay</button></form>"""


@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Verifies, stores, answers. The command handle_events does the rest."""
    try:
        event = verify_webhook(
            request.body,
            request.headers,
            secret_hash=settings.KARBA_SECRET_HASH,
            signing_secret=settings.KARBA_SIGNING_SECRET,
        )
    except KarbaError as error:
        if error.code != "webhook_not_valid":
            raise
        return HttpResponse(status=401)
    if event["event"] in ("payment.succeeded", "payment.failed"):
        transaction_id = event["data"]["external_reference"]
        ReceivedEvent.objects.get_or_create(
            id=event["id"], defaults={"transaction_id": transaction_id}
        )
    return HttpResponse(status=204)


@require_GET
def home(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(FORM)


# A shop with sessions keeps Django's protection of forms here.
@csrf_exempt
@require_http_methods(["POST"])
def place_order(request: HttpRequest) -> HttpResponse:
    order = Order.objects.create(id=str(uuid.uuid4()), amount=PRICE, currency="XOF")
    ask_for_payment(order, request.POST.get("name", ""), request.POST.get("msisdn", ""))
    response = redirect(f"/orders/{order.id}")
    response.status_code = 303
    return response


@require_GET
def show_order(_request: HttpRequest, order_id: str) -> HttpResponse:
    order = get_object_or_404(Order, id=order_id)
    is_delivered = Delivery.objects.filter(order=order).exists()
    status = "delivered" if is_delivered else order.status
    return HttpResponse(format_html("<p>Order {}: <b>{}</b> {}</p>", order.id, status, order.why))
