<?php

// Generated from the OpenAPI description by `npm run docs`: do not edit.

declare(strict_types=1);

namespace Karba;

/**
 * The facts of the API: codes of errors, states, and the bodies of requests and answers.
 *
 * @phpstan-type PaymentStatus 'initiated'|'pending'|'succeeded'|'failed'|'refunded'
 * @phpstan-type FailureReason 'declined'|'insufficient_funds'|'expired'|'cancelled'|'payer_not_found'|'payer_not_allowed'|'limit_reached'|'amount_not_allowed'|'operator_error'|'never_received'
 * @phpstan-type RefundStatus 'waiting_for_approval'|'pending'|'by_hand'|'succeeded'|'failed'
 * @phpstan-type RefundFailureReason 'declined'|'insufficient_funds'|'expired'|'cancelled'|'payer_not_found'|'payer_not_allowed'|'limit_reached'|'amount_not_allowed'|'operator_error'|'never_received'|'approval_rejected'
 * @phpstan-type EventKind 'payment.succeeded'|'payment.failed'|'payment.refunded'|'refund.succeeded'|'refund.failed'|'statement.ready'|'webhook.test'
 * @phpstan-type EntryKind 'payment'|'refund'|'reversal'|'collected'|'refund_confirmed'|'fee'|'tax'|'settlement'|'withheld'|'unexplained'|'closing'|'opening'
 * @phpstan-type LedgerAccount 'sales'|'receivable'|'wallet'|'fees'|'taxes'|'refunds'|'withheld'|'in_transit'|'bank'|'unexplained'|'owner'|'other_income'|'corrections'|'not_ours'|'opening'
 * @phpstan-type PaymentOrder array{
 *   amount: int|string,
 *   country: 'NE'|'BJ',
 *   currency: 'XOF',
 *   msisdn: string,
 *   transaction_id: string,
 *   customer_name: string,
 *   order_reference?: string,
 *   metadata?: array<string, string>,
 * }
 * @phpstan-type CreatedPayment array{
 *   status: PaymentStatus,
 *   reference: string,
 *   public_reference: string,
 *   meta_data?: array<string, mixed>,
 * }
 * @phpstan-type Payment array{
 *   public_reference: string,
 *   external_reference: string,
 *   reference: string,
 *   status: PaymentStatus,
 *   msisdn?: string,
 *   amount: int,
 *   validated_at?: string,
 *   failure_reason?: FailureReason,
 *   created_by?: 'page',
 *   client_reference?: string,
 *   order_reference?: string,
 *   meta_data?: array{
 *     operator: string,
 *     operator_reference?: string,
 *   },
 *   metadata?: array<string, string>,
 * }
 * @phpstan-type EventPayment array{
 *   public_reference: string,
 *   external_reference: string,
 *   reference: string,
 *   status: PaymentStatus,
 *   msisdn?: string,
 *   amount: int,
 *   validated_at?: string,
 *   failure_reason?: FailureReason,
 *   external_payment_reference?: string,
 *   created_by?: 'page',
 *   client_reference?: string,
 *   order_reference?: string,
 *   meta_data?: array{
 *     operator: string,
 *     operator_reference?: string,
 *   },
 *   metadata?: array<string, string>,
 * }
 * @phpstan-type ListedPayment array{
 *   public_reference: string,
 *   external_reference: string,
 *   reference: string,
 *   status: PaymentStatus,
 *   msisdn?: string,
 *   amount: int,
 *   validated_at?: string,
 *   failure_reason?: FailureReason,
 *   external_payment_reference?: string,
 *   created_by?: 'page',
 *   client_reference?: string,
 *   order_reference?: string,
 *   meta_data?: array{
 *     operator: string,
 *     operator_reference?: string,
 *   },
 *   metadata?: array<string, string>,
 *   created_at: string,
 *   refunded_amount?: int,
 *   fee?: array{
 *     basis: 'tariff'|'statement',
 *     amount: int,
 *     tax: int,
 *     net: int,
 *   },
 * }
 * @phpstan-type PaymentList array{
 *   data: list<ListedPayment>,
 *   next: string|null,
 * }
 * @phpstan-type RefundOrder array{amount?: int, refund_id?: string}
 * @phpstan-type OneRefund array{
 *   reference: string,
 *   refund_id?: string,
 *   payment_reference: string,
 *   amount: int,
 *   status: RefundStatus,
 *   reason?: RefundFailureReason,
 *   created_at: string,
 *   updated_at: string,
 * }
 * @phpstan-type Refund array{
 *   reference: string,
 *   refund_id?: string,
 *   payment_reference: string,
 *   amount: int,
 *   status: RefundStatus,
 *   reason?: RefundFailureReason,
 *   created_at: string,
 *   updated_at: string,
 *   refunded_amount: int,
 *   remaining_amount: int,
 *   refunds: list<OneRefund>,
 * }
 * @phpstan-type ListedRefund array{
 *   reference: string,
 *   refund_id?: string,
 *   payment_reference: string,
 *   amount: int,
 *   status: RefundStatus,
 *   reason?: RefundFailureReason,
 *   created_at: string,
 *   updated_at: string,
 *   public_reference: string,
 *   external_reference: string,
 * }
 * @phpstan-type RefundList array{data: list<ListedRefund>, next: string|null}
 * @phpstan-type LinkOrder array{
 *   amount?: int|string,
 *   title: string,
 *   description?: string,
 *   transaction_id?: string,
 *   customer_name?: string,
 *   on_success_redirection_url?: string,
 *   on_failed_redirection_url?: string,
 *   minimum_amount?: int,
 *   suggested_amounts?: list<int>,
 *   reusable?: bool,
 *   expires_in_minutes?: int,
 *   reference?: string,
 *   order_reference?: string,
 *   metadata?: array<string, string>,
 *   shouldExpire?: bool,
 * }
 * @phpstan-type PageLinkOrder array{
 *   amount?: int|string,
 *   title?: string,
 *   description?: string,
 *   transaction_id?: string,
 *   customer_name?: string,
 *   on_success_redirection_url?: string,
 *   on_failed_redirection_url?: string,
 *   order?: string,
 * }
 * @phpstan-type CreatedLink array{
 *   reference: string,
 *   status: PaymentStatus,
 *   amount?: int,
 *   minimum_amount?: int,
 *   suggested_amounts?: list<int>,
 *   reusable?: bool,
 *   currency: 'XOF',
 *   title: string,
 *   description?: string,
 *   expires_at?: string,
 *   public_reference: string,
 *   page_url: string,
 * }
 * @phpstan-type Link array{
 *   reference: string,
 *   status: PaymentStatus,
 *   amount?: int,
 *   minimum_amount?: int,
 *   suggested_amounts?: list<int>,
 *   reusable?: bool,
 *   currency: 'XOF',
 *   title: string,
 *   description?: string,
 *   expires_at?: string,
 *   public_reference: string,
 *   payments_count?: int,
 *   collected_amount?: int,
 *   validated_at?: string,
 *   transaction_id?: string,
 * }
 * @phpstan-type PaymentEvent array{
 *   sequence?: int,
 *   replay?: int,
 *   id: string,
 *   version: int,
 *   created_at: string,
 *   environment: 'sandbox'|'live',
 *   event: 'payment.succeeded'|'payment.failed'|'payment.refunded',
 *   data: EventPayment,
 * }
 * @phpstan-type RefundedPayment array{
 *   public_reference: string,
 *   external_reference: string,
 *   reference: string,
 *   status: PaymentStatus,
 *   msisdn?: string,
 *   amount: int,
 *   validated_at?: string,
 *   failure_reason?: FailureReason,
 *   external_payment_reference?: string,
 *   created_by?: 'page',
 *   client_reference?: string,
 *   order_reference?: string,
 *   meta_data?: array{
 *     operator: string,
 *     operator_reference?: string,
 *   },
 *   metadata?: array<string, string>,
 *   refunded_amount: int,
 *   refund: array{
 *     reference: string,
 *     refund_id?: string,
 *     amount: int,
 *     status: 'succeeded'|'failed',
 *     reason?: RefundFailureReason,
 *   },
 * }
 * @phpstan-type RefundEvent array{
 *   sequence?: int,
 *   replay?: int,
 *   id: string,
 *   version: int,
 *   created_at: string,
 *   environment: 'sandbox'|'live',
 *   event: 'refund.succeeded'|'refund.failed',
 *   data: RefundedPayment,
 * }
 * @phpstan-type WebhookTest array{endpoint: string, message: string}
 * @phpstan-type TestEvent array{
 *   sequence?: int,
 *   replay?: int,
 *   id: string,
 *   version: int,
 *   created_at: string,
 *   environment: 'sandbox'|'live',
 *   event: 'webhook.test',
 *   data: WebhookTest,
 * }
 * @phpstan-type WebhookEndpointOrder array{
 *   url: string,
 *   events?: list<'payment.succeeded'|'payment.failed'|'payment.refunded'|'refund.succeeded'|'refund.failed'|'statement.ready'>,
 *   secret_hash?: string,
 * }
 * @phpstan-type WebhookEndpointChange array{
 *   url?: string,
 *   events?: list<'payment.succeeded'|'payment.failed'|'payment.refunded'|'refund.succeeded'|'refund.failed'|'statement.ready'>,
 *   secret_hash?: string,
 *   status?: 'on'|'off',
 * }
 * @phpstan-type SecretRoll array{keep_old_minutes?: int}
 * @phpstan-type WebhookEndpoint array{
 *   id: string,
 *   url: string,
 *   events: list<'payment.succeeded'|'payment.failed'|'payment.refunded'|'refund.succeeded'|'refund.failed'|'statement.ready'>,
 *   status: 'on'|'off'|'gone',
 *   failing_since: string|null,
 *   created_at: string,
 * }
 * @phpstan-type WebhookEndpointWithSecret array{
 *   id: string,
 *   url: string,
 *   events: list<'payment.succeeded'|'payment.failed'|'payment.refunded'|'refund.succeeded'|'refund.failed'|'statement.ready'>,
 *   status: 'on'|'off'|'gone',
 *   failing_since: string|null,
 *   created_at: string,
 *   signing_secret: string,
 * }
 * @phpstan-type WebhookEndpointList array{data: list<WebhookEndpoint>}
 * @phpstan-type DeletedWebhookEndpoint array{id: string, deleted: 'true'}
 * @phpstan-type SentWebhookTest array{delivery: string, sequence: int}
 * @phpstan-type StatementReady array{
 *   period: 'day'|'month',
 *   from: string,
 *   to: string,
 *   statements: list<array{
 *     connection: string,
 *     from: string,
 *     to: string,
 *     is_shared: bool,
 *     opening: int,
 *     collected: int,
 *     refunded: int,
 *     fees: int,
 *     taxes: int,
 *     withheld: int,
 *     settled: int,
 *     unexplained: int,
 *     other: int,
 *     closing: int,
 *     confirmed: int,
 *   }>,
 * }
 * @phpstan-type StatementEvent array{
 *   sequence?: int,
 *   replay?: int,
 *   id: string,
 *   version: int,
 *   created_at: string,
 *   environment: 'sandbox'|'live',
 *   event: 'statement.ready',
 *   data: StatementReady,
 * }
 * @phpstan-type Event PaymentEvent|RefundEvent|StatementEvent|TestEvent
 * @phpstan-type Feed array{
 *   events: list<Event>,
 *   replays: list<Event>,
 *   has_more: bool,
 *   next: array{after: int, replays_after: int},
 * }
 * @phpstan-type Account array{
 *   account_id: string,
 *   merchant: string,
 *   environment: 'sandbox'|'live',
 *   status: 'unvalidated'|'validated'|'suspended',
 *   endpoints: list<array{
 *     url: string,
 *     status: 'on'|'off'|'gone',
 *     failing_since: string|null,
 *   }>,
 *   operators: list<array{
 *     country: 'NE'|'BJ',
 *     operator: string,
 *     name: string,
 *     state: 'up'|'down'|'paused',
 *   }>,
 * }
 * @phpstan-type Balance array{
 *   to_receive: int,
 *   in_wallet: int,
 *   opening: int,
 *   at_service: int,
 *   in_transit: int,
 *   in_bank: int,
 *   withheld: int,
 *   unexplained: int,
 *   connections: list<array{
 *     connection: string,
 *     to_receive: int,
 *     in_wallet: int,
 *     opening: int,
 *     at_service: int,
 *     in_transit: int,
 *     in_bank: int,
 *     withheld: int,
 *     unexplained: int,
 *   }>,
 * }
 * @phpstan-type Entry array{
 *   entry: int,
 *   kind: EntryKind,
 *   debit: LedgerAccount,
 *   credit: LedgerAccount,
 *   amount: int,
 *   connection: string,
 *   booked_at: string,
 *   value_date: string,
 *   payment_reference?: string,
 *   refund_reference?: string,
 *   corrects?: int,
 * }
 * @phpstan-type EntryList array{data: list<Entry>, next: int|null}
 * @phpstan-type Statement array{
 *   connection: string,
 *   from: string,
 *   to: string,
 *   is_shared: bool,
 *   opening: int,
 *   collected: int,
 *   refunded: int,
 *   fees: int,
 *   taxes: int,
 *   withheld: int,
 *   settled: int,
 *   unexplained: int,
 *   other: int,
 *   closing: int,
 *   confirmed: int,
 *   reconciliation: array{
 *     not_confirmed: int,
 *     on_other_days: int,
 *     of_other_days: int,
 *   },
 *   movements: list<array{
 *     entry: int,
 *     kind: EntryKind,
 *     amount: int,
 *     balance: int,
 *     booked_at: string,
 *     value_date: string,
 *     is_confirmed: bool,
 *     explained_as?: LedgerAccount,
 *     payment_reference?: string,
 *     public_reference?: string,
 *     external_reference?: string,
 *     refund_reference?: string,
 *     operator_reference?: string,
 *   }>,
 * }
 * @phpstan-type Settlement array{
 *   settlement: string,
 *   connection: string,
 *   amount: int,
 *   status: 'in_transit'|'received'|'returned',
 *   left_at: string,
 *   left_on: string,
 *   operator_reference?: string,
 *   received_amount?: int,
 *   received_on?: string,
 *   bank_reference?: string,
 * }
 * @phpstan-type SettlementList array{data: list<Settlement>, next: string|null}
 * @phpstan-type SettlementLines array{
 *   settlement: string,
 *   connection: string,
 *   amount: int,
 *   status: 'in_transit'|'received'|'returned',
 *   left_at: string,
 *   left_on: string,
 *   operator_reference?: string,
 *   received_amount?: int,
 *   received_on?: string,
 *   bank_reference?: string,
 *   collected: int,
 *   refunded: int,
 *   fees: int,
 *   taxes: int,
 *   other: int,
 *   lines: list<array{
 *     type: 'collection'|'refund'|'fee'|'tax'|'settlement'|'top_up'|'withheld'|'released'|'other'|'not_made',
 *     amount: int,
 *     fee: int,
 *     tax: int,
 *     booked_at: string,
 *     value_date: string,
 *     payment_reference?: string,
 *     public_reference?: string,
 *     external_reference?: string,
 *     refund_reference?: string,
 *     operator_reference?: string,
 *   }>,
 *   next: string|null,
 * }
 * @phpstan-type SettlementReceipt array{
 *   amount: int,
 *   received_on?: string,
 *   bank_reference?: string,
 * }
 * @phpstan-type Error array{message: string}
 * @phpstan-type Failure array{status: 'failed', message: string}
 * @phpstan-type ListPaymentsQuery array{
 *   status?: PaymentStatus,
 *   operator?: string,
 *   from?: string,
 *   to?: string,
 *   limit?: int,
 *   after?: string,
 *   payment?: string,
 * }
 * @phpstan-type ReadPaymentQuery array{wait?: int}
 * @phpstan-type ListRefundsQuery array{
 *   status?: 'open'|'waiting_for_approval'|'pending'|'by_hand'|'succeeded'|'failed',
 *   from?: string,
 *   to?: string,
 *   limit?: int,
 *   after?: string,
 *   payment?: string,
 * }
 * @phpstan-type ListEventsQuery array{
 *   after?: string,
 *   limit?: int,
 *   replays_after?: string,
 * }
 * @phpstan-type ListEntriesQuery array{after?: int, limit?: int}
 * @phpstan-type ReadStatementQuery array{
 *   connection?: string,
 *   from?: string,
 *   to?: string,
 *   format?: 'json'|'csv'|'xlsx'|'camt053'|'syscohada'|'pdf',
 *   language?: 'fr'|'en',
 * }
 * @phpstan-type DownloadMonthQuery array{month?: string, language?: 'fr'|'en'}
 * @phpstan-type ListSettlementsQuery array{
 *   from?: string,
 *   to?: string,
 *   limit?: int,
 *   after?: string,
 * }
 * @phpstan-type ReadSettlementQuery array{limit?: int, after?: string}
 */
final class Facts
{
    /** The codes of the API’s errors. */
    public const ERROR_CODE = [
        'account_not_available',
        'address_not_allowed',
        'after_not_valid',
        'amount_not_valid',
        'bad_request',
        'body_incomplete',
        'content_type_not_json',
        'country_not_allowed',
        'currency_not_allowed',
        'cursor_not_valid',
        'cursor_too_old',
        'customer_name_not_valid',
        'day_filter_not_valid',
        'description_not_valid',
        'endpoint_not_found',
        'endpoint_off',
        'endpoint_status_not_valid',
        'endpoint_url_taken',
        'environment_not_allowed',
        'event_name_not_valid',
        'event_not_found',
        'expires_in_minutes_not_valid',
        'external_reference_not_valid',
        'external_reference_taken',
        'header_missing',
        'headers_too_large',
        'internal',
        'key_malformed',
        'key_not_permitted',
        'key_not_valid',
        'limit_not_valid',
        'link_being_paid',
        'link_body_incomplete',
        'link_paid',
        'link_reference_not_valid',
        'link_reference_taken',
        'metadata_not_valid',
        'method_not_allowed',
        'minimum_amount_not_valid',
        'month_not_over',
        'msisdn_not_valid',
        'not_found',
        'operator_filter_not_valid',
        'operator_not_available',
        'order_not_valid',
        'order_reference_not_valid',
        'order_reference_taken',
        'origin_not_allowed',
        'payload_too_large',
        'payment_not_found',
        'payment_not_refundable',
        'payment_type_not_allowed',
        'period_not_valid',
        'period_without_movements',
        'public_key_not_valid',
        'receipt_not_valid',
        'received_on_not_valid',
        'redirection_url_not_valid',
        'refund_amount_not_valid',
        'refund_amount_too_large',
        'refund_filter_not_valid',
        'refund_id_not_valid',
        'refund_id_taken',
        'refund_in_part_not_possible',
        'refund_not_found',
        'request_timeout',
        'reusable_not_valid',
        'secret_hash_not_valid',
        'secret_key_in_page',
        'secret_overlap_not_valid',
        'settlement_confirmed',
        'settlement_not_found',
        'settlement_returned',
        'should_expire_not_valid',
        'statement_query_not_valid',
        'status_filter_not_valid',
        'suggested_amounts_not_valid',
        'time_filter_not_valid',
        'title_not_valid',
        'too_many_endpoints',
        'too_many_refunds',
        'too_many_requests',
        'unavailable',
        'wait_not_valid',
        'webhook_url_not_valid',
    ];

    /** The states of a payment and of a link. */
    public const PAYMENT_STATUS = [
        'initiated',
        'pending',
        'succeeded',
        'failed',
        'refunded',
    ];

    /** Why a payment failed. */
    public const FAILURE_REASON = [
        'declined',
        'insufficient_funds',
        'expired',
        'cancelled',
        'payer_not_found',
        'payer_not_allowed',
        'limit_reached',
        'amount_not_allowed',
        'operator_error',
        'never_received',
    ];

    /** The states of a refund. */
    public const REFUND_STATUS = [
        'waiting_for_approval',
        'pending',
        'by_hand',
        'succeeded',
        'failed',
    ];

    /** Why a refund failed. */
    public const REFUND_FAILURE_REASON = [
        'declined',
        'insufficient_funds',
        'expired',
        'cancelled',
        'payer_not_found',
        'payer_not_allowed',
        'limit_reached',
        'amount_not_allowed',
        'operator_error',
        'never_received',
        'approval_rejected',
    ];

    /** The kinds of events. */
    public const EVENT_KIND = [
        'payment.succeeded',
        'payment.failed',
        'payment.refunded',
        'refund.succeeded',
        'refund.failed',
        'statement.ready',
        'webhook.test',
    ];

    /** Why money moved, in an entry of the ledger. */
    public const ENTRY_KIND = [
        'payment',
        'refund',
        'reversal',
        'collected',
        'refund_confirmed',
        'fee',
        'tax',
        'settlement',
        'withheld',
        'unexplained',
        'closing',
        'opening',
    ];

    /** The accounts of the ledger. */
    public const LEDGER_ACCOUNT = [
        'sales',
        'receivable',
        'wallet',
        'fees',
        'taxes',
        'refunds',
        'withheld',
        'in_transit',
        'bank',
        'unexplained',
        'owner',
        'other_income',
        'corrections',
        'not_ours',
        'opening',
    ];
}
