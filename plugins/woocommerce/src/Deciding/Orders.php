<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** What a decision does to an order. Each may be repeated after an interruption. */
interface Orders
{
    /** As the database has it now, past every cache. */
    public function read(int $orderId): ?OrderFacts;

    public function complete(Attempt $attempt, PaymentFacts $payment): void;

    public function finish(Attempt $attempt, PaymentFacts $payment): void;

    public function decline(Attempt $attempt, PaymentFacts $payment): void;

    public function hold(Attempt $attempt, PaymentFacts $payment, string $why): void;

    public function noteSurplus(Attempt $attempt, PaymentFacts $payment): void;

    public function noteReturned(Attempt $attempt, PaymentFacts $payment): void;
}
