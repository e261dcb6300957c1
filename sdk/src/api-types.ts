// Generated from the OpenAPI description by `npm run docs`: do not edit. The bodies of the API.
export interface components {
    schemas: {
        PaymentOrder: {
            /** @description Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount: number | string;
            /** @enum {string} */
            country: "NE" | "BJ";
            /** @enum {string} */
            currency: "XOF";
            /** @description The payer’s number; it must belong to the country. */
            msisdn: string;
            /** @description Your reference, unique in your account. */
            transaction_id: string;
            customer_name: string;
            /** @description An addition to the contract. The order: of all payments with it, at most one is pending and at most one succeeds. */
            order_reference?: string;
            /** @description An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: {
                [key: string]: string;
            };
        };
        CreatedPayment: {
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            reference: string;
            /** @description For the customer. */
            public_reference: string;
            meta_data?: {
                [key: string]: unknown;
            };
        };
        Payment: {
            public_reference: string;
            /** @description Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /**
             * Format: date-time
             * @description Present once the payment succeeded.
             */
            validated_at?: string;
            /**
             * @description An addition to the contract. Present on failed payments.
             * @enum {string}
             */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /**
             * @description An addition to the contract. On a link created by a page without a signed order (D-57).
             * @enum {string}
             */
            created_by?: "page";
            /** @description An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** @description An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** @description An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** @description Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** @description The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** @description An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: {
                [key: string]: string;
            };
        };
        EventPayment: {
            public_reference: string;
            /** @description Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /**
             * Format: date-time
             * @description Present once the payment succeeded.
             */
            validated_at?: string;
            /**
             * @description An addition to the contract. Present on failed payments.
             * @enum {string}
             */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /**
             * @description An addition to the contract. On a link created by a page without a signed order (D-57).
             * @enum {string}
             */
            created_by?: "page";
            /** @description An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** @description An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** @description An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** @description Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** @description The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** @description An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: {
                [key: string]: string;
            };
            /** @description The reference of the link that was paid. */
            external_payment_reference?: string;
        };
        ListedPayment: {
            public_reference: string;
            /** @description Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /**
             * Format: date-time
             * @description Present once the payment succeeded.
             */
            validated_at?: string;
            /**
             * @description An addition to the contract. Present on failed payments.
             * @enum {string}
             */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /**
             * @description An addition to the contract. On a link created by a page without a signed order (D-57).
             * @enum {string}
             */
            created_by?: "page";
            /** @description An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** @description An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** @description An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** @description Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** @description The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** @description An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: {
                [key: string]: string;
            };
            /** @description The reference of the link that was paid. */
            external_payment_reference?: string;
            /** Format: date-time */
            created_at: string;
        };
        PaymentList: {
            data: components["schemas"]["ListedPayment"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        Refund: {
            reference: string;
            payment_reference: string;
            amount: number;
            /**
             * @description waiting_for_approval: the amount is above the service’s limit, and a second person must approve it. by_hand: the network has no refund call, and a person makes the refund.
             * @enum {string}
             */
            status: "waiting_for_approval" | "pending" | "succeeded" | "failed" | "by_hand";
            /**
             * @description Present on failed refunds.
             * @enum {string}
             */
            reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received" | "approval_rejected";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        LinkOrder: {
            /** @description Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            title: string;
            description?: string;
            /** @description Your reference, unique in your account. */
            transaction_id?: string;
            customer_name?: string;
            /** Format: uri */
            on_success_redirection_url?: string;
            /** Format: uri */
            on_failed_redirection_url?: string;
            /** @description The payer chooses the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** @description Each payer gets their own payment. */
            reusable?: boolean;
            /** @description Without it, a reusable link does not expire. */
            expires_in_minutes?: number;
            /** @description Your own random reference; without it, the service creates one. */
            reference?: string;
            /** @description An addition to the contract. The order: of all payments with it, at most one is pending and at most one succeeds. */
            order_reference?: string;
            /** @description An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description After 30 minutes.
             * @default true
             */
            shouldExpire?: boolean;
        };
        PageLinkOrder: {
            /** @description Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            title?: string;
            description?: string;
            /** @description Your reference, unique in your account. */
            transaction_id?: string;
            customer_name?: string;
            /** Format: uri */
            on_success_redirection_url?: string;
            /** Format: uri */
            on_failed_redirection_url?: string;
            /** @description Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. The page’s own amount, title, description and transaction_id are then ignored. Without it, transaction_id is kept as client_reference and reserves nothing. */
            order?: string;
        };
        CreatedLink: {
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description Absent until the payer chooses it (D-92). */
            amount?: number;
            /** @description The payer chooses the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** @description Each payer gets their own payment. */
            reusable?: boolean;
            /** @enum {string} */
            currency: "XOF";
            title: string;
            description?: string;
            /**
             * Format: date-time
             * @description Absent on a link that does not expire.
             */
            expires_at?: string;
            public_reference: string;
            /**
             * Format: uri
             * @description The payer’s page.
             */
            page_url: string;
        };
        Link: {
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description Absent until the payer chooses it (D-92). */
            amount?: number;
            /** @description The payer chooses the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** @description Each payer gets their own payment. */
            reusable?: boolean;
            /** @enum {string} */
            currency: "XOF";
            title: string;
            description?: string;
            /**
             * Format: date-time
             * @description Absent on a link that does not expire.
             */
            expires_at?: string;
            public_reference: string;
            /** @description On a reusable link: the number of payments, without refunded ones. */
            payments_count?: number;
            /** @description On a reusable link: the sum of those payments. */
            collected_amount?: number;
            /**
             * Format: date-time
             * @description Present once it is paid.
             */
            validated_at?: string;
            /** @description The service’s payment reference, once it is paid. */
            transaction_id?: string;
        };
        PaymentEvent: {
            /** @description The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** @description The count of replays. Only in `replays`. */
            replay?: number;
            /** @description The same in every delivery of this event. */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            environment: "sandbox" | "live";
            /** @enum {string} */
            event: "payment.succeeded" | "payment.failed" | "payment.refunded";
            data: components["schemas"]["EventPayment"];
        };
        /** @description The data of `webhook.test`: no payment has changed. */
        WebhookTest: {
            endpoint: string;
            message: string;
        };
        TestEvent: {
            /** @description The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** @description The count of replays. Only in `replays`. */
            replay?: number;
            /** @description The same in every delivery of this event. */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            environment: "sandbox" | "live";
            /** @constant */
            event: "webhook.test";
            data: components["schemas"]["WebhookTest"];
        };
        KarbaEvent: components["schemas"]["PaymentEvent"] | components["schemas"]["TestEvent"];
        Feed: {
            events: components["schemas"]["KarbaEvent"][];
            replays: components["schemas"]["KarbaEvent"][];
            has_more: boolean;
            /** @description The parameters of the next request. */
            next: {
                after: number;
                replays_after: number;
            };
        };
        Account: {
            account_id: string;
            /** @description The name that payers see. */
            merchant: string;
            /** @enum {string} */
            environment: "sandbox" | "live";
            /** @enum {string} */
            status: "unvalidated" | "validated" | "suspended";
            endpoints: {
                /** Format: uri */
                url: string;
                /** @enum {string} */
                status: "on" | "off" | "gone";
                /** Format: date-time */
                failing_since: string | null;
            }[];
            operators: {
                /** @enum {string} */
                country: "NE" | "BJ";
                operator: string;
                /** @description The name that payers know. */
                name: string;
                /**
                 * @description down: payments wait. paused: creates are refused.
                 * @enum {string}
                 */
                state: "up" | "down" | "paused";
            }[];
        };
        Balance: {
            /** @description Paid by payers, and not yet confirmed by the network’s statement. */
            to_receive: number;
            /** @description In your wallet at the network, as its statement shows it. */
            in_wallet: number;
            /** @description On its way from the wallet to your bank. */
            in_transit: number;
            /** @description Confirmed at your bank. */
            in_bank: number;
            /** @description Blocked by the network. */
            withheld: number;
            connections: {
                connection: string;
                /** @description Paid by payers, and not yet confirmed by the network’s statement. */
                to_receive: number;
                /** @description In your wallet at the network, as its statement shows it. */
                in_wallet: number;
                /** @description On its way from the wallet to your bank. */
                in_transit: number;
                /** @description Confirmed at your bank. */
                in_bank: number;
                /** @description Blocked by the network. */
                withheld: number;
            }[];
        };
        Entry: {
            /** @description Counts up by one within the account, without a gap. */
            entry: number;
            /**
             * @description reversal: the network gave the money back on its own.
             * @enum {string}
             */
            kind: "payment" | "refund" | "reversal";
            /** @enum {string} */
            debit: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained";
            /** @enum {string} */
            credit: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained";
            amount: number;
            connection: string;
            /** Format: date-time */
            booked_at: string;
            /**
             * Format: date
             * @description The day in Niamey and Porto-Novo.
             */
            value_date: string;
            payment_reference: string;
            refund_reference?: string;
        };
        EntryList: {
            data: components["schemas"]["Entry"][];
            /** @description The `after` of the next page; null when there is no later entry yet. */
            next: number | null;
        };
        StatementRow: {
            /** @description The number of the ledger entry. */
            entry: number;
            /** @enum {string} */
            kind: "payment" | "refund" | "reversal" | "fee" | "tax" | "settlement" | "top_up" | "withheld" | "released" | "other";
            /** Format: date-time */
            booked_at: string;
            /**
             * Format: date
             * @description The day in Niamey and Porto-Novo.
             */
            value_date: string;
            /** @description What your money at the network gained; negative for what it lost. */
            amount: number;
            /** @description After this row. */
            balance: number;
            /** @description Whether the network’s own statement has it. */
            confirmed: boolean;
            payment_reference?: string;
            public_reference?: string;
            external_reference?: string;
            refund_reference?: string;
            operator_reference?: string;
        };
        Statement: {
            merchant: string;
            account_id: string;
            /** @enum {string} */
            environment: "sandbox" | "live";
            connection: string;
            /** Format: date */
            from: string;
            /**
             * Format: date
             * @description Inclusive.
             */
            to: string;
            /** @constant */
            currency: "XOF";
            opening: number;
            collected: number;
            /** @description Negative, like all money out. */
            refunded: number;
            fees: number;
            taxes: number;
            withheld: number;
            settled: number;
            /** @description The opening balance plus all rows. */
            closing: number;
            /** @description The part of the collected amount that the network’s own statement confirms. */
            confirmed: number;
            rows: components["schemas"]["StatementRow"][];
        };
        ErrorBody: {
            message: string;
        };
        FailureBody: {
            /** @enum {string} */
            status: "failed";
            message: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type PaymentOrder = components['schemas']['PaymentOrder'];
export type CreatedPayment = components['schemas']['CreatedPayment'];
export type Payment = components['schemas']['Payment'];
export type EventPayment = components['schemas']['EventPayment'];
export type ListedPayment = components['schemas']['ListedPayment'];
export type PaymentList = components['schemas']['PaymentList'];
export type Refund = components['schemas']['Refund'];
export type LinkOrder = components['schemas']['LinkOrder'];
export type PageLinkOrder = components['schemas']['PageLinkOrder'];
export type CreatedLink = components['schemas']['CreatedLink'];
export type Link = components['schemas']['Link'];
export type PaymentEvent = components['schemas']['PaymentEvent'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type TestEvent = components['schemas']['TestEvent'];
export type KarbaEvent = components['schemas']['KarbaEvent'];
export type Feed = components['schemas']['Feed'];
export type Account = components['schemas']['Account'];
export type Balance = components['schemas']['Balance'];
export type Entry = components['schemas']['Entry'];
export type EntryList = components['schemas']['EntryList'];
export type StatementRow = components['schemas']['StatementRow'];
export type Statement = components['schemas']['Statement'];
export type ErrorBody = components['schemas']['ErrorBody'];
export type FailureBody = components['schemas']['FailureBody'];
