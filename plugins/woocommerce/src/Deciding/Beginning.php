<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

use Karba\KarbaException;

/** Begins the payment of an order, at most one at a time, whatever the customer clicks. */
final class Beginning
{
    /** Longer than a creation takes, so that a second click gets the first one's payment. */
    private const LOCK_SECONDS = 20;

    private Attempts $attempts;
    private Settlement $settlement;
    private Requests $requests;
    private Locks $locks;

    public function __construct(
        Attempts $attempts,
        Settlement $settlement,
        Requests $requests,
        Locks $locks
    ) {
        $this->attempts = $attempts;
        $this->settlement = $settlement;
        $this->requests = $requests;
        $this->locks = $locks;
    }

    public function begin(Attempt $wanted): Begun
    {
        $begun = $this->locks->hold(
            "begin-$wanted->orderId",
            self::LOCK_SECONDS,
            function () use ($wanted): Begun {
                return $this->reuse($wanted) ?? $this->send($wanted);
            }
        );
        return $begun ?? Begun::refused(Begun::BUSY);
    }

    /** What an earlier attempt of the order allows; null if a new one may begin. */
    private function reuse(Attempt $wanted): ?Begun
    {
        foreach ($this->attempts->ofOrder($wanted->orderId) as $earlier) {
            try {
                $begun = $this->reuseOne($earlier, $wanted);
            } catch (KarbaException $error) {
                return Begun::refused(Begun::UNREACHABLE, $earlier);
            }
            if ($begun !== null) {
                return $begun;
            }
        }
        return null;
    }

    /** @throws KarbaException */
    private function reuseOne(Attempt $earlier, Attempt $wanted): ?Begun
    {
        if ($earlier->mayStillPay()) {
            $earlier = $this->checked($earlier);
        }
        if ($earlier->hasMoney()) {
            return Begun::paid();
        }
        if (!$earlier->mayStillPay()) {
            return null;
        }
        $isSame = $earlier->amount === $wanted->amount && $earlier->environment === $wanted->environment;
        if ($earlier->kind === Attempt::PROMPT) {
            return $isSame ? Begun::waiting($earlier) : Begun::refused(Begun::OPEN_WITH_OTHER_AMOUNT, $earlier);
        }
        $isWanted = $isSame && $wanted->kind === Attempt::PAGE && $earlier->pageUrl !== '';
        if (!$isWanted && $this->requests->closePage($earlier)) {
            $this->settlement->check($earlier);
            return null;
        }
        if ($isSame && $earlier->pageUrl !== '') {
            return Begun::page($earlier);
        }
        return Begun::refused(Begun::OPEN_WITH_OTHER_AMOUNT, $earlier);
    }

    private function send(Attempt $attempt): Begun
    {
        $this->attempts->add($attempt);
        try {
            $this->attempts->recordCreated($attempt, $this->requests->send($attempt));
        } catch (KarbaException $error) {
            return $this->afterError($attempt, $error);
        }
        return $attempt->kind === Attempt::PAGE ? Begun::page($attempt) : Begun::waiting($attempt);
    }

    private function afterError(Attempt $attempt, KarbaException $error): Begun
    {
        if ($error->isOutcomeUnknown() || $error->errorCode() === KarbaException::NO_ANSWER) {
            // It may have been recorded: the attempt stays open and is read back.
            $isPrompt = $attempt->kind === Attempt::PROMPT;
            return $isPrompt ? Begun::waiting($attempt) : Begun::refused(Begun::UNREACHABLE, $attempt);
        }
        $this->attempts->end($attempt, Attempt::REFUSED, $error->errorCode());
        if ($error->errorCode() === 'order_reference_taken' && $this->hasTurned($attempt)) {
            return Begun::paid();
        }
        return Begun::refused($error->errorCode(), $attempt);
    }

    /** Whether an earlier attempt that had failed got its money late. */
    private function hasTurned(Attempt $attempt): bool
    {
        foreach ($this->attempts->ofOrder($attempt->orderId) as $earlier) {
            try {
                if ($earlier->state === Attempt::FAILED && $this->checked($earlier)->hasMoney()) {
                    return true;
                }
            } catch (KarbaException $error) {
                continue;
            }
        }
        return false;
    }

    /** @throws KarbaException */
    private function checked(Attempt $attempt): Attempt
    {
        $this->settlement->check($attempt);
        return $this->attempts->find($attempt->transactionId) ?? $attempt;
    }
}
