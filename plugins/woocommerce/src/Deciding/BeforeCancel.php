<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

use Karba\KarbaException;

/** Asks Karba about each attempt before an unpaid order is cancelled. */
final class BeforeCancel
{
    private Attempts $attempts;
    private Payments $payments;
    private Requests $requests;
    private Settlement $settlement;

    public function __construct(
        Attempts $attempts,
        Payments $payments,
        Requests $requests,
        Settlement $settlement
    ) {
        $this->attempts = $attempts;
        $this->payments = $payments;
        $this->requests = $requests;
        $this->settlement = $settlement;
    }

    /** Without an answer of Karba the order stays. */
    public function mayCancel(int $orderId): bool
    {
        $mayCancel = true;
        foreach ($this->attempts->ofOrder($orderId) as $attempt) {
            try {
                $mayCancel = $this->isOver($attempt) && $mayCancel;
            } catch (KarbaException $error) {
                $this->attempts->retryLater($attempt);
                $mayCancel = false;
            }
        }
        return $mayCancel;
    }

    /** Nobody will pay a cancelled order. A prompt on a phone cannot be withdrawn, a page can. */
    public function closePages(int $orderId): void
    {
        foreach ($this->attempts->ofOrder($orderId) as $attempt) {
            if ($attempt->kind === Attempt::PAGE && $attempt->mayStillPay()) {
                try {
                    $this->requests->closePage($attempt);
                } catch (KarbaException $error) {
                    $this->attempts->retryLater($attempt);
                }
            }
        }
    }

    /** @throws KarbaException */
    private function isOver(Attempt $attempt): bool
    {
        if ($attempt->state === Attempt::REFUSED) {
            return true;
        }
        $payment = $this->payments->read($attempt);
        if ($payment->isUntouched() && $this->requests->closePage($attempt)) {
            $payment = $this->payments->read($attempt);
        }
        if (!$payment->isOpen()) {
            $this->settlement->check($attempt);
        }
        return CancelRule::allows($this->attempts->find($attempt->transactionId) ?? $attempt, $payment);
    }
}
