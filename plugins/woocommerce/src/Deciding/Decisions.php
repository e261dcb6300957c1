<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Decides about an order from what the database and Karba say. Knows no WordPress. */
final class Decisions
{
    /**
     * A creation ends within a minute: what Karba does not know after this time never reached it.
     */
    public const GONE_AFTER_SECONDS = 600;

    /** The states of WooCommerce that a payment may complete. */
    public const PAYABLE = ['pending', 'failed', 'on-hold', 'checkout-draft'];

    private bool $isLive;

    /** @param bool $isLive whether the shop takes real money now */
    public function __construct(bool $isLive)
    {
        $this->isLive = $isLive;
    }

    public function about(?OrderFacts $order, Attempt $attempt, PaymentFacts $payment): Decision
    {
        if (!$payment->isFound) {
            $isGone = $attempt->ageSeconds >= self::GONE_AFTER_SECONDS && $attempt->state === Attempt::OPEN;
            return new Decision($isGone ? Decision::GONE : Decision::WAIT);
        }
        if (!self::isOfAttempt($payment, $attempt)) {
            return new Decision(Decision::NOTHING, Decision::OTHER_PAYMENT);
        }
        if ($attempt->hasMoney()) {
            return new Decision(Decision::NOTHING);
        }
        switch ($payment->status) {
            case 'succeeded':
                return $this->aboutMoney($order, $attempt, $payment);
            case 'failed':
                $isKnown = $attempt->state === Attempt::FAILED && $attempt->reason === $payment->reason;
                return new Decision($isKnown ? Decision::NOTHING : Decision::DECLINE, $payment->reason);
            case 'refunded':
                return self::aboutReturnedMoney($order, $attempt, $payment);
            default:
                // Open, or a state that this version does not know: it is no reason to do anything.
                return new Decision(Decision::WAIT);
        }
    }

    private function aboutMoney(?OrderFacts $order, Attempt $attempt, PaymentFacts $payment): Decision
    {
        if ($order === null) {
            return new Decision(Decision::HOLD, Decision::ORDER_MISSING);
        }
        if (self::isPaidBy($order, $attempt, $payment)) {
            return new Decision(Decision::FINISH);
        }
        if ($order->isPaid || $order->status === 'refunded') {
            return new Decision(Decision::SURPLUS, Decision::ALREADY_PAID);
        }
        if ($this->isLive && $attempt->environment !== 'live') {
            return new Decision(Decision::HOLD, Decision::TEST_PAYMENT);
        }
        if ($order->currency !== Amount::CURRENCY) {
            return new Decision(Decision::HOLD, Decision::CURRENCY_DIFFERS);
        }
        if ($payment->amount !== $attempt->amount || $payment->amount !== $order->francs) {
            return new Decision(Decision::HOLD, Decision::AMOUNT_DIFFERS);
        }
        if (!in_array($order->status, self::PAYABLE, true)) {
            return new Decision(Decision::HOLD, Decision::ORDER_CLOSED);
        }
        return new Decision(Decision::COMPLETE);
    }

    private static function aboutReturnedMoney(
        ?OrderFacts $order,
        Attempt $attempt,
        PaymentFacts $payment
    ): Decision {
        if ($order !== null && self::isPaidBy($order, $attempt, $payment)) {
            return new Decision(Decision::FINISH);
        }
        $isKnown = $attempt->state === Attempt::RETURNED;
        return new Decision($isKnown ? Decision::NOTHING : Decision::RETURNED);
    }

    /** Both names must agree: a payment of one order never pays another. */
    private static function isOfAttempt(PaymentFacts $payment, Attempt $attempt): bool
    {
        return $payment->transactionId === $attempt->transactionId
            && $payment->orderReference === $attempt->orderReference;
    }

    /**
     * WooCommerce may write the state of an order before the name of its payment: after an
     * interruption, a paid order without that name is paid by the payment that was being written.
     */
    private static function isPaidBy(OrderFacts $order, Attempt $attempt, PaymentFacts $payment): bool
    {
        if ($order->paidBy === $payment->reference && $payment->reference !== '') {
            return $order->isPaid || $order->status === 'refunded';
        }
        return $attempt->wasInterrupted() && $order->isPaid && $order->paidBy === '';
    }
}
