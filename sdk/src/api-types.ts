// Generated from the OpenAPI description by `npm run docs`: do not edit. The bodies of the API.
export interface components {
    schemas: {
        PaymentOrder: {
            /** Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount: number | string;
            country: "NE" | "BJ";
            currency: "XOF";
            /** The payer’s number; it must belong to the country. */
            msisdn: string;
            /** Your reference, unique in your account. */
            transaction_id: string;
            customer_name: string;
            /** An addition to the contract. The order: of all payments with it, at most one is pending and at most one succeeds. */
            order_reference?: string;
            /** An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
        };
        CreatedPayment: {
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            reference: string;
            /** For the customer. */
            public_reference: string;
            meta_data?: { [key: string]: unknown; };
        };
        Payment: {
            public_reference: string;
            /** Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /** Present once the payment succeeded. Format: date-time. */
            validated_at?: string;
            /** An addition to the contract. Present on failed payments. */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /** An addition to the contract. On a link created by a page without a signed order (D-57). */
            created_by?: "page";
            /** An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
        };
        EventPayment: {
            public_reference: string;
            /** Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /** Present once the payment succeeded. Format: date-time. */
            validated_at?: string;
            /** An addition to the contract. Present on failed payments. */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /** An addition to the contract. On a link created by a page without a signed order (D-57). */
            created_by?: "page";
            /** An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
            /** The reference of the link that was paid. */
            external_payment_reference?: string;
        };
        ListedPayment: {
            public_reference: string;
            /** Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /** Present once the payment succeeded. Format: date-time. */
            validated_at?: string;
            /** An addition to the contract. Present on failed payments. */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /** An addition to the contract. On a link created by a page without a signed order (D-57). */
            created_by?: "page";
            /** An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
            /** The reference of the link that was paid. */
            external_payment_reference?: string;
            /** Format: date-time */
            created_at: string;
            /** What was refunded, whole or in part; absent when nothing was. */
            refunded_amount?: number;
            /** What the network takes. Absent on failed and unpaid payments, and where the connection has no tariff. */
            fee?: {
                /** `tariff`: expected by the connection’s tariff. `statement`: taken, by the network’s own statement. */
                basis: "tariff" | "statement";
                amount: number;
                /** 0 before the statement. */
                tax: number;
                /** The payment’s amount without fee and tax. Refunds are not taken off. */
                net: number;
            };
        };
        PaymentList: {
            data: components["schemas"]["ListedPayment"][];
            /** The `after` of the next page; null on the last page. */
            next: string | null;
        };
        RefundOrder: {
            /** Without it, what is left of the payment is refunded. */
            amount?: number;
            /** Your own name of this refund, for this payment. A repeated request with it returns the first refund; with another amount it is refused. */
            refund_id?: string;
        };
        OneRefund: {
            reference: string;
            refund_id?: string;
            payment_reference: string;
            amount: number;
            /** waiting_for_approval: the payment’s refunds are above the service’s limit, and a second person must approve it. by_hand: the network has no refund call, and a person makes the refund. */
            status: "waiting_for_approval" | "pending" | "succeeded" | "failed" | "by_hand";
            /** Present on failed refunds. */
            reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received" | "approval_rejected";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Refund: {
            reference: string;
            refund_id?: string;
            payment_reference: string;
            amount: number;
            /** waiting_for_approval: the payment’s refunds are above the service’s limit, and a second person must approve it. by_hand: the network has no refund call, and a person makes the refund. */
            status: "waiting_for_approval" | "pending" | "succeeded" | "failed" | "by_hand";
            /** Present on failed refunds. */
            reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received" | "approval_rejected";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** What the payment’s refunds have given back so far. */
            refunded_amount: number;
            /** What can still be refunded: neither given back nor requested. */
            remaining_amount: number;
            /** Every refund of the payment; those that failed come last. */
            refunds: components["schemas"]["OneRefund"][];
        };
        LinkOrder: {
            /** Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            title: string;
            description?: string;
            /** Your reference, unique in your account. */
            transaction_id?: string;
            customer_name?: string;
            /** Format: uri */
            on_success_redirection_url?: string;
            /** Format: uri */
            on_failed_redirection_url?: string;
            /** The payer chooses the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** Each payer gets their own payment. */
            reusable?: boolean;
            /** Without it, a reusable link does not expire. */
            expires_in_minutes?: number;
            /** Your own random reference; without it, the service creates one. */
            reference?: string;
            /** An addition to the contract. The order: of all payments with it, at most one is pending and at most one succeeds. */
            order_reference?: string;
            /** An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
            /**
             * @description After 30 minutes.
             * @default true
             */
            shouldExpire?: boolean;
        };
        PageLinkOrder: {
            /** Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            title?: string;
            description?: string;
            /** Your reference, unique in your account. */
            transaction_id?: string;
            customer_name?: string;
            /** Format: uri */
            on_success_redirection_url?: string;
            /** Format: uri */
            on_failed_redirection_url?: string;
            /** Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. The page’s own amount, title, description and transaction_id are then ignored. Without it, transaction_id is kept as client_reference and reserves nothing. */
            order?: string;
        };
        CreatedLink: {
            reference: string;
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** Absent until the payer chooses it (D-92). */
            amount?: number;
            /** The payer chooses the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** Each payer gets their own payment. */
            reusable?: boolean;
            currency: "XOF";
            title: string;
            description?: string;
            /** Absent on a link that does not expire. Format: date-time. */
            expires_at?: string;
            public_reference: string;
            /** The payer’s page. Format: uri. */
            page_url: string;
        };
        Link: {
            reference: string;
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** Absent until the payer chooses it (D-92). */
            amount?: number;
            /** The payer chooses the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** Each payer gets their own payment. */
            reusable?: boolean;
            currency: "XOF";
            title: string;
            description?: string;
            /** Absent on a link that does not expire. Format: date-time. */
            expires_at?: string;
            public_reference: string;
            /** On a reusable link: the number of payments, without refunded ones. */
            payments_count?: number;
            /** On a reusable link: the sum of those payments. */
            collected_amount?: number;
            /** Present once it is paid. Format: date-time. */
            validated_at?: string;
            /** The service’s payment reference, once it is paid. */
            transaction_id?: string;
        };
        PaymentEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The same in every delivery of this event. */
            id: string;
            /** Format: date-time */
            created_at: string;
            environment: "sandbox" | "live";
            event: "payment.succeeded" | "payment.failed" | "payment.refunded";
            data: components["schemas"]["EventPayment"];
        };
        /** The payment, and the refund that has ended. */
        RefundedPayment: {
            public_reference: string;
            /** Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            reference: string;
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** As you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            amount: number;
            /** Present once the payment succeeded. Format: date-time. */
            validated_at?: string;
            /** An addition to the contract. Present on failed payments. */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /** An addition to the contract. On a link created by a page without a signed order (D-57). */
            created_by?: "page";
            /** An addition to the contract. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** An addition to the contract. As you sent it, or as your server signed it. */
            order_reference?: string;
            /** An addition to the contract. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`. */
                operator: string;
                /** The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** An addition to the contract. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
            /** The reference of the link that was paid. */
            external_payment_reference?: string;
            /** What the payment’s refunds have given back so far. */
            refunded_amount: number;
            refund: {
                reference: string;
                refund_id?: string;
                amount: number;
                status: "succeeded" | "failed";
                /** Present on failed refunds. */
                reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received" | "approval_rejected";
            };
        };
        RefundEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The same in every delivery of this event. */
            id: string;
            /** Format: date-time */
            created_at: string;
            environment: "sandbox" | "live";
            event: "refund.succeeded" | "refund.failed";
            data: components["schemas"]["RefundedPayment"];
        };
        /** The data of `webhook.test`: no payment has changed. */
        WebhookTest: {
            endpoint: string;
            message: string;
        };
        TestEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The same in every delivery of this event. */
            id: string;
            /** Format: date-time */
            created_at: string;
            environment: "sandbox" | "live";
            /** @constant */
            event: "webhook.test";
            data: components["schemas"]["WebhookTest"];
        };
        /** The data of `statement.ready`. A line that the network reports later may still change the day. */
        StatementReady: {
            period: "day" | "month";
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            /** One for each connection with movements. */
            statements: {
                connection: string;
                /** Format: date */
                from: string;
                /** Format: date */
                to: string;
                /** What you had at the network before the first day. */
                opening: number;
                collected: number;
                /** Zero or negative, like fees, taxes and what was withheld or settled. */
                refunded: number;
                fees: number;
                taxes: number;
                withheld: number;
                settled: number;
                /** Lines of the network’s statement that no payment explains. */
                unexplained: number;
                /** The opening plus all of the above. */
                closing: number;
                /** The part of the collected amount that the network’s own statement confirms. */
                confirmed: number;
            }[];
        };
        StatementEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The same in every delivery of this event. */
            id: string;
            /** Format: date-time */
            created_at: string;
            environment: "sandbox" | "live";
            /** @constant */
            event: "statement.ready";
            data: components["schemas"]["StatementReady"];
        };
        KarbaEvent: components["schemas"]["PaymentEvent"] | components["schemas"]["RefundEvent"] | components["schemas"]["StatementEvent"] | components["schemas"]["TestEvent"];
        Feed: {
            events: components["schemas"]["KarbaEvent"][];
            replays: components["schemas"]["KarbaEvent"][];
            has_more: boolean;
            /** The parameters of the next request. */
            next: {
                after: number;
                replays_after: number;
            };
        };
        Account: {
            account_id: string;
            /** The name that payers see. */
            merchant: string;
            environment: "sandbox" | "live";
            status: "unvalidated" | "validated" | "suspended";
            endpoints: {
                /** Format: uri */
                url: string;
                status: "on" | "off" | "gone";
                /** Format: date-time */
                failing_since: string | null;
            }[];
            operators: {
                country: "NE" | "BJ";
                operator: string;
                /** The name that payers know. */
                name: string;
                /** down: payments wait. paused: creates are refused. */
                state: "up" | "down" | "paused";
            }[];
        };
        Balance: {
            /** Paid by payers, and not yet confirmed by the network’s statement. */
            to_receive: number;
            /** In your wallet at the network, as its statement shows it. */
            in_wallet: number;
            /** On its way from the wallet to your bank. */
            in_transit: number;
            /** Confirmed at your bank. */
            in_bank: number;
            /** Blocked by the network. */
            withheld: number;
            connections: {
                connection: string;
                /** Paid by payers, and not yet confirmed by the network’s statement. */
                to_receive: number;
                /** In your wallet at the network, as its statement shows it. */
                in_wallet: number;
                /** On its way from the wallet to your bank. */
                in_transit: number;
                /** Confirmed at your bank. */
                in_bank: number;
                /** Blocked by the network. */
                withheld: number;
            }[];
        };
        Entry: {
            /** Counts up by one within the account, without a gap. */
            entry: number;
            /** reversal: the network gave the money back on its own. */
            kind: "payment" | "refund" | "reversal" | "collected" | "refund_confirmed" | "fee" | "tax" | "settlement" | "withheld" | "unexplained";
            debit: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained";
            credit: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained";
            amount: number;
            connection: string;
            /** Format: date-time */
            booked_at: string;
            /** The day in Niamey and Porto-Novo. Format: date. */
            value_date: string;
            payment_reference?: string;
            refund_reference?: string;
        };
        EntryList: {
            data: components["schemas"]["Entry"][];
            /** The `after` of the next page; null when there is no later entry yet. */
            next: number | null;
        };
        Statement: {
            connection: string;
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            /** What you had at the network before the first day. */
            opening: number;
            collected: number;
            /** Zero or negative, like fees, taxes and what was withheld or settled. */
            refunded: number;
            fees: number;
            taxes: number;
            withheld: number;
            settled: number;
            /** Lines of the network’s statement that no payment explains. */
            unexplained: number;
            /** The opening plus all of the above. */
            closing: number;
            /** The part of the collected amount that the network’s own statement confirms. */
            confirmed: number;
            movements: {
                entry: number;
                kind: "payment" | "refund" | "reversal" | "collected" | "refund_confirmed" | "fee" | "tax" | "settlement" | "withheld" | "unexplained";
                amount: number;
                balance: number;
                /** Format: date-time */
                booked_at: string;
                /** Format: date */
                value_date: string;
                is_confirmed: boolean;
                payment_reference?: string;
                public_reference?: string;
                external_reference?: string;
                refund_reference?: string;
                operator_reference?: string;
            }[];
        };
        Settlement: {
            /** Its name. */
            settlement: string;
            connection: string;
            /** What left the wallet; negative for money that came back. */
            amount: number;
            /** in_transit: on its way to your bank. received: you confirmed it. returned: it came back. */
            status: "in_transit" | "received" | "returned";
            /** Format: date-time */
            left_at: string;
            /** Format: date */
            left_on: string;
            operator_reference?: string;
            /** What your bank has, as you confirmed it. */
            received_amount?: number;
            /** Format: date */
            received_on?: string;
            /** Your bank’s own reference, as you gave it. */
            bank_reference?: string;
        };
        SettlementList: {
            data: components["schemas"]["Settlement"][];
            /** The `after` of the next page. */
            next: string | null;
        };
        SettlementLines: {
            /** Its name. */
            settlement: string;
            connection: string;
            /** What left the wallet; negative for money that came back. */
            amount: number;
            /** in_transit: on its way to your bank. received: you confirmed it. returned: it came back. */
            status: "in_transit" | "received" | "returned";
            /** Format: date-time */
            left_at: string;
            /** Format: date */
            left_on: string;
            operator_reference?: string;
            /** What your bank has, as you confirmed it. */
            received_amount?: number;
            /** Format: date */
            received_on?: string;
            /** Your bank’s own reference, as you gave it. */
            bank_reference?: string;
            /** Of the lines since the settlement before. */
            collected: number;
            /** Zero or negative, like fees and taxes. */
            refunded: number;
            fees: number;
            taxes: number;
            /** Top-ups, money withheld or released, and corrections by the network. */
            other: number;
            lines: {
                type: "collection" | "refund" | "fee" | "tax" | "settlement" | "top_up" | "withheld" | "released" | "other" | "not_made";
                /** Negative for what left the wallet. */
                amount: number;
                fee: number;
                tax: number;
                /** Format: date-time */
                booked_at: string;
                /** Format: date */
                value_date: string;
                payment_reference?: string;
                public_reference?: string;
                external_reference?: string;
                refund_reference?: string;
                operator_reference?: string;
            }[];
            next: string | null;
        };
        SettlementReceipt: {
            /** What your bank has credited. */
            amount: number;
            /** Today by default. Format: date. */
            received_on?: string;
            /** Of the credit on your bank’s statement. */
            bank_reference?: string;
        };
        ErrorBody: {
            message: string;
        };
        FailureBody: {
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
export type RefundOrder = components['schemas']['RefundOrder'];
export type OneRefund = components['schemas']['OneRefund'];
export type Refund = components['schemas']['Refund'];
export type LinkOrder = components['schemas']['LinkOrder'];
export type PageLinkOrder = components['schemas']['PageLinkOrder'];
export type CreatedLink = components['schemas']['CreatedLink'];
export type Link = components['schemas']['Link'];
export type PaymentEvent = components['schemas']['PaymentEvent'];
export type RefundedPayment = components['schemas']['RefundedPayment'];
export type RefundEvent = components['schemas']['RefundEvent'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type TestEvent = components['schemas']['TestEvent'];
export type StatementReady = components['schemas']['StatementReady'];
export type StatementEvent = components['schemas']['StatementEvent'];
export type KarbaEvent = components['schemas']['KarbaEvent'];
export type Feed = components['schemas']['Feed'];
export type Account = components['schemas']['Account'];
export type Balance = components['schemas']['Balance'];
export type Entry = components['schemas']['Entry'];
export type EntryList = components['schemas']['EntryList'];
export type Statement = components['schemas']['Statement'];
export type Settlement = components['schemas']['Settlement'];
export type SettlementList = components['schemas']['SettlementList'];
export type SettlementLines = components['schemas']['SettlementLines'];
export type SettlementReceipt = components['schemas']['SettlementReceipt'];
export type ErrorBody = components['schemas']['ErrorBody'];
export type FailureBody = components['schemas']['FailureBody'];
