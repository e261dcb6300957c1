"""The client that blocks: one method for each operation of the API."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator, Optional, TypeVar, Union

from . import _operations as operations
from ._blocking import send
from ._http import Outcome
from ._operations import ReadLink, ReadPayment
from ._rules import MAX_RETRIES, Call, Send
from ._settings import (
    EVENTS_PAGE,
    EVENTS_SECONDS,
    MAX_ANSWER_BYTES,
    TIMEOUT_SECONDS,
    WAIT_SECONDS,
    Settings,
)
from .facts import (
    Account,
    Balance,
    CreatedLink,
    CreatedPayment,
    DeletedWebhookEndpoint,
    DownloadMonthQuery,
    Entry,
    EntryList,
    Feed,
    KarbaEvent,
    Link,
    LinkOrder,
    ListedPayment,
    ListedRefund,
    ListEntriesQuery,
    ListEventsQuery,
    ListPaymentsQuery,
    ListRefundsQuery,
    ListSettlementsQuery,
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
    SettlementLinesLine,
    SettlementList,
    SettlementReceipt,
    Statement,
    WebhookEndpoint,
    WebhookEndpointChange,
    WebhookEndpointList,
    WebhookEndpointOrder,
    WebhookEndpointWithSecret,
)
from .webhooks import OrderToSign, sign_order

Result = TypeVar("Result")


class Karba:
    """
    For a merchant's server. It keeps no connection and no state, so threads can share it.

    `timeout` is in seconds, for a call with its retries; `max_retries` is how often a call is
    repeated whose answer was lost or a 503. Each method takes both for itself too.
    """

    def __init__(
        self,
        *,
        secret_key: Optional[str],
        url: Optional[str],
        timeout: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        ca_file: Optional[str] = None,
    ) -> None:
        """
        `secret_key` is `sk_sandbox_…` or `sk_live_…`, and chooses the environment; `url` is the
        address of the service. As the environment of the process has them: where one is not set,
        this raises a KarbaError that says so. `ca_file` has certificates to trust instead of the
        system's. An answer of more than `max_answer_bytes` is not read on; statements and files
        may have 512 MiB.
        """
        self._settings = Settings(
            secret_key=secret_key,
            url=url,
            timeout=timeout,
            max_retries=max_retries,
            max_answer_bytes=max_answer_bytes,
            ca_file=ca_file,
        )

    @property
    def url(self) -> str:
        return self._settings.sender.address.url

    @property
    def environment(self) -> str:
        return self._settings.sender.environment

    def __repr__(self) -> str:
        return f"Karba(url={self.url!r}, environment={self.environment!r})"

    def create_payment(
        self,
        order: PaymentOrder,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> CreatedPayment:
        """
        Creates one payment, even when answers are lost. Its status is not final: wait for the
        outcome.
        """
        return self._run(operations.create_payment(order), timeout, max_retries)

    def read_payment(
        self, name: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> ReadPayment:
        """By its reference or by your transaction_id."""
        return self._run(operations.read_payment(name), timeout, max_retries)

    def wait_for_payment(
        self, name: str, *, timeout: float = WAIT_SECONDS, max_retries: Optional[int] = None
    ) -> ReadPayment:
        """Returns at the outcome, or the pending payment at the timeout: check `status`."""
        return self._run(operations.wait(name), timeout, max_retries)

    def list_payments(
        self,
        query: Optional[ListPaymentsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> PaymentList:
        """One page, newest first. `each_payment` iterates over all pages."""
        return self._run(operations.list_payments(query), timeout, max_retries)

    def each_payment(
        self,
        query: Optional[ListPaymentsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[ListedPayment]:
        """All payments, newest first."""
        return self._each(operations.list_payments, query, timeout, max_retries)

    def read_listed_payment(
        self, name: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> ListedPayment:
        """One payment with its fee and refunds, by its reference or your transaction_id."""
        return self._run(operations.read_listed_payment(name), timeout, max_retries)

    def refund_payment(
        self,
        name: str,
        order: Optional[RefundOrder] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Refund:
        """
        Without an amount it refunds what is left of the payment, and a repeated call returns the
        same refund. For a part, a repeated call refunds again unless it has the same `refund_id`.
        """
        return self._run(operations.refund_payment(name, order), timeout, max_retries)

    def read_refund(
        self, name: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> Refund:
        """The latest refund of a payment, with all of them and what is left."""
        return self._run(operations.read_refund(name), timeout, max_retries)

    def list_refunds(
        self,
        query: Optional[ListRefundsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RefundList:
        """One page, newest first. `each_refund` iterates over all pages."""
        return self._run(operations.list_refunds(query), timeout, max_retries)

    def each_refund(
        self,
        query: Optional[ListRefundsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[ListedRefund]:
        """All refunds, newest first; with the status `open`, those that have not ended."""
        return self._each(operations.list_refunds, query, timeout, max_retries)

    def show_account(
        self, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> Account:
        """Checks the key: its account, webhook endpoints and operators."""
        return self._run(operations.show_account(), timeout, max_retries)

    def read_balance(
        self, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> Balance:
        """Where your money is: to receive, in the wallet, in transit, in the bank."""
        return self._run(operations.read_balance(), timeout, max_retries)

    def read_statement(
        self,
        query: ReadStatementQuery,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Statement:
        """What happened at a connection in a period, with a running balance."""
        return self._run(operations.read_statement(query), timeout, max_retries)

    def download_statement(
        self,
        query: ReadStatementQuery,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """The same as a file: for a spreadsheet or accounting software."""
        return self._run(operations.download_statement(query), timeout, max_retries)

    def download_month(
        self,
        query: DownloadMonthQuery,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bytes:
        """
        A month for your accountant: one ZIP with the statements of all connections, the journal
        and the differences.
        """
        return self._run(operations.download_month(query), timeout, max_retries)

    def list_settlements(
        self,
        query: Optional[ListSettlementsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> SettlementList:
        """One page of the money that left your wallets for your bank, the newest first."""
        return self._run(operations.list_settlements(query), timeout, max_retries)

    def each_settlement(
        self,
        query: Optional[ListSettlementsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Settlement]:
        """All settlements, the newest first."""
        return self._each(operations.list_settlements, query, timeout, max_retries)

    def read_settlement(
        self,
        name: str,
        query: Optional[ReadSettlementQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> SettlementLines:
        """
        A settlement with the payments, refunds and fees since the one before, one page of them.
        `each_settlement_line` iterates over all pages.
        """
        return self._run(operations.read_settlement(name, query), timeout, max_retries)

    def each_settlement_line(
        self,
        name: str,
        query: Optional[ReadSettlementQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[SettlementLinesLine]:
        """All lines of a settlement."""

        def read_page(page: Any) -> Call[SettlementLines]:
            return operations.read_settlement(name, page)

        return self._each(read_page, query, timeout, max_retries)

    def confirm_settlement(
        self,
        name: str,
        receipt: SettlementReceipt,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Settlement:
        """Your bank has the money. A repeated call with the same amount gets the same answer."""
        return self._run(operations.confirm_settlement(name, receipt), timeout, max_retries)

    def list_entries(
        self,
        query: Optional[ListEntriesQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> EntryList:
        """One page of ledger entries, the oldest first."""
        return self._run(operations.list_entries(query), timeout, max_retries)

    def each_entry(
        self,
        query: Optional[ListEntriesQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Entry]:
        """All ledger entries, the oldest first."""
        return self._each(operations.list_entries, query, timeout, max_retries)

    def create_link(
        self,
        order: LinkOrder,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> CreatedLink:
        """Creates one link, even when answers are lost."""
        return self._run(operations.create_link(order), timeout, max_retries)

    def read_link(
        self, reference: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> ReadLink:
        """A link, with the address of its page."""
        return self._run(operations.read_link(reference), timeout, max_retries)

    def cancel_link(
        self, reference: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> Link:
        """Closes an unpaid link; a repeated call gets the same answer."""
        return self._run(operations.cancel_link(reference), timeout, max_retries)

    def create_webhook_endpoint(
        self,
        order: WebhookEndpointOrder,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> WebhookEndpointWithSecret:
        """
        Answers the signing secret, once. When an answer was lost, the retry is refused with
        `endpoint_url_taken`: roll the secret of the endpoint that `existing_reference` names.
        """
        return self._run(operations.create_webhook_endpoint(order), timeout, max_retries)

    def list_webhook_endpoints(
        self, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> WebhookEndpointList:
        """All of the account and environment, without their secrets."""
        return self._run(operations.list_webhook_endpoints(), timeout, max_retries)

    def change_webhook_endpoint(
        self,
        endpoint_id: str,
        change: WebhookEndpointChange,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> WebhookEndpoint:
        """What is left out stays."""
        call = operations.change_webhook_endpoint(endpoint_id, change)
        return self._run(call, timeout, max_retries)

    def roll_webhook_secret(
        self,
        endpoint_id: str,
        roll: Optional[SecretRoll] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> WebhookEndpointWithSecret:
        """
        Answers the new signing secret. The old one ends at once, or after `keep_old_minutes`.
        """
        call = operations.roll_webhook_secret(endpoint_id, roll)
        return self._run(call, timeout, max_retries)

    def delete_webhook_endpoint(
        self,
        endpoint_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> DeletedWebhookEndpoint:
        """
        When an answer was lost, the retry is refused with `endpoint_not_found`: it is deleted.
        """
        return self._run(operations.delete_webhook_endpoint(endpoint_id), timeout, max_retries)

    def test_webhook_endpoint(
        self,
        endpoint_id: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> SentWebhookTest:
        """Sends a `webhook.test` event; a retry after a lost answer sends another."""
        return self._run(operations.test_webhook_endpoint(endpoint_id), timeout, max_retries)

    def list_events(
        self,
        query: Optional[ListEventsQuery] = None,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Feed:
        """One page of the feed. `events` iterates over it."""
        return self._run(operations.list_events(query), timeout, max_retries)

    def events(
        self,
        *,
        after: Union[int, str, None] = None,
        keep: Optional[Callable[[int], object]] = None,
        follow: bool = True,
        poll_every: float = 1.0,
    ) -> Iterator[KarbaEvent]:
        """
        Every event of the account in order, and new ones as they arrive.

        `after` is the sequence or id of the last event that you have, or `latest`; without it the
        iteration begins with the oldest event. `keep` is called with the sequence of each handled
        event: store it, and pass it as `after` next time. An event counts as handled when the next
        one is requested, so a crash repeats an event and never skips one. Without `follow` the
        iteration ends at the last event. When the service has removed events after the position,
        it raises a KarbaError with the code `cursor_too_old`, and `kept_after` is where the feed
        goes on.
        """
        while True:
            query: Any = {"after": after, "limit": EVENTS_PAGE}
            page = self._run(operations.list_events(query), EVENTS_SECONDS, None)
            for event in page["events"]:
                yield event
                if keep is not None:
                    keep(event["sequence"])
            after = page["next"]["after"]
            if page["has_more"]:
                continue
            if not follow:
                return
            time.sleep(poll_every)

    def sign_order(self, order: OrderToSign) -> str:
        """For the button on your page, which then cannot change the order."""
        return sign_order(self._settings.sender.secret_key.reveal(), order)

    def _run(
        self, call: Call[Result], timeout: Optional[float], max_retries: Optional[int]
    ) -> Result:
        rule = call(self._settings.deadline(timeout, max_retries))
        outcome: Optional[Outcome] = None
        while True:
            try:
                step = rule.send(outcome)
            except StopIteration as end:
                result: Result = end.value
                return result
            if isinstance(step, Send):
                outcome = send(
                    self._settings.sender, self._settings.tls, step.request, step.deadline
                )
            else:
                time.sleep(step.seconds)
                outcome = None

    def _each(
        self,
        read_page: Callable[[Any], Call[Any]],
        query: Any,
        timeout: Optional[float],
        max_retries: Optional[int],
    ) -> Iterator[Any]:
        while True:
            page = self._run(read_page(query), timeout, max_retries)
            yield from page["lines"] if "lines" in page else page["data"]
            if page["next"] is None:
                return
            query = {**(query or {}), "after": page["next"]}
