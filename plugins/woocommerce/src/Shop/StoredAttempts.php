<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Shop;

use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Attempts;

/** Attempts in a table of the shop's database; all times are the database's. */
final class StoredAttempts implements Attempts
{
    /**
     * After the database was restarted, a process may go on for some seconds without its lock. The
     * rest of its work takes less than this.
     */
    private const CLAIM_SECONDS = 30;

    private const FIRST_LOOK_SECONDS = 20;
    private const LONGEST_PAUSE_SECONDS = 3600;
    private const DOUBLINGS = 8;
    private const LEASE_SECONDS = 60;

    public function find(string $transactionId): ?Attempt
    {
        $rows = $this->select('WHERE transaction_id = %s', [$transactionId]);
        return $rows[0] ?? null;
    }

    public function ofOrder(int $orderId): array
    {
        return $this->select('WHERE order_id = %d ORDER BY created_at, transaction_id', [$orderId]);
    }

    public function add(Attempt $attempt): void
    {
        Database::change(
            'INSERT INTO ' . Database::attempts() . ' (transaction_id, order_id, order_reference,'
            . ' environment, kind, amount, state, link_reference, number_end, created_at, due_at)'
            . ' VALUES (%s, %d, %s, %s, %s, %d, %s, %s, %s, UTC_TIMESTAMP(),'
            . ' UTC_TIMESTAMP() + INTERVAL %d SECOND)',
            [
                $attempt->transactionId,
                $attempt->orderId,
                $attempt->orderReference,
                $attempt->environment,
                $attempt->kind,
                $attempt->amount,
                $attempt->state,
                $attempt->linkReference,
                $attempt->numberEnd,
                self::FIRST_LOOK_SECONDS,
            ]
        );
    }

    public function recordCreated(Attempt $attempt, array $created): void
    {
        $attempt->pageUrl = (string) ($created['page_url'] ?? '');
        $attempt->publicReference = (string) ($created['public_reference'] ?? '');
        // The reference of a link is its page's; the payment's own comes with a read.
        $attempt->reference = $attempt->kind === Attempt::PAGE ? '' : (string) ($created['reference'] ?? '');
        Database::change(
            'UPDATE ' . Database::attempts()
            . ' SET page_url = %s, public_reference = %s, reference = %s WHERE transaction_id = %s',
            [$attempt->pageUrl, $attempt->publicReference, $attempt->reference, $attempt->transactionId]
        );
    }

    public function recordReference(Attempt $attempt, string $reference): void
    {
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET reference = %s WHERE transaction_id = %s',
            [$reference, $attempt->transactionId]
        );
    }

    public function claim(Attempt $attempt): bool
    {
        return Database::change(
            'UPDATE ' . Database::attempts() . ' SET state = %s, claimed_at = UTC_TIMESTAMP(),'
            . ' due_at = UTC_TIMESTAMP() + INTERVAL %d SECOND WHERE transaction_id = %s'
            . ' AND (state IN (%s, %s, %s, %s)'
            . ' OR (state = %s AND claimed_at <= UTC_TIMESTAMP() - INTERVAL %d SECOND))',
            [
                Attempt::WORKING,
                self::CLAIM_SECONDS,
                $attempt->transactionId,
                Attempt::OPEN,
                Attempt::FAILED,
                Attempt::RETURNED,
                Attempt::REFUSED,
                Attempt::WORKING,
                self::CLAIM_SECONDS,
            ]
        ) === 1;
    }

    public function end(Attempt $attempt, string $state, string $reason): void
    {
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET state = %s, reason = %s, claimed_at = NULL,'
            . ' due_at = NULL WHERE transaction_id = %s AND state IN (%s, %s)',
            [$state, substr($reason, 0, 40), $attempt->transactionId, Attempt::OPEN, Attempt::WORKING]
        );
    }

    public function postpone(Attempt $attempt): void
    {
        $doublings = min($attempt->checks, self::DOUBLINGS);
        $pause = min(self::LONGEST_PAUSE_SECONDS, self::FIRST_LOOK_SECONDS * 2 ** $doublings);
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET checks = checks + 1,'
            . ' due_at = IF(state IN (%s, %s), UTC_TIMESTAMP() + INTERVAL %d SECOND, NULL)'
            . ' WHERE transaction_id = %s',
            [Attempt::OPEN, Attempt::WORKING, $pause, $attempt->transactionId]
        );
    }

    public function retryLater(Attempt $attempt): void
    {
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET due_at = UTC_TIMESTAMP() + INTERVAL %d SECOND'
            . ' WHERE transaction_id = %s',
            [self::LEASE_SECONDS, $attempt->transactionId]
        );
    }

    public function makeDue(string $transactionId): void
    {
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET due_at = UTC_TIMESTAMP() WHERE transaction_id = %s',
            [$transactionId]
        );
    }

    public function makeAllDue(string $environment): void
    {
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET due_at = UTC_TIMESTAMP()'
            . ' WHERE environment = %s AND state IN (%s, %s, %s)',
            [$environment, Attempt::OPEN, Attempt::WORKING, Attempt::FAILED]
        );
    }

    public function due(int $most): array
    {
        $due = $this->select(
            'WHERE due_at <= UTC_TIMESTAMP() ORDER BY due_at LIMIT %d',
            [$most]
        );
        return array_values(array_filter($due, function (Attempt $attempt): bool {
            return Database::change(
                'UPDATE ' . Database::attempts() . ' SET due_at = UTC_TIMESTAMP() + INTERVAL %d SECOND'
                . ' WHERE transaction_id = %s AND due_at <= UTC_TIMESTAMP()',
                [self::LEASE_SECONDS, $attempt->transactionId]
            ) === 1;
        }));
    }

    /** True for one process in so many seconds: the pages of a customer ask often. */
    public function isTurnToAsk(Attempt $attempt, int $everySeconds): bool
    {
        return Database::change(
            'UPDATE ' . Database::attempts() . ' SET asked_at = UTC_TIMESTAMP()'
            . ' WHERE transaction_id = %s'
            . ' AND (asked_at IS NULL OR asked_at <= UTC_TIMESTAMP() - INTERVAL %d SECOND)',
            [$attempt->transactionId, $everySeconds]
        ) === 1;
    }

    public function recordCustomerMail(int $orderId): void
    {
        Database::change(
            'UPDATE ' . Database::attempts() . ' SET customer_mailed = 1'
            . ' WHERE order_id = %d AND state = %s',
            [$orderId, Attempt::WORKING]
        );
    }

    /** @return array<string, int> how many attempts of an environment are in each state */
    public function counts(string $environment): array
    {
        $rows = Database::rows(
            'SELECT state, COUNT(*) AS n FROM ' . Database::attempts()
            . ' WHERE environment = %s GROUP BY state',
            [$environment]
        );
        return array_map('intval', array_column($rows, 'n', 'state'));
    }

    /**
     * @param array<int, string|int> $values
     * @return list<Attempt>
     */
    private function select(string $where, array $values): array
    {
        return array_map([$this, 'attempt'], Database::rows(
            'SELECT *, TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP()) AS age FROM '
            . Database::attempts() . " $where",
            $values
        ));
    }

    /** @param array<string, string|null> $row */
    private function attempt(array $row): Attempt
    {
        $attempt = new Attempt(
            (string) $row['transaction_id'],
            (int) $row['order_id'],
            (string) $row['order_reference'],
            (string) $row['environment'],
            (string) $row['kind'],
            (int) $row['amount'],
            (string) $row['state']
        );
        $attempt->reason = (string) $row['reason'];
        $attempt->linkReference = (string) $row['link_reference'];
        $attempt->pageUrl = (string) $row['page_url'];
        $attempt->reference = (string) $row['reference'];
        $attempt->publicReference = (string) $row['public_reference'];
        $attempt->numberEnd = (string) $row['number_end'];
        $attempt->ageSeconds = (int) $row['age'];
        $attempt->checks = (int) $row['checks'];
        $attempt->isCustomerMailed = (int) $row['customer_mailed'] === 1;
        return $attempt;
    }
}
