<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

/**
 * Brings an order to what Karba says about one attempt. The webhook, the page of the customer, the
 * feed, the jobs and the buttons of the merchant all come here.
 *
 * The payment is read before the lock, so that a slow network holds no order. Under the lock of the
 * order, one conditional update takes the attempt, the outcome is written to the order, and a
 * second update ends it. A process that dies in between leaves the attempt taken, and the next one
 * repeats what may be missing.
 */
final class Settlement
{
    public const LOCK_SECONDS = 5;

    private Attempts $attempts;
    private Orders $orders;
    private Payments $payments;
    private Locks $locks;
    private Decisions $decisions;

    public function __construct(
        Attempts $attempts,
        Orders $orders,
        Payments $payments,
        Locks $locks,
        Decisions $decisions
    ) {
        $this->attempts = $attempts;
        $this->orders = $orders;
        $this->payments = $payments;
        $this->locks = $locks;
        $this->decisions = $decisions;
    }

    /**
     * @return Decision what was done; WAIT also if another process works on the order
     * @throws \Karba\KarbaException if Karba could not be asked: the attempt stays due
     */
    public function check(Attempt $attempt): Decision
    {
        $payment = $this->payments->read($attempt);
        $done = $this->locks->hold(
            "order-$attempt->orderId",
            self::LOCK_SECONDS,
            function () use ($attempt, $payment): Decision {
                return $this->write($attempt->transactionId, $payment);
            }
        );
        return $done ?? new Decision(Decision::WAIT);
    }

    private function write(string $transactionId, PaymentFacts $payment): Decision
    {
        $attempt = $this->attempts->find($transactionId);
        if ($attempt === null) {
            return new Decision(Decision::NOTHING);
        }
        $order = $this->orders->read($attempt->orderId);
        $decision = $this->decisions->about($order, $attempt, $payment);
        $state = $decision->endsIn();
        if ($state === null) {
            $this->attempts->postpone($attempt);
            return $decision;
        }
        if (!$this->attempts->claim($attempt)) {
            return new Decision(Decision::WAIT);
        }
        $this->apply($decision, $attempt, $payment);
        $this->attempts->end($attempt, $state, $decision->why);
        return $decision;
    }

    private function apply(Decision $decision, Attempt $attempt, PaymentFacts $payment): void
    {
        switch ($decision->is) {
            case Decision::COMPLETE:
                $this->orders->complete($attempt, $payment);
                return;
            case Decision::FINISH:
                $this->orders->finish($attempt, $payment);
                return;
            case Decision::DECLINE:
                $this->orders->decline($attempt, $payment);
                return;
            case Decision::HOLD:
                $this->orders->hold($attempt, $payment, $decision->why);
                return;
            case Decision::SURPLUS:
                $this->orders->noteSurplus($attempt, $payment);
                return;
            case Decision::RETURNED:
                $this->orders->noteReturned($attempt, $payment);
                return;
        }
    }
}
