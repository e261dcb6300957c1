# Generated from the OpenAPI description by `npm run docs`: do not edit.
"""The facts of the API: codes of errors, states, and the bodies of requests and answers."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Literal, Optional, Tuple, TypedDict, Union, get_args


#: The codes of the API’s errors, as Svc-Error-Code has them.
ApiErrorCode = Literal[
    "account_not_available",
    "address_not_allowed",
    "after_not_valid",
    "amount_not_valid",
    "bad_request",
    "body_incomplete",
    "content_type_not_json",
    "country_not_allowed",
    "currency_not_allowed",
    "cursor_not_valid",
    "cursor_too_old",
    "customer_name_not_valid",
    "day_filter_not_valid",
    "description_not_valid",
    "endpoint_not_found",
    "endpoint_off",
    "endpoint_status_not_valid",
    "endpoint_url_taken",
    "environment_not_allowed",
    "event_name_not_valid",
    "event_not_found",
    "expires_in_minutes_not_valid",
    "external_reference_not_valid",
    "external_reference_taken",
    "header_missing",
    "headers_too_large",
    "internal",
    "key_malformed",
    "key_not_permitted",
    "key_not_valid",
    "limit_not_valid",
    "link_being_paid",
    "link_body_incomplete",
    "link_paid",
    "link_reference_not_valid",
    "link_reference_taken",
    "metadata_not_valid",
    "method_not_allowed",
    "minimum_amount_not_valid",
    "month_not_over",
    "msisdn_not_valid",
    "not_found",
    "operator_filter_not_valid",
    "operator_not_available",
    "order_not_valid",
    "order_reference_not_valid",
    "order_reference_taken",
    "origin_not_allowed",
    "payload_too_large",
    "payment_not_found",
    "payment_not_refundable",
    "payment_type_not_allowed",
    "period_not_valid",
    "period_without_movements",
    "public_key_not_valid",
    "receipt_not_valid",
    "received_on_not_valid",
    "redirection_url_not_valid",
    "refund_amount_not_valid",
    "refund_amount_too_large",
    "refund_filter_not_valid",
    "refund_id_not_valid",
    "refund_id_taken",
    "refund_in_part_not_possible",
    "refund_not_found",
    "request_timeout",
    "reusable_not_valid",
    "secret_hash_not_valid",
    "secret_key_in_page",
    "secret_overlap_not_valid",
    "settlement_confirmed",
    "settlement_not_found",
    "settlement_returned",
    "should_expire_not_valid",
    "statement_query_not_valid",
    "status_filter_not_valid",
    "suggested_amounts_not_valid",
    "time_filter_not_valid",
    "title_not_valid",
    "too_many_endpoints",
    "too_many_refunds",
    "too_many_requests",
    "unavailable",
    "wait_not_valid",
    "webhook_url_not_valid",
]
API_ERROR_CODES: FrozenSet[str] = frozenset(get_args(ApiErrorCode))


#: The states of a payment and of a link.
PaymentStatus = Literal[
    "initiated",
    "pending",
    "succeeded",
    "failed",
    "refunded",
]
PAYMENT_STATUSES: Tuple[PaymentStatus, ...] = get_args(PaymentStatus)


#: Why a payment failed.
FailureReason = Literal[
    "declined",
    "insufficient_funds",
    "expired",
    "cancelled",
    "payer_not_found",
    "payer_not_allowed",
    "limit_reached",
    "amount_not_allowed",
    "operator_error",
    "never_received",
]
FAILURE_REASONS: Tuple[FailureReason, ...] = get_args(FailureReason)


#: The states of a refund.
RefundStatus = Literal[
    "waiting_for_approval",
    "pending",
    "by_hand",
    "succeeded",
    "failed",
]
REFUND_STATUSES: Tuple[RefundStatus, ...] = get_args(RefundStatus)


#: Why a refund failed.
RefundFailureReason = Literal[
    "declined",
    "insufficient_funds",
    "expired",
    "cancelled",
    "payer_not_found",
    "payer_not_allowed",
    "limit_reached",
    "amount_not_allowed",
    "operator_error",
    "never_received",
    "approval_rejected",
]
REFUND_FAILURE_REASONS: Tuple[RefundFailureReason, ...] = get_args(RefundFailureReason)


#: The kinds of events.
EventKind = Literal[
    "payment.succeeded",
    "payment.failed",
    "payment.refunded",
    "refund.succeeded",
    "refund.failed",
    "statement.ready",
    "webhook.test",
]
EVENT_KINDS: Tuple[EventKind, ...] = get_args(EventKind)


#: Why money moved, in an entry of the ledger.
EntryKind = Literal[
    "payment",
    "refund",
    "reversal",
    "collected",
    "refund_confirmed",
    "fee",
    "tax",
    "settlement",
    "withheld",
    "unexplained",
    "closing",
    "opening",
]
ENTRY_KINDS: Tuple[EntryKind, ...] = get_args(EntryKind)


#: The accounts of the ledger.
LedgerAccount = Literal[
    "sales",
    "receivable",
    "wallet",
    "fees",
    "taxes",
    "refunds",
    "withheld",
    "in_transit",
    "bank",
    "unexplained",
    "owner",
    "other_income",
    "corrections",
    "not_ours",
    "opening",
]
LEDGER_ACCOUNTS: Tuple[LedgerAccount, ...] = get_args(LedgerAccount)


class _PaymentOrderRequired(TypedDict):
    #: Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and
    #: 50 in sandbox.
    amount: Union[int, str]
    #: The country: `NE` for Niger, `BJ` for Benin.
    country: Literal["NE", "BJ"]
    #: Always XOF, the CFA franc of West Africa.
    currency: Literal["XOF"]
    #: The payer’s mobile money number, with or without country code; it must belong to the
    #: country.
    msisdn: str
    #: Your reference of this attempt to pay, unique in your account.
    transaction_id: str
    #: The name of your customer.
    customer_name: str


class PaymentOrder(_PaymentOrderRequired, total=False):
    """A mobile money payment request."""

    #: API extension. The order: of all payments with it, at most one is pending and at most one
    #: succeeds.
    order_reference: str
    #: API extension. Your own data, returned in reads, lists and events.
    metadata: Dict[str, str]


class _CreatedPaymentRequired(TypedDict):
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: The service’s reference of the payment. Reads accept it.
    reference: str
    #: A short reference to show to the customer.
    public_reference: str


class CreatedPayment(_CreatedPaymentRequired, total=False):
    """A recorded payment; its status is not final."""

    #: The mobile operator that gets the request, such as `mtn_bj`.
    meta_data: Dict[str, Any]


class _PaymentMetaDataRequired(TypedDict):
    #: Such as `mtn_bj`; on a link paid in another way, the method: `bank_card` or `wallet`.
    operator: str


class PaymentMetaData(_PaymentMetaDataRequired, total=False):
    """API extension. On succeeded and refunded payments: identifies the debit at the operator."""

    #: The operator’s reference of the debit, if it gave one.
    operator_reference: str


class _PaymentRequired(TypedDict):
    #: A short reference to show to the customer.
    public_reference: str
    #: Your transaction_id, or the reference of a link without one.
    external_reference: str
    #: The service’s reference of the payment.
    reference: str
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: The amount in whole francs.
    amount: int


class Payment(_PaymentRequired, total=False):
    """A payment with its real status."""

    #: The payer’s number as you sent it. Absent if a link was paid by another method.
    msisdn: str
    #: When the payment succeeded. Absent before that.
    validated_at: str
    #: API extension. Why the payment failed. Present on failed payments.
    failure_reason: FailureReason
    #: API extension. Present on a link that a page created without a signed order.
    created_by: Literal["page"]
    #: API extension. The page’s own reference: neither verified nor unique.
    client_reference: str
    #: API extension. The order, as you sent it or as your server signed it.
    order_reference: str
    #: API extension. On succeeded and refunded payments: identifies the debit at the operator.
    meta_data: PaymentMetaData
    #: API extension. Your own data, returned in reads, lists and events.
    metadata: Dict[str, str]


class _EventPaymentRequired(TypedDict):
    #: A short reference to show to the customer.
    public_reference: str
    #: Your transaction_id, or the reference of a link without one.
    external_reference: str
    #: The service’s reference of the payment.
    reference: str
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: The amount in whole francs.
    amount: int


class EventPayment(_EventPaymentRequired, total=False):
    """A payment, with the link that it paid."""

    #: The payer’s number as you sent it. Absent if a link was paid by another method.
    msisdn: str
    #: When the payment succeeded. Absent before that.
    validated_at: str
    #: API extension. Why the payment failed. Present on failed payments.
    failure_reason: FailureReason
    #: The reference of the link that was paid.
    external_payment_reference: str
    #: API extension. Present on a link that a page created without a signed order.
    created_by: Literal["page"]
    #: API extension. The page’s own reference: neither verified nor unique.
    client_reference: str
    #: API extension. The order, as you sent it or as your server signed it.
    order_reference: str
    #: API extension. On succeeded and refunded payments: identifies the debit at the operator.
    meta_data: PaymentMetaData
    #: API extension. Your own data, returned in reads, lists and events.
    metadata: Dict[str, str]


class ListedPaymentFee(TypedDict):
    """What the network takes. Absent on failed and unpaid payments, and where the connection has
    no tariff."""

    #: `tariff`: expected by the connection’s tariff. `statement`: taken, by the network’s own
    #: statement.
    basis: Literal["tariff", "statement"]
    #: The fee in francs.
    amount: int
    #: The tax on the fee; 0 before the statement.
    tax: int
    #: The payment’s amount without fee and tax. Refunds are not taken off.
    net: int


class _ListedPaymentRequired(TypedDict):
    #: A short reference to show to the customer.
    public_reference: str
    #: Your transaction_id, or the reference of a link without one.
    external_reference: str
    #: The service’s reference of the payment.
    reference: str
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: The amount in whole francs.
    amount: int
    #: When the payment was recorded.
    created_at: str


class ListedPayment(_ListedPaymentRequired, total=False):
    """A payment of the list, with refunds and fee."""

    #: The payer’s number as you sent it. Absent if a link was paid by another method.
    msisdn: str
    #: When the payment succeeded. Absent before that.
    validated_at: str
    #: API extension. Why the payment failed. Present on failed payments.
    failure_reason: FailureReason
    #: The reference of the link that was paid.
    external_payment_reference: str
    #: API extension. Present on a link that a page created without a signed order.
    created_by: Literal["page"]
    #: API extension. The page’s own reference: neither verified nor unique.
    client_reference: str
    #: API extension. The order, as you sent it or as your server signed it.
    order_reference: str
    #: API extension. On succeeded and refunded payments: identifies the debit at the operator.
    meta_data: PaymentMetaData
    #: API extension. Your own data, returned in reads, lists and events.
    metadata: Dict[str, str]
    #: What was refunded, whole or in part; absent when nothing was.
    refunded_amount: int
    #: What the network takes. Absent on failed and unpaid payments, and where the connection has
    #: no tariff.
    fee: ListedPaymentFee


class PaymentList(TypedDict):
    """A page of payments."""

    #: The payments, newest first.
    data: List[ListedPayment]
    #: The `after` of the next page; null on the last page.
    next: Optional[str]


class RefundOrder(TypedDict, total=False):
    """A refund, whole or in part."""

    #: The francs to refund. Without it, what is left of the payment is refunded.
    amount: int
    #: Your own name of this refund, for this payment. A repeated request with it returns the first
    #: refund; with another amount it is refused.
    refund_id: str


class _OneRefundRequired(TypedDict):
    #: The service’s reference of the refund.
    reference: str
    #: The service’s reference of the payment.
    payment_reference: str
    #: The refunded francs.
    amount: int
    #: `waiting_for_approval`: the payment’s refunds are above the service’s limit, and a second
    #: person must approve it. `by_hand`: the network has no refund call, and a person makes the
    #: refund.
    status: RefundStatus
    #: When the refund was requested.
    created_at: str
    #: When its status last changed.
    updated_at: str


class OneRefund(_OneRefundRequired, total=False):
    """One refund of a payment."""

    #: Your own name of the refund, if you gave one.
    refund_id: str
    #: Why the refund failed. Present on failed refunds.
    reason: RefundFailureReason


class _RefundRequired(TypedDict):
    #: The service’s reference of the refund.
    reference: str
    #: The service’s reference of the payment.
    payment_reference: str
    #: The refunded francs.
    amount: int
    #: `waiting_for_approval`: the payment’s refunds are above the service’s limit, and a second
    #: person must approve it. `by_hand`: the network has no refund call, and a person makes the
    #: refund.
    status: RefundStatus
    #: When the refund was requested.
    created_at: str
    #: When its status last changed.
    updated_at: str
    #: What the payment’s refunds have given back so far.
    refunded_amount: int
    #: What can still be refunded: neither given back nor requested.
    remaining_amount: int
    #: Every refund of the payment; those that failed come last.
    refunds: List[OneRefund]


class Refund(_RefundRequired, total=False):
    """The latest refund of a payment, with all of them and what is left."""

    #: Your own name of the refund, if you gave one.
    refund_id: str
    #: Why the refund failed. Present on failed refunds.
    reason: RefundFailureReason


class _ListedRefundRequired(TypedDict):
    #: The service’s reference of the refund.
    reference: str
    #: The service’s reference of the payment.
    payment_reference: str
    #: The refunded francs.
    amount: int
    #: `waiting_for_approval`: the payment’s refunds are above the service’s limit, and a second
    #: person must approve it. `by_hand`: the network has no refund call, and a person makes the
    #: refund.
    status: RefundStatus
    #: When the refund was requested.
    created_at: str
    #: When its status last changed.
    updated_at: str
    #: The payment’s short reference.
    public_reference: str
    #: Your transaction_id of the payment.
    external_reference: str


class ListedRefund(_ListedRefundRequired, total=False):
    """A refund of the list, with the references of its payment."""

    #: Your own name of the refund, if you gave one.
    refund_id: str
    #: Why the refund failed. Present on failed refunds.
    reason: RefundFailureReason


class RefundList(TypedDict):
    """A page of refunds."""

    #: The refunds, newest first.
    data: List[ListedRefund]
    #: The `after` of the next page; null on the last page.
    next: Optional[str]


class _LinkOrderRequired(TypedDict):
    #: What is paid for: the heading of the payer’s page.
    title: str


class LinkOrder(_LinkOrderRequired, total=False):
    """A payment link to create, with an amount or a minimum_amount."""

    #: Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and
    #: 50 in sandbox.
    amount: Union[int, str]
    #: More about it, below the title.
    description: str
    #: Your reference of this attempt to pay, unique in your account.
    transaction_id: str
    #: The name of your customer.
    customer_name: str
    #: Where the payer’s page returns to after a payment that succeeded, with `reference` and
    #: `status` in the address. Anyone can type those: read the payment.
    on_success_redirection_url: str
    #: Where the payer’s page returns to after a payment that failed, with `reference` and `status`
    #: in the address. Anyone can type those: read the payment.
    on_failed_redirection_url: str
    #: The payer chooses the amount, at least this.
    minimum_amount: int
    #: Amounts that the page offers as buttons when the payer chooses.
    suggested_amounts: List[int]
    #: A poster: any number of payers, each with their own payment.
    reusable: bool
    #: How long the link can be paid. Without it, a reusable link does not expire.
    expires_in_minutes: int
    #: Your own random reference; without it, the service creates one.
    reference: str
    #: API extension. The order: of all payments with it, at most one is pending and at most one
    #: succeeds.
    order_reference: str
    #: API extension. Your own data, returned in reads, lists and events.
    metadata: Dict[str, str]
    #: Whether the link expires after 30 minutes.
    shouldExpire: bool


class PageLinkOrder(TypedDict, total=False):
    """A payment link that a page creates: amount and title, or a signed order."""

    #: Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and
    #: 50 in sandbox.
    amount: Union[int, str]
    #: What is paid for: the heading of the payer’s page.
    title: str
    #: More about it, below the title.
    description: str
    #: Your reference of this attempt to pay, unique in your account.
    transaction_id: str
    #: The name of your customer.
    customer_name: str
    #: Where the payer’s page returns to after a payment that succeeded, with `reference` and
    #: `status` in the address. Anyone can type those: read the payment.
    on_success_redirection_url: str
    #: Where the payer’s page returns to after a payment that failed, with `reference` and `status`
    #: in the address. Anyone can type those: read the payment.
    on_failed_redirection_url: str
    #: Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference
    #: and expires_at, a dot, and its HMAC. The page’s own amount, title, description and
    #: transaction_id are then ignored. Without it, transaction_id is kept as client_reference and
    #: reserves nothing.
    order: str


class _CreatedLinkRequired(TypedDict):
    #: The link’s reference: its page and reads have it.
    reference: str
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: Always XOF, the CFA franc of West Africa.
    currency: Literal["XOF"]
    #: What is paid for: the heading of the payer’s page.
    title: str
    #: A short reference to show to the customer.
    public_reference: str
    #: The address of the payer’s page: send it, or show it as a QR code.
    page_url: str


class CreatedLink(_CreatedLinkRequired, total=False):
    """A payment link with the address of its page."""

    #: The amount in whole francs. Absent until the payer chooses it.
    amount: int
    #: The payer chooses the amount, at least this.
    minimum_amount: int
    #: Amounts that the page offers as buttons when the payer chooses.
    suggested_amounts: List[int]
    #: A poster: any number of payers, each with their own payment.
    reusable: bool
    #: More about it, below the title.
    description: str
    #: Until when it can be paid. Absent on a link that does not expire.
    expires_at: str


class _LinkRequired(TypedDict):
    #: The link’s reference: its page and reads have it.
    reference: str
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: Always XOF, the CFA franc of West Africa.
    currency: Literal["XOF"]
    #: What is paid for: the heading of the payer’s page.
    title: str
    #: A short reference to show to the customer.
    public_reference: str


class Link(_LinkRequired, total=False):
    """A payment link as anyone with its reference sees it."""

    #: The amount in whole francs. Absent until the payer chooses it.
    amount: int
    #: The payer chooses the amount, at least this.
    minimum_amount: int
    #: Amounts that the page offers as buttons when the payer chooses.
    suggested_amounts: List[int]
    #: A poster: any number of payers, each with their own payment.
    reusable: bool
    #: More about it, below the title.
    description: str
    #: Until when it can be paid. Absent on a link that does not expire.
    expires_at: str
    #: On a reusable link: the number of payments, without refunded ones.
    payments_count: int
    #: On a reusable link: the sum of those payments.
    collected_amount: int
    #: When it was paid. Absent before that.
    validated_at: str
    #: The service’s payment reference, once it is paid.
    transaction_id: str


class _PaymentEventRequired(TypedDict):
    #: The id of the event, the same in every delivery: store it to handle each event once.
    id: str
    #: The version of this shape: a stored event keeps the one that it was written in.
    version: int
    #: When the event happened.
    created_at: str
    #: `sandbox` moves no money; `live` does.
    environment: Literal["sandbox", "live"]
    #: The kind of the event. Answer 2xx to kinds that you do not know.
    event: Literal[
        "payment.succeeded",
        "payment.failed",
        "payment.refunded",
    ]
    #: 
    data: EventPayment


class PaymentEvent(_PaymentEventRequired, total=False):
    """A payment has its outcome, or was refunded whole."""

    #: The position in the feed, without gaps. Absent in a webhook.
    sequence: int
    #: The count of replays. Only in `replays`.
    replay: int


class _RefundedPaymentRefundRequired(TypedDict):
    #: The service’s reference of the refund.
    reference: str
    #: The refunded francs.
    amount: int
    #: How the refund ended.
    status: Literal["succeeded", "failed"]


class RefundedPaymentRefund(_RefundedPaymentRefundRequired, total=False):
    """The refund that has ended."""

    #: Your own name of the refund, if you gave one.
    refund_id: str
    #: Why the refund failed. Present on failed refunds.
    reason: RefundFailureReason


class _RefundedPaymentRequired(TypedDict):
    #: A short reference to show to the customer.
    public_reference: str
    #: Your transaction_id, or the reference of a link without one.
    external_reference: str
    #: The service’s reference of the payment.
    reference: str
    #: `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded`
    #: and `failed`: the outcome. `refunded`: given back to the payer.
    status: PaymentStatus
    #: The amount in whole francs.
    amount: int
    #: What the payment’s refunds have given back so far.
    refunded_amount: int
    #: The refund that has ended.
    refund: RefundedPaymentRefund


class RefundedPayment(_RefundedPaymentRequired, total=False):
    """The payment, and the refund that has ended."""

    #: The payer’s number as you sent it. Absent if a link was paid by another method.
    msisdn: str
    #: When the payment succeeded. Absent before that.
    validated_at: str
    #: API extension. Why the payment failed. Present on failed payments.
    failure_reason: FailureReason
    #: The reference of the link that was paid.
    external_payment_reference: str
    #: API extension. Present on a link that a page created without a signed order.
    created_by: Literal["page"]
    #: API extension. The page’s own reference: neither verified nor unique.
    client_reference: str
    #: API extension. The order, as you sent it or as your server signed it.
    order_reference: str
    #: API extension. On succeeded and refunded payments: identifies the debit at the operator.
    meta_data: PaymentMetaData
    #: API extension. Your own data, returned in reads, lists and events.
    metadata: Dict[str, str]


class _RefundEventRequired(TypedDict):
    #: The id of the event, the same in every delivery: store it to handle each event once.
    id: str
    #: The version of this shape: a stored event keeps the one that it was written in.
    version: int
    #: When the event happened.
    created_at: str
    #: `sandbox` moves no money; `live` does.
    environment: Literal["sandbox", "live"]
    #: The kind of the event. Answer 2xx to kinds that you do not know.
    event: Literal["refund.succeeded", "refund.failed"]
    #: 
    data: RefundedPayment


class RefundEvent(_RefundEventRequired, total=False):
    """A refund has ended."""

    #: The position in the feed, without gaps. Absent in a webhook.
    sequence: int
    #: The count of replays. Only in `replays`.
    replay: int


class WebhookTest(TypedDict):
    """The data of `webhook.test`: no payment has changed."""

    #: The id of the endpoint.
    endpoint: str
    #: A sentence that says that it is a test.
    message: str


class _TestEventRequired(TypedDict):
    #: The id of the event, the same in every delivery: store it to handle each event once.
    id: str
    #: The version of this shape: a stored event keeps the one that it was written in.
    version: int
    #: When the event happened.
    created_at: str
    #: `sandbox` moves no money; `live` does.
    environment: Literal["sandbox", "live"]
    #: The kind of the event. Answer 2xx to kinds that you do not know.
    event: Literal["webhook.test"]
    #: 
    data: WebhookTest


class TestEvent(_TestEventRequired, total=False):
    """A test that you sent from the dashboard or the API."""

    #: The position in the feed, without gaps. Absent in a webhook.
    sequence: int
    #: The count of replays. Only in `replays`.
    replay: int


class _WebhookEndpointOrderRequired(TypedDict):
    #: The address that gets the events: https, and reachable from the internet.
    url: str


class WebhookEndpointOrder(_WebhookEndpointOrderRequired, total=False):
    """A webhook endpoint to create."""

    #: Which events. Without it, `payment.succeeded` and `payment.failed`.
    events: List[Literal[
        "payment.succeeded",
        "payment.failed",
        "payment.refunded",
        "refund.succeeded",
        "refund.failed",
        "statement.ready",
    ]]
    #: A value of your choice that every event carries in `Secret-Hash`. Without it, a random one:
    #: the signature alone proves the sender.
    secret_hash: str


class WebhookEndpointChange(TypedDict, total=False):
    """What changes of an endpoint. What is left out stays."""

    #: The address that gets the events: https, and reachable from the internet.
    url: str
    #: Which events, in place of those before.
    events: List[Literal[
        "payment.succeeded",
        "payment.failed",
        "payment.refunded",
        "refund.succeeded",
        "refund.failed",
        "statement.ready",
    ]]
    #: A new value for `Secret-Hash`, at once.
    secret_hash: str
    #: `off`: deliveries wait until it is `on` again.
    status: Literal["on", "off"]


class SecretRoll(TypedDict, total=False):
    """A new signing secret."""

    #: How long events are signed with the old secret too; 0 without it: the old one ends at once.
    keep_old_minutes: int


class WebhookEndpoint(TypedDict):
    """An address that gets your events."""

    #: The id of the endpoint.
    id: str
    #: The address that gets the events: https, and reachable from the internet.
    url: str
    #: The events that it gets.
    events: List[Literal[
        "payment.succeeded",
        "payment.failed",
        "payment.refunded",
        "refund.succeeded",
        "refund.failed",
        "statement.ready",
    ]]
    #: `gone`: the endpoint answered 410, and gets nothing until you turn it on.
    status: Literal["on", "off", "gone"]
    #: The first of its failures in a row; null while it works.
    failing_since: Optional[str]
    #: When it was created.
    created_at: str


class WebhookEndpointWithSecret(TypedDict):
    """An endpoint with its new signing secret."""

    #: The id of the endpoint.
    id: str
    #: The address that gets the events: https, and reachable from the internet.
    url: str
    #: The events that it gets.
    events: List[Literal[
        "payment.succeeded",
        "payment.failed",
        "payment.refunded",
        "refund.succeeded",
        "refund.failed",
        "statement.ready",
    ]]
    #: `gone`: the endpoint answered 410, and gets nothing until you turn it on.
    status: Literal["on", "off", "gone"]
    #: The first of its failures in a row; null while it works.
    failing_since: Optional[str]
    #: When it was created.
    created_at: str
    #: The secret that signs its events, `whsec_…`. Store it: no later answer has it.
    signing_secret: str


class WebhookEndpointList(TypedDict):
    """The webhook endpoints of an account."""

    #: All endpoints of the account and environment, oldest first.
    data: List[WebhookEndpoint]


class DeletedWebhookEndpoint(TypedDict):
    """An endpoint that was deleted."""

    #: The id of the endpoint.
    id: str
    #: It gets no event any more; those that waited are dropped.
    deleted: Literal["true"]


class SentWebhookTest(TypedDict):
    """A `webhook.test` event that is on its way."""

    #: The delivery, as the dashboard names it.
    delivery: str
    #: The position of the event in the feed.
    sequence: int


_StatementReadyStatementKeywords = TypedDict(
    "_StatementReadyStatementKeywords",
    {
        "from": str,
    },
)


class StatementReadyStatement(_StatementReadyStatementKeywords):
    """"""

    #: The connection to a network, by its name.
    connection: str
    #: The last day, included.
    to: str
    #: Whether merchants share the wallet: the balances are then what was collected for you,
    #: without what the service has paid out to you.
    is_shared: bool
    #: What you had at the network before the first day.
    opening: int
    #: What payers paid.
    collected: int
    #: What was refunded: zero or negative, like fees, taxes and what was withheld or settled.
    refunded: int
    #: The network’s fees.
    fees: int
    #: The taxes on the fees.
    taxes: int
    #: What the network blocked.
    withheld: int
    #: What left the wallet for your bank.
    settled: int
    #: Lines of the network’s statement that no payment explains.
    unexplained: int
    #: Lines that people have explained without a payment: top-ups, other income, corrections.
    other: int
    #: The opening plus all of the above.
    closing: int
    #: The part of the collected amount that the network’s own statement confirms.
    confirmed: int


_StatementReadyKeywords = TypedDict(
    "_StatementReadyKeywords",
    {
        "from": str,
    },
)


class StatementReady(_StatementReadyKeywords):
    """The data of `statement.ready`. A line that the network reports later may still change the
    day."""

    #: Whether it is about a day or a month.
    period: Literal["day", "month"]
    #: The last day, included.
    to: str
    #: One for each connection with movements.
    statements: List[StatementReadyStatement]


class _StatementEventRequired(TypedDict):
    #: The id of the event, the same in every delivery: store it to handle each event once.
    id: str
    #: The version of this shape: a stored event keeps the one that it was written in.
    version: int
    #: When the event happened.
    created_at: str
    #: `sandbox` moves no money; `live` does.
    environment: Literal["sandbox", "live"]
    #: The kind of the event. Answer 2xx to kinds that you do not know.
    event: Literal["statement.ready"]
    #: 
    data: StatementReady


class StatementEvent(_StatementEventRequired, total=False):
    """The statement of a day or month is ready."""

    #: The position in the feed, without gaps. Absent in a webhook.
    sequence: int
    #: The count of replays. Only in `replays`.
    replay: int

#: An event, as a webhook delivers it.
KarbaEvent = Union[PaymentEvent, RefundEvent, StatementEvent, TestEvent]


class FeedNext(TypedDict):
    """The parameters of the next request."""

    #: The `after` of the next request.
    after: int
    #: The `replays_after` of the next request.
    replays_after: int


class Feed(TypedDict):
    """A page of events."""

    #: The events, oldest first, without gaps.
    events: List[KarbaEvent]
    #: Events that were sent again by hand, if you asked for them.
    replays: List[KarbaEvent]
    #: Whether there are more now.
    has_more: bool
    #: The parameters of the next request.
    next: FeedNext


class AccountEndpoint(TypedDict):
    """"""

    #: The address of the endpoint.
    url: str
    #: `gone`: the endpoint answered 410, and gets nothing until you turn it on.
    status: Literal["on", "off", "gone"]
    #: The first of its failures in a row; null while it works.
    failing_since: Optional[str]


class AccountOperator(TypedDict):
    """"""

    #: The country: `NE` for Niger, `BJ` for Benin.
    country: Literal["NE", "BJ"]
    #: The name of the mobile operator in this API, such as `mtn_bj`.
    operator: str
    #: The name that payers know.
    name: str
    #: `down`: payments wait. `paused`: creates are refused.
    state: Literal["up", "down", "paused"]


class Account(TypedDict):
    """The account of a key, and what works now."""

    #: The account of the key.
    account_id: str
    #: The name that payers see.
    merchant: str
    #: `sandbox` moves no money; `live` does.
    environment: Literal["sandbox", "live"]
    #: Only a validated account creates payments and links.
    status: Literal["unvalidated", "validated", "suspended"]
    #: Your webhook endpoints.
    endpoints: List[AccountEndpoint]
    #: The connected mobile operators.
    operators: List[AccountOperator]


class BalanceConnection(TypedDict):
    """"""

    #: The connection to a network, by its name.
    connection: str
    #: Paid by payers, and not yet confirmed by the network’s statement.
    to_receive: int
    #: In your wallet at the network, as its statement shows it.
    in_wallet: int
    #: What was in the wallet before its first statement, as the network says: part of in_wallet.
    opening: int
    #: Yours in wallets that the service shares among merchants, as the networks’ statements show
    #: it. What the service has paid out to you is not taken off.
    at_service: int
    #: On its way from the wallet to your bank.
    in_transit: int
    #: Confirmed at your bank.
    in_bank: int
    #: Blocked by the network.
    withheld: int
    #: Lines of the networks’ statements that no payment explains: already counted in the amounts
    #: above. Negative when more left than came.
    unexplained: int


class Balance(TypedDict):
    """Where your money is, in francs."""

    #: Paid by payers, and not yet confirmed by the network’s statement.
    to_receive: int
    #: In your wallet at the network, as its statement shows it.
    in_wallet: int
    #: What was in the wallet before its first statement, as the network says: part of in_wallet.
    opening: int
    #: Yours in wallets that the service shares among merchants, as the networks’ statements show
    #: it. What the service has paid out to you is not taken off.
    at_service: int
    #: On its way from the wallet to your bank.
    in_transit: int
    #: Confirmed at your bank.
    in_bank: int
    #: Blocked by the network.
    withheld: int
    #: Lines of the networks’ statements that no payment explains: already counted in the amounts
    #: above. Negative when more left than came.
    unexplained: int
    #: The same for each connection.
    connections: List[BalanceConnection]


class _EntryRequired(TypedDict):
    #: Counts up by one within the account, without a gap.
    entry: int
    #: Why the money moved. `reversal`: the network gave the money back on its own.
    kind: EntryKind
    #: The ledger account that receives.
    debit: LedgerAccount
    #: The ledger account that gives.
    credit: LedgerAccount
    #: The amount in francs.
    amount: int
    #: The connection to a network, by its name.
    connection: str
    #: When the network, or the service before its statement, booked it.
    booked_at: str
    #: The day in Niamey and Porto-Novo.
    value_date: str


class Entry(_EntryRequired, total=False):
    """One entry of the ledger, which never changes."""

    #: The service’s reference of the payment, if it is about one.
    payment_reference: str
    #: The service’s reference of the refund, if it is about one.
    refund_reference: str
    #: The earlier entry that it corrects, or whose amount it explains.
    corrects: int


class EntryList(TypedDict):
    """A page of ledger entries."""

    #: The entries, oldest first.
    data: List[Entry]
    #: The `after` of the next page; null when there is no later entry yet.
    next: Optional[int]


class StatementReconciliation(TypedDict):
    """Why `collected` and `confirmed` differ: collected, less not_confirmed and on_other_days,
    plus of_other_days, is confirmed."""

    #: Collected in the period, and not on the network’s statement yet.
    not_confirmed: int
    #: Collected in the period; the network has it on days outside it, such as after midnight.
    on_other_days: int
    #: On the network’s statement of the period; collected on days outside it.
    of_other_days: int


class _StatementMovementRequired(TypedDict):
    #: The ledger entry.
    entry: int
    #: Why the money moved. `reversal`: the network gave the money back on its own.
    kind: EntryKind
    #: In francs; negative for money that left.
    amount: int
    #: The balance after it.
    balance: int
    #: When the network, or the service before its statement, booked it.
    booked_at: str
    #: The day in Niamey and Porto-Novo.
    value_date: str
    #: Whether the network’s own statement has it.
    is_confirmed: bool


class StatementMovement(_StatementMovementRequired, total=False):
    """"""

    #: What a person said that an unexplained line was: the ledger account that it went to.
    explained_as: LedgerAccount
    #: The service’s reference of the payment, if it is about one.
    payment_reference: str
    #: The payment’s short reference, if it is about one.
    public_reference: str
    #: Your transaction_id, if it is about a payment.
    external_reference: str
    #: The service’s reference of the refund, if it is about one.
    refund_reference: str
    #: The network’s own reference, if it gave one.
    operator_reference: str


_StatementKeywords = TypedDict(
    "_StatementKeywords",
    {
        "from": str,
    },
)


class Statement(_StatementKeywords):
    """What happened at a connection in a period."""

    #: The connection to a network, by its name.
    connection: str
    #: The last day, included.
    to: str
    #: Whether merchants share the wallet: the balances are then what was collected for you,
    #: without what the service has paid out to you.
    is_shared: bool
    #: What you had at the network before the first day.
    opening: int
    #: What payers paid.
    collected: int
    #: What was refunded: zero or negative, like fees, taxes and what was withheld or settled.
    refunded: int
    #: The network’s fees.
    fees: int
    #: The taxes on the fees.
    taxes: int
    #: What the network blocked.
    withheld: int
    #: What left the wallet for your bank.
    settled: int
    #: Lines of the network’s statement that no payment explains.
    unexplained: int
    #: Lines that people have explained without a payment: top-ups, other income, corrections.
    other: int
    #: The opening plus all of the above.
    closing: int
    #: The part of the collected amount that the network’s own statement confirms.
    confirmed: int
    #: Why `collected` and `confirmed` differ: collected, less not_confirmed and on_other_days,
    #: plus of_other_days, is confirmed.
    reconciliation: StatementReconciliation
    #: Every movement of the period, in order.
    movements: List[StatementMovement]


class _SettlementRequired(TypedDict):
    #: The name of the settlement.
    settlement: str
    #: The connection to a network, by its name.
    connection: str
    #: What left the wallet; negative for money that came back.
    amount: int
    #: `in_transit`: on its way to your bank. `received`: you confirmed it. `returned`: it came
    #: back.
    status: Literal["in_transit", "received", "returned"]
    #: When the money left the wallet.
    left_at: str
    #: That day in Niamey and Porto-Novo.
    left_on: str


class Settlement(_SettlementRequired, total=False):
    """Money that left a wallet for your bank."""

    #: The network’s own reference, if it gave one.
    operator_reference: str
    #: What your bank has, as you confirmed it.
    received_amount: int
    #: The day on which your bank had it, as you confirmed it.
    received_on: str
    #: Your bank’s own reference, as you gave it.
    bank_reference: str


class SettlementList(TypedDict):
    """A page of settlements."""

    #: The settlements, newest first.
    data: List[Settlement]
    #: The `after` of the next page; null on the last page.
    next: Optional[str]


class _SettlementLinesLineRequired(TypedDict):
    #: The kind of the line.
    type: Literal[
        "collection",
        "refund",
        "fee",
        "tax",
        "settlement",
        "top_up",
        "withheld",
        "released",
        "other",
        "not_made",
    ]
    #: In francs; negative for what left the wallet.
    amount: int
    #: The network’s fee on it.
    fee: int
    #: The tax on that fee.
    tax: int
    #: When the network booked it.
    booked_at: str
    #: The day in Niamey and Porto-Novo.
    value_date: str


class SettlementLinesLine(_SettlementLinesLineRequired, total=False):
    """"""

    #: The service’s reference of the payment, if it is about one.
    payment_reference: str
    #: The payment’s short reference, if it is about one.
    public_reference: str
    #: Your transaction_id, if it is about a payment.
    external_reference: str
    #: The service’s reference of the refund, if it is about one.
    refund_reference: str
    #: The network’s own reference, if it gave one.
    operator_reference: str


class _SettlementLinesRequired(TypedDict):
    #: The name of the settlement.
    settlement: str
    #: The connection to a network, by its name.
    connection: str
    #: What left the wallet; negative for money that came back.
    amount: int
    #: `in_transit`: on its way to your bank. `received`: you confirmed it. `returned`: it came
    #: back.
    status: Literal["in_transit", "received", "returned"]
    #: When the money left the wallet.
    left_at: str
    #: That day in Niamey and Porto-Novo.
    left_on: str
    #: What payers paid since the settlement before.
    collected: int
    #: What was refunded since then: zero or negative, like fees and taxes.
    refunded: int
    #: The network’s fees since then.
    fees: int
    #: The taxes on those fees.
    taxes: int
    #: Top-ups, money withheld or released, and corrections by the network.
    other: int
    #: Lines of the network’s statement since the settlement before.
    lines: List[SettlementLinesLine]
    #: The `after` of the next page; null on the last page.
    next: Optional[str]


class SettlementLines(_SettlementLinesRequired, total=False):
    """A settlement with the lines behind it."""

    #: The network’s own reference, if it gave one.
    operator_reference: str
    #: What your bank has, as you confirmed it.
    received_amount: int
    #: The day on which your bank had it, as you confirmed it.
    received_on: str
    #: Your bank’s own reference, as you gave it.
    bank_reference: str


class _SettlementReceiptRequired(TypedDict):
    #: What your bank has credited.
    amount: int


class SettlementReceipt(_SettlementReceiptRequired, total=False):
    """What your bank has received."""

    #: The day on which your bank had it; today by default.
    received_on: str
    #: The reference of the credit on your bank’s statement.
    bank_reference: str


class ErrorBody(TypedDict):
    """The body of an error."""

    #: What is wrong. `Svc-Error-Code` names it, and `Svc-Error-Hint` says what to do.
    message: str


class FailureBody(TypedDict):
    """The body of a 422."""

    #: Always `failed`.
    status: Literal["failed"]
    #: What is wrong. `Svc-Error-Code` names it, and `Svc-Error-Hint` says what to do.
    message: str


_ListPaymentsQueryOptionalKeywords = TypedDict(
    "_ListPaymentsQueryOptionalKeywords",
    {
        "from": str,
    },
    total=False,
)


class ListPaymentsQuery(_ListPaymentsQueryOptionalKeywords, total=False):
    """The parameters of: List payments."""

    #: Only payments in this state.
    status: PaymentStatus
    #: Only payments of this operator, such as `mtn_bj`.
    operator: str
    #: Recorded before this time. A day in UTC, or a time with its zone.
    to: str
    #: The most payments of a page.
    limit: int
    #: The `next` of the previous page.
    after: str
    #: Only this payment, by its reference or your transaction_id: its fee read alone.
    payment: str


class ReadPaymentQuery(TypedDict, total=False):
    """The parameters of: Read a payment by its reference or by your transaction_id."""

    #: API extension. A long poll of at most so many seconds, answered at the outcome.
    wait: int


_ListRefundsQueryOptionalKeywords = TypedDict(
    "_ListRefundsQueryOptionalKeywords",
    {
        "from": str,
    },
    total=False,
)


class ListRefundsQuery(_ListRefundsQueryOptionalKeywords, total=False):
    """The parameters of: List refunds."""

    #: Only refunds in this state, or `open` for all that have not ended.
    status: Literal[
        "open",
        "waiting_for_approval",
        "pending",
        "by_hand",
        "succeeded",
        "failed",
    ]
    #: Requested before this time. A day in UTC, or a time with its zone.
    to: str
    #: The most refunds of a page.
    limit: int
    #: The `next` of the previous page.
    after: str
    #: Only refunds of this payment, by its reference or your transaction_id.
    payment: str


class ListEventsQuery(TypedDict, total=False):
    """The parameters of: Read every event of the account."""

    #: The id or sequence of the last event you have, or `latest`. Without it, from the oldest kept
    #: event.
    after: str
    #: The most events of a page.
    limit: int
    #: Also return the replays after this number, or `latest`.
    replays_after: str


class ListEntriesQuery(TypedDict, total=False):
    """The parameters of: Read the ledger entries of the account."""

    #: The last entry that you have. Without it, from the first entry.
    after: int
    #: The most entries of a page.
    limit: int


_ReadStatementQueryOptionalKeywords = TypedDict(
    "_ReadStatementQueryOptionalKeywords",
    {
        "from": str,
    },
    total=False,
)


class ReadStatementQuery(_ReadStatementQueryOptionalKeywords, total=False):
    """The parameters of: Read your statement of a period."""

    #: The connection, as `GET /balance` names it. Without it, one file of all; not in JSON.
    connection: str
    #: The last day.
    to: str
    #: CAMT.053 is for accounting software that reads bank statements, SYSCOHADA is a journal.
    format: Literal[
        "json",
        "csv",
        "xlsx",
        "camt053",
        "syscohada",
        "pdf",
    ]
    #: The language of headings and labels.
    language: Literal["fr", "en"]


class DownloadMonthQuery(TypedDict, total=False):
    """The parameters of: Download a month for your accountant."""

    #: The month, such as 2026-10.
    month: str
    #: The language of the files.
    language: Literal["fr", "en"]


_ListSettlementsQueryOptionalKeywords = TypedDict(
    "_ListSettlementsQueryOptionalKeywords",
    {
        "from": str,
    },
    total=False,
)


class ListSettlementsQuery(_ListSettlementsQueryOptionalKeywords, total=False):
    """The parameters of: List the money that left your wallets for your bank."""

    #: Left the wallet on this day or earlier.
    to: str
    #: The most settlements of a page.
    limit: int
    #: The `next` of the previous page.
    after: str


class ReadSettlementQuery(TypedDict, total=False):
    """The parameters of: Read a settlement."""

    #: The most lines of a page.
    limit: int
    #: The `next` of the previous page.
    after: str
