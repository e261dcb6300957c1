<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\PaymentFacts;
use Karba\WooCommerce\Deciding\Payments;
use Karba\WooCommerce\Deciding\Requests;

/** Karba's answers in memory. */
final class MemoryKarba implements Payments, Requests
{
    /** @var array<string, array<string, mixed>> by transaction_id */
    public array $payments = [];
    /** @var list<string> */
    public array $sent = [];
    public bool $isReachable = true;
    /** The code of the answer to the next creation. */
    public ?string $refusal = null;
    public bool $isPageBeingPaid = false;

    /** @param array<string, mixed> $change */
    public function pay(Attempt $attempt, array $change = []): void
    {
        $this->payments[$attempt->transactionId] = $change + [
            'status' => 'succeeded',
            'amount' => $attempt->amount,
            'external_reference' => $attempt->transactionId,
            'order_reference' => $attempt->orderReference,
            'reference' => "ref-$attempt->transactionId",
            'public_reference' => 'PUB',
        ];
    }

    public function read(Attempt $attempt): PaymentFacts
    {
        $this->answer();
        return isset($this->payments[$attempt->transactionId])
            ? PaymentFacts::of($this->payments[$attempt->transactionId])
            : PaymentFacts::notFound();
    }

    public function send(Attempt $attempt): array
    {
        $this->sent[] = $attempt->transactionId;
        if ($this->refusal !== null) {
            throw new KarbaException(['code' => $this->refusal, 'message' => 'No.']);
        }
        $isPage = $attempt->kind === Attempt::PAGE;
        $this->pay($attempt, ['status' => $isPage ? 'initiated' : 'pending']);
        return $isPage ? ['page_url' => "https://pay/$attempt->transactionId"] : [];
    }

    public function closePage(Attempt $attempt): bool
    {
        $this->answer();
        $status = $this->payments[$attempt->transactionId]['status'] ?? '';
        if ($this->isPageBeingPaid || $status !== 'initiated') {
            return false;
        }
        $this->pay($attempt, ['status' => 'failed', 'failure_reason' => 'cancelled']);
        return true;
    }

    private function answer(): void
    {
        if (!$this->isReachable) {
            throw new KarbaException(['code' => KarbaException::NO_ANSWER, 'message' => 'Silence.']);
        }
    }
}
