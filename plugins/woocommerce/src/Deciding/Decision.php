<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** What to do with an order about a payment. */
final class Decision
{
    /** Look again later. */
    public const WAIT = 'wait';
    /** The order is paid. */
    public const COMPLETE = 'complete';
    /** The order is paid by this payment: repeat what a process that died may have left undone. */
    public const FINISH = 'finish';
    /** The payment failed: the customer may try again. */
    public const DECLINE = 'decline';
    /** Money came, and it does not simply pay the order: put it on hold, tell the merchant. */
    public const HOLD = 'hold';
    /** Money came for an order that is paid already: tell the merchant, leave the order. */
    public const SURPLUS = 'surplus';
    /** The network gave the money back. */
    public const RETURNED = 'returned';
    /** Karba never had it. */
    public const GONE = 'gone';
    /** Nothing to do. */
    public const NOTHING = 'nothing';

    public const AMOUNT_DIFFERS = 'amount_differs';
    public const CURRENCY_DIFFERS = 'currency_differs';
    public const OTHER_PAYMENT = 'other_payment';
    public const TEST_PAYMENT = 'test_payment';
    public const ORDER_CLOSED = 'order_closed';
    public const ORDER_MISSING = 'order_missing';
    public const ALREADY_PAID = 'already_paid';

    public string $is;
    public string $why;

    public function __construct(string $is, string $why = '')
    {
        $this->is = $is;
        $this->why = $why;
    }

    /** The state of an attempt after it, or null if it stays as it is. */
    public function endsIn(): ?string
    {
        $ends = [
            self::COMPLETE => Attempt::SETTLED,
            self::FINISH => Attempt::SETTLED,
            self::DECLINE => Attempt::FAILED,
            self::HOLD => Attempt::HELD,
            self::SURPLUS => Attempt::HELD,
            self::RETURNED => Attempt::RETURNED,
            self::GONE => Attempt::REFUSED,
        ];
        return $ends[$this->is] ?? null;
    }
}
