<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** A payment as Karba's API reported it to us. What a webhook says is never used. */
final class PaymentFacts
{
    private const OPEN = ['initiated', 'pending'];

    public bool $isFound;
    public string $status = '';
    public int $amount = 0;
    public string $transactionId = '';
    public string $orderReference = '';
    public string $reference = '';
    public string $publicReference = '';
    public string $reason = '';

    private function __construct(bool $isFound)
    {
        $this->isFound = $isFound;
    }

    /** @param array<string, mixed> $payment the answer to a read */
    public static function of(array $payment): self
    {
        $facts = new self(true);
        $facts->status = self::text($payment, 'status');
        $facts->amount = is_int($payment['amount'] ?? null) ? $payment['amount'] : 0;
        $facts->transactionId = self::text($payment, 'external_reference');
        $facts->orderReference = self::text($payment, 'order_reference');
        $facts->reference = self::text($payment, 'reference');
        $facts->publicReference = self::text($payment, 'public_reference');
        $facts->reason = self::text($payment, 'failure_reason');
        return $facts;
    }

    /** Karba answered that it has no such payment. */
    public static function notFound(): self
    {
        return new self(false);
    }

    public function isOpen(): bool
    {
        return in_array($this->status, self::OPEN, true);
    }

    /** The page was not used yet, so it can be closed. */
    public function isUntouched(): bool
    {
        return $this->status === 'initiated';
    }

    /** @param array<string, mixed> $payment */
    private static function text(array $payment, string $field): string
    {
        return is_string($payment[$field] ?? null) ? $payment[$field] : '';
    }
}
