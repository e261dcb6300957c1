<?php

declare(strict_types=1);

namespace Karba;

use Karba\Http\CurlTransport;
use Karba\Http\Transport;

/**
 * The client for a merchant's server: one method for each operation of the API, with its names.
 *
 * `$options` of a call are `timeout_ms`, for the call with its retries, and `max_retries`. Every
 * method throws a KarbaException where the service refuses or does not answer.
 *
 * @phpstan-type CallOptions array{timeout_ms?: int|null, max_retries?: int|null}
 * @phpstan-import-type Account from Facts
 * @phpstan-import-type Balance from Facts
 * @phpstan-import-type CreatedLink from Facts
 * @phpstan-import-type CreatedPayment from Facts
 * @phpstan-import-type DeletedWebhookEndpoint from Facts
 * @phpstan-import-type DownloadMonthQuery from Facts
 * @phpstan-import-type Entry from Facts
 * @phpstan-import-type EntryList from Facts
 * @phpstan-import-type Event from Facts
 * @phpstan-import-type Feed from Facts
 * @phpstan-import-type Link from Facts
 * @phpstan-import-type LinkOrder from Facts
 * @phpstan-import-type ListEntriesQuery from Facts
 * @phpstan-import-type ListEventsQuery from Facts
 * @phpstan-import-type ListPaymentsQuery from Facts
 * @phpstan-import-type ListRefundsQuery from Facts
 * @phpstan-import-type ListSettlementsQuery from Facts
 * @phpstan-import-type ListedPayment from Facts
 * @phpstan-import-type ListedRefund from Facts
 * @phpstan-import-type Payment from Facts
 * @phpstan-import-type PaymentList from Facts
 * @phpstan-import-type PaymentOrder from Facts
 * @phpstan-import-type ReadSettlementQuery from Facts
 * @phpstan-import-type ReadStatementQuery from Facts
 * @phpstan-import-type Refund from Facts
 * @phpstan-import-type RefundList from Facts
 * @phpstan-import-type RefundOrder from Facts
 * @phpstan-import-type SecretRoll from Facts
 * @phpstan-import-type SentWebhookTest from Facts
 * @phpstan-import-type Settlement from Facts
 * @phpstan-import-type SettlementLines from Facts
 * @phpstan-import-type SettlementList from Facts
 * @phpstan-import-type SettlementReceipt from Facts
 * @phpstan-import-type Statement from Facts
 * @phpstan-import-type WebhookEndpoint from Facts
 * @phpstan-import-type WebhookEndpointChange from Facts
 * @phpstan-import-type WebhookEndpointList from Facts
 * @phpstan-import-type WebhookEndpointOrder from Facts
 * @phpstan-import-type WebhookEndpointWithSecret from Facts
 */
final class Client
{
    private const RANDOM_BYTES = 16;

    private string $url;
    private SecretKey $key;
    private Connection $connection;

    /**
     * @param array{
     *   secret_key: string|null|false,
     *   url: string|null|false,
     *   timeout_ms?: int|null,
     *   max_retries?: int|null,
     *   transport?: Transport|null,
     * } $options the key and the address as the environment has them; `url` without /api/v1;
     *     `timeout_ms` (30,000) and `max_retries` (7) of each call
     * @throws KarbaException with the code `configuration`
     */
    public function __construct(array $options)
    {
        $this->key = new SecretKey(($options['secret_key'] ?? null) ?: null);
        $this->url = self::checkedUrl((string) (($options['url'] ?? null) ?: ''));
        $this->connection = new Connection(
            $this->url,
            $this->key,
            $options['transport'] ?? new CurlTransport(),
            $options['timeout_ms'] ?? Connection::TIMEOUT_MS,
            $options['max_retries'] ?? Connection::MAX_RETRIES
        );
    }

    /** `sandbox` or `live`, by the key. */
    public function environment(): string
    {
        return $this->key->environment;
    }

    /** The id of the last answered request: quote it to the operator of the service. */
    public function lastRequestId(): ?string
    {
        return $this->connection->lastRequestId();
    }

    /**
     * Creates one payment, even when answers are lost. Its status is not final: wait for the outcome.
     *
     * @param PaymentOrder $order
     * @param CallOptions $options
     * @return CreatedPayment
     * @throws KarbaException
     */
    public function createPayment(array $order, array $options = []): array
    {
        $name = $order['transaction_id'];
        $creation = new Creation(
            $this->connection,
            Call::post('/payments', $order),
            Call::get(self::paymentPath($name)),
            static function (?string $reference) use ($name): Call {
                return Call::get(self::paymentPath($reference ?? $name));
            },
            static function (array $found) use ($order): ?array {
                $isOrder = ($found['external_reference'] ?? null) === $order['transaction_id']
                    && ($found['amount'] ?? null) === (int) $order['amount']
                    && ($found['msisdn'] ?? null) === $order['msisdn'];
                $fields = ['status', 'reference', 'public_reference', 'meta_data'];
                return $isOrder ? array_intersect_key($found, array_flip($fields)) : null;
            }
        );
        return $creation->send($options);
    }

    /**
     * By its reference or by your transaction_id; a paid one has its `receipt_url`.
     *
     * @param CallOptions $options
     * @return Payment
     * @throws KarbaException
     */
    public function readPayment(string $name, array $options = []): array
    {
        return $this->repeat(Call::get(self::paymentPath($name)), $options);
    }

    /**
     * Returns at the outcome, or the pending payment after `timeout_ms` (180,000): check `status`.
     *
     * @param CallOptions $options
     * @return Payment
     * @throws KarbaException
     */
    public function waitForPayment(string $name, array $options = []): array
    {
        return (new PaymentWait($this->connection, self::paymentPath($name)))->end($options);
    }

    /**
     * One page, newest first. `eachPayment` iterates over all pages.
     *
     * @param ListPaymentsQuery $query
     * @param CallOptions $options
     * @return PaymentList
     * @throws KarbaException
     */
    public function listPayments(array $query = [], array $options = []): array
    {
        return $this->repeat(Call::get('/payments', $query), $options);
    }

    /**
     * All payments, newest first.
     *
     * @param ListPaymentsQuery $query
     * @param CallOptions $options
     * @return \Generator<int, ListedPayment>
     */
    public function eachPayment(array $query = [], array $options = []): \Generator
    {
        return self::each(function (array $page) use ($options): array {
            return $this->listPayments($page, $options);
        }, $query);
    }

    /**
     * One payment with its fee and refunds, by its reference or your transaction_id.
     *
     * @param CallOptions $options
     * @return ListedPayment
     * @throws KarbaException
     */
    public function readListedPayment(string $name, array $options = []): array
    {
        Call::name($name);
        return $this->listPayments(['payment' => $name], $options)['data'][0];
    }

    /**
     * Without an amount it refunds what is left of the payment, and a repeated call returns the
     * same refund. For a part, a repeated call refunds again unless it has the same `refund_id`.
     *
     * @param RefundOrder $refund
     * @param CallOptions $options
     * @return Refund
     * @throws KarbaException
     */
    public function refundPayment(string $name, array $refund = [], array $options = []): array
    {
        if (isset($refund['amount']) && !isset($refund['refund_id'])) {
            // Chosen here, so that a part whose answer is lost is not refunded again.
            $refund['refund_id'] = bin2hex(random_bytes(self::RANDOM_BYTES));
        }
        $body = array_filter($refund, static function ($value): bool {
            return $value !== null;
        });
        $call = Call::post(self::paymentPath($name) . '/refund', $body === [] ? null : $body);
        return $this->repeat($call, $options);
    }

    /**
     * The latest refund of a payment, with all of them and what is left.
     *
     * @param CallOptions $options
     * @return Refund
     * @throws KarbaException
     */
    public function readRefund(string $name, array $options = []): array
    {
        return $this->repeat(Call::get(self::paymentPath($name) . '/refund'), $options);
    }

    /**
     * One page, newest first. `eachRefund` iterates over all pages.
     *
     * @param ListRefundsQuery $query
     * @param CallOptions $options
     * @return RefundList
     * @throws KarbaException
     */
    public function listRefunds(array $query = [], array $options = []): array
    {
        return $this->repeat(Call::get('/refunds', $query), $options);
    }

    /**
     * All refunds, newest first; with the status `open`, those that have not ended.
     *
     * @param ListRefundsQuery $query
     * @param CallOptions $options
     * @return \Generator<int, ListedRefund>
     */
    public function eachRefund(array $query = [], array $options = []): \Generator
    {
        return self::each(function (array $page) use ($options): array {
            return $this->listRefunds($page, $options);
        }, $query);
    }

    /**
     * Checks the key: its account, webhook endpoints and operators.
     *
     * @param CallOptions $options
     * @return Account
     * @throws KarbaException
     */
    public function showAccount(array $options = []): array
    {
        return $this->repeat(Call::get('/account'), $options);
    }

    /**
     * Where your money is: to receive, in the wallet, in transit, in the bank.
     *
     * @param CallOptions $options
     * @return Balance
     * @throws KarbaException
     */
    public function readBalance(array $options = []): array
    {
        return $this->repeat(Call::get('/balance'), $options);
    }

    /**
     * What happened at a connection in a period, with a running balance.
     *
     * @param ReadStatementQuery $query
     * @param CallOptions $options
     * @return Statement
     * @throws KarbaException
     */
    public function readStatement(array $query, array $options = []): array
    {
        return $this->repeat(Call::get('/statements', $query)->ofStatement(), $options);
    }

    /**
     * The same as a file, by its `format`: for a spreadsheet or accounting software.
     *
     * @param ReadStatementQuery $query
     * @param CallOptions $options
     * @throws KarbaException
     */
    public function downloadStatement(array $query, array $options = []): string
    {
        return $this->download(Call::get('/statements', $query), $options);
    }

    /**
     * A month for your accountant: one ZIP with the statements of all connections, the journal and
     * the differences.
     *
     * @param DownloadMonthQuery $query
     * @param CallOptions $options
     * @throws KarbaException
     */
    public function downloadMonth(array $query, array $options = []): string
    {
        return $this->download(Call::get('/statements/package', $query), $options);
    }

    /**
     * One page of the money that left your wallets for your bank, the newest first.
     *
     * @param ListSettlementsQuery $query
     * @param CallOptions $options
     * @return SettlementList
     * @throws KarbaException
     */
    public function listSettlements(array $query = [], array $options = []): array
    {
        return $this->repeat(Call::get('/settlements', $query), $options);
    }

    /**
     * All settlements, the newest first.
     *
     * @param ListSettlementsQuery $query
     * @param CallOptions $options
     * @return \Generator<int, Settlement>
     */
    public function eachSettlement(array $query = [], array $options = []): \Generator
    {
        return self::each(function (array $page) use ($options): array {
            return $this->listSettlements($page, $options);
        }, $query);
    }

    /**
     * A settlement with the payments, refunds and fees since the one before, one page of them.
     * `eachSettlementLine` iterates over all pages.
     *
     * @param ReadSettlementQuery $query
     * @param CallOptions $options
     * @return SettlementLines
     * @throws KarbaException
     */
    public function readSettlement(string $name, array $query = [], array $options = []): array
    {
        return $this->repeat(Call::get('/settlements/' . Call::name($name), $query), $options);
    }

    /**
     * All lines of a settlement.
     *
     * @param ReadSettlementQuery $query
     * @param CallOptions $options
     * @return \Generator<int, array<string, mixed>>
     */
    public function eachSettlementLine(string $name, array $query = [], array $options = []): \Generator
    {
        return self::each(function (array $page) use ($name, $options): array {
            return $this->readSettlement($name, $page, $options);
        }, $query, 'lines');
    }

    /**
     * Your bank has the money. A repeated call with the same amount gets the same answer.
     *
     * @param SettlementReceipt $receipt
     * @param CallOptions $options
     * @return Settlement
     * @throws KarbaException
     */
    public function confirmSettlement(string $name, array $receipt, array $options = []): array
    {
        $path = '/settlements/' . Call::name($name) . '/confirm';
        return $this->repeat(Call::post($path, $receipt), $options);
    }

    /**
     * One page of ledger entries, the oldest first.
     *
     * @param ListEntriesQuery $query
     * @param CallOptions $options
     * @return EntryList
     * @throws KarbaException
     */
    public function listEntries(array $query = [], array $options = []): array
    {
        return $this->repeat(Call::get('/entries', $query), $options);
    }

    /**
     * All ledger entries, the oldest first.
     *
     * @param ListEntriesQuery $query
     * @param CallOptions $options
     * @return \Generator<int, Entry>
     */
    public function eachEntry(array $query = [], array $options = []): \Generator
    {
        return self::each(function (array $page) use ($options): array {
            return $this->listEntries($page, $options);
        }, $query);
    }

    /**
     * Creates one link, even when answers are lost.
     *
     * @param LinkOrder $order
     * @param CallOptions $options
     * @return CreatedLink
     * @throws KarbaException
     */
    public function createLink(array $order, array $options = []): array
    {
        // Chosen here, so that a lost answer can be found by it.
        $order['reference'] = $order['reference'] ?? bin2hex(random_bytes(self::RANDOM_BYTES));
        $path = self::linkPath($order['reference']);
        $creation = new Creation(
            $this->connection,
            Call::post('/external_payments', $order)->ofLink(),
            Call::get($path),
            static function () use ($path): Call {
                return Call::get($path);
            },
            static function (array $found) use ($order): ?array {
                $isOrder = ($found['reference'] ?? null) === $order['reference']
                    && ($found['title'] ?? null) === $order['title'];
                $ofReads = ['validated_at', 'transaction_id', 'payments_count', 'collected_amount'];
                return $isOrder ? array_diff_key($found, array_flip($ofReads)) : null;
            }
        );
        return $creation->send($options);
    }

    /**
     * @param CallOptions $options
     * @return Link with the address of its page, `page_url`
     * @throws KarbaException
     */
    public function readLink(string $reference, array $options = []): array
    {
        return $this->repeat(Call::get(self::linkPath($reference)), $options);
    }

    /**
     * Closes an unpaid link; a repeated call gets the same answer.
     *
     * @param CallOptions $options
     * @return Link
     * @throws KarbaException
     */
    public function cancelLink(string $reference, array $options = []): array
    {
        return $this->repeat(Call::post(self::linkPath($reference) . '/cancel')->ofLink(), $options);
    }

    /**
     * Answers the signing secret, once. When an answer was lost, the retry is refused with
     * `endpoint_url_taken`: roll the secret of the endpoint that `existingReference()` names.
     *
     * @param WebhookEndpointOrder $order
     * @param CallOptions $options
     * @return WebhookEndpointWithSecret
     * @throws KarbaException
     */
    public function createWebhookEndpoint(array $order, array $options = []): array
    {
        return $this->repeat(Call::post('/webhook_endpoints', $order), $options);
    }

    /**
     * All of the account and environment, without their secrets.
     *
     * @param CallOptions $options
     * @return WebhookEndpointList
     * @throws KarbaException
     */
    public function listWebhookEndpoints(array $options = []): array
    {
        return $this->repeat(Call::get('/webhook_endpoints'), $options);
    }

    /**
     * What is left out stays.
     *
     * @param WebhookEndpointChange $change
     * @param CallOptions $options
     * @return WebhookEndpoint
     * @throws KarbaException
     */
    public function changeWebhookEndpoint(string $id, array $change, array $options = []): array
    {
        return $this->repeat(Call::post(self::endpointPath($id), $change), $options);
    }

    /**
     * Answers the new signing secret. The old one ends at once, or after `keep_old_minutes`.
     *
     * @param SecretRoll $roll
     * @param CallOptions $options
     * @return WebhookEndpointWithSecret
     * @throws KarbaException
     */
    public function rollWebhookSecret(string $id, array $roll = [], array $options = []): array
    {
        $call = Call::post(self::endpointPath($id) . '/roll_secret', $roll === [] ? null : $roll);
        return $this->repeat($call, $options);
    }

    /**
     * When an answer was lost, the retry is refused with `endpoint_not_found`: it is deleted.
     *
     * @param CallOptions $options
     * @return DeletedWebhookEndpoint
     * @throws KarbaException
     */
    public function deleteWebhookEndpoint(string $id, array $options = []): array
    {
        return $this->repeat(Call::post(self::endpointPath($id) . '/delete'), $options);
    }

    /**
     * Sends a `webhook.test` event; a retry after a lost answer sends another.
     *
     * @param CallOptions $options
     * @return SentWebhookTest
     * @throws KarbaException
     */
    public function testWebhookEndpoint(string $id, array $options = []): array
    {
        return $this->repeat(Call::post(self::endpointPath($id) . '/test'), $options);
    }

    /**
     * One page of the feed. `events` iterates over it.
     *
     * @param ListEventsQuery $query
     * @param CallOptions $options
     * @return Feed
     * @throws KarbaException
     */
    public function listEvents(array $query = [], array $options = []): array
    {
        return $this->repeat(Call::get('/events', $query), $options);
    }

    /**
     * Every event of the account in order. An event counts as handled when the next one is asked
     * for, so a crash repeats an event and never skips one. When the service has removed events
     * after the position, the error `cursor_too_old` has `keptAfter()`, where the feed goes on.
     *
     * @param array{
     *   after?: int|string|null,
     *   keep?: (callable(int): mixed)|null,
     *   cursor?: Cursor|null,
     *   follow?: bool,
     *   poll_every_ms?: int,
     * } $options `after`: the sequence or id of the last event that you have, or `latest`; from the
     *     oldest event by default. `keep` gets the sequence of each handled event: store it, and
     *     pass it as `after` next time. `cursor` does both, such as a FileCursor. With `follow` the
     *     iteration waits for new events, and never ends by itself.
     * @return \Generator<int, Event>
     */
    public function events(array $options = []): \Generator
    {
        return (new EventFeed($this->connection))->events($options);
    }

    /**
     * For the button on your page, which then cannot change the order.
     *
     * @param array{
     *   amount: int|string,
     *   title: string,
     *   transaction_id: string,
     *   order_reference?: string,
     *   expires_at?: string,
     * } $order
     * @throws KarbaException
     */
    public function signOrder(array $order): string
    {
        return SignedOrder::sign($this->key, $order);
    }

    /** @return array<string, string> without the key */
    public function __debugInfo(): array
    {
        return ['url' => $this->url, 'environment' => $this->key->environment];
    }

    /**
     * @param CallOptions $options
     * @return array<string, mixed>
     */
    private function repeat(Call $call, array $options): array
    {
        return $this->connection->repeat($call, $this->connection->deadline($options))->body;
    }

    /** @param CallOptions $options */
    private function download(Call $call, array $options): string
    {
        $deadline = $this->connection->deadline($options);
        return $this->connection->repeat($call->ofFile(), $deadline)->file;
    }

    /**
     * Every row of a list, page by page.
     *
     * @param callable(array<string, mixed>): array<string, mixed> $list
     * @param array<string, mixed> $query
     * @return \Generator<int, mixed>
     */
    private static function each(callable $list, array $query, string $rows = 'data'): \Generator
    {
        do {
            $page = $list($query);
            foreach ($page[$rows] as $row) {
                yield $row;
            }
            $query['after'] = $page['next'] ?? null;
        } while ($query['after'] !== null);
    }

    private static function paymentPath(string $name): string
    {
        return '/payments/' . Call::name($name);
    }

    private static function endpointPath(string $id): string
    {
        return '/webhook_endpoints/' . Call::name($id);
    }

    private static function linkPath(string $reference): string
    {
        return '/external_payments/' . Call::name($reference);
    }

    private static function checkedUrl(string $url): string
    {
        if ($url === '') {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => 'url is not set. Is the address of the service in the environment of this process?',
            ]);
        }
        if (preg_match('#^https?://[^/]#', $url) !== 1 || filter_var($url, FILTER_VALIDATE_URL) === false) {
            throw new KarbaException([
                'code' => KarbaException::CONFIGURATION,
                'message' => 'url is the http or https address of the service.',
            ]);
        }
        return preg_replace('#/api/v1\z#', '', rtrim($url, '/')) ?? $url;
    }
}
