// Generated from the OpenAPI description by `npm run docs`: do not edit. The bodies of the API.
export interface components {
    schemas: {
        PaymentOrder: {
            /** @description Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount: number | string;
            /** @enum {string} */
            country: "NE" | "BJ";
            /** @enum {string} */
            currency: "XOF";
            /** @description The payer’s number as people write it; it must belong to the country. */
            msisdn: string;
            /** @description Your order, unique in your account. */
            transaction_id: string;
            customer_name: string;
            /** @description An addition to the contract. What is paid: of all payments with it at most one is pending and at most one succeeds. */
            order_reference?: string;
            /** @description An addition to the contract. Your own data: returned when the payment is read or listed, and in its events. */
            metadata?: {
                [key: string]: string;
            };
        };
        CreatedPayment: {
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            reference: string;
            /** @description For the customer to read out. */
            public_reference: string;
            meta_data?: {
                [key: string]: unknown;
            };
        };
        Payment: {
            public_reference: string;
            /** @description Your transaction_id; of a link without one, its reference. */
            external_reference: string;
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description As you sent it. Absent on a link that was paid by another method. */
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
             * @description An addition to the contract. Of a link that a page made without a signed order (D-57).
             * @enum {string}
             */
            created_by?: "page";
            /** @description An addition to the contract. The page’s own name for the order: neither verified nor unique. */
            client_reference?: string;
            /** @description An addition to the contract. As you gave it, or as your server signed it for its page. */
            order_reference?: string;
            /** @description An addition to the contract. On succeeded and refunded payments, by what you find the money at the operator. */
            meta_data?: {
                /** @description Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`. */
                operator: string;
                /** @description The operator’s own reference of the debit, where it gave one. */
                operator_reference?: string;
            };
            /** @description An addition to the contract. Your own data: returned when the payment is read or listed, and in its events. */
            metadata?: {
                [key: string]: string;
            };
        };
        EventPayment: {
            public_reference: string;
            /** @description Your transaction_id; of a link without one, its reference. */
            external_reference: string;
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description As you sent it. Absent on a link that was paid by another method. */
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
             * @description An addition to the contract. Of a link that a page made without a signed order (D-57).
             * @enum {string}
             */
            created_by?: "page";
            /** @description An addition to the contract. The page’s own name for the order: neither verified nor unique. */
            client_reference?: string;
            /** @description An addition to the contract. As you gave it, or as your server signed it for its page. */
            order_reference?: string;
            /** @description An addition to the contract. On succeeded and refunded payments, by what you find the money at the operator. */
            meta_data?: {
                /** @description Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`. */
                operator: string;
                /** @description The operator’s own reference of the debit, where it gave one. */
                operator_reference?: string;
            };
            /** @description An addition to the contract. Your own data: returned when the payment is read or listed, and in its events. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Of the link that it was paid through. */
            external_payment_reference?: string;
        };
        ListedPayment: {
            public_reference: string;
            /** @description Your transaction_id; of a link without one, its reference. */
            external_reference: string;
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description As you sent it. Absent on a link that was paid by another method. */
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
             * @description An addition to the contract. Of a link that a page made without a signed order (D-57).
             * @enum {string}
             */
            created_by?: "page";
            /** @description An addition to the contract. The page’s own name for the order: neither verified nor unique. */
            client_reference?: string;
            /** @description An addition to the contract. As you gave it, or as your server signed it for its page. */
            order_reference?: string;
            /** @description An addition to the contract. On succeeded and refunded payments, by what you find the money at the operator. */
            meta_data?: {
                /** @description Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`. */
                operator: string;
                /** @description The operator’s own reference of the debit, where it gave one. */
                operator_reference?: string;
            };
            /** @description An addition to the contract. Your own data: returned when the payment is read or listed, and in its events. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Of the link that it was paid through. */
            external_payment_reference?: string;
            /** Format: date-time */
            created_at: string;
        };
        PaymentList: {
            data: components["schemas"]["ListedPayment"][];
            /** @description Ask for the next page with it as `after`; null on the last page. */
            next: string | null;
        };
        Refund: {
            reference: string;
            payment_reference: string;
            amount: number;
            /**
             * @description waiting_for_approval: the amount is above the service’s limit, and a second person must approve it first. by_hand: the network has no call for it, and a person makes it.
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
            /** @description Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            title: string;
            description?: string;
            /** @description Your order, unique in your account. */
            transaction_id?: string;
            customer_name?: string;
            /** Format: uri */
            on_success_redirection_url?: string;
            /** Format: uri */
            on_failed_redirection_url?: string;
            /** @description The payer types the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** @description Each payer gets a payment of their own. */
            reusable?: boolean;
            /** @description Without it, a reusable link never expires. */
            expires_in_minutes?: number;
            /** @description Your own, random; without it, one is made. */
            reference?: string;
            /** @description An addition to the contract. What is paid: of all payments with it at most one is pending and at most one succeeds. */
            order_reference?: string;
            /** @description An addition to the contract. Your own data: returned when the payment is read or listed, and in its events. */
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
            /** @description Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            title?: string;
            description?: string;
            /** @description Your order, unique in your account. */
            transaction_id?: string;
            customer_name?: string;
            /** Format: uri */
            on_success_redirection_url?: string;
            /** Format: uri */
            on_failed_redirection_url?: string;
            /** @description Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. Then the page’s own amount, title, description and transaction_id are ignored; without it, transaction_id is kept as client_reference and reserves nothing. */
            order?: string;
        };
        CreatedLink: {
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description Absent while the payer has not typed it (D-92). */
            amount?: number;
            /** @description The payer types the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** @description Each payer gets a payment of their own. */
            reusable?: boolean;
            /** @enum {string} */
            currency: "XOF";
            title: string;
            description?: string;
            /**
             * Format: date-time
             * @description Absent on a link that never expires.
             */
            expires_at?: string;
            public_reference: string;
            /**
             * Format: uri
             * @description For the payer to open.
             */
            page_url: string;
        };
        Link: {
            reference: string;
            /** @enum {string} */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** @description Absent while the payer has not typed it (D-92). */
            amount?: number;
            /** @description The payer types the amount, at least this. */
            minimum_amount?: number;
            suggested_amounts?: number[];
            /** @description Each payer gets a payment of their own. */
            reusable?: boolean;
            /** @enum {string} */
            currency: "XOF";
            title: string;
            description?: string;
            /**
             * Format: date-time
             * @description Absent on a link that never expires.
             */
            expires_at?: string;
            public_reference: string;
            /** @description Of a reusable link: how many have paid, without refunds. */
            payments_count?: number;
            /** @description Of a reusable link: what they have paid, without refunds. */
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
            /** @description Its position in the feed, counting up by one. Not in a webhook. */
            sequence?: number;
            /** @description Counts the replays of an event. Only in `replays`. */
            replay?: number;
            /** @description The same each time that this event is sent. */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            environment: "sandbox" | "live";
            /** @enum {string} */
            event: "payment.succeeded" | "payment.failed" | "payment.refunded";
            data: components["schemas"]["EventPayment"];
        };
        /** @description Of `webhook.test`: no payment has changed. */
        WebhookTest: {
            endpoint: string;
            message: string;
        };
        TestEvent: {
            /** @description Its position in the feed, counting up by one. Not in a webhook. */
            sequence?: number;
            /** @description Counts the replays of an event. Only in `replays`. */
            replay?: number;
            /** @description The same each time that this event is sent. */
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
            /** @description What to ask with next. */
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
                /** @description As payers know it. */
                name: string;
                /**
                 * @description While it is down, payments wait for it; while it is paused, creates are refused.
                 * @enum {string}
                 */
                state: "up" | "down" | "paused";
            }[];
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
export type ErrorBody = components['schemas']['ErrorBody'];
export type FailureBody = components['schemas']['FailureBody'];
