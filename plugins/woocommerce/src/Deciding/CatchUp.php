<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Deciding;

use Karba\KarbaException;

/**
 * Finds what no webhook brought: reads the feed from the stored position, then looks at each attempt
 * that is due. Either alone is enough to find a paid order.
 */
final class CatchUp
{
    private const DUE_AT_ONCE = 50;

    private Feed $feed;
    private Attempts $attempts;
    private Settlement $settlement;
    private string $environment;
    /** @var callable(Attempt): void */
    private $lookAtRefunds;
    /** @var callable(): bool */
    private $hasTime;

    /**
     * @param callable(Attempt): void $lookAtRefunds
     * @param callable(): bool $hasTime
     */
    public function __construct(
        Feed $feed,
        Attempts $attempts,
        Settlement $settlement,
        string $environment,
        callable $lookAtRefunds,
        callable $hasTime
    ) {
        $this->feed = $feed;
        $this->attempts = $attempts;
        $this->settlement = $settlement;
        $this->environment = $environment;
        $this->lookAtRefunds = $lookAtRefunds;
        $this->hasTime = $hasTime;
    }

    /**
     * @return bool whether there is more to do
     * @throws KarbaException if Karba could not be asked; what is due is looked at all the same
     */
    public function run(): bool
    {
        $failure = null;
        $isMore = false;
        try {
            $isMore = $this->readFeed();
        } catch (KarbaException $error) {
            $failure = $error;
        }
        $isMore = $this->lookAtDue() || $isMore;
        if ($failure !== null) {
            throw $failure;
        }
        return $isMore;
    }

    /** @throws KarbaException */
    private function readFeed(): bool
    {
        while (($this->hasTime)()) {
            $from = $this->feed->cursor();
            try {
                $page = $this->feed->page($from);
            } catch (KarbaException $error) {
                if ($error->errorCode() !== 'cursor_too_old' || $error->keptAfter() === null) {
                    throw $error;
                }
                // The events between are gone. Every attempt is read back instead.
                $this->attempts->makeAllDue($this->environment);
                $this->feed->keep($from, $error->keptAfter());
                continue;
            }
            foreach ($page['events'] as $event) {
                $this->handle($event);
            }
            $after = (int) $page['next']['after'];
            if (!$this->feed->keep($from, $after)) {
                return true;
            }
            if (!$page['has_more']) {
                return false;
            }
        }
        return true;
    }

    /**
     * The attempt is made due first: if this process dies or Karba cannot be asked, it is looked at
     * later, so the position may move on.
     *
     * @param array<string, mixed> $event
     */
    private function handle(array $event): void
    {
        $data = is_array($event['data'] ?? null) ? $event['data'] : [];
        $name = is_string($data['external_reference'] ?? null) ? $data['external_reference'] : '';
        $attempt = $name === '' ? null : $this->attempts->find($name);
        if ($attempt === null || $attempt->environment !== $this->environment) {
            return;
        }
        $isOfMoneyBack = preg_match('/refund/', (string) ($event['event'] ?? '')) === 1;
        if (!$isOfMoneyBack && $attempt->hasMoney()) {
            return;
        }
        $this->attempts->makeDue($name);
        if (($this->hasTime)()) {
            $this->lookAt($attempt);
        }
    }

    private function lookAtDue(): bool
    {
        while (($this->hasTime)()) {
            $due = $this->attempts->due(self::DUE_AT_ONCE);
            if ($due === []) {
                return false;
            }
            $looked = 0;
            foreach ($due as $attempt) {
                if (!($this->hasTime)()) {
                    return true;
                }
                $looked += $this->lookAt($attempt) ? 1 : 0;
            }
            if ($looked === 0) {
                // Karba cannot be asked now: the next run tries again.
                return false;
            }
        }
        return true;
    }

    private function lookAt(Attempt $attempt): bool
    {
        try {
            $this->settlement->check($attempt);
            if ($attempt->hasMoney()) {
                ($this->lookAtRefunds)($attempt);
            }
            return true;
        } catch (KarbaException $error) {
            $this->attempts->retryLater($attempt);
            return false;
        }
    }
}
