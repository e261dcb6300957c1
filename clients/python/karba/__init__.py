"""Payments with Karba from a merchant's server: the standard library only."""

from ._http import request_id_of
from ._operations import ReadLink, ReadPayment
from .async_client import AsyncKarba
from .client import Karba
from .cursor import CursorFile
from .errors import ClientErrorCode, KarbaError, KarbaErrorCode
from .version import __version__
from .webhooks import OrderToSign, SignedWebhook, sign_order, sign_webhook, verify_webhook

__all__ = [
    "AsyncKarba",
    "ClientErrorCode",
    "CursorFile",
    "Karba",
    "KarbaError",
    "KarbaErrorCode",
    "OrderToSign",
    "ReadLink",
    "ReadPayment",
    "SignedWebhook",
    "__version__",
    "request_id_of",
    "sign_order",
    "sign_webhook",
    "verify_webhook",
]
