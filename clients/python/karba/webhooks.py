"""Verifies webhooks, makes signed ones for tests, and signs orders for the button."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
import time
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, Mapping, NamedTuple, Optional, Union, cast

from .errors import KarbaError, misused
from .facts import KarbaEvent

TOLERANCE_SECONDS = 300.0
SECRET_PREFIX = "whsec_"
ORDER_KEY_PURPOSE = b"karba order v1"
_NO_SECRETS = (
    "Neither secret_hash nor signing_secret is set. Is one of them in the environment of this"
    " process?"
)


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    *,
    secret_hash: Optional[str] = None,
    signing_secret: Optional[str] = None,
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> KarbaEvent:
    """
    Returns the event. Takes the raw body, as bytes or text, and the headers in any case of
    letters. Checks every given secret, and raises a KarbaError with the code `webhook_not_valid`
    unless all of them agree. `secret_hash` is the secret that you chose for the endpoint,
    `signing_secret` is `whsec_…`. `tolerance_seconds` is how old a signed webhook may be, and how
    far ahead of this machine's clock.
    """
    if not secret_hash and not signing_secret:
        raise misused(_NO_SECRETS)
    raw = _bytes_of(body) if isinstance(body, str) else body
    if not isinstance(raw, (bytes, bytearray, memoryview)):
        raise misused(
            "body is the raw body of the request, as bytes or text: take it before a framework"
            " parses it."
        )
    raw = bytes(raw)
    if secret_hash and not _is_same_text(_header(headers, "secret-hash"), secret_hash):
        raise _not_valid("Its Secret-Hash is not yours.")
    if signing_secret:
        _verify_signature(raw, headers, signing_secret, tolerance_seconds)
    try:
        event = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as cause:
        raise _not_valid("Its body is not JSON.") from cause
    if not isinstance(event, dict):
        raise _not_valid("Its body is not an event.")
    return cast(KarbaEvent, event)


def _verify_signature(
    body: bytes, headers: Mapping[str, str], secret: str, tolerance: float
) -> None:
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    is_number = re.fullmatch(r"[0-9]{1,12}", timestamp) is not None
    if not is_number or abs(time.time() - int(timestamp)) > tolerance:
        raise _not_valid("It was signed too long ago, or this machine’s clock is wrong.")
    expected = _signature(secret, event_id, timestamp, body)
    # While a secret is rolled there are two signatures. Each is compared, whatever came before.
    given = _header(headers, "webhook-signature").split(" ")
    same = [hmac.compare_digest(expected, _bytes_of(signature)) for signature in given]
    if not any(same):
        raise _not_valid("Its signature is not right.")


def _signature(secret: str, event_id: str, timestamp: str, body: bytes) -> bytes:
    """Over the id, the time and the body, as Standard Webhooks v1 signs them."""
    content = _bytes_of(f"{event_id}.{timestamp}.") + body
    digest = hmac.new(_key_of(secret), content, hashlib.sha256).digest()
    return b"v1," + base64.b64encode(digest)


def _key_of(secret: str) -> bytes:
    try:
        encoded = secret[len(SECRET_PREFIX) :] if secret.startswith(SECRET_PREFIX) else ""
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if key == b"":
        raise misused(f"signing_secret begins with {SECRET_PREFIX}: was it copied whole?")
    return key


def _header(headers: Mapping[str, str], name: str) -> str:
    for each, value in headers.items():
        if each.lower() == name:
            return value if isinstance(value, str) else ""
    return ""


def _is_same_text(one: str, other: str) -> bool:
    """In constant time for texts of any length."""
    return hmac.compare_digest(_sha256(one), _sha256(other))


def _sha256(text: str) -> bytes:
    return hashlib.sha256(_bytes_of(text)).digest()


def _bytes_of(text: str) -> bytes:
    """A header may have anything: what is no text is only not equal."""
    return text.encode("utf-8", "surrogatepass")


def _not_valid(message: str) -> KarbaError:
    return KarbaError("webhook_not_valid", message)


class SignedWebhook(NamedTuple):
    """Post it to your own receiver."""

    headers: Dict[str, str]
    body: bytes


_STATUSES = {
    "payment.succeeded": "succeeded",
    "payment.failed": "failed",
    "payment.refunded": "refunded",
}


def sign_webhook(
    event: Mapping[str, Any],
    *,
    secret_hash: Optional[str] = None,
    signing_secret: Optional[str] = None,
    signed_at: Optional[datetime] = None,
) -> SignedWebhook:
    """
    A webhook as the service sends it, for your own tests. `event` is a whole event, or what
    matters in one about a payment: `{"event": "payment.succeeded", "data": {"amount": 2500}}`.
    The rest is filled in.
    """
    at = datetime.now(timezone.utc) if signed_at is None else signed_at
    whole: Dict[str, Any] = {
        "id": f"evt_test_{secrets.token_hex(8)}",
        "created_at": _iso(at),
        "environment": "sandbox",
        "data": {},
        **event,
    }
    if whole.get("event") in _STATUSES:
        whole["data"] = {**_sample_payment(whole["event"], at), **(event.get("data") or {})}
    body = json.dumps(whole, ensure_ascii=False).encode("utf-8")
    timestamp = str(int(at.timestamp()))
    headers = {
        "content-type": "application/json",
        "webhook-id": str(whole["id"]),
        "webhook-timestamp": timestamp,
    }
    if secret_hash:
        headers["secret-hash"] = secret_hash
    if signing_secret:
        signature = _signature(signing_secret, headers["webhook-id"], timestamp, body)
        headers["webhook-signature"] = signature.decode("ascii")
    return SignedWebhook(headers, body)


def _sample_payment(event: str, at: datetime) -> Dict[str, Any]:
    is_failed = event == "payment.failed"
    return {
        "public_reference": "XF5X-ZEBB-9",
        "external_reference": "order-2026-0001",
        "reference": "60dvs8n73hy897smacktapcy",
        "status": _STATUSES[event],
        "msisdn": "+227 96 12 34 56",
        "amount": 1500,
        **({"failure_reason": "declined"} if is_failed else {"validated_at": _iso(at)}),
    }


def _iso(at: datetime) -> str:
    return at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


#: An order for the button: `amount` in whole francs, `title` and `transaction_id`; perhaps
#: `order_reference`, and `expires_at` in ISO 8601, one hour from now by default.
OrderToSign = Mapping[str, Union[int, str]]


def sign_order(secret_key: str, order: OrderToSign) -> str:
    """Signs an order for the attribute `data-order` of the button. A page cannot change it."""
    expires_at = _iso(datetime.now(timezone.utc) + timedelta(hours=1))
    whole: Dict[str, object] = {"expires_at": expires_at, **order}
    text = json.dumps(whole, ensure_ascii=False).encode("utf-8")
    payload = base64.urlsafe_b64encode(text).rstrip(b"=")
    order_key = hmac.new(secret_key.encode("ascii"), ORDER_KEY_PURPOSE, hashlib.sha256).digest()
    proof = hmac.new(order_key, payload, hashlib.sha256).hexdigest()
    return f"{payload.decode('ascii')}.{proof}"
