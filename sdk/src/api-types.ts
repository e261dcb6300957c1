// Generated from the OpenAPI description by `npm run docs`: do not edit. The bodies of the API.
export interface components {
    schemas: {
        /** A mobile money payment request. */
        PaymentOrder: {
            /** Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount: number | string;
            /** The country: `NE` for Niger, `BJ` for Benin. */
            country: "NE" | "BJ";
            /** Always XOF, the CFA franc of West Africa. */
            currency: "XOF";
            /** The payer’s mobile money number, with or without country code; it must belong to the country. */
            msisdn: string;
            /** Your reference of this attempt to pay, unique in your account. */
            transaction_id: string;
            /** The name of your customer. */
            customer_name: string;
            /**
             * @description API extension. The order: of all payments with it, at most one is pending and at most one succeeds.
             * @example basket-12
             */
            order_reference?: string;
            /**
             * @description API extension. Your own data, returned in reads, lists and events.
             * @example {
             *       "shop": "Niamey"
             *     }
             */
            metadata?: { [key: string]: string; };
        };
        /** A recorded payment; its status is not final. */
        CreatedPayment: {
            /** `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded` and `failed`: the outcome. `refunded`: given back to the payer. */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** The service’s reference of the payment. Reads accept it. */
            reference: string;
            /** A short reference to show to the customer. */
            public_reference: string;
            /** The mobile operator that gets the request, such as `mtn_bj`. */
            meta_data?: { [key: string]: unknown; };
        };
        /** A payment with its real status. */
        Payment: {
            /** A short reference to show to the customer. */
            public_reference: string;
            /** Your transaction_id, or the reference of a link without one. */
            external_reference: string;
            /** The service’s reference of the payment. */
            reference: string;
            /** `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded` and `failed`: the outcome. `refunded`: given back to the payer. */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** The payer’s number as you sent it. Absent if a link was paid by another method. */
            msisdn?: string;
            /** The amount in whole francs. */
            amount: number;
            /** When the payment succeeded. Absent before that. Format: date-time. */
            validated_at?: string;
            /** API extension. Why the payment failed. Present on failed payments. */
            failure_reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received";
            /** API extension. Present on a link that a page created without a signed order. */
            created_by?: "page";
            /** API extension. The page’s own reference: neither verified nor unique. */
            client_reference?: string;
            /** API extension. The order, as you sent it or as your server signed it. */
            order_reference?: string;
            /** API extension. On succeeded and refunded payments: identifies the debit at the operator. */
            meta_data?: {
                /** Such as `mtn_bj`; on a link paid in another way, the method: `bank_card` or `wallet`. */
                operator: string;
                /** The operator’s reference of the debit, if it gave one. */
                operator_reference?: string;
            };
            /** API extension. Your own data, returned in reads, lists and events. */
            metadata?: { [key: string]: string; };
        };
        /** A payment, with the link that it paid. */
        EventPayment: components["schemas"]["Payment"] & {
            /** The reference of the link that was paid. */
            external_payment_reference?: string;
        };
        /** A payment of the list, with refunds and fee. */
        ListedPayment: components["schemas"]["EventPayment"] & {
            /** When the payment was recorded. Format: date-time. */
            created_at: string;
            /** What was refunded, whole or in part; absent when nothing was. */
            refunded_amount?: number;
            /** What the network takes. Absent on failed and unpaid payments, and where the connection has no tariff. */
            fee?: {
                /** `tariff`: expected by the connection’s tariff. `statement`: taken, by the network’s own statement. */
                basis: "tariff" | "statement";
                /** The fee in francs. */
                amount: number;
                /** The tax on the fee; 0 before the statement. */
                tax: number;
                /** The payment’s amount without fee and tax. Refunds are not taken off. */
                net: number;
            };
        };
        /** A page of payments. */
        PaymentList: {
            /** The payments, newest first. */
            data: components["schemas"]["ListedPayment"][];
            /** The `after` of the next page; null on the last page. */
            next: string | null;
        };
        /** A refund, whole or in part. */
        RefundOrder: {
            /** The francs to refund. Without it, what is left of the payment is refunded. */
            amount?: number;
            /** Your own name of this refund, for this payment. A repeated request with it returns the first refund; with another amount it is refused. */
            refund_id?: string;
        };
        /** One refund of a payment. */
        OneRefund: {
            /** The service’s reference of the refund. */
            reference: string;
            /** Your own name of the refund, if you gave one. */
            refund_id?: string;
            /** The service’s reference of the payment. */
            payment_reference: string;
            /** The refunded francs. */
            amount: number;
            /** `waiting_for_approval`: the payment’s refunds are above the service’s limit, and a second person must approve it. `by_hand`: the network has no refund call, and a person makes the refund. */
            status: "waiting_for_approval" | "pending" | "by_hand" | "succeeded" | "failed";
            /** Why the refund failed. Present on failed refunds. */
            reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received" | "approval_rejected";
            /** When the refund was requested. Format: date-time. */
            created_at: string;
            /** When its status last changed. Format: date-time. */
            updated_at: string;
        };
        /** The latest refund of a payment, with all of them and what is left. */
        Refund: components["schemas"]["OneRefund"] & {
            /** What the payment’s refunds have given back so far. */
            refunded_amount: number;
            /** What can still be refunded: neither given back nor requested. */
            remaining_amount: number;
            /** Every refund of the payment; those that failed come last. */
            refunds: components["schemas"]["OneRefund"][];
        };
        /** A refund of the list, with the references of its payment. */
        ListedRefund: components["schemas"]["OneRefund"] & {
            /** The payment’s short reference. */
            public_reference: string;
            /** Your transaction_id of the payment. */
            external_reference: string;
        };
        /** A page of refunds. */
        RefundList: {
            /** The refunds, newest first. */
            data: components["schemas"]["ListedRefund"][];
            /** The `after` of the next page; null on the last page. */
            next: string | null;
        };
        /** A payment link to create, with an amount or a minimum_amount. */
        LinkOrder: {
            /** Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            /** What is paid for: the heading of the payer’s page. */
            title: string;
            /** More about it, below the title. */
            description?: string;
            /** Your reference of this attempt to pay, unique in your account. */
            transaction_id?: string;
            /** The name of your customer. */
            customer_name?: string;
            /** Where the payer’s page returns to after a payment that succeeded, with `reference` and `status` in the address. Anyone can type those: read the payment. Format: uri. */
            on_success_redirection_url?: string;
            /** Where the payer’s page returns to after a payment that failed, with `reference` and `status` in the address. Anyone can type those: read the payment. Format: uri. */
            on_failed_redirection_url?: string;
            /** The payer chooses the amount, at least this. */
            minimum_amount?: number;
            /** Amounts that the page offers as buttons when the payer chooses. */
            suggested_amounts?: number[];
            /** A poster: any number of payers, each with their own payment. */
            reusable?: boolean;
            /** How long the link can be paid. Without it, a reusable link does not expire. */
            expires_in_minutes?: number;
            /** Your own random reference; without it, the service creates one. */
            reference?: string;
            /**
             * @description API extension. The order: of all payments with it, at most one is pending and at most one succeeds.
             * @example basket-12
             */
            order_reference?: string;
            /**
             * @description API extension. Your own data, returned in reads, lists and events.
             * @example {
             *       "shop": "Niamey"
             *     }
             */
            metadata?: { [key: string]: string; };
            /**
             * @description Whether the link expires after 30 minutes.
             * @default true
             */
            shouldExpire?: boolean;
        };
        /** A payment link that a page creates: amount and title, or a signed order. */
        PageLinkOrder: {
            /** Whole francs, as an integer or a string such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
            amount?: number | string;
            /** What is paid for: the heading of the payer’s page. */
            title?: string;
            /** More about it, below the title. */
            description?: string;
            /** Your reference of this attempt to pay, unique in your account. */
            transaction_id?: string;
            /** The name of your customer. */
            customer_name?: string;
            /** Where the payer’s page returns to after a payment that succeeded, with `reference` and `status` in the address. Anyone can type those: read the payment. Format: uri. */
            on_success_redirection_url?: string;
            /** Where the payer’s page returns to after a payment that failed, with `reference` and `status` in the address. Anyone can type those: read the payment. Format: uri. */
            on_failed_redirection_url?: string;
            /** Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. The page’s own amount, title, description and transaction_id are then ignored. Without it, transaction_id is kept as client_reference and reserves nothing. */
            order?: string;
        };
        /** A payment link with the address of its page. */
        CreatedLink: {
            /** The link’s reference: its page and reads have it. */
            reference: string;
            /** `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded` and `failed`: the outcome. `refunded`: given back to the payer. */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** The amount in whole francs. Absent until the payer chooses it. */
            amount?: number;
            /** The payer chooses the amount, at least this. */
            minimum_amount?: number;
            /** Amounts that the page offers as buttons when the payer chooses. */
            suggested_amounts?: number[];
            /** A poster: any number of payers, each with their own payment. */
            reusable?: boolean;
            /** Always XOF, the CFA franc of West Africa. */
            currency: "XOF";
            /** What is paid for: the heading of the payer’s page. */
            title: string;
            /** More about it, below the title. */
            description?: string;
            /** Until when it can be paid. Absent on a link that does not expire. Format: date-time. */
            expires_at?: string;
            /** A short reference to show to the customer. */
            public_reference: string;
            /** The address of the payer’s page: send it, or show it as a QR code. Format: uri. */
            page_url: string;
        };
        /** A payment link as anyone with its reference sees it. */
        Link: {
            /** The link’s reference: its page and reads have it. */
            reference: string;
            /** `initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded` and `failed`: the outcome. `refunded`: given back to the payer. */
            status: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
            /** The amount in whole francs. Absent until the payer chooses it. */
            amount?: number;
            /** The payer chooses the amount, at least this. */
            minimum_amount?: number;
            /** Amounts that the page offers as buttons when the payer chooses. */
            suggested_amounts?: number[];
            /** A poster: any number of payers, each with their own payment. */
            reusable?: boolean;
            /** Always XOF, the CFA franc of West Africa. */
            currency: "XOF";
            /** What is paid for: the heading of the payer’s page. */
            title: string;
            /** More about it, below the title. */
            description?: string;
            /** Until when it can be paid. Absent on a link that does not expire. Format: date-time. */
            expires_at?: string;
            /** A short reference to show to the customer. */
            public_reference: string;
            /** On a reusable link: the number of payments, without refunded ones. */
            payments_count?: number;
            /** On a reusable link: the sum of those payments. */
            collected_amount?: number;
            /** When it was paid. Absent before that. Format: date-time. */
            validated_at?: string;
            /** The service’s payment reference, once it is paid. */
            transaction_id?: string;
        };
        /** A payment has its outcome, or was refunded whole. */
        PaymentEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The id of the event, the same in every delivery: store it to handle each event once. */
            id: string;
            /** The version of this shape: a stored event keeps the one that it was written in. */
            version: number;
            /** When the event happened. Format: date-time. */
            created_at: string;
            /** `sandbox` moves no money; `live` does. */
            environment: "sandbox" | "live";
            /** The kind of the event. Answer 2xx to kinds that you do not know. */
            event: "payment.succeeded" | "payment.failed" | "payment.refunded";
            data: components["schemas"]["EventPayment"];
        };
        /** The payment, and the refund that has ended. */
        RefundedPayment: components["schemas"]["EventPayment"] & {
            /** What the payment’s refunds have given back so far. */
            refunded_amount: number;
            /** The refund that has ended. */
            refund: {
                /** The service’s reference of the refund. */
                reference: string;
                /** Your own name of the refund, if you gave one. */
                refund_id?: string;
                /** The refunded francs. */
                amount: number;
                /** How the refund ended. */
                status: "succeeded" | "failed";
                /** Why the refund failed. Present on failed refunds. */
                reason?: "declined" | "insufficient_funds" | "expired" | "cancelled" | "payer_not_found" | "payer_not_allowed" | "limit_reached" | "amount_not_allowed" | "operator_error" | "never_received" | "approval_rejected";
            };
        };
        /** A refund has ended. */
        RefundEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The id of the event, the same in every delivery: store it to handle each event once. */
            id: string;
            /** The version of this shape: a stored event keeps the one that it was written in. */
            version: number;
            /** When the event happened. Format: date-time. */
            created_at: string;
            /** `sandbox` moves no money; `live` does. */
            environment: "sandbox" | "live";
            /** The kind of the event. Answer 2xx to kinds that you do not know. */
            event: "refund.succeeded" | "refund.failed";
            data: components["schemas"]["RefundedPayment"];
        };
        /** The data of `webhook.test`: no payment has changed. */
        WebhookTest: {
            /** The id of the endpoint. */
            endpoint: string;
            /** A sentence that says that it is a test. */
            message: string;
        };
        /** A test that you sent from the dashboard or the API. */
        TestEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The id of the event, the same in every delivery: store it to handle each event once. */
            id: string;
            /** The version of this shape: a stored event keeps the one that it was written in. */
            version: number;
            /** When the event happened. Format: date-time. */
            created_at: string;
            /** `sandbox` moves no money; `live` does. */
            environment: "sandbox" | "live";
            /**
             * @description The kind of the event. Answer 2xx to kinds that you do not know.
             * @constant
             */
            event: "webhook.test";
            data: components["schemas"]["WebhookTest"];
        };
        /** A webhook endpoint to create. */
        WebhookEndpointOrder: {
            /** The address that gets the events: https, and reachable from the internet. Format: uri. */
            url: string;
            /** Which events. Without it, `payment.succeeded` and `payment.failed`. */
            events?: ("payment.succeeded" | "payment.failed" | "payment.refunded" | "refund.succeeded" | "refund.failed" | "statement.ready")[];
            /** A value of your choice that every event carries in `Secret-Hash`. Without it, a random one: the signature alone proves the sender. */
            secret_hash?: string;
        };
        /** What changes of an endpoint. What is left out stays. */
        WebhookEndpointChange: {
            /** The address that gets the events: https, and reachable from the internet. Format: uri. */
            url?: string;
            /** Which events, in place of those before. */
            events?: ("payment.succeeded" | "payment.failed" | "payment.refunded" | "refund.succeeded" | "refund.failed" | "statement.ready")[];
            /** A new value for `Secret-Hash`, at once. */
            secret_hash?: string;
            /** `off`: deliveries wait until it is `on` again. */
            status?: "on" | "off";
        };
        /** A new signing secret. */
        SecretRoll: {
            /** How long events are signed with the old secret too; 0 without it: the old one ends at once. */
            keep_old_minutes?: number;
        };
        /** An address that gets your events. */
        WebhookEndpoint: {
            /** The id of the endpoint. */
            id: string;
            /** The address that gets the events: https, and reachable from the internet. Format: uri. */
            url: string;
            /** The events that it gets. */
            events: ("payment.succeeded" | "payment.failed" | "payment.refunded" | "refund.succeeded" | "refund.failed" | "statement.ready")[];
            /** `gone`: the endpoint answered 410, and gets nothing until you turn it on. */
            status: "on" | "off" | "gone";
            /** The first of its failures in a row; null while it works. Format: date-time. */
            failing_since: string | null;
            /** When it was created. Format: date-time. */
            created_at: string;
        };
        /** An endpoint with its new signing secret. */
        WebhookEndpointWithSecret: components["schemas"]["WebhookEndpoint"] & {
            /** The secret that signs its events, `whsec_…`. Store it: no later answer has it. */
            signing_secret: string;
        };
        /** The webhook endpoints of an account. */
        WebhookEndpointList: {
            /** All endpoints of the account and environment, oldest first. */
            data: components["schemas"]["WebhookEndpoint"][];
        };
        /** An endpoint that was deleted. */
        DeletedWebhookEndpoint: {
            /** The id of the endpoint. */
            id: string;
            /**
             * @description It gets no event any more; those that waited are dropped.
             * @constant
             */
            deleted: true;
        };
        /** A `webhook.test` event that is on its way. */
        SentWebhookTest: {
            /** The delivery, as the dashboard names it. */
            delivery: string;
            /** The position of the event in the feed. */
            sequence: number;
        };
        /** The data of `statement.ready`. A line that the network reports later may still change the day. */
        StatementReady: {
            /** Whether it is about a day or a month. */
            period: "day" | "month";
            /** The first day. Format: date. */
            from: string;
            /** The last day, included. Format: date. */
            to: string;
            /** One for each connection with movements. */
            statements: {
                /** The connection to a network, by its name. */
                connection: string;
                /** The first day. Format: date. */
                from: string;
                /** The last day, included. Format: date. */
                to: string;
                /** Whether merchants share the wallet: the balances are then what was collected for you, without what the service has paid out to you. */
                is_shared: boolean;
                /** What you had at the network before the first day. */
                opening: number;
                /** What payers paid. */
                collected: number;
                /** What was refunded: zero or negative, like fees, taxes and what was withheld or settled. */
                refunded: number;
                /** The network’s fees. */
                fees: number;
                /** The taxes on the fees. */
                taxes: number;
                /** What the network blocked. */
                withheld: number;
                /** What left the wallet for your bank. */
                settled: number;
                /** Lines of the network’s statement that no payment explains. */
                unexplained: number;
                /** Lines that people have explained without a payment: top-ups, other income, corrections. */
                other: number;
                /** The opening plus all of the above. */
                closing: number;
                /** The part of the collected amount that the network’s own statement confirms. */
                confirmed: number;
            }[];
        };
        /** The statement of a day or month is ready. */
        StatementEvent: {
            /** The position in the feed, without gaps. Absent in a webhook. */
            sequence?: number;
            /** The count of replays. Only in `replays`. */
            replay?: number;
            /** The id of the event, the same in every delivery: store it to handle each event once. */
            id: string;
            /** The version of this shape: a stored event keeps the one that it was written in. */
            version: number;
            /** When the event happened. Format: date-time. */
            created_at: string;
            /** `sandbox` moves no money; `live` does. */
            environment: "sandbox" | "live";
            /**
             * @description The kind of the event. Answer 2xx to kinds that you do not know.
             * @constant
             */
            event: "statement.ready";
            data: components["schemas"]["StatementReady"];
        };
        /** An event, as a webhook delivers it. */
        KarbaEvent: components["schemas"]["PaymentEvent"] | components["schemas"]["RefundEvent"] | components["schemas"]["StatementEvent"] | components["schemas"]["TestEvent"];
        /** A page of events. */
        Feed: {
            /** The events, oldest first, without gaps. */
            events: components["schemas"]["KarbaEvent"][];
            /** Events that were sent again by hand, if you asked for them. */
            replays: components["schemas"]["KarbaEvent"][];
            /** Whether there are more now. */
            has_more: boolean;
            /** The parameters of the next request. */
            next: {
                /** The `after` of the next request. */
                after: number;
                /** The `replays_after` of the next request. */
                replays_after: number;
            };
        };
        /** The account of a key, and what works now. */
        Account: {
            /** The account of the key. */
            account_id: string;
            /** The name that payers see. */
            merchant: string;
            /** `sandbox` moves no money; `live` does. */
            environment: "sandbox" | "live";
            /** Only a validated account creates payments and links. */
            status: "unvalidated" | "validated" | "suspended";
            /** Your webhook endpoints. */
            endpoints: {
                /** The address of the endpoint. Format: uri. */
                url: string;
                /** `gone`: the endpoint answered 410, and gets nothing until you turn it on. */
                status: "on" | "off" | "gone";
                /** The first of its failures in a row; null while it works. Format: date-time. */
                failing_since: string | null;
            }[];
            /** The connected mobile operators. */
            operators: {
                /** The country: `NE` for Niger, `BJ` for Benin. */
                country: "NE" | "BJ";
                /** The name of the mobile operator in this API, such as `mtn_bj`. */
                operator: string;
                /** The name that payers know. */
                name: string;
                /** `down`: payments wait. `paused`: creates are refused. */
                state: "up" | "down" | "paused";
            }[];
        };
        /** Where your money is, in francs. */
        Balance: {
            /** Paid by payers, and not yet confirmed by the network’s statement. */
            to_receive: number;
            /** In your wallet at the network, as its statement shows it. */
            in_wallet: number;
            /** What was in the wallet before its first statement, as the network says: part of in_wallet. */
            opening: number;
            /** Yours in wallets that the service shares among merchants, as the networks’ statements show it. What the service has paid out to you is not taken off. */
            at_service: number;
            /** On its way from the wallet to your bank. */
            in_transit: number;
            /** Confirmed at your bank. */
            in_bank: number;
            /** Blocked by the network. */
            withheld: number;
            /** Lines of the networks’ statements that no payment explains: already counted in the amounts above. Negative when more left than came. */
            unexplained: number;
            /** The same for each connection. */
            connections: {
                /** The connection to a network, by its name. */
                connection: string;
                /** Paid by payers, and not yet confirmed by the network’s statement. */
                to_receive: number;
                /** In your wallet at the network, as its statement shows it. */
                in_wallet: number;
                /** What was in the wallet before its first statement, as the network says: part of in_wallet. */
                opening: number;
                /** Yours in wallets that the service shares among merchants, as the networks’ statements show it. What the service has paid out to you is not taken off. */
                at_service: number;
                /** On its way from the wallet to your bank. */
                in_transit: number;
                /** Confirmed at your bank. */
                in_bank: number;
                /** Blocked by the network. */
                withheld: number;
                /** Lines of the networks’ statements that no payment explains: already counted in the amounts above. Negative when more left than came. */
                unexplained: number;
            }[];
        };
        /** One entry of the ledger, which never changes. */
        Entry: {
            /** Counts up by one within the account, without a gap. */
            entry: number;
            /** Why the money moved. `reversal`: the network gave the money back on its own. */
            kind: "payment" | "refund" | "reversal" | "collected" | "refund_confirmed" | "fee" | "tax" | "settlement" | "withheld" | "unexplained" | "closing" | "opening";
            /** The ledger account that receives. */
            debit: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained" | "owner" | "other_income" | "corrections" | "not_ours" | "opening";
            /** The ledger account that gives. */
            credit: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained" | "owner" | "other_income" | "corrections" | "not_ours" | "opening";
            /** The amount in francs. */
            amount: number;
            /** The connection to a network, by its name. */
            connection: string;
            /** When the network, or the service before its statement, booked it. Format: date-time. */
            booked_at: string;
            /** The day in Niamey and Porto-Novo. Format: date. */
            value_date: string;
            /** The service’s reference of the payment, if it is about one. */
            payment_reference?: string;
            /** The service’s reference of the refund, if it is about one. */
            refund_reference?: string;
            /** The earlier entry that it corrects, or whose amount it explains. */
            corrects?: number;
        };
        /** A page of ledger entries. */
        EntryList: {
            /** The entries, oldest first. */
            data: components["schemas"]["Entry"][];
            /** The `after` of the next page; null when there is no later entry yet. */
            next: number | null;
        };
        /** What happened at a connection in a period. */
        Statement: {
            /** The connection to a network, by its name. */
            connection: string;
            /** The first day. Format: date. */
            from: string;
            /** The last day, included. Format: date. */
            to: string;
            /** Whether merchants share the wallet: the balances are then what was collected for you, without what the service has paid out to you. */
            is_shared: boolean;
            /** What you had at the network before the first day. */
            opening: number;
            /** What payers paid. */
            collected: number;
            /** What was refunded: zero or negative, like fees, taxes and what was withheld or settled. */
            refunded: number;
            /** The network’s fees. */
            fees: number;
            /** The taxes on the fees. */
            taxes: number;
            /** What the network blocked. */
            withheld: number;
            /** What left the wallet for your bank. */
            settled: number;
            /** Lines of the network’s statement that no payment explains. */
            unexplained: number;
            /** Lines that people have explained without a payment: top-ups, other income, corrections. */
            other: number;
            /** The opening plus all of the above. */
            closing: number;
            /** The part of the collected amount that the network’s own statement confirms. */
            confirmed: number;
            /** Why `collected` and `confirmed` differ: collected, less not_confirmed and on_other_days, plus of_other_days, is confirmed. */
            reconciliation: {
                /** Collected in the period, and not on the network’s statement yet. */
                not_confirmed: number;
                /** Collected in the period; the network has it on days outside it, such as after midnight. */
                on_other_days: number;
                /** On the network’s statement of the period; collected on days outside it. */
                of_other_days: number;
            };
            /** Every movement of the period, in order. */
            movements: {
                /** The ledger entry. */
                entry: number;
                /** Why the money moved. `reversal`: the network gave the money back on its own. */
                kind: "payment" | "refund" | "reversal" | "collected" | "refund_confirmed" | "fee" | "tax" | "settlement" | "withheld" | "unexplained" | "closing" | "opening";
                /** In francs; negative for money that left. */
                amount: number;
                /** The balance after it. */
                balance: number;
                /** When the network, or the service before its statement, booked it. Format: date-time. */
                booked_at: string;
                /** The day in Niamey and Porto-Novo. Format: date. */
                value_date: string;
                /** Whether the network’s own statement has it. */
                is_confirmed: boolean;
                /** What a person said that an unexplained line was: the ledger account that it went to. */
                explained_as?: "sales" | "receivable" | "wallet" | "fees" | "taxes" | "refunds" | "withheld" | "in_transit" | "bank" | "unexplained" | "owner" | "other_income" | "corrections" | "not_ours" | "opening";
                /** The service’s reference of the payment, if it is about one. */
                payment_reference?: string;
                /** The payment’s short reference, if it is about one. */
                public_reference?: string;
                /** Your transaction_id, if it is about a payment. */
                external_reference?: string;
                /** The service’s reference of the refund, if it is about one. */
                refund_reference?: string;
                /** The network’s own reference, if it gave one. */
                operator_reference?: string;
            }[];
        };
        /** Money that left a wallet for your bank. */
        Settlement: {
            /** The name of the settlement. */
            settlement: string;
            /** The connection to a network, by its name. */
            connection: string;
            /** What left the wallet; negative for money that came back. */
            amount: number;
            /** `in_transit`: on its way to your bank. `received`: you confirmed it. `returned`: it came back. */
            status: "in_transit" | "received" | "returned";
            /** When the money left the wallet. Format: date-time. */
            left_at: string;
            /** That day in Niamey and Porto-Novo. Format: date. */
            left_on: string;
            /** The network’s own reference, if it gave one. */
            operator_reference?: string;
            /** What your bank has, as you confirmed it. */
            received_amount?: number;
            /** The day on which your bank had it, as you confirmed it. Format: date. */
            received_on?: string;
            /** Your bank’s own reference, as you gave it. */
            bank_reference?: string;
        };
        /** A page of settlements. */
        SettlementList: {
            /** The settlements, newest first. */
            data: components["schemas"]["Settlement"][];
            /** The `after` of the next page; null on the last page. */
            next: string | null;
        };
        /** A settlement with the lines behind it. */
        SettlementLines: components["schemas"]["Settlement"] & {
            /** What payers paid since the settlement before. */
            collected: number;
            /** What was refunded since then: zero or negative, like fees and taxes. */
            refunded: number;
            /** The network’s fees since then. */
            fees: number;
            /** The taxes on those fees. */
            taxes: number;
            /** Top-ups, money withheld or released, and corrections by the network. */
            other: number;
            /** Lines of the network’s statement since the settlement before. */
            lines: {
                /** The kind of the line. */
                type: "collection" | "refund" | "fee" | "tax" | "settlement" | "top_up" | "withheld" | "released" | "other" | "not_made";
                /** In francs; negative for what left the wallet. */
                amount: number;
                /** The network’s fee on it. */
                fee: number;
                /** The tax on that fee. */
                tax: number;
                /** When the network booked it. Format: date-time. */
                booked_at: string;
                /** The day in Niamey and Porto-Novo. Format: date. */
                value_date: string;
                /** The service’s reference of the payment, if it is about one. */
                payment_reference?: string;
                /** The payment’s short reference, if it is about one. */
                public_reference?: string;
                /** Your transaction_id, if it is about a payment. */
                external_reference?: string;
                /** The service’s reference of the refund, if it is about one. */
                refund_reference?: string;
                /** The network’s own reference, if it gave one. */
                operator_reference?: string;
            }[];
            /** The `after` of the next page; null on the last page. */
            next: string | null;
        };
        /** What your bank has received. */
        SettlementReceipt: {
            /** What your bank has credited. */
            amount: number;
            /** The day on which your bank had it; today by default. Format: date. */
            received_on?: string;
            /** The reference of the credit on your bank’s statement. */
            bank_reference?: string;
        };
        /** The body of an error. */
        ErrorBody: {
            /** What is wrong. `Svc-Error-Code` names it, and `Svc-Error-Hint` says what to do. */
            message: string;
        };
        /** The body of a 422. */
        FailureBody: {
            /** Always `failed`. */
            status: "failed";
            /** What is wrong. `Svc-Error-Code` names it, and `Svc-Error-Hint` says what to do. */
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
export type ListedRefund = components['schemas']['ListedRefund'];
export type RefundList = components['schemas']['RefundList'];
export type LinkOrder = components['schemas']['LinkOrder'];
export type PageLinkOrder = components['schemas']['PageLinkOrder'];
export type CreatedLink = components['schemas']['CreatedLink'];
export type Link = components['schemas']['Link'];
export type PaymentEvent = components['schemas']['PaymentEvent'];
export type RefundedPayment = components['schemas']['RefundedPayment'];
export type RefundEvent = components['schemas']['RefundEvent'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type TestEvent = components['schemas']['TestEvent'];
export type WebhookEndpointOrder = components['schemas']['WebhookEndpointOrder'];
export type WebhookEndpointChange = components['schemas']['WebhookEndpointChange'];
export type SecretRoll = components['schemas']['SecretRoll'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookEndpointWithSecret = components['schemas']['WebhookEndpointWithSecret'];
export type WebhookEndpointList = components['schemas']['WebhookEndpointList'];
export type DeletedWebhookEndpoint = components['schemas']['DeletedWebhookEndpoint'];
export type SentWebhookTest = components['schemas']['SentWebhookTest'];
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
export interface PaymentsQuery {
    /** Only payments in this state. */
    status?: "initiated" | "pending" | "succeeded" | "failed" | "refunded";
    /** Only payments of this operator, such as `mtn_bj`. */
    operator?: string;
    /** Recorded at or after this time. A day in UTC, or a time with its zone. */
    from?: string;
    /** Recorded before this time. A day in UTC, or a time with its zone. */
    to?: string;
    /** The most payments of a page. */
    limit?: number;
    /** The `next` of the previous page. */
    after?: string;
    /** Only this payment, by its reference or your transaction_id: its fee read alone. */
    payment?: string;
}
export interface RefundsQuery {
    /** Only refunds in this state, or `open` for all that have not ended. */
    status?: "open" | "waiting_for_approval" | "pending" | "by_hand" | "succeeded" | "failed";
    /** Requested at or after this time. A day in UTC, or a time with its zone. */
    from?: string;
    /** Requested before this time. A day in UTC, or a time with its zone. */
    to?: string;
    /** The most refunds of a page. */
    limit?: number;
    /** The `next` of the previous page. */
    after?: string;
    /** Only refunds of this payment, by its reference or your transaction_id. */
    payment?: string;
}
export interface SettlementsQuery {
    /** Left the wallet on this day or later, such as 2026-11-01. */
    from?: string;
    /** Left the wallet on this day or earlier. */
    to?: string;
    /** The most settlements of a page. */
    limit?: number;
    /** The `next` of the previous page. */
    after?: string;
}
export interface PageQuery {
    /** The most lines of a page. */
    limit?: number;
    /** The `next` of the previous page. */
    after?: string;
}
export interface EntriesQuery {
    /** The last entry that you have. Without it, from the first entry. */
    after?: number;
    /** The most entries of a page. */
    limit?: number;
}
