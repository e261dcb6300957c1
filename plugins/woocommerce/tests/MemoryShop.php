<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\Attempts;
use Karba\WooCommerce\Deciding\BeforeCancel;
use Karba\WooCommerce\Deciding\Beginning;
use Karba\WooCommerce\Deciding\Decisions;
use Karba\WooCommerce\Deciding\OrderFacts;
use Karba\WooCommerce\Deciding\Orders;
use Karba\WooCommerce\Deciding\PaymentFacts;
use Karba\WooCommerce\Deciding\Settlement;

/** A shop and its database in memory. */
final class MemoryShop implements Attempts, Orders
{
    /** @var array<string, Attempt> */
    public array $attempts = [];
    /** @var array<string, true> */
    public array $isDue = [];
    /** @var array<string, true> */
    private array $isLeased = [];
    /** @var array<int, OrderFacts> */
    public array $orders = [];
    /** @var list<string> what was done to orders: `complete 7 a` */
    public array $done = [];
    public MemoryKarba $karba;
    public MemoryLocks $locks;
    /** @var callable(string): void a test throws there, as a process that dies would end */
    public $afterStep;

    public function __construct()
    {
        $this->karba = new MemoryKarba();
        $this->locks = new MemoryLocks();
        $this->afterStep = static function (string $step): void {
        };
    }

    public function settlement(bool $isLive = true): Settlement
    {
        return new Settlement($this, $this, $this->karba, $this->locks, new Decisions($isLive));
    }

    public function beginning(): Beginning
    {
        return new Beginning($this, $this->settlement(), $this->karba, $this->locks);
    }

    public function beforeCancel(): BeforeCancel
    {
        return new BeforeCancel($this, $this->karba, $this->karba, $this->settlement());
    }

    public function order(int $id, int $francs = 1500, string $status = 'pending'): OrderFacts
    {
        $isPaid = in_array($status, ['processing', 'completed'], true);
        return $this->orders[$id] = new OrderFacts($id, $status, $isPaid, $francs, 'XOF', '');
    }

    public static function attempt(string $name, int $orderId, int $amount = 1500): Attempt
    {
        return new Attempt($name, $orderId, "shop-$orderId", 'live', Attempt::PROMPT, $amount);
    }

    public function find(string $transactionId): ?Attempt
    {
        return isset($this->attempts[$transactionId]) ? clone $this->attempts[$transactionId] : null;
    }

    public function ofOrder(int $orderId): array
    {
        $of = array_filter($this->attempts, static function (Attempt $each) use ($orderId): bool {
            return $each->orderId === $orderId;
        });
        return array_values(array_map(static function (Attempt $each): Attempt {
            return clone $each;
        }, $of));
    }

    public function add(Attempt $attempt): void
    {
        $this->attempts[$attempt->transactionId] = clone $attempt;
        ($this->afterStep)('added');
    }

    public function recordCreated(Attempt $attempt, array $created): void
    {
        $attempt->pageUrl = (string) ($created['page_url'] ?? '');
        $this->attempts[$attempt->transactionId]->pageUrl = $attempt->pageUrl;
    }

    public function claim(Attempt $attempt): bool
    {
        $this->attempts[$attempt->transactionId]->state = Attempt::WORKING;
        ($this->afterStep)('claimed');
        return true;
    }

    public function end(Attempt $attempt, string $state, string $reason): void
    {
        $this->attempts[$attempt->transactionId]->state = $state;
        $this->attempts[$attempt->transactionId]->reason = $reason;
        unset($this->isDue[$attempt->transactionId], $this->isLeased[$attempt->transactionId]);
    }

    public function postpone(Attempt $attempt): void
    {
        unset($this->isDue[$attempt->transactionId], $this->isLeased[$attempt->transactionId]);
    }

    public function retryLater(Attempt $attempt): void
    {
        $this->isDue[$attempt->transactionId] = true;
    }

    public function makeDue(string $transactionId): void
    {
        $this->isDue[$transactionId] = true;
    }

    public function makeAllDue(string $environment): void
    {
        foreach ($this->attempts as $attempt) {
            if (!$attempt->hasMoney() && $attempt->environment === $environment) {
                $this->isDue[$attempt->transactionId] = true;
            }
        }
    }

    public function due(int $most): array
    {
        $names = array_slice(array_keys($this->isDue), 0, $most);
        $due = array_filter(array_map([$this, 'find'], $names));
        $this->isDue = array_diff_key($this->isDue, array_flip($names));
        $this->isLeased = array_fill_keys($names, true) + $this->isLeased;
        return array_values($due);
    }

    /** What was due and not looked at is due again. */
    public function passAMinute(): void
    {
        $this->isDue += $this->isLeased;
        $this->isLeased = [];
    }

    public function read(int $orderId): ?OrderFacts
    {
        return isset($this->orders[$orderId]) ? clone $this->orders[$orderId] : null;
    }

    public function complete(Attempt $attempt, PaymentFacts $payment): void
    {
        $this->orders[$attempt->orderId]->status = 'processing';
        $this->orders[$attempt->orderId]->isPaid = true;
        ($this->afterStep)('state saved');
        $this->orders[$attempt->orderId]->paidBy = $payment->reference;
        $this->done[] = "complete $attempt->orderId $attempt->transactionId";
        ($this->afterStep)('completed');
    }

    public function finish(Attempt $attempt, PaymentFacts $payment): void
    {
        $this->orders[$attempt->orderId]->paidBy = $payment->reference;
        $this->done[] = "finish $attempt->orderId $attempt->transactionId";
    }

    public function decline(Attempt $attempt, PaymentFacts $payment): void
    {
        $this->done[] = "decline $attempt->orderId $payment->reason";
    }

    public function hold(Attempt $attempt, PaymentFacts $payment, string $why): void
    {
        if (isset($this->orders[$attempt->orderId])) {
            $this->orders[$attempt->orderId]->status = 'on-hold';
        }
        $this->done[] = "hold $attempt->orderId $why";
        ($this->afterStep)('held');
    }

    public function noteSurplus(Attempt $attempt, PaymentFacts $payment): void
    {
        $this->done[] = "surplus $attempt->orderId $attempt->transactionId";
    }

    public function noteReturned(Attempt $attempt, PaymentFacts $payment): void
    {
        $this->done[] = "returned $attempt->orderId";
    }
}
