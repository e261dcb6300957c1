"""The operations of the API, each as a call that the blocking and the asyncio client can run."""

from __future__ import annotations

import json
import secrets
from decimal import Decimal, InvalidOperation
from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote, urlencode

from ._http import Answer, Deadline, Request, request_id_of
from ._rules import Call, Creation, Rule, create_safely, repeat, wait_for_payment
from .errors import misused
from .facts import (
    Account,
    Balance,
    CreatedLink,
    CreatedPayment,
    DeletedWebhookEndpoint,
    DownloadMonthQuery,
    EntryList,
    Feed,
    Link,
    LinkOrder,
    ListEntriesQuery,
    ListEventsQuery,
    ListPaymentsQuery,
    ListRefundsQuery,
    ListSettlementsQuery,
    ListedPayment,
    Payment,
    PaymentList,
    PaymentOrder,
    ReadSettlementQuery,
    ReadStatementQuery,
    Refund,
    RefundList,
    RefundOrder,
    SecretRoll,
    SentWebhookTest,
    Settlement,
    SettlementLines,
    SettlementList,
    SettlementReceipt,
    Statement,
    WebhookEndpoint,
    WebhookEndpointChange,
    WebhookEndpointList,
    WebhookEndpointOrder,
    WebhookEndpointWithSecret,
)

RANDOM_BYTES = 16
#: The fields of a read payment that the answer to its creation has too.
CREATED_PAYMENT = ("status", "reference", "public_reference", "meta_data")
#: The fields of a read link that the answer to its creation does not have.
NOT_OF_CREATED_LINK = ("validated_at", "transaction_id", "payments_count", "collected_amount")


class ReadPayment(Payment, total=False):
    """A payment with the address of its receipt, once it has one."""

    receipt_url: str


class ReadLink(Link):
    """A link with the address of its page."""

    page_url: str


def create_payment(order: PaymentOrder) -> Call[CreatedPayment]:
    # The service says what an order lacks.
    transaction_id = str(order.get("transaction_id", ""))

    def recognise(body: Any) -> Optional[Answer]:
        is_ours = (
            body.get("external_reference") == transaction_id
            and body.get("amount") == _francs(order.get("amount"))
            and body.get("msisdn") == order.get("msisdn")
        )
        return _part_of(body, CREATED_PAYMENT) if is_ours else None

    creation = Creation(
        request=Request("POST", "/payments", body=_json(order)),
        look_at=_payment(transaction_id),
        look_at_existing=lambda reference: _payment(reference or transaction_id),
        recognise=recognise,
    )
    return lambda deadline: create_safely(creation, deadline)


def read_payment(name: str) -> Call[ReadPayment]:
    return _repeated(_payment(_checked(name)))


def wait(name: str) -> Call[ReadPayment]:
    path = _payment(_checked(name)).path

    def read(seconds: int) -> Request:
        return Request("GET", f"{path}?wait={seconds}", answer_within=float(seconds))

    return lambda deadline: wait_for_payment(read, deadline)


def list_payments(query: Optional[ListPaymentsQuery]) -> Call[PaymentList]:
    return _list("/payments", query)


def read_listed_payment(name: str) -> Call[ListedPayment]:
    request = Request("GET", f"/payments{_query_of({'payment': _checked(name)})}")

    def only_row(deadline: Deadline) -> Rule[ListedPayment]:
        page = yield from repeat(request, deadline)
        row = Answer(page["data"][0])
        row.request_id = request_id_of(page)
        return row  # type: ignore[return-value]

    return only_row


def refund_payment(name: str, order: Optional[RefundOrder]) -> Call[Refund]:
    body = None if order is None else dict(order)
    # Chosen here, so that a part whose answer is lost is not refunded again by the retry.
    if body is not None and body.get("amount") is not None and body.get("refund_id") is None:
        body["refund_id"] = secrets.token_hex(RANDOM_BYTES)
    path = f"{_payment(_checked(name)).path}/refund"
    return _repeated(Request("POST", path, body=_json(body) if body else None))


def read_refund(name: str) -> Call[Refund]:
    return _repeated(Request("GET", f"{_payment(_checked(name)).path}/refund"))


def list_refunds(query: Optional[ListRefundsQuery]) -> Call[RefundList]:
    return _list("/refunds", query)


def show_account() -> Call[Account]:
    return _repeated(Request("GET", "/account"))


def read_balance() -> Call[Balance]:
    return _repeated(Request("GET", "/balance"))


def read_statement(query: ReadStatementQuery) -> Call[Statement]:
    if query.get("format", "json") != "json":
        raise misused("read_statement reads JSON: download_statement has the other formats.")
    return _repeated(Request("GET", f"/statements{_query_of(query)}", is_large=True))


def download_statement(query: ReadStatementQuery) -> Call[bytes]:
    path = f"/statements{_query_of(query)}"
    return _repeated(Request("GET", path, is_file=True, is_large=True))


def download_month(query: DownloadMonthQuery) -> Call[bytes]:
    path = f"/statements/package{_query_of(query)}"
    return _repeated(Request("GET", path, is_file=True, is_large=True))


def list_settlements(query: Optional[ListSettlementsQuery]) -> Call[SettlementList]:
    return _list("/settlements", query)


def read_settlement(name: str, query: Optional[ReadSettlementQuery]) -> Call[SettlementLines]:
    return _list(_settlement(name), query)


def confirm_settlement(name: str, receipt: SettlementReceipt) -> Call[Settlement]:
    return _repeated(Request("POST", f"{_settlement(name)}/confirm", body=_json(receipt)))


def list_entries(query: Optional[ListEntriesQuery]) -> Call[EntryList]:
    return _list("/entries", query)


def list_events(query: Optional[ListEventsQuery]) -> Call[Feed]:
    return _list("/events", query)


def create_link(order: LinkOrder) -> Call[CreatedLink]:
    body: Dict[str, Any] = dict(order)
    # Chosen here, so that a lost answer can be found by it.
    if body.get("reference") is None:
        body["reference"] = secrets.token_hex(RANDOM_BYTES)
    link = Request("GET", _link(body["reference"]))

    def recognise(found: Any) -> Optional[Answer]:
        is_ours = found.get("reference") == body["reference"] and found.get("title") == order.get(
            "title"
        )
        names = [name for name in found if name not in NOT_OF_CREATED_LINK]
        return _part_of(found, names) if is_ours else None

    creation = Creation(
        request=Request(
            "POST", "/external_payments", payment_type="external_payment", body=_json(body)
        ),
        look_at=link,
        look_at_existing=lambda _reference: link,
        recognise=recognise,
    )
    return lambda deadline: create_safely(creation, deadline)


def read_link(reference: str) -> Call[ReadLink]:
    return _repeated(Request("GET", _link(_checked(reference))))


def cancel_link(reference: str) -> Call[Link]:
    path = f"{_link(_checked(reference))}/cancel"
    return _repeated(Request("POST", path, payment_type="external_payment"))


def create_webhook_endpoint(order: WebhookEndpointOrder) -> Call[WebhookEndpointWithSecret]:
    return _repeated(Request("POST", "/webhook_endpoints", body=_json(order)))


def list_webhook_endpoints() -> Call[WebhookEndpointList]:
    return _repeated(Request("GET", "/webhook_endpoints"))


def change_webhook_endpoint(
    endpoint_id: str, change: WebhookEndpointChange
) -> Call[WebhookEndpoint]:
    return _repeated(Request("POST", _endpoint(endpoint_id), body=_json(change)))


def roll_webhook_secret(
    endpoint_id: str, roll: Optional[SecretRoll]
) -> Call[WebhookEndpointWithSecret]:
    path = f"{_endpoint(endpoint_id)}/roll_secret"
    return _repeated(Request("POST", path, body=_json(roll) if roll else None))


def delete_webhook_endpoint(endpoint_id: str) -> Call[DeletedWebhookEndpoint]:
    return _repeated(Request("POST", f"{_endpoint(endpoint_id)}/delete"))


def test_webhook_endpoint(endpoint_id: str) -> Call[SentWebhookTest]:
    return _repeated(Request("POST", f"{_endpoint(endpoint_id)}/test"))


def _json(body: Mapping[str, object]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode("ascii")
    except (TypeError, ValueError) as cause:
        raise misused(f"This cannot be written as JSON: {cause}.") from cause


def _repeated(request: Request) -> Call[Any]:
    return lambda deadline: repeat(request, deadline)


def _list(path: str, query: Optional[Mapping[str, object]]) -> Call[Any]:
    return _repeated(Request("GET", f"{path}{_query_of(query)}"))


def _query_of(query: Optional[Mapping[str, object]]) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return "" if len(given) == 0 else f"?{urlencode(given)}"


def _payment(name: str) -> Request:
    return Request("GET", f"/payments/{quote(name, safe='')}")


def _settlement(name: str) -> str:
    return f"/settlements/{quote(_checked(name), safe='')}"


def _endpoint(endpoint_id: str) -> str:
    return f"/webhook_endpoints/{quote(_checked(endpoint_id), safe='')}"


def _link(reference: str) -> str:
    return f"/external_payments/{quote(reference, safe='')}"


def _checked(name: str) -> str:
    """These names would change the path of the request."""
    if not isinstance(name, str) or name in ("", ".", ".."):
        raise misused(f"{name!r} cannot be a reference.")
    return name


def _part_of(body: Any, names: Any) -> Answer:
    part = Answer({name: body[name] for name in names if name in body})
    part.request_id = request_id_of(body)
    return part


def _francs(amount: object) -> Optional[Decimal]:
    """5000, "5000" and "5000.00" are the same amount."""
    try:
        return Decimal(str(amount))
    except InvalidOperation:
        return None
