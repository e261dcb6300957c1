<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** One try to pay an order: a prompt on a phone, or a payment page. Stored before it is sent. */
final class Attempt
{
    public const PROMPT = 'prompt';
    public const PAGE = 'page';

    /** Not known yet. */
    public const OPEN = 'open';
    /** A process writes what it decided; another one takes over when it died. */
    public const WORKING = 'working';
    /** It paid its order. */
    public const SETTLED = 'settled';
    /** It has money that did not pay its order: a person decides. */
    public const HELD = 'held';
    /** Karba says that it failed. Late money may still turn it. */
    public const FAILED = 'failed';
    /** The network gave the money back. */
    public const RETURNED = 'returned';
    /** Karba refused it, or never had it. */
    public const REFUSED = 'refused';

    public string $transactionId;
    public int $orderId;
    public string $orderReference;
    public string $environment;
    public string $kind;
    public int $amount;
    public string $state;
    /** Chosen before the link is created, so that a lost answer can be found by it. */
    public string $linkReference = '';
    public string $pageUrl = '';
    public string $reference = '';
    public string $publicReference = '';
    public string $numberEnd = '';
    public string $reason = '';
    public int $ageSeconds = 0;
    public int $checks = 0;
    public bool $isCustomerMailed = false;

    public function __construct(
        string $transactionId,
        int $orderId,
        string $orderReference,
        string $environment,
        string $kind,
        int $amount,
        string $state = self::OPEN
    ) {
        $this->transactionId = $transactionId;
        $this->orderId = $orderId;
        $this->orderReference = $orderReference;
        $this->environment = $environment;
        $this->kind = $kind;
        $this->amount = $amount;
        $this->state = $state;
    }

    /** Under the lock of its order: the process that began to write the outcome has died. */
    public function wasInterrupted(): bool
    {
        return $this->state === self::WORKING;
    }

    public function hasMoney(): bool
    {
        return in_array($this->state, [self::SETTLED, self::HELD], true);
    }

    public function mayStillPay(): bool
    {
        return in_array($this->state, [self::OPEN, self::WORKING], true);
    }
}
