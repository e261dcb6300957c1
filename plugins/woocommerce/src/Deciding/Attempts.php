<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** The stored attempts. Each change is one statement that names the state it leaves. */
interface Attempts
{
    public function find(string $transactionId): ?Attempt;

    /** @return list<Attempt> the oldest first */
    public function ofOrder(int $orderId): array;

    /**
     * Takes the attempt to write its outcome. False if another process has it, or its outcome was
     * written. A process that died loses it after CLAIM_SECONDS.
     */
    public function claim(Attempt $attempt): bool;

    /** Ends what `claim` began. */
    public function end(Attempt $attempt, string $state, string $reason): void;

    /** Stored before it is sent, so that no crash loses it. */
    public function add(Attempt $attempt): void;

    /** @param array<string, mixed> $created the answer to the creation */
    public function recordCreated(Attempt $attempt, array $created): void;

    /** Looked at, without an outcome: look again later. */
    public function postpone(Attempt $attempt): void;

    /** Karba could not be asked: look again soon, whatever its state. */
    public function retryLater(Attempt $attempt): void;

    /** Look at it as soon as possible, whatever its state. */
    public function makeDue(string $transactionId): void;

    /** After lost events: look at each attempt of the environment that has no final state. */
    public function makeAllDue(string $environment): void;

    /**
     * Those that are due now, the longest due first. Each is due again in a minute, in case this
     * process dies.
     *
     * @return list<Attempt>
     */
    public function due(int $most): array;
}
