<?php

declare(strict_types=1);

namespace Karba\WooCommerce\Tests;

use Karba\KarbaException;
use Karba\WooCommerce\Deciding\Attempt;
use Karba\WooCommerce\Deciding\CatchUp;
use Karba\WooCommerce\Deciding\Feed;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/autoload.php';

/** The feed and the attempts that are due find what no webhook brought. */
final class CatchUpTest extends TestCase implements Feed
{
    private MemoryShop $shop;
    private ?int $cursor = null;
    /** @var list<array<string, mixed>> */
    private array $events = [];
    private int $removedUntil = 0;
    /** @var list<string> */
    private array $lookedAtRefunds = [];
    private int $stepsLeft = 1000;

    protected function setUp(): void
    {
        $this->shop = new MemoryShop();
    }

    public function cursor(): ?int
    {
        return $this->cursor;
    }

    public function keep(?int $from, int $after): bool
    {
        $isFirst = $this->cursor === $from;
        $this->cursor = $isFirst ? $after : $this->cursor;
        return $isFirst;
    }

    public function page(?int $after): array
    {
        if (!$this->shop->karba->isReachable) {
            throw new KarbaException(['code' => KarbaException::NO_ANSWER, 'message' => 'Silence.']);
        }
        $after = $after ?? 0;
        if ($after < $this->removedUntil) {
            throw new KarbaException([
                'code' => 'cursor_too_old',
                'message' => 'Gone.',
                'status' => 410,
                'kept_after' => $this->removedUntil,
            ]);
        }
        $left = array_slice($this->events, $after);
        $page = array_slice($left, 0, 2);
        return [
            'events' => $page,
            'has_more' => count($left) > count($page),
            'next' => ['after' => $after + count($page)],
        ];
    }

    private function catchUp(): bool
    {
        return (new CatchUp(
            $this,
            $this->shop,
            $this->shop->settlement(),
            'live',
            function (Attempt $attempt): void {
                $this->lookedAtRefunds[] = $attempt->transactionId;
            },
            function (): bool {
                return $this->stepsLeft-- > 0;
            }
        ))->run();
    }

    private function paid(string $name, int $orderId): void
    {
        $this->shop->order($orderId);
        $attempt = MemoryShop::attempt($name, $orderId);
        $this->shop->attempts[$name] = $attempt;
        $this->shop->karba->pay($attempt);
        $this->tell('payment.succeeded', $name);
    }

    private function tell(string $kind, string $name): void
    {
        $this->events[] = ['event' => $kind, 'data' => ['external_reference' => $name]];
    }

    private function paidOrders(): int
    {
        return count(array_filter($this->shop->orders, static function ($order): bool {
            return $order->isPaid;
        }));
    }

    public function testFindsEveryPaidOrder(): void
    {
        for ($id = 1; $id <= 7; $id++) {
            $this->paid("a$id", $id);
        }
        self::assertFalse($this->catchUp());
        self::assertSame([7, 7], [$this->paidOrders(), $this->cursor]);
        $this->catchUp();
        self::assertCount(7, $this->shop->done);
    }

    public function testFindsThemAfterTheirEventsWereRemoved(): void
    {
        for ($id = 1; $id <= 5; $id++) {
            $this->paid("a$id", $id);
        }
        $this->removedUntil = 4;
        $this->catchUp();
        self::assertSame([5, 5], [$this->paidOrders(), $this->cursor]);
    }

    public function testEventsOfOthersAreSkipped(): void
    {
        $this->tell('payment.succeeded', 'of-another-shop');
        $this->events[] = ['event' => 'statement.ready', 'data' => ['period' => 'day']];
        $this->events[] = ['event' => 'webhook.test', 'data' => []];
        $this->paid('a', 7);
        $this->catchUp();
        self::assertSame([['complete 7 a'], 4], [$this->shop->done, $this->cursor]);
    }

    public function testWhenItsTimeEndsTheRestIsDoneByTheNextRun(): void
    {
        for ($id = 1; $id <= 9; $id++) {
            $this->paid("a$id", $id);
        }
        for ($run = 0; $run < 9; $run++) {
            $this->stepsLeft = 4;
            $this->catchUp();
            $this->shop->passAMinute();
        }
        self::assertSame(9, $this->paidOrders());
    }

    public function testARunThatDiesSkipsNothing(): void
    {
        for ($id = 1; $id <= 6; $id++) {
            $this->paid("a$id", $id);
        }
        $steps = 0;
        $this->shop->afterStep = static function (string $step) use (&$steps): void {
            if (++$steps % 5 === 0) {
                throw new \Error('killed');
            }
        };
        for ($run = 0; $run < 12; $run++) {
            try {
                $this->catchUp();
            } catch (\Error $killed) {
                self::assertSame('killed', $killed->getMessage());
            }
            $this->shop->passAMinute();
        }
        self::assertSame([6, 6], [$this->paidOrders(), $this->cursor]);
    }

    public function testWhileKarbaCannotBeAskedThePositionStays(): void
    {
        $this->paid('a', 7);
        $this->shop->karba->isReachable = false;
        try {
            $this->catchUp();
            self::fail('It did not tell.');
        } catch (KarbaException $error) {
            self::assertNull($this->cursor);
        }
        $this->shop->karba->isReachable = true;
        $this->catchUp();
        self::assertSame(1, $this->paidOrders());
    }

    public function testARefundOfAnOrderIsLookedAt(): void
    {
        $this->paid('a', 7);
        $this->catchUp();
        $this->tell('refund.succeeded', 'a');
        $this->catchUp();
        self::assertSame(['a'], $this->lookedAtRefunds);
    }

    public function testAnAttemptThatIsDueIsFoundWithoutAnyEvent(): void
    {
        $this->paid('a', 7);
        $this->events = [];
        $this->shop->isDue['a'] = true;
        $this->catchUp();
        self::assertSame(1, $this->paidOrders());
    }
}
