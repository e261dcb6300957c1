<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/** Whether WooCommerce may cancel an unpaid order, after Karba was asked about each attempt. */
final class CancelRule
{
    /**
     * The payer or the network said no: the payment will not turn. Any other reason, also one that
     * this version does not know, means that the network was not clear, and late money may come.
     */
    public const FINAL_REASONS = [
        'declined',
        'insufficient_funds',
        'cancelled',
        'payer_not_found',
        'payer_not_allowed',
        'limit_reached',
        'amount_not_allowed',
    ];

    /** How long a failure that may turn keeps its order. */
    public const TURNS_WITHIN_SECONDS = 86400;

    /** @param PaymentFacts|null $payment null if Karba could not be asked */
    public static function allows(Attempt $attempt, ?PaymentFacts $payment): bool
    {
        if ($attempt->state === Attempt::REFUSED) {
            return true;
        }
        if ($attempt->hasMoney() || $payment === null) {
            return false;
        }
        if (!$payment->isFound) {
            return $attempt->ageSeconds >= Decisions::GONE_AFTER_SECONDS;
        }
        if ($payment->status === 'refunded') {
            return true;
        }
        if ($payment->status !== 'failed') {
            return false;
        }
        return in_array($payment->reason, self::FINAL_REASONS, true)
            || $attempt->ageSeconds >= self::TURNS_WITHIN_SECONDS;
    }
}
